// FCFS with a single active context, as GPUs do (CUsched, Sections II-B and IV-A). Kernels take idle SMs in
// order of arrival. While kernels of one context are on the engine, a kernel of another context waits, and so
// do all kernels that arrived after it.

#include "policies/sm_partitioner/demand.h"

namespace heddle {

namespace {

class FcfsS final : public SmPartitioner {
 public:
  explicit FcfsS(const PolicyParameters&) {}
  bool one_context() const override { return true; }
  bool honours_sm_sets() const override { return true; }

  void partition(const MachineView& machine, Partition& partition) override {
    if (machine.kernels.empty()) return;
    // The context of the oldest kernel is the active one, because a younger kernel cannot start before it.
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
