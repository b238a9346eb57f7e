// Flushing preempts a thread block at once: its work is thrown away, and the block starts over later on any
// SM. Only kernels whose blocks may start over are flushed; others are drained (Park et al., Chimera, ASPLOS
// 2015).

#include <algorithm>

#include "policies/preemption/i_preemption.h"

namespace heddle {

namespace {

class Flush final : public Preemption {
 public:
  explicit Flush(const PolicyParameters&) {}
  bool answers(Handover way) const override { return way == Handover::kFlush; }
  void decide(const HandoverView&, std::vector<Handover>& blocks) override {
    std::fill(blocks.begin(), blocks.end(), Handover::kFlush);
  }
};

HEDDLE_POLICY(Preemption, Flush, "flush",
              "stop the running blocks at once, and start them over later, if their kernel allows it",
              "Park et al., Chimera, ASPLOS 2015", {});

}  // namespace

}  // namespace heddle
