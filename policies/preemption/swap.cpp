// Swap space preempts a thread block at once: what the block holds is stored there, and the block goes on
// later on any SM (Vijaykumar et al., Zorua, Section 8.2; the context switch of Tanasic et al., ISCA 2014).

#include "policies/preemption/i_preemption.h"

namespace heddle {

namespace {

class Swap final : public Preemption {
 public:
  explicit Swap(const PolicyParameters&) {}
  Handover decide(const HandoverView&) override { return Handover::kSwap; }

  static std::string misfit(const GpuDescription& gpu, const PolicyParameters&) {
    return gpu.has_cycle_sms ? "" : "swap stores the state of warps, which timed SMs do not have";
  }
};

HEDDLE_POLICY(Preemption, Swap, "swap", "store the running blocks to swap space, and go on with them later",
              "Vijaykumar et al., Zorua, Section 8.2; Tanasic et al., ISCA 2014", {});

}  // namespace

}  // namespace heddle
