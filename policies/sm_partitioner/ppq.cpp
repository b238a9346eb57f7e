// Preemptive priority queues (CUsched, Section IV-D, FCFS-PPQ), with several active contexts. A kernel takes
// idle SMs, and then SMs of kernels of lower priority, the lowest priority first. Those SMs are preempted.

#include "policies/sm_partitioner/demand.h"
#include "policies/sm_partitioner/priority_order.h"

namespace heddle {

namespace {

class Ppq final : public SmPartitioner {
 public:
  explicit Ppq(const PolicyParameters&) {}
  bool uses_priorities() const override { return true; }

  void partition(const MachineView& machine, Partition& partition) override {
    by_priority(machine, order_);
    for (const KernelView* kernel : order_) {
      give_free_sms(machine, partition, *kernel);
      while (wants_sm(machine, partition, *kernel)) {
        const std::size_t sm = victim(machine, partition, priority_of(machine, *kernel));
        if (sm == partition.sms()) break;
        partition.give(sm, kernel->ksr);
      }
    }
  }

 private:
  // The SM to preempt: one whose kernel has the lowest priority, which is below `priority`, and of those the
  // one with the fewest running blocks. partition.sms() if there is none.
  static std::size_t victim(const MachineView& machine, const Partition& partition, std::int64_t priority) {
    std::size_t best = partition.sms();
    std::int64_t best_priority = priority;
    for (std::size_t sm = 0; sm < partition.sms(); ++sm) {
      if (!partition.holder(sm).valid()) continue;
      const std::int64_t holder = priority_of(machine, machine.kernel(partition.holder(sm)));
      const bool fewer = best != partition.sms() && holder == best_priority &&
                         machine.sms[sm].running() < machine.sms[best].running();
      if (holder < best_priority || fewer) {
        best = sm;
        best_priority = holder;
      }
    }
    return best;
  }

  std::vector<const KernelView*> order_;
};

HEDDLE_POLICY(SmPartitioner, Ppq, "ppq", "preemptive priority queues, several active contexts",
              "CUsched, Section IV-D", {});

}  // namespace

}  // namespace heddle
