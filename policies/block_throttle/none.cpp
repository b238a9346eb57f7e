#include "policies/block_throttle/i_block_throttle.h"

namespace heddle {

namespace {

class NoThrottle final : public BlockThrottle {
 public:
  explicit NoThrottle(const PolicyParameters&) {}
  bool caps() const override { return false; }
  ThrottleAnswer started(const ThrottleView&) override { return settled(); }
  ThrottleAnswer block_done(const ThrottleView&, std::uint64_t, const SmWork&) override { return settled(); }
  ThrottleAnswer sampled(const ThrottleView&, const SliceTotals&) override { return settled(); }

 private:
  static ThrottleAnswer settled() { return {ThrottleAnswer::kNoCap, Cycle::never(), true}; }
};

HEDDLE_POLICY(BlockThrottle, NoThrottle, "none", "as many blocks as resources and quotas allow",
              "Perf-Sat, Section II-B", {});

}  // namespace

}  // namespace heddle
