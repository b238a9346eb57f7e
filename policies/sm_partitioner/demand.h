#pragma once
// How many more SMs a kernel can put to use, and which SMs there are for the taking.

#include "policies/sm_partitioner/i_sm_partitioner.h"

namespace heddle {

// Whether `kernel` has one of these slices.
bool has_slice(const std::vector<Slice>& slices, KsrId kernel);

// SMs of the partition that `kernel` holds.
std::size_t held_sms(const Partition& partition, KsrId kernel);

// SMs that `kernel` could use beside those it holds: its unissued blocks, less one for every SM it holds
// that takes a block next (one that drains for it or is being set up, or has room for one more).
std::uint64_t wanted_sms(const MachineView& machine, const Partition& partition, const KernelView& kernel);

inline bool wants_sm(const MachineView& machine, const Partition& partition, const KernelView& kernel) {
  return wanted_sms(machine, partition, kernel) > 0;
}

// An SM that nobody holds, or partition.sms(): the lowest-numbered idle one; else one that still drains
// though the kernel it drained for has no use for it any more, preferably one that `kernel` itself is leaving
// (its drain is called off), then the one with the fewest blocks to wait for. `kept`: by SM the context it is
// kept for, or none; empty: none is. One kept for another than `context` is not free.
std::size_t free_sm(const MachineView& machine, const Partition& partition, KsrId kernel,
                    const std::vector<ContextId>& kept = {}, ContextId context = ContextId::none());

// Every SM to every kernel that has an unissued block, in order of arrival behind those that have a slice
// there, all without limit.
void share_every_sm(const MachineView& machine, Partition& partition);

// Gives free SMs to `kernel` as long as it wants one.
void give_free_sms(const MachineView& machine, Partition& partition, const KernelView& kernel);

}  // namespace heddle
