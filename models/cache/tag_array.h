#pragma once
// A TagArray has the tags of a sectored, set-associative cache, and the replacement policy that chooses the
// line to evict. A line has one tag and up to 32 sectors. A valid sector has all its bytes. A reserved sector
// has a fill in flight. A dirty sector has bytes newer than those in memory; if it is not valid, only some of
// its bytes are present.
//
// An address may have more bits than an address of memory, so that lines of several address spaces can be in
// one array.

#include <cstdint>
#include <memory>
#include <vector>

#include "models/core/base/ids.h"
#include "policies/replacement/i_replacement.h"

namespace heddle {

// A SetHash maps a line number to a set. The line number is cut into groups of as many bits as the number of
// the set has.
enum class SetHash : std::uint8_t {
  kNone,         // the lowest group
  kThreeGroups,  // the XOR of the lowest three groups
  kAllGroups,    // the XOR of all groups
};

struct TagArraySpec {
  std::uint32_t sets = 0;           // 0: the cache does not exist, and no lookup is allowed
  std::uint32_t ways = 0;           // 1 or more
  std::uint32_t line_bytes = 128;   // a power of two
  std::uint32_t sector_bytes = 32;  // a power of two, at least 1/32 of the line
  SetHash hash = SetHash::kNone;
  PolicyChoice replacement{Replacement::kDefault, {}};
};

enum class SectorState : std::uint8_t { kInvalid, kReserved, kValid, kDirty };

class TagArray {
 public:
  using Line = std::uint32_t;  // set * ways + way
  static constexpr Line kNone = ~Line{0};
  using Sectors = std::uint32_t;  // one bit for each sector; bit 0 is the first

  explicit TagArray(const TagArraySpec& spec);

  Address line_of(Address address) const { return address & ~line_mask_; }
  std::uint32_t sector_of(Address address) const {
    return static_cast<std::uint32_t>((address & line_mask_) >> sector_shift_);
  }
  // Returns the sectors that [address, address + bytes) touches. The range lies within one line, and `bytes`
  // is 1 or more.
  Sectors sectors_of(Address address, std::uint32_t bytes) const {
    const std::uint32_t first = sector_of(address);
    const std::uint32_t last = sector_of(address + bytes - 1);
    return (~Sectors{0} >> (31 - last)) & (~Sectors{0} << first);
  }
  std::uint32_t set_of(Address address) const {
    const std::uint64_t number = address >> line_shift_;
    if (!power_of_two_ || hash_ == SetHash::kAllGroups) return folded(number);
    const std::uint64_t set =
        hash_ == SetHash::kNone ? number : number ^ number >> set_bits_ ^ number >> set_bits_ >> set_bits_;
    return static_cast<std::uint32_t>(set) & (sets_ - 1);
  }
  std::uint32_t lines() const { return static_cast<std::uint32_t>(entries_.size()); }

  // Returns the line of that address (a result of line_of()) in the set, or kNone. A lookup does not count as
  // a use.
  Line find(std::uint32_t set, Address line) const {
    const Line first = set * ways_;
    for (Line at = first; at < first + ways_; ++at)
      if (entries_[at].address == line) return at;
    return kNone;
  }
  void touch(Line line) {
    uses_[line].used = ++clock_;
    if (keeps_state_) replacement_->used(line / ways_, line % ways_);
  }
  // Returns the line that a new line would replace: the first empty way, else the policy's choice among the
  // lines without a reserved sector, else kNone.
  Line victim(std::uint32_t set) const;
  // The same among some ways of the set. The policy keeps no state of its own.
  struct Ways {
    std::uint32_t first = 0;
    std::uint32_t count = 0;
  };
  Line victim(std::uint32_t set, const Ways& ways) const;
  // From now on a new line takes one of the first `ways` ways of its set. Lines in the other ways are
  // dropped, except for those with a reserved sector, which stay until they are dropped. `ways` is 1 to those
  // of a set.
  void use_ways(std::uint32_t ways);
  void install(Line line, Address address);  // evicts the present line; no sector of the new line is valid
  void drop(Line line);
  void reset();  // empties every line

  std::uint32_t lines_in(std::uint32_t set) const { return present_[set]; }  // that are present
  std::uint64_t last_use(Line line) const { return uses_[line].used; }       // grows with each use
  bool present(Line line) const { return entries_[line].address != kFree; }
  Address address(Line line) const { return entries_[line].address; }
  Sectors valid(Line line) const { return entries_[line].valid; }
  Sectors reserved(Line line) const { return entries_[line].reserved; }
  Sectors dirty(Line line) const { return entries_[line].dirty; }
  // Reserved takes precedence over dirty, and dirty over valid.
  SectorState state(Line line, std::uint32_t sector) const;

  void reserve(Line line, Sectors sectors) {
    entries_[line].reserved |= sectors;
    uses_[line].locked = entries_[line].reserved != 0;
  }
  void fill(Line line, Sectors sectors) {
    entries_[line].valid |= sectors;
    entries_[line].reserved &= ~sectors;
    uses_[line].locked = entries_[line].reserved != 0;
  }
  void set_valid(Line line, Sectors sectors) { entries_[line].valid |= sectors; }
  void set_invalid(Line line, Sectors sectors) { entries_[line].valid &= ~sectors; }
  void set_dirty(Line line, Sectors sectors) { entries_[line].dirty |= sectors; }

 private:
  static constexpr Address kFree = ~Address{0};
  struct Entry {
    Address address = kFree;
    Sectors valid = 0;
    Sectors reserved = 0;
    Sectors dirty = 0;
  };

  std::uint32_t folded(std::uint64_t number) const;

  const std::uint32_t sets_;
  const std::uint32_t ways_;
  std::uint32_t used_ways_;       // those that a new line may take
  const bool power_of_two_;       // whether the number of sets is one
  const std::uint32_t set_bits_;  // log2 of the number of sets, if it is a power of two
  const Address line_mask_;
  const std::uint32_t line_shift_;
  const std::uint32_t sector_shift_;
  const SetHash hash_;
  const std::unique_ptr<Replacement> replacement_;
  const bool keeps_state_;
  std::vector<Entry> entries_;
  std::vector<LineUse> uses_;           // by line
  std::vector<std::uint32_t> present_;  // by set: the number of ways that are not empty
  std::uint64_t clock_ = 0;             // counts uses
};

}  // namespace heddle
