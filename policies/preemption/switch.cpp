// Switching preempts a thread block at once: what the block holds is stored to swap space, and the block
// goes on later on any SM (Vijaykumar et al., Zorua, Section 8.2; the context switch of Tanasic et al., ISCA
// 2014).

#include <algorithm>

#include "policies/preemption/i_preemption.h"

namespace heddle {

namespace {

class Switch final : public Preemption {
 public:
  explicit Switch(const PolicyParameters&) {}
  bool answers(Handover way) const override { return way == Handover::kSwitch; }
  void decide(const HandoverView&, std::vector<Handover>& blocks) override {
    std::fill(blocks.begin(), blocks.end(), Handover::kSwitch);
  }
};

HEDDLE_POLICY(Preemption, Switch, "switch",
              "store the running blocks to swap space, and go on with them later",
              "Vijaykumar et al., Zorua, Section 8.2; Tanasic et al., ISCA 2014", {});

}  // namespace

}  // namespace heddle
