// LCS (Lee et al., Improving GPGPU Resource Utilization Through Alternative Thread Block Scheduling, HPCA
// 2014, as Perf-Sat describes it in Section VI-B). An SM starts with all blocks. When the first one ends, the
// instructions that the kernel issued there until then, divided by those of that block, are the number of
// blocks whose work hid the block's latency: that many are enough. Perf-Sat prints the inverse of the ratio
// times Nmax, which would shrink as more of the other blocks' work was needed. A greedy warp scheduler such
// as gto is part of the mechanism: with a fair one all blocks have issued about as much when the first ends.

#include <algorithm>

#include "policies/block_throttle/i_block_throttle.h"

namespace heddle {

namespace {

class Lcs final : public BlockThrottle {
 public:
  explicit Lcs(const PolicyParameters&) {}

  ThrottleAnswer started(const ThrottleView& slice) override {
    Slice& own = slices_[slice];
    own = {};
    own.cap = slice.most;
    return {own.cap, slice.now, false};
  }

  ThrottleAnswer block_done(const ThrottleView& slice, std::uint64_t, const SmWork& work) override {
    Slice& own = slices_[slice];
    if (own.block > 0 || own.settled) return {own.cap, own.sample_at, own.settled};
    own.block = std::max<std::uint64_t>(work.warp_instructions, 1);
    own.sample_at = slice.now;
    return {own.cap, own.sample_at, false};
  }

  ThrottleAnswer sampled(const ThrottleView& slice, const SliceTotals& totals) override {
    Slice& own = slices_[slice];
    const std::uint64_t issued = totals.counts.warp_instructions;
    if (own.block == 0) {
      own.first = issued;
    } else {
      const std::uint64_t blocks = (issued - own.first) / own.block;
      own.cap = static_cast<std::uint32_t>(std::clamp<std::uint64_t>(blocks, 1, slice.most));
      own.settled = true;
    }
    own.sample_at = Cycle::never();
    return {own.cap, Cycle::never(), own.settled};
  }

  void reset() override { slices_.clear(); }

  static std::string misfit(const GpuDescription& gpu, const PolicyParameters&) {
    return needs_cycle_sms("lcs", gpu);
  }

 private:
  struct Slice {
    std::uint32_t cap = 1;
    std::uint64_t first = 0;  // the kernel's instructions here when the slice came
    std::uint64_t block = 0;  // instructions of the first block that ended; 0: none has
    Cycle sample_at = Cycle::never();
    bool settled = false;
  };
  BySlice<Slice> slices_;
};

HEDDLE_POLICY(
    BlockThrottle, Lcs, "lcs",
    "the blocks whose instructions were issued until the first block ended; with a greedy scheduler",
    "Lee et al., HPCA 2014; Perf-Sat, Section VI-B", {});

}  // namespace

}  // namespace heddle
