#pragma once
// Decision `preemption`: how a slice that the partition leaves out is handed over. Asked once per slice, when
// the partition first leaves it out.

#include "models/core/base/ids.h"
#include "policies/registry.h"

namespace heddle {

// What is known of the slice to be handed over.
struct HandoverView {
  SmId sm;
  KsrId kernel;
  std::uint32_t running = 0;  // blocks to get rid of
};

enum class Handover : std::uint8_t {
  kDrain,  // no block is issued any more; the slice leaves with its last block
};

class Preemption {
 public:
  static constexpr const char* kDecision = "preemption";
  virtual ~Preemption() = default;
  virtual Handover decide(const HandoverView& view) = 0;

  // Forgets every decision: the policy decides as a new one would.
  virtual void reset() {}
};

HEDDLE_DECISION(Preemption);

}  // namespace heddle
