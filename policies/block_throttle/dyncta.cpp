// DYNCTA (Kayiran et al., Neither More Nor Less: Optimizing Thread-level Parallelism for GPGPUs, PACT 2013,
// Section 4, Algorithm 1). An SM starts with half of the blocks that it could hold. At the end of each period
// it looks at two counts of the cycles in which the kernel issued nothing:
//
//   c_idle   no warp waits for memory or for a unit: they wait for a barrier or for instructions, or have
//            ended. At `idle` cycles or more, one more block.
//   c_mem    all warps wait for memory. Below `memory_low`, one more block; at `memory_high`, one less.
//
// With one block less, the youngest block is paused until a block ends or the cap rises. The policy never
// settles. The defaults of the period and of the thresholds are guesses; the paper finds them by experiment.
// Perf-Sat's Section VI-B says that it starts with floor(Nmax); the original starts with half, which
// is the default of `start`.

#include <algorithm>

#include "policies/block_throttle/i_block_throttle.h"

namespace heddle {

namespace {

class Dyncta final : public BlockThrottle {
 public:
  explicit Dyncta(const PolicyParameters& parameters)
      : period_(static_cast<std::uint64_t>(parameters["period"])),
        idle_(static_cast<std::uint64_t>(parameters["idle"])),
        memory_low_(static_cast<std::uint64_t>(parameters["memory_low"])),
        memory_high_(static_cast<std::uint64_t>(parameters["memory_high"])),
        start_(parameters["start"]) {}

  bool reads_stalls() const override { return true; }
  bool pauses() const override { return true; }

  ThrottleAnswer started(const ThrottleView& slice) override {
    Slice& own = slices_[slice];
    own = {};
    own.cap = std::clamp<std::uint32_t>(static_cast<std::uint32_t>(start_ * slice.most), 1, slice.most);
    own.sample_at = slice.now;
    return answer(own);
  }
  ThrottleAnswer block_done(const ThrottleView& slice, std::uint64_t, const SmWork&) override {
    return answer(slices_[slice]);
  }
  ThrottleAnswer sampled(const ThrottleView& slice, const SliceTotals& totals) override {
    Slice& own = slices_[slice];
    const std::uint64_t idle = totals.stalls.all_of(reason(Bucket::kBufferEmpty) | reason(Bucket::kBarrier)) +
                               totals.stalls.waiting[0];
    const std::uint64_t memory = totals.stalls.all_of(reason(Bucket::kScoreboardMemory));
    if (own.has_sample) own.cap = next(own, idle - own.idle, memory - own.memory, slice.most);
    own.has_sample = true;
    own.idle = idle;
    own.memory = memory;
    own.sample_at = totals.until + period_;
    return answer(own);
  }
  void reset() override { slices_.clear(); }

  static std::string misfit(const GpuDescription& gpu, const PolicyParameters& parameters) {
    if (parameters["memory_low"] > parameters["memory_high"])
      return "dyncta: memory_low must not be above memory_high";
    return needs_cycle_sms("dyncta", gpu);
  }

 private:
  struct Slice {
    std::uint32_t cap = 1;
    bool has_sample = false;
    std::uint64_t idle = 0;    // c_idle at the last sample
    std::uint64_t memory = 0;  // c_mem at the last sample
    Cycle sample_at = Cycle::never();
  };

  static ThrottleAnswer answer(const Slice& own) { return {own.cap, own.sample_at, false}; }

  std::uint32_t next(const Slice& own, std::uint64_t idle, std::uint64_t memory, std::uint32_t most) const {
    if (idle >= idle_ || memory < memory_low_) return std::min(own.cap + 1, most);
    if (memory >= memory_high_) return std::max(std::min(own.cap, most) - 1, 1U);
    return std::min(own.cap, most);
  }

  const std::uint64_t period_;
  const std::uint64_t idle_;
  const std::uint64_t memory_low_;
  const std::uint64_t memory_high_;
  const double start_;
  BySlice<Slice> slices_;
};

HEDDLE_POLICY(BlockThrottle, Dyncta, "dyncta",
              "a block more or less by the cycles in which an SM is idle or waits for memory",
              "Kayiran et al., PACT 2013, Section 4, Algorithm 1",
              {{"period", "cycles", 2048.0, 1, 1e9, "from one decision to the next", true},
               {"idle", "cycles", 16.0, 0, 1e9, "of c_idle in a period from which on a block is added", true},
               {"memory_low", "cycles", 128.0, 0, 1e9, "of c_mem below which a block is added", true},
               {"memory_high", "cycles", 384.0, 0, 1e9, "of c_mem from which on a block is paused", true},
               {"start", "1", 0.5, 0, 1, "share of the most blocks at the start, rounded down"}});

}  // namespace

}  // namespace heddle
