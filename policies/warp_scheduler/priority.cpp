#include <algorithm>
#include <vector>

#include "policies/warp_scheduler/i_warp_scheduler.h"

namespace heddle {

namespace {

constexpr const char* kActiveWarps = "active_warps";  // passed on to a scheduler that has it

// Returns the scheduler for the warps of one kernel.
PolicyChoice choice_within(const PolicyParameters& parameters) {
  PolicyChoice within{parameters.name("within"), {}};
  if (PolicyCatalogue::instance().find(WarpScheduler::kDecision, within.name, kActiveWarps) != nullptr)
    within.parameters[kActiveWarps] = parameters[kActiveWarps];
  return within;
}

// Kernels in the order in which they came to the SM, the oldest first. Among the warps of one kernel another
// scheduler decides, which knows these warps only, so that a younger kernel does not disturb the order in an
// older one. A kernel leaves the slot to the next one if none of its warps can issue or its scheduler
// declines. With one kernel, the decisions are those of its scheduler.
class Priority final : public WarpScheduler {
 public:
  explicit Priority(const PolicyParameters& parameters)
      : by_context_(parameters.name("by") == "context"), within_(choice_within(parameters)) {
    groups_.push_back(new_group());
  }

  std::uint32_t pick(const IssueView& view) override {
    for (Group& group : groups_) {
      if ((view.candidates & group.warps) == 0) continue;
      const std::uint32_t slot = group.within->pick({view.candidates & group.warps, view.live & group.warps,
                                                     view.wait_long & group.warps, view.warps, view.now});
      if (slot != kDecline) return slot;
    }
    return kDecline;
  }
  void started(std::uint32_t slot, const WarpView& warp) override {
    Group& group = group_of(warp);
    group.warps |= std::uint64_t{1} << slot;
    group.within->started(slot, warp);
  }
  void ended(std::uint32_t slot) override {
    const std::uint64_t warp = std::uint64_t{1} << slot;
    for (Group& group : groups_) {
      if ((group.warps & warp) == 0) continue;
      group.warps &= ~warp;
      group.within->ended(slot);
    }
  }
  void follow(std::uint32_t slot) override {
    for (Group& group : groups_)
      if ((group.warps >> slot & 1) != 0) group.within->follow(slot);
  }
  bool takes_only_candidate() const override { return groups_.front().within->takes_only_candidate(); }
  void reset() override {
    groups_.resize(1);
    groups_.front().key = groups_.front().age = groups_.front().warps = 0;
    groups_.front().within->reset();
    first_of_context_.clear();
  }

 private:
  // The warps of a kernel, or of a context. A group without warps keeps its scheduler for the next kernel.
  struct Group {
    std::uint64_t key = 0;  // set-up of the kernel, or context
    std::uint64_t age = 0;  // groups are in this order
    std::uint64_t warps = 0;
    std::unique_ptr<WarpScheduler> within;
  };

  Group new_group() const { return {0, 0, 0, PolicyRegistry<WarpScheduler>::make(within_)}; }

  Group& group_of(const WarpView& warp) {
    const std::uint64_t key = by_context_ ? warp.context.value : warp.set_up;
    auto group = std::find_if(groups_.begin(), groups_.end(), [&](const Group& g) { return g.key == key; });
    if (group == groups_.end())
      group = std::find_if(groups_.begin(), groups_.end(), [](const Group& g) { return g.warps == 0; });
    if (group == groups_.end()) group = groups_.insert(group, new_group());
    group->key = key;
    group->age = age_of(warp);
    return sorted(static_cast<std::size_t>(group - groups_.begin()));
  }
  // Moves the group to its place by age.
  Group& sorted(std::size_t at) {
    for (; at > 0 && groups_[at].age < groups_[at - 1].age; --at) std::swap(groups_[at], groups_[at - 1]);
    for (; at + 1 < groups_.size() && groups_[at + 1].age < groups_[at].age; ++at)
      std::swap(groups_[at], groups_[at + 1]);
    return groups_[at];
  }
  // A context is as old as the first of its kernels that had a warp here.
  std::uint64_t age_of(const WarpView& warp) {
    if (!by_context_) return warp.set_up;
    const std::size_t context = warp.context.value;
    if (first_of_context_.size() <= context) first_of_context_.resize(context + 1, kNever);
    if (first_of_context_[context] == kNever) first_of_context_[context] = warp.set_up;
    return first_of_context_[context];
  }

  static constexpr std::uint64_t kNever = ~std::uint64_t{0};
  const bool by_context_;
  const PolicyChoice within_;
  std::vector<Group> groups_;  // the oldest first
  std::vector<std::uint64_t> first_of_context_;
};

// The values of `within` are the other warp schedulers, which the registry lists.
HEDDLE_POLICY(WarpScheduler, Priority, "priority",
              "the oldest kernel on the SM first, a younger one in the slots that it leaves",
              "Awatramani et al., Perf-Sat, Section VII (its future work)",
              {{"within", "policy", std::string("gto"), 0, 0, "decides among the warps of one kernel"},
               {"by",
                "key",
                std::string("kernel"),
                0,
                0,
                "what is older or younger: a kernel, or a context",
                false,
                {"kernel", "context"}},
               {kActiveWarps, "warp", 8, 1, 64, "of two-level within: active warps of a kernel", true}});

}  // namespace

}  // namespace heddle
