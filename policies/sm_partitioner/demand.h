#pragma once
// How many more SMs a kernel can use, and which SMs are free.

#include "policies/sm_partitioner/i_sm_partitioner.h"

namespace heddle {

// Whether one of these slices is of `kernel`.
bool has_slice(const std::vector<Slice>& slices, KsrId kernel);

// The number of SMs that `kernel` holds in the partition.
std::size_t held_sms(const Partition& partition, KsrId kernel);

// The number of SMs that `kernel` could use in addition to those it holds: its unissued blocks, less one for
// every SM that it holds and that takes a block next. Such an SM is preempted for the kernel, is being set
// up, or has room for one more block.
std::uint64_t wanted_sms(const MachineView& machine, const Partition& partition, const KernelView& kernel);

inline bool wants_sm(const MachineView& machine, const Partition& partition, const KernelView& kernel) {
  return wanted_sms(machine, partition, kernel) > 0;
}

// An SM that no kernel holds and on which the launch may run, or partition.sms() if there is none. Idle SMs
// come first, from machine.first_sm on in turn. An SM that still drains is free when the kernel it was
// drained for no longer needs it. Among those, an SM that drains `kernel` itself is preferred, because its
// drain is cancelled, and then the one with the fewest running blocks. `kept` names for each SM the context
// that the SM is reserved for, or none; an empty vector reserves no SM. An SM that is reserved for a context
// other than `context` is not free.
std::size_t free_sm(const MachineView& machine, const Partition& partition, KsrId kernel,
                    const std::vector<ContextId>& kept = {}, ContextId context = ContextId::none());

// The number of the first kernels by arrival that are of one context. The context of the oldest kernel is the
// active one where one context at a time is on the GPU: a younger kernel cannot start before it.
std::size_t kernels_of_first_context(const MachineView& machine);

// Gives every kernel with an unissued block, of the first `kernels` by arrival, a slice without a quota on
// every SM on which its launch may run. New slices come after those that stand, in order of arrival.
void share_every_sm(const MachineView& machine, Partition& partition, std::size_t kernels);
inline void share_every_sm(const MachineView& machine, Partition& partition) {
  share_every_sm(machine, partition, machine.kernels.size());
}

// As share_every_sm(), but only on SMs that the policy lets the kernel's context hold (may_hold()).
void share_allowed_sms(const SmPartitioner& policy, const MachineView& machine, Partition& partition);

// Gives free SMs to `kernel` as long as it can use one more.
void give_free_sms(const MachineView& machine, Partition& partition, const KernelView& kernel);

}  // namespace heddle
