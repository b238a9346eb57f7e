#include "policies/warp_scheduler/age_order.h"
#include "policies/warp_scheduler/i_warp_scheduler.h"

namespace heddle {

namespace {

class Oldest final : public WarpScheduler {
 public:
  explicit Oldest(const PolicyParameters&) {}
  std::uint32_t pick(const IssueView& view) override { return order_.oldest(view.candidates); }
  void started(std::uint32_t slot, const WarpView&) override { order_.started(slot); }
  void ended(std::uint32_t slot) override { order_.ended(slot); }
  bool takes_only_candidate() const override { return true; }
  void reset() override { order_.clear(); }

 private:
  AgeOrder order_;
};

HEDDLE_POLICY(WarpScheduler, Oldest, "oldest", "the warp that started first",
              "GPGPU-Sim manual, warp schedulers", {});

}  // namespace

}  // namespace heddle
