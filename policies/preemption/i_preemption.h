#pragma once
// Decision `preemption`: how a slice that the partition leaves out is handed over. Asked once per slice, when
// the partition first leaves it out.

#include "models/core/base/ids.h"
#include "policies/handover_cost.h"
#include "policies/registry.h"

namespace heddle {

// What is known of the slice to be handed over.
struct HandoverView {
  SmId sm;
  KsrId kernel;
  std::uint32_t running = 0;             // blocks to get rid of
  const HandoverCosts* costs = nullptr;  // of these blocks, for a policy that asks; never null on an engine
};

enum class Handover : std::uint8_t {
  kDrain,  // no block is issued any more; the slice leaves with its last block
};

class Preemption : public Policy {
 public:
  static constexpr const char* kDecision = "preemption";
  virtual Handover decide(const HandoverView& view) = 0;
};

HEDDLE_DECISION(Preemption);

}  // namespace heddle
