#pragma once
// A Cache is the L1, constant or instruction cache of an SM. Its lines are sectored, and a read that misses
// allocates a line. Each line with a fill in flight has one MSHR, which holds the waiters of the line. The
// cache is pure logic.

#include <cstdint>
#include <optional>

#include "models/cache/mshr_file.h"
#include "models/cache/tag_array.h"
#include "models/sm/spec/execution_spec.h"

namespace heddle {

class Cache {
 public:
  using Sectors = std::uint8_t;  // bit i stands for bytes 32 i .. 32 i + 31 of a line
  static constexpr Sectors kWholeLine = 0xf;
  using Waiter = std::uint32_t;  // a number that the owner chooses

  enum class Outcome : std::uint8_t {
    kHit,
    kMerged,   // the missing sectors are in flight; the waiter waits
    kMiss,     // the waiter waits, and the owner must send a request for `request`
    kNoLine,   // refused: every line of the set has a fill in flight
    kNoMshr,   // refused: no MSHR is free
    kNoMerge,  // refused: the line's MSHR holds as many waiters as it can
  };
  struct Result {
    Outcome outcome = Outcome::kHit;
    std::uint32_t mshr = 0;   // kMiss: the MSHR, which the owner names in the request
    Sectors request = 0;      // kMiss: the sectors to request from L2
    bool write_back = false;  // a dirty line is evicted: the owner must write back its `dirty` sectors
    Address victim = 0;       // the key of the evicted line
    Sectors dirty = 0;
  };

  explicit Cache(const CacheSpec& spec);

  bool exists() const { return tags_.lines() != 0; }

  // Returns a key that differs for equal lines of different contexts: the context is in the upper 16 bits,
  // and the address of the line is in the lower 48 bits.
  static Address key(std::uint64_t space, Address line) { return line | space << 48; }
  static std::uint64_t space_of(Address key) { return key >> 48; }
  static Address line_of(Address key) { return key & ((Address{1} << 48) - 1); }

  // A read looks up some sectors of one line. hit() changes nothing and returns false unless all of the
  // sectors are valid. `guess` is the number of a line, 0 at first, which is tried before the set is
  // searched, and becomes that of the line that is found.
  bool hit(Address key, Sectors sectors, TagArray::Line& guess) {
    if (tags_.address(guess) != key) {
      const TagArray::Line line = tags_.find(tags_.set_of(key), key);
      if (line == TagArray::kNone) return false;
      guess = line;
    }
    if ((sectors & ~tags_.valid(guess)) != 0) return false;
    tags_.touch(guess);
    return true;
  }
  Result load(Address key, Sectors sectors, Waiter waiter);
  // A load without a waiter. The outcome is kHit if the line is present or in flight, kMiss, kNoLine or
  // kNoMshr.
  Result prefetch(Address key, Sectors sectors);
  // Returns the key of the line that load() would evict. There is none if the line of `key` is present or in
  // flight, if a way is empty, or if every line of the set has a fill in flight.
  std::optional<Address> victim_of(Address key) const;
  // A write changes a line only if the line is present. Both functions return whether they changed the line.
  // Invalidates the sectors if one of them is valid. With `updates` the sectors that are valid stay so, and
  // the line counts as used.
  bool store_through(Address key, Sectors sectors, bool updates = false);
  bool store_back(Address key, Sectors sectors);  // marks the sectors dirty if all of them are valid

  // Makes `sectors` valid, which the MSHR had requested. When no sector of the line is in flight any more,
  // calls done(waiter) for each waiter in order of arrival and frees the MSHR.
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

  // Empties every line and frees every MSHR.
  void reset();

  // From now on the cache has so many bytes of its memory, in whole ways: at least one way, and at most all.
  // Lines in other ways are dropped as by invalidate().
  void resize(std::uint32_t bytes);

  // Drops every line of the space that has no fill in flight. Its dirty sectors are not written back.
  void invalidate(std::uint64_t space);

 private:
  static bool refused(Outcome outcome) { return outcome >= Outcome::kNoLine; }
  Sectors whole_sectors(Sectors touched) const;
  // Replaces a line of the set by that of the key, of which it reserves the sectors. Nothing waits on its
  // MSHR.
  Result request_line(std::uint32_t set, Address key, Sectors sectors);
  Result wait_for(TagArray::Line line, Sectors missing, Waiter waiter);

  const std::uint32_t way_bytes_;  // of all sets
  const std::uint32_t ways_;
  const std::uint32_t sector_bytes_;  // size of a sector that is requested from L2
  TagArray tags_;                     // with sectors of 32 bytes
  MshrFile mshrs_;                    // an MSHR's place is the number of a line
};

const char* name_of(Cache::Outcome outcome);

}  // namespace heddle
