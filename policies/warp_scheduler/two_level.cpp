#include <algorithm>

#include "policies/warp_scheduler/i_warp_scheduler.h"

namespace heddle {

namespace {

// The two-level scheduler of Narasiman et al., MICRO 2011, in the form of Gebhart et al., ISCA 2011. A few
// active warps issue in turn. An active warp that waits for memory or at a barrier becomes the last of the
// pending warps, and the first pending warp that waits for neither becomes active in its place. A barrier
// counts because the warps it waits for may be pending.
class TwoLevel final : public WarpScheduler {
 public:
  explicit TwoLevel(const PolicyParameters& parameters)
      : most_active_(static_cast<std::size_t>(parameters["active_warps"])) {
    active_.reserve(64);
    pending_.reserve(64);
  }

  std::uint32_t pick(const IssueView& view) override {
    demote(view);
    promote(view);
    for (std::size_t i = 0; i < active_.size(); ++i)
      if ((view.candidates >> active_[i] & 1) != 0) return turn(active_, i);
    return kDecline;
  }
  void started(std::uint32_t slot, const WarpView&) override { pending_.push_back(slot); }
  void ended(std::uint32_t slot) override {
    active_.erase(std::remove(active_.begin(), active_.end(), slot), active_.end());
    pending_.erase(std::remove(pending_.begin(), pending_.end(), slot), pending_.end());
  }
  void follow(std::uint32_t slot) override {
    const auto found = std::find(active_.begin(), active_.end(), slot);
    if (found != active_.end()) std::rotate(found, found + 1, active_.end());
  }
  void reset() override {
    active_.clear();
    pending_.clear();
  }

 private:
  using Slots = std::vector<std::uint32_t>;

  void demote(const IssueView& view) {
    for (std::size_t i = 0; i < active_.size();) {
      if ((view.wait_long >> active_[i] & 1) == 0) {
        ++i;
        continue;
      }
      pending_.push_back(active_[i]);
      active_.erase(active_.begin() + static_cast<std::ptrdiff_t>(i));
    }
  }
  void promote(const IssueView& view) {
    for (std::size_t i = 0; i < pending_.size() && active_.size() < most_active_;) {
      if ((view.wait_long >> pending_[i] & 1) != 0) {
        ++i;
        continue;
      }
      active_.push_back(pending_[i]);
      pending_.erase(pending_.begin() + static_cast<std::ptrdiff_t>(i));
    }
  }
  // Moves the warp that issues to the end of its group.
  static std::uint32_t turn(Slots& slots, std::size_t i) {
    const auto at = slots.begin() + static_cast<std::ptrdiff_t>(i);
    std::rotate(at, at + 1, slots.end());
    return slots.back();
  }

  std::size_t most_active_;
  Slots active_;   // the next one to issue comes first
  Slots pending_;  // in order of arrival
};

HEDDLE_POLICY(WarpScheduler, TwoLevel, "two-level",
              "a few active warps take turns; those that wait for memory or at a barrier make room",
              "Narasiman et al., MICRO 2011; Gebhart et al., ISCA 2011",
              {{"active_warps", "warp", 8, 1, 64, "active warps of a scheduler", true}});

}  // namespace

}  // namespace heddle
