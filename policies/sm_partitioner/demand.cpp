#include "policies/sm_partitioner/demand.h"

namespace heddle {

std::size_t held_sms(const Partition& partition, KsrId kernel) {
  std::size_t held = 0;
  for (std::size_t sm = 0; sm < partition.sms(); ++sm)
    if (partition.holder(sm) == kernel) ++held;
  return held;
}

bool wants_sm(const MachineView& machine, const Partition& partition, const KernelView& kernel) {
  std::uint64_t promised = 0;
  for (std::size_t sm = 0; sm < partition.sms(); ++sm)
    if (partition.holder(sm) == kernel.ksr && (machine.sms[sm].holder() != kernel.ksr || machine.sms[sm].pending()))
      ++promised;
  return kernel.unissued > promised;
}

std::size_t idle_sm(const MachineView& machine, const Partition& partition) {
  std::size_t sm = 0;
  while (sm < partition.sms() && !(machine.sms[sm].idle() && partition.slices(sm).empty())) ++sm;
  return sm;
}

void give_idle_sms(const MachineView& machine, Partition& partition, const KernelView& kernel) {
  while (wants_sm(machine, partition, kernel)) {
    const std::size_t sm = idle_sm(machine, partition);
    if (sm == partition.sms()) return;
    partition.give(sm, kernel.ksr);
  }
}

}  // namespace heddle
