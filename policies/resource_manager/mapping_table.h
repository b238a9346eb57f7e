#pragma once
// A MappingTable maps the logical sets of one resource of an SM to physical sets or to swap space
// (Vijaykumar et al., Zorua, Section 5.5). A row is a logical warp, or a logical block for shared memory. A
// row holds its lowest logical sets. A set is four registers of each lane of a warp, 1 KiB of shared memory,
// or a warp slot.
//
// If no physical set is free, a set that is taken replaces the one that was accessed least often in the
// present and the last epoch, the one with the lowest number on a tie, and the replaced set goes to swap
// space. Sets of the row that takes are not replaced, and sets that have come in the present epoch only if
// there is no other. Rows belong to groups: sets of another group are replaced only if there is none of the
// same. A set in swap space stays there until its row gives it back, unless the owner of the
// table fetches it.

#include <cstdint>
#include <optional>
#include <vector>

namespace heddle {

class MappingTable {
 public:
  struct Shape {
    std::uint32_t rows = 0;
    std::uint32_t columns = 0;  // the most sets of a row
    std::uint32_t sets = 0;     // physical sets, 1 .. kMostSets
    std::uint32_t faulty = 0;   // of the physical sets; those with the highest numbers are never used
  };
  static constexpr std::uint32_t kMostSets = 65535;
  static constexpr std::uint32_t kMostGroups = 1024;

  struct Entry {
    std::uint32_t row = 0;
    std::uint32_t column = 0;
  };

  explicit MappingTable(const Shape& shape);
  void reset();

  // Returns the size of the table in the hardware: for each logical set the number of a physical one and a
  // valid bit.
  static std::uint64_t bits(const Shape& shape);

  std::uint32_t free() const { return static_cast<std::uint32_t>(free_.size()); }  // physical sets
  std::uint32_t swapped() const { return swapped_; }                               // sets in swap space
  std::uint32_t usable() const { return shape_.sets - shape_.faulty; }             // physical sets
  std::uint32_t used() const { return usable() - free(); }                         // physical sets
  std::uint32_t held(std::uint32_t row) const { return held_[row]; }               // sets of the row
  bool is_swapped(std::uint32_t row, std::uint32_t column) const {
    return place_[at(row, column)] == kSwapped;
  }
  std::uint32_t swapped_of_group(std::uint32_t group) const { return swapped_of_group_[group]; }

  // The row, which holds no set, belongs to this group from now on; 0 .. kMostGroups - 1.
  void set_group(std::uint32_t row, std::uint32_t group);

  // The row takes its next logical set. Returns the set that it replaces, if one goes to swap space. The set
  // itself goes to swap space where the row already has all physical sets.
  std::optional<Entry> take(std::uint32_t row);
  // The row gives back its highest set.
  void give_back(std::uint32_t row);
  void give_back_all(std::uint32_t row) {
    while (held_[row] > 0) give_back(row);
  }
  // The set comes back from swap space. A physical set must be free.
  void fetch(std::uint32_t row, std::uint32_t column);
  // The set comes back from swap space for one of another row that was not accessed in the present and the
  // last epoch. Returns that set, or nothing if there is none.
  std::optional<Entry> exchange(std::uint32_t row, std::uint32_t column);

  // Counts an access to a set of the row. Returns whether it is on chip.
  bool access(std::uint32_t row, std::uint32_t column) {
    const std::uint32_t place = place_[at(row, column)];
    if (place == kSwapped) return false;
    ++accesses_[place];
    return true;
  }
  void end_epoch();

  // Returns whether the counters agree with the entries. Tests call it.
  bool closes() const;

 private:
  static constexpr std::uint32_t kNowhere = ~std::uint32_t{0};
  static constexpr std::uint32_t kSwapped = kNowhere - 1;
  static constexpr std::uint32_t kYoung = 1u << 30;  // more than the accesses of an epoch

  std::size_t at(std::uint32_t row, std::uint32_t column) const {
    return std::size_t{row} * shape_.columns + column;
  }
  void map(const Entry& entry, std::uint32_t place);
  Entry replace(std::uint32_t place, const Entry& by);
  // Both return the set that may be replaced by one of the row.
  std::optional<std::uint32_t> not_accessed(std::uint32_t by_row);
  std::optional<std::uint32_t> least_accessed(std::uint32_t by_row);
  void count_swapped(std::uint32_t row, int sets);

  const Shape shape_;
  std::vector<std::uint32_t> place_;     // by logical set: the physical one, kSwapped or kNowhere
  std::vector<Entry> owner_;             // by physical set; its row is kNowhere if no set is mapped there
  std::vector<std::uint32_t> accesses_;  // by physical set, in this epoch
  std::vector<std::uint32_t> before_;    // by physical set, in the last epoch; kYoung: it came after that
  std::vector<std::uint32_t> cold_;      // the sets that were not accessed in the last epoch, lowest last
  std::vector<std::uint32_t> free_;      // physical sets; the last one is taken next
  std::vector<std::uint32_t> held_;      // by row
  std::vector<std::uint16_t> group_;     // by row
  std::vector<std::uint32_t> swapped_of_group_;
  std::uint32_t swapped_ = 0;
};

}  // namespace heddle
