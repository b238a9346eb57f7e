#pragma once
// A cache of an SM, for L1, constants and instructions: sectored lines, allocated on a miss, and one MSHR for
// each line that has a fill in flight, which holds the waiters of that line. Pure logic.

#include <cstdint>

#include "models/cache/mshr_file.h"
#include "models/cache/tag_array.h"
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
    kNoLine,   // refused, as all below: every line of the set has a fill in flight
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

  bool exists() const { return tags_.lines() != 0; }

  // The key tells lines of different contexts apart: context in the upper bits, address of the line below.
  static Address key(std::uint64_t space, Address line) { return line | space << 48; }
  static std::uint64_t space_of(Address key) { return key >> 48; }
  static Address line_of(Address key) { return key & ((Address{1} << 48) - 1); }

  // A read of some sectors of a line; hit() only where all of them are there.
  bool hit(Address key, Sectors sectors) {
    const TagArray::Line line = tags_.find(tags_.set_of(key), key);
    if (line == TagArray::kNone || (sectors & ~tags_.valid(line)) != 0) return false;
    tags_.touch(line);
    return true;
  }
  Result load(Address key, Sectors sectors, Waiter waiter);
  // A write to a line that is present marks or drops what is written; tells whether it was present.
  bool store_through(Address key, Sectors sectors);  // the line's sectors are dropped
  bool store_back(Address key, Sectors sectors);     // the line's sectors become dirty

  // What an MSHR asked for has come. Calls done(waiter) in the order in which they came.
  template <class Done>
  void fill(std::uint32_t mshr, Sectors sectors, Done done) {
    const TagArray::Line line = mshrs_.place(mshr);
    tags_.fill(line, sectors);
    if (tags_.reserved(line) != 0) return;
    for (std::uint32_t i = 0; i < mshrs_.waiting(mshr); ++i)
      done(static_cast<Waiter>(mshrs_.waiter(mshr, i)));
    mshrs_.release(mshr);
  }
  bool idle() const { return mshrs_.in_use() == 0; }

  // Every line is empty and every MSHR free afterwards.
  void reset();

  // Drops every line of the space that is not on its way; its dirty sectors are lost to the owner's count.
  void invalidate(std::uint64_t space);

 private:
  static bool refused(Outcome outcome) { return outcome >= Outcome::kNoLine; }
  Sectors whole_sectors(Sectors touched) const;
  Result wait_for(TagArray::Line line, Sectors missing, Waiter waiter);

  const std::uint32_t sector_bytes_;  // of a request to L2
  TagArray tags_;                     // with sectors of 32 bytes
  MshrFile mshrs_;                    // a place is a line
};

}  // namespace heddle
