#pragma once
// The CollectorFrontEnd fetches and decodes. It serves one warp a cycle, round robin over those whose
// instruction buffer is empty. A fetch brings up to `fetch_width` instructions of one line of the instruction
// cache. Decode puts them into the instruction buffer after the latency of the cache. A line that warps have
// waited for stays in the cache until each of them has fetched from it. Otherwise the lines of several
// kernels could evict each other for ever in a cache with few ways. A stream buffer may request lines ahead,
// one a cycle. A warp that has taken a branch fetches again after the latency of branches. The front end is
// pure logic.

#include "models/core/base/ring.h"
#include "models/core/kernel/account_table.h"
#include "models/core/kernel/kernel_counts.h"
#include "models/core/link/memory_request.h"
#include "models/sm/pipeline/cache.h"
#include "models/sm/pipeline/issue_table.h"
#include "models/sm/pipeline/stream_buffer.h"
#include "models/sm/pipeline/warp_tracer.h"
#include "models/sm/residence/resident_table.h"

namespace heddle {

class CollectorFrontEnd {
 public:
  // `counts` are those of the SM. The tables and the counts must outlive the front end.
  CollectorFrontEnd(const CycleSmSpec& spec, IssueTable& table, const ResidentTable& resident,
                    AccountTable<KernelCounts>& counts);
  void reset();  // empties the cache, and drops every fetch and request
  void trace(WarpTracer& tracer) { tracer_ = &tracer; }

  bool has_fetched(Cycle now) const { return !fetched_.empty() && fetched_.front().due <= now; }
  // Puts the instructions of the oldest fetch into the instruction buffer, if has_fetched() holds. Returns
  // the warps that received instructions.
  WarpMask decode(Cycle now);

  // The warp has taken a branch: it fetches `branch_latency` cycles later.
  void redirect(std::uint32_t slot, Cycle now);

  // The warp has issued an instruction, which leaves its buffer.
  void issued(std::uint32_t /*slot*/, IssueWarp& warp, Cycle /*now*/) { warp.pop(); }

  // The warp has issued its last instruction. No fetch of it is under way, because its buffer was not empty.
  void ended(std::uint32_t /*slot*/) {}
  // Drops the fetch of the warp, so that it is not decoded.
  void drop(std::uint32_t slot);

  // Drops the code of the context from the cache, except for lines that are in flight.
  void invalidate(ContextId context) { cache_.invalidate(context.value); }

  // Starts a fetch for at most one warp, and requests at most one line ahead.
  void fetch(Cycle now) {
    if (redirect_due_ <= now) end_redirects(now);
    if (requests_.full()) return;
    if (const WarpMask wanting = resident_.live & ~table_.next.buffered & ~busy_; wanting != 0) {
      const WarpMask later = last_ + 1 == kMostWarps ? 0 : wanting >> (last_ + 1) << (last_ + 1);
      look_up(lowest(later != 0 ? later : wanting), now);
    }
    if (may_prefetch()) prefetch(now);
  }

  bool has_request() const { return !requests_.empty(); }
  const MemoryRequest& request() const { return requests_.front(); }
  void pop_request() { requests_.pop(); }
  void answer(std::uint32_t mshr, Cycle now);

  Cycle next_wake(Cycle now) const;
  bool idle() const { return cache_.idle() && fetched_.empty() && requests_.empty(); }
  // Requests are counted when they are made, so that none of a launch is held uncounted.
  bool holds(AccountId /*account*/) const { return false; }

 private:
  struct Fetched {
    Cycle due;
    const Instruction* first;  // null: the fetch was dropped
    std::uint32_t warp;
  };
  struct Redirect {
    Cycle due;
    std::uint32_t warp;  // kMostWarps: the warp is gone
  };
  void end_redirects(Cycle now);
  void look_up(std::uint32_t slot, Cycle now);
  // Returns false if the cache refuses the access, or if it would evict a line that a warp has waited for.
  bool miss(std::uint32_t slot, std::uint32_t pc, Address key, Cycle now);
  // Returns the key of the line with the block's instruction at `pc`. The key distinguishes the code of
  // kernels by context and tag.
  Address key_of(const ResidentBlock& block, std::uint32_t pc) const {
    return Cache::key(block.context.value, (Address{block.tag} << 32 | line_of(pc)));
  }
  std::uint32_t line_of(std::uint32_t pc) const { return pc & ~(line_bytes_ - 1); }
  // Returns whether the line of that key would evict a line that a warp has waited for.
  bool evicts_awaited(Address key) const;
  bool is_awaited(Address key) const;
  bool may_prefetch() const { return stream_.wants_line() && !stream_waits_ && !requests_.full(); }
  void prefetch(Cycle now);
  void request(const ResidentBlock& block, std::uint32_t pc, std::uint32_t slot, std::uint32_t mshr,
               Cycle now);

  const std::uint32_t width_;
  const std::uint32_t line_bytes_;  // a power of two
  const std::uint32_t latency_;
  const std::uint32_t branch_latency_;
  const std::uint32_t line_shift_;  // log2 of `line_bytes_`
  IssueTable& table_;
  const ResidentTable& resident_;
  Cache cache_;
  std::array<TagArray::Line, 16> guesses_{};  // by line number mod 16: where a line of that number was found
  StreamBuffer stream_;
  bool stream_waits_ = false;  // for an answer, because the cache has refused its next line
  Ring<Fetched> fetched_;
  Ring<Redirect> redirected_;
  Cycle redirect_due_ = Cycle::never();  // of the oldest
  Ring<MemoryRequest> requests_;
  WarpMask busy_ = 0;    // the warp's fetch is not decoded, its line is in flight, or it has taken a branch
  WarpMask filled_ = 0;  // the warp's line has arrived, and the warp has not fetched from it yet
  std::uint32_t last_ = kMostWarps - 1;
  AccountTable<KernelCounts>& counts_;
  WarpTracer* tracer_ = nullptr;  // null: there is no trace
};

}  // namespace heddle
