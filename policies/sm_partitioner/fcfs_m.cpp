// FCFS with several active contexts (CUsched, Section IV-A). Kernels of all contexts take idle SMs in order
// of arrival, and no SM is preempted.

#include "policies/sm_partitioner/demand.h"

namespace heddle {

namespace {

class FcfsM final : public SmPartitioner {
 public:
  explicit FcfsM(const PolicyParameters&) {}
  bool honours_sm_sets() const override { return true; }

  void partition(const MachineView& machine, Partition& partition) override {
    for (const KernelView& kernel : machine.kernels) give_free_sms(machine, partition, kernel);
  }
};

HEDDLE_POLICY(SmPartitioner, FcfsM, "fcfs-m", "first come first served, several active contexts",
              "CUsched, Section IV-A", {});

}  // namespace

}  // namespace heddle
