#pragma once
// Decision `preemption`: how a slice that the partition no longer names is handed over. The SM driver asks
// once for each such slice, when the partition no longer names it for the first time.

#include "models/core/base/ids.h"
#include "policies/handover_cost.h"
#include "policies/registry.h"

namespace heddle {

// The slice to be handed over.
struct HandoverView {
  SmId sm;
  KsrId kernel;
  std::uint32_t running = 0;             // resident blocks of the slice
  const HandoverCosts* costs = nullptr;  // of these blocks; null only in tests, valid during the call
};

enum class Handover : std::uint8_t {
  kDrain,   // no further block is issued, and the slice ends with its last resident block
  kSwitch,  // the resident blocks stop and are stored to swap space; they go on before new blocks are issued
};

class Preemption : public Policy {
 public:
  static constexpr const char* kDecision = "preemption";
  virtual Handover decide(const HandoverView& view) = 0;

  // Forgets every decision: the policy decides as a new one would.
  virtual void reset() {}
};

HEDDLE_DECISION(Preemption);

}  // namespace heddle
