// Draining preempts at the boundary of a thread block (CUsched, Section III-A).

#include "policies/preemption/i_preemption.h"

namespace heddle {

namespace {

class Drain final : public Preemption {
 public:
  explicit Drain(const PolicyParameters&) {}
  bool answers(Handover way) const override { return way == Handover::kDrain; }
  void decide(const HandoverView&, std::vector<Handover>&) override {}
};

HEDDLE_POLICY(Preemption, Drain, "drain", "issue no more blocks and wait for the running ones",
              "CUsched, Section III-A", {});

}  // namespace

}  // namespace heddle
