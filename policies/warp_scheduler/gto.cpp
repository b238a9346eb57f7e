#include "policies/warp_scheduler/age_order.h"
#include "policies/warp_scheduler/i_warp_scheduler.h"

namespace heddle {

namespace {

// The greedy-then-oldest scheduler of Rogers, O'Connor and Aamodt, Cache-Conscious Wavefront Scheduling,
// MICRO 2012, Section 2.
class GreedyThenOldest final : public WarpScheduler {
 public:
  explicit GreedyThenOldest(const PolicyParameters&) {}

  std::uint32_t pick(const IssueView& view) override {
    if ((view.candidates >> last_ & 1) == 0) last_ = order_.oldest(view.candidates);
    return last_;
  }
  void started(std::uint32_t slot, const WarpView&) override { order_.started(slot); }
  void ended(std::uint32_t slot) override { order_.ended(slot); }
  void follow(std::uint32_t slot) override { last_ = slot; }
  bool takes_only_candidate() const override { return true; }
  void reset() override {
    order_.clear();
    last_ = 0;
  }

 private:
  AgeOrder order_;
  std::uint32_t last_ = 0;
};

HEDDLE_POLICY(WarpScheduler, GreedyThenOldest, "gto", "the same warp while it can, then the oldest",
              "Rogers et al., MICRO 2012, Section 2", {});

}  // namespace

}  // namespace heddle
