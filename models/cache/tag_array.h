#pragma once
// The tags of a sectored, set-associative cache with LRU replacement. A line is a tag and up to 32 sectors.
// Of each sector: valid (all its bytes are there), reserved (a fill is on its way), dirty (it has bytes newer
// than memory's; without valid only some of its bytes are there).
//
// Addresses may carry more than memory's bits, so that lines of several address spaces can stand side by
// side.

#include <cstdint>
#include <vector>

#include "models/core/base/ids.h"

namespace heddle {

struct TagArraySpec {
  std::uint32_t sets = 0;           // a power of two
  std::uint32_t ways = 0;           // 1 or more
  std::uint32_t line_bytes = 128;   // a power of two
  std::uint32_t sector_bytes = 32;  // a power of two, at least a 32nd of the line
  bool hash = false;                // the set is the XOR of all groups of index bits above the line offset
};

enum class SectorState : std::uint8_t { kInvalid, kReserved, kValid, kDirty };

class TagArray {
 public:
  using Line = std::uint32_t;  // set * ways + way
  static constexpr Line kNone = ~Line{0};
  using Sectors = std::uint32_t;  // bit per sector, the first lowest

  explicit TagArray(const TagArraySpec& spec);

  Address line_of(Address address) const { return address & ~line_mask_; }
  std::uint32_t sector_of(Address address) const {
    return static_cast<std::uint32_t>((address & line_mask_) >> sector_shift_);
  }
  // The sectors that [address, address + bytes) touches; it lies within one line, bytes 1 or more.
  Sectors sectors_of(Address address, std::uint32_t bytes) const {
    const std::uint32_t first = sector_of(address);
    const std::uint32_t last = sector_of(address + bytes - 1);
    return (~Sectors{0} >> (31 - last)) & (~Sectors{0} << first);
  }
  std::uint32_t set_of(Address address) const;

  // The line of that address (line_of) in the set, or kNone. Not a use.
  Line find(std::uint32_t set, Address line) const;
  void touch(Line line) { entries_[line].used = ++uses_; }
  // What an absent line would take: the first empty way, else the least recently used one that has no
  // reserved sector, else kNone.
  Line victim(std::uint32_t set) const;
  void install(Line line, Address address);  // with no sector valid, just used; what stood there is gone
  void drop(Line line);
  void reset();  // Every line is empty afterwards.

  bool present(Line line) const { return entries_[line].address != kFree; }
  Address address(Line line) const { return entries_[line].address; }
  Sectors valid(Line line) const { return entries_[line].valid; }
  Sectors reserved(Line line) const { return entries_[line].reserved; }
  Sectors dirty(Line line) const { return entries_[line].dirty; }
  SectorState state(Line line, std::uint32_t sector) const;  // the first that holds: reserved, dirty, valid

  void reserve(Line line, Sectors sectors) { entries_[line].reserved |= sectors; }
  void fill(Line line, Sectors sectors) {
    entries_[line].valid |= sectors;
    entries_[line].reserved &= ~sectors;
  }
  void set_valid(Line line, Sectors sectors) { entries_[line].valid |= sectors; }
  void set_dirty(Line line, Sectors sectors) { entries_[line].dirty |= sectors; }

 private:
  static constexpr Address kFree = ~Address{0};
  struct Entry {
    Address address = kFree;
    std::uint64_t used = 0;
    Sectors valid = 0;
    Sectors reserved = 0;
    Sectors dirty = 0;
  };

  const std::uint32_t ways_;
  const std::uint32_t set_mask_;
  const std::uint32_t set_bits_;
  const Address line_mask_;
  const std::uint32_t line_shift_;
  const std::uint32_t sector_shift_;
  const bool hash_;
  std::vector<Entry> entries_;
  std::uint64_t uses_ = 0;
};

}  // namespace heddle
