#pragma once
// The SubcoreFrontEnd fetches and decodes on SMs since Volta (Huerta et al., MICRO 2025, section 5.2). Each
// sub-core has an instruction cache of its own, L0, with a stream buffer; behind them is the L1 instruction
// cache of the SM, which takes one request a cycle, and behind that the memory.
//
// A sub-core fetches an instruction a cycle, which is as many as it issues. So a warp that goes on in a line
// that it has fetched from finds its next instruction in its buffer. What takes time is the first fetch of a
// warp, the one behind a branch that is taken, and a line that L0 does not hold. The sub-core serves the warp
// that it served last, if that one waits for a fetch, and the youngest one otherwise. The front end is pure
// logic.

#include <array>
#include <memory>
#include <vector>

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

class SubcoreFrontEnd {
 public:
  // `counts` are those of the SM. The spec, the tables and the counts must outlive the front end.
  SubcoreFrontEnd(const CycleSmSpec& spec, IssueTable& table, const ResidentTable& resident,
                  AccountTable<KernelCounts>& counts);
  void reset();  // empties the caches, and drops every fetch and request
  void trace(WarpTracer& tracer) { tracer_ = &tracer; }

  bool has_fetched(Cycle now) const { return !fetched_.empty() && fetched_.front().due <= now; }
  // Puts the instructions that have been fetched into the instruction buffers. Returns the warps that
  // received instructions.
  WarpMask decode(Cycle now);

  // The warp has issued an instruction, which leaves its buffer. Another one takes its place.
  [[gnu::always_inline]] void issued(std::uint32_t slot, IssueWarp& warp, Cycle now) {
    if (warp.row_left != 0 && line_of(warp.row->pc) == warp.line) return warp.pop_and_refill();
    warp.pop();
    refill(slot, warp, now);
  }
  // The warp has taken a branch: it fetches `branch_latency` cycles later.
  void redirect(std::uint32_t slot, Cycle now);
  // The warp has issued its last instruction. The code behind it may be on its way.
  void ended(std::uint32_t slot) { drop(slot); }
  // Drops the fetch of the warp, so that it is not decoded.
  void drop(std::uint32_t slot);
  // The caches drop the code of the context. Lines that are in flight stay.
  void invalidate(ContextId context);

  // Fetches for at most one warp of each sub-core, and requests at most one line ahead for each.
  void fetch(Cycle now) {
    if (from_l1_due_ <= now) fill_l0(now);
    if (to_l1_due_ <= now) access_l1(now);
    if (redirect_due_ <= now) end_redirects(now);
    if (const WarpMask wanting = wants(); wanting != 0) start_fetches(wanting, now);
    if (streaming_ != 0) prefetch(now);
  }

  bool has_request() const { return !requests_.empty(); }
  const MemoryRequest& request() const { return requests_.front(); }
  void pop_request() { requests_.pop(); }
  void answer(std::uint32_t mshr, Cycle now);

  Cycle next_wake(Cycle now) const;
  bool idle() const;
  // Returns whether a request of the launch is on its way from L0 to L1, which counts it if it misses. The
  // launch may have ended.
  bool holds(AccountId account) const;

 private:
  struct Line {               // of code
    std::uint32_t block = 0;  // slot of a block that has it
    std::uint32_t pc = 0;
  };
  struct Fetched {
    Cycle due;
    std::uint32_t warp;  // kMostWarps: the fetch was dropped
  };
  struct ToL1 {
    Cycle due;
    Address key;
    MemoryRequest request;  // which goes on if L1 misses
    std::uint32_t waiter;   // see waiter_of()
  };
  struct FromL1 {
    Cycle due;
    std::uint32_t waiter;
  };
  struct Subcore {
    explicit Subcore(const SubcoreSpec& spec);
    Cache cache;
    StreamBuffer stream;
    std::array<TagArray::Line, 16> guesses{};  // by line number mod 16: where a line of that number was found
    std::uint32_t last = kMostWarps;           // the warp that was served last; kMostWarps: it is gone
  };

  static constexpr Address kNothing = ~Address{0};

  WarpMask wants() const {
    return resident_.live & ~(table_.next.buffered | fetching_ | missing_ | redirected_);
  }
  void forget(std::uint32_t slot);  // what the warp has been fetching
  void start_fetches(WarpMask wanting, Cycle now);
  std::uint32_t next_of(const Subcore& subcore, WarpMask wanting) const;
  // Looks the line of the warp's instruction at `pc` up in L0. Returns whether it is there; otherwise it has
  // been requested unless L0 refuses it.
  bool look_up(std::uint32_t slot, std::uint32_t pc, Cycle now);
  // Moves the warp to the cache line of its instruction at `pc`. Returns false, and changes nothing, if the
  // warp cannot fetch from this line yet.
  bool enter_line(std::uint32_t slot, IssueWarp& warp, std::uint32_t pc, Cycle now);
  // The warp's row is empty or goes on in another line. The instruction behind those in the warp's buffer
  // joins them, unless there is none or the warp cannot fetch from its line yet.
  void refill(std::uint32_t slot, IssueWarp& warp, Cycle now);
  // Returns whether there is an instruction behind those in the buffer, which is then the first of the row.
  static bool find_row(IssueWarp& warp);
  void fill_buffer(std::uint32_t slot);
  void push_fetched(std::uint32_t slot, Cycle now);
  void prefetch(Cycle now);
  void update_streaming(std::size_t number, const Subcore& subcore);
  void ask_l1(const ResidentBlock& block, std::uint32_t pc, std::uint32_t slot, std::uint32_t waiter,
              Cycle now);
  void access_l1(Cycle now);
  void fill_l0(Cycle now);
  void end_redirects(Cycle now);
  void reply(std::uint32_t waiter, Cycle now);
  // Returns the key of the line with the block's instruction at `pc`. The key distinguishes the code of
  // kernels by context and tag.
  Address key_of(const ResidentBlock& block, std::uint32_t pc) const {
    return Cache::key(block.context.value, (Address{block.tag} << 32 | line_of(pc)));
  }
  std::uint32_t line_of(std::uint32_t pc) const { return pc & ~(line_bytes_ - 1); }
  std::size_t subcore_of(std::uint32_t slot) const { return subcore_of_[slot]; }

  const CycleSmSpec& spec_;         // all SMs share one spec, so that it stays in the host's cache
  const std::uint32_t line_bytes_;  // a power of two
  const std::uint32_t line_shift_;  // log2 of `line_bytes_`
  const WarpMask warps_of_first_;
  IssueTable& table_;
  const ResidentTable& resident_;
  AccountTable<KernelCounts>& counts_;
  std::array<Address, kMostWarps>
      awaited_;  // by slot: the key of the line that L0 has requested for the warp
  std::array<std::uint8_t, kMostWarps> subcore_of_;  // by slot
  std::vector<std::unique_ptr<Subcore>> subcores_;   // a cache does not move
  Cache l1_;
  Ring<Fetched> fetched_;
  Ring<ToL1> to_l1_;
  Ring<FromL1> from_l1_;
  Ring<Fetched> redirects_;
  Cycle redirect_due_ = Cycle::never();  // of the oldest; so are the next two
  Cycle to_l1_due_ = Cycle::never();
  Cycle from_l1_due_ = Cycle::never();
  Ring<MemoryRequest> requests_;
  WarpMask fetching_ = 0;         // the warp's fetch is not decoded
  WarpMask missing_ = 0;          // its line is not in L0, and has been requested
  WarpMask redirected_ = 0;       // it has taken a branch
  std::uint32_t streaming_ = 0;   // a bit for each sub-core whose stream buffer can request a line
  WarpTracer* tracer_ = nullptr;  // null: there is no trace
};

}  // namespace heddle
