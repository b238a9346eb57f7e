#include "policies/sm_partitioner/priority_order.h"

#include <algorithm>

namespace heddle {

void by_priority(const MachineView& machine, std::vector<const KernelView*>& order) {
  const auto before = [&machine](const KernelView* a, const KernelView* b) {
    return priority_of(machine, *a) > priority_of(machine, *b);
  };
  order.clear();
  for (const KernelView& kernel : machine.kernels)
    order.insert(std::upper_bound(order.begin(), order.end(), &kernel, before), &kernel);
}

}  // namespace heddle
