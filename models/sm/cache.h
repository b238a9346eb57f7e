#pragma once
// A cache of an SM: tags, LRU and MSHRs, for L1, constants and instructions. Sectored lines, allocated on a
// miss; one MSHR for each line on its way, which holds the waiters of that line. Pure logic.

#include <cstdint>
#include <vector>

#include "models/core/base/ids.h"
#include "models/sm/cycle_spec.h"

namespace heddle {

class Cache {
 public:
  using Sectors = std::uint8_t;  // bit i: the i-th 32 bytes of a line
  using Waiter = std::uint32_t;  // the owner's own number

  enum class Outcome : std::uint8_t {
    kHit,
    kMerged,   // on its way; the waiter waits
    kMiss,     // the waiter waits, and `request` must be sent
    kNoLine,   // refused: every line of the set is on its way
    kNoMshr,   // refused
    kNoMerge,  // refused: the line's MSHR holds as many as it can
  };
  struct Result {
    Outcome outcome = Outcome::kHit;
    std::uint32_t mshr = 0;   // kMiss: to name in the request
    Sectors request = 0;      // kMiss: what to ask L2 for
    bool write_back = false;  // a dirty line went: its sectors must be written
    Address victim = 0;       // the key of that line
    Sectors dirty = 0;
  };

  explicit Cache(const CacheSpec& spec);

  bool exists() const { return sets_ != 0; }

  // The key tells lines of different contexts apart: context in the upper bits, address of the line below.
  static Address key(std::uint64_t space, Address line) { return line | space << 48; }
  static std::uint64_t space_of(Address key) { return key >> 48; }
  static Address line_of(Address key) { return key & ((Address{1} << 48) - 1); }

  // A read of some sectors of a line; hit() only where all of them are there.
  bool hit(Address key, Sectors sectors) {
    Line* line = find(key);
    if (line == nullptr || (sectors & ~line->valid) != 0) return false;
    line->used = ++uses_;
    return true;
  }
  Result load(Address key, Sectors sectors, Waiter waiter);
  // A write to a line that is present marks or drops what is written; tells whether it was present.
  bool store_through(Address key, Sectors sectors);  // the line's sectors are dropped
  bool store_back(Address key, Sectors sectors);     // the line's sectors become dirty

  // What an MSHR asked for has come. Calls done(waiter) in the order in which they came.
  template <class Done>
  void fill(std::uint32_t mshr, Sectors sectors, Done done) {
    Mshr& entry = mshrs_[mshr];
    Line& line = lines_[entry.line];
    line.valid |= sectors;
    entry.expected &= static_cast<Sectors>(~sectors);
    if (entry.expected != 0) return;
    line.mshr = kNone;
    for (std::uint32_t i = 0; i < entry.waiters; ++i) done(waiters_[mshr * merges_ + i]);
    entry.waiters = 0;
    free_.push_back(mshr);
  }
  bool idle() const { return free_.size() == mshrs_.size(); }

  // Every line is empty and every MSHR free afterwards.
  void reset();

  // Drops every line of the space that is not on its way; its dirty sectors are lost to the owner's count.
  void invalidate(std::uint64_t space);

 private:
  static constexpr std::uint32_t kNone = ~std::uint32_t{0};
  struct Line {
    Address key = ~Address{0};
    std::uint64_t used = 0;  // LRU
    Sectors valid = 0;
    Sectors dirty = 0;
    std::uint32_t mshr = kNone;  // on its way
  };
  struct Mshr {
    std::uint32_t line = 0;
    std::uint32_t waiters = 0;
    Sectors expected = 0;
  };

  std::uint32_t set_of(Address key) const;
  Line* find(Address key);
  Line* victim(std::uint32_t set);
  Sectors whole_sectors(Sectors touched) const;
  Result wait_for(Line& line, Sectors missing, Waiter waiter);

  std::uint32_t sets_;
  std::uint32_t set_bits_;  // where the sets are a power of two
  std::uint32_t ways_;
  std::uint32_t line_shift_;
  std::uint32_t sector_bytes_;
  std::uint32_t merges_;
  bool hashed_;
  std::vector<Line> lines_;
  std::vector<Mshr> mshrs_;
  std::vector<Waiter> waiters_;
  std::vector<std::uint32_t> free_;
  std::uint64_t uses_ = 0;
};

}  // namespace heddle
