#include "policies/warp_scheduler/age_order.h"
#include "policies/warp_scheduler/i_warp_scheduler.h"

namespace heddle {

namespace {

// The scheduler of NVIDIA's GPUs since Turing, as Huerta et al. measured it. Whether a warp is a candidate is
// what its compiler has said; the rest is the order here.
class GreedyThenYoungest final : public WarpScheduler {
 public:
  explicit GreedyThenYoungest(const PolicyParameters&) {}

  std::uint32_t pick(const IssueView& view) override {
    if ((view.candidates & last_) == 0) follow(order_.youngest(view.candidates));
    return static_cast<std::uint32_t>(__builtin_ctzll(last_));
  }
  void started(std::uint32_t slot, const WarpView&) override { order_.started(slot); }
  void ended(std::uint32_t slot) override {
    order_.ended(slot);
    last_ &= ~(std::uint64_t{1} << slot);
  }
  void follow(std::uint32_t slot) override { last_ = std::uint64_t{1} << slot; }
  bool takes_only_candidate() const override { return true; }
  void reset() override {
    order_.clear();
    last_ = 0;
  }

 private:
  AgeOrder order_;
  std::uint64_t last_ = 0;  // the bit of the warp that issued last, if it has not ended
};

HEDDLE_POLICY(WarpScheduler, GreedyThenYoungest, "cggty", "the same warp while it can, then the youngest",
              "Huerta et al., MICRO 2025, Section 5.1.2", {});

}  // namespace

}  // namespace heddle
