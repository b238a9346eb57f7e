// Switching preempts a thread block at once: what the block holds is stored to swap space, and the block
// goes on later on any SM (Vijaykumar et al., Zorua, Section 8.2; the context switch of Tanasic et al., ISCA
// 2014).

#include "policies/preemption/i_preemption.h"

namespace heddle {

namespace {

class Switch final : public Preemption {
 public:
  explicit Switch(const PolicyParameters&) {}
  Handover decide(const HandoverView&) override { return Handover::kSwitch; }

  static std::string misfit(const GpuDescription& gpu, const PolicyParameters&) {
    return gpu.has_cycle_sms ? "" : "switch stores the state of warps, which timed SMs do not have";
  }
};

HEDDLE_POLICY(Preemption, Switch, "switch",
              "store the running blocks to swap space, and go on with them later",
              "Vijaykumar et al., Zorua, Section 8.2; Tanasic et al., ISCA 2014", {});

}  // namespace

}  // namespace heddle
