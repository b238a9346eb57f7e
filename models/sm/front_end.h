#pragma once
// Fetch and decode: one warp a cycle, round robin over those whose instruction buffer is empty; a fetch
// brings up to `fetch_width` instructions of one line of the instruction cache, and decode puts them into the
// buffer the cache's latency later. Pure logic.

#include "models/core/base/ring.h"
#include "models/core/link/memory_request.h"
#include "models/sm/cache.h"
#include "models/sm/warp_table.h"
#include "models/stats/group.h"

namespace heddle {

class FrontEnd {
 public:
  // stats: the group of the SM.
  FrontEnd(const CycleSmSpec& spec, Group& stats);
  void reset();  // Nothing is cached, fetched or asked for afterwards.

  // What has been fetched for this cycle goes into the buffer. Returns the warps that got instructions.
  WarpMask decode(WarpTable& table, Cycle now);

  // What has been fetched for the warp is not decoded any more.
  void drop(std::uint32_t slot);

  // Fetches for one warp.
  void fetch(const WarpTable& table, Cycle now) {
    const WarpMask wanting = table.live & ~table.buffered & ~busy_;
    if (wanting == 0 || requests_.full()) return;
    const WarpMask later = last_ + 1 == kMostWarps ? 0 : wanting >> (last_ + 1) << (last_ + 1);
    look_up(table, lowest(later != 0 ? later : wanting), now);
  }

  bool has_request() const { return !requests_.empty(); }
  const MemoryRequest& request() const { return requests_.front(); }
  void pop_request() { requests_.pop(); }
  void answer(std::uint64_t number);

  Cycle next_wake(const WarpTable& table, Cycle now) const;
  bool idle() const { return cache_.idle() && fetched_.empty() && requests_.empty(); }

 private:
  struct Fetched {
    Cycle due;
    const Instruction* first;  // null: dropped
    std::uint32_t warp;
  };
  void look_up(const WarpTable& table, std::uint32_t slot, Cycle now);
  bool miss(const ResidentBlock& block, std::uint32_t slot, std::uint32_t pc, Address key);  // false: refused

  const std::uint32_t width_;
  const std::uint32_t line_bytes_;  // a power of two
  const std::uint32_t latency_;
  Cache cache_;
  Ring<Fetched> fetched_;
  Ring<MemoryRequest> requests_;
  WarpMask busy_ = 0;  // fetched and not decoded, or its line is on its way
  std::uint32_t last_ = kMostWarps - 1;
  Counter fetches_;
  Counter fetch_misses_;
};

}  // namespace heddle
