#include "policies/sm_partitioner/demand.h"

#include <algorithm>
#include <tuple>

namespace heddle {

namespace {

// Whether the next event on an SM that `kernel` holds is the issue of one of its blocks: the SM is not yet
// ready for the kernel, or it is ready and has room. A leaving slice that is returned to its kernel keeps its
// blocks.
bool takes_block_next(const SmView& sm, const KernelView& kernel) {
  for (const SliceView& slice : sm.slices)
    if (slice.slice.kernel == kernel.ksr && slice.state != SliceState::kWaiting &&
        slice.state != SliceState::kSettingUp)
      return slice.running < std::min(slice.limit(), kernel.residency);
  return true;
}

bool leaves(const SmView& sm, KsrId kernel) {
  return std::any_of(sm.slices.begin(), sm.slices.end(), [kernel](const SliceView& slice) {
    return slice.slice.kernel == kernel && slice.state == SliceState::kLeaving;
  });
}

}  // namespace

bool has_slice(const std::vector<Slice>& slices, KsrId kernel) {
  return std::any_of(slices.begin(), slices.end(),
                     [kernel](const Slice& slice) { return slice.kernel == kernel; });
}

std::size_t held_sms(const Partition& partition, KsrId kernel) {
  std::size_t held = 0;
  for (std::size_t sm = 0; sm < partition.sms(); ++sm)
    if (partition.holder(sm) == kernel) ++held;
  return held;
}

std::uint64_t wanted_sms(const MachineView& machine, const Partition& partition, const KernelView& kernel) {
  std::uint64_t promised = 0;
  for (std::size_t sm = 0; sm < partition.sms(); ++sm)
    if (partition.holder(sm) == kernel.ksr && takes_block_next(machine.sms[sm], kernel)) ++promised;
  return kernel.unissued > promised ? kernel.unissued - promised : 0;
}

std::size_t free_sm(const MachineView& machine, const Partition& partition, KsrId kernel,
                    const std::vector<ContextId>& kept, ContextId context) {
  const auto kept_for_another = [&](std::size_t sm) {
    return !kept.empty() && kept[sm].valid() && kept[sm] != context;
  };
  const auto cost = [&](std::size_t sm) {
    const SmView& view = machine.sms[sm];
    return std::make_tuple(!view.idle(), !leaves(view, kernel), view.running());
  };
  const auto wanting = std::find_if(machine.kernels.begin(), machine.kernels.end(),
                                    [kernel](const KernelView& view) { return view.ksr == kernel; });
  std::size_t best = partition.sms();
  for (std::size_t i = 0; i < partition.sms(); ++i) {
    const std::size_t sm = (machine.first_sm + i) % partition.sms();
    if (partition.slices(sm).empty() && !kept_for_another(sm) &&
        (wanting == machine.kernels.end() || wanting->may_run_on(sm)) &&
        (best == partition.sms() || cost(sm) < cost(best)))
      best = sm;
  }
  return best;
}

std::size_t kernels_of_first_context(const MachineView& machine) {
  const auto other = std::find_if(
      machine.kernels.begin(), machine.kernels.end(),
      [&](const KernelView& kernel) { return kernel.context != machine.kernels.front().context; });
  return static_cast<std::size_t>(other - machine.kernels.begin());
}

void share_every_sm(const MachineView& machine, Partition& partition, std::size_t kernels) {
  for (std::size_t i = 0; i < kernels; ++i) {
    const KernelView& kernel = machine.kernels[i];
    for (std::size_t sm = 0; sm < partition.sms() && kernel.unissued > 0; ++sm)
      if (kernel.may_run_on(sm) && !has_slice(partition.slices(sm), kernel.ksr))
        partition.slices(sm).push_back({kernel.ksr});
  }
}

void share_allowed_sms(const SmPartitioner& policy, const MachineView& machine, Partition& partition) {
  for (const KernelView& kernel : machine.kernels)
    for (std::size_t sm = 0; sm < partition.sms() && kernel.unissued > 0; ++sm)
      if (kernel.may_run_on(sm) && policy.may_hold(machine, kernel.context, sm) &&
          !has_slice(partition.slices(sm), kernel.ksr))
        partition.slices(sm).push_back({kernel.ksr});
}

void give_free_sms(const MachineView& machine, Partition& partition, const KernelView& kernel) {
  while (wants_sm(machine, partition, kernel)) {
    const std::size_t sm = free_sm(machine, partition, kernel.ksr);
    if (sm == partition.sms()) return;
    partition.give(sm, kernel.ksr);
  }
}

}  // namespace heddle
