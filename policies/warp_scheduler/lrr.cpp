#include "policies/warp_scheduler/i_warp_scheduler.h"

namespace heddle {

namespace {

class LooseRoundRobin final : public WarpScheduler {
 public:
  explicit LooseRoundRobin(const PolicyParameters&) {}

  std::uint32_t pick(const IssueView& view) override {
    const std::uint64_t after = last_ == 63 ? 0 : view.candidates >> (last_ + 1) << (last_ + 1);
    last_ = static_cast<std::uint32_t>(__builtin_ctzll(after != 0 ? after : view.candidates));
    return last_;
  }
  void follow(std::uint32_t slot) override { last_ = slot; }
  bool takes_only_candidate() const override { return true; }
  void reset() override { last_ = 63; }

 private:
  std::uint32_t last_ = 63;
};

HEDDLE_POLICY(WarpScheduler, LooseRoundRobin, "lrr",
              "the next warp by slot that can, after the one that issued",
              "GPGPU-Sim manual, warp schedulers", {});

}  // namespace

}  // namespace heddle
