#include "policies/sm_partitioner/priority_order.h"

#include <algorithm>

namespace heddle {

std::vector<const KernelView*> by_priority(const MachineView& machine) {
  std::vector<const KernelView*> order;
  order.reserve(machine.kernels.size());
  for (const KernelView& kernel : machine.kernels) order.push_back(&kernel);
  std::stable_sort(order.begin(), order.end(), [&](const KernelView* a, const KernelView* b) {
    return machine.contexts[a->context.value].priority > machine.contexts[b->context.value].priority;
  });
  return order;
}

}  // namespace heddle
