// Priority queues (CUsched, Section IV-D, FCFS-PQ), with one active context and without preemption. When the
// last kernel of the active context has left the SMs, the context of the kernel with the largest priority
// becomes active.

#include "policies/sm_partitioner/demand.h"
#include "policies/sm_partitioner/priority_order.h"

namespace heddle {

namespace {

class Pq final : public SmPartitioner {
 public:
  explicit Pq(const PolicyParameters&) {}
  bool one_context() const override { return true; }
  bool uses_priorities() const override { return true; }

  void partition(const MachineView& machine, Partition& partition) override {
    by_priority(machine, order_);
    if (order_.empty()) return;
    ContextId active = order_.front()->context;
    for (const KernelView* kernel : order_)
      if (held_sms(partition, kernel->ksr) > 0) active = kernel->context;
    bool other_is_next = false;
    for (const KernelView* kernel : order_) {
      if (kernel->context != active)
        other_is_next = true;  // no kernel after it may start, but started kernels may take more SMs
      else if (!other_is_next || held_sms(partition, kernel->ksr) > 0)
        give_free_sms(machine, partition, *kernel);
    }
  }

 private:
  std::vector<const KernelView*> order_;
};

HEDDLE_POLICY(SmPartitioner, Pq, "pq", "priority queues, one active context, no preemption",
              "CUsched, Section IV-D", {});

}  // namespace

}  // namespace heddle
