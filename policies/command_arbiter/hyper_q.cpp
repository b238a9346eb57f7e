#include "policies/command_arbiter/i_command_arbiter.h"

namespace heddle {

namespace {

// The queues are independent of each other (CUsched, Section II-A).
class HyperQ final : public CommandArbiter {
 public:
  explicit HyperQ(const PolicyParameters&) {}

  std::size_t choose(const FrontEndView& view) override {
    std::size_t best = view.heads.size();
    for (std::size_t i = 0; i < view.heads.size(); ++i)
      if (view.heads[i].ready &&
          (best == view.heads.size() || view.heads[i].arrival < view.heads[best].arrival))
        best = i;
    return best;
  }
};

HEDDLE_POLICY(CommandArbiter, HyperQ, "hyper-q", "the ready head command that has waited longest",
              "CUsched, Section II-A", {});

}  // namespace

}  // namespace heddle
