// FCFS with a single active context: today's GPU (CUsched, Sections II-B and IV-A). Kernels take idle SMs in
// order of arrival. While kernels of one context are on the engine, one of another waits, and so does
// everything that arrived after it.

#include "policies/sm_partitioner/demand.h"

namespace heddle {

namespace {

class FcfsS final : public SmPartitioner {
 public:
  explicit FcfsS(const PolicyParameters&) {}
  bool one_context() const override { return true; }

  void partition(const MachineView& machine, Partition& partition) override {
    if (machine.kernels.empty()) return;
    // Arrival order: the oldest kernel's context is the active one, for a younger one cannot start before it.
    const ContextId active = machine.kernels.front().context;
    for (const KernelView& kernel : machine.kernels) {
      if (kernel.context != active) return;
      give_free_sms(machine, partition, kernel);
    }
  }
};

HEDDLE_POLICY(SmPartitioner, FcfsS, "fcfs-s", "first come first served, one active context (today's GPU)",
              "CUsched, Section IV-A", {});

}  // namespace

}  // namespace heddle
