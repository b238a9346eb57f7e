// Draining preempts at the boundary of a thread block (CUsched, Section III-A).

#include "policies/preemption/i_preemption.h"

namespace heddle {

namespace {

class Drain final : public Preemption {
 public:
  explicit Drain(const PolicyParameters&) {}
  Handover decide(const HandoverView&) override { return Handover::kDrain; }
};

HEDDLE_POLICY(Preemption, Drain, "drain", "issue no more blocks and wait for the running ones",
              "CUsched, Section III-A", {});

}  // namespace

}  // namespace heddle
