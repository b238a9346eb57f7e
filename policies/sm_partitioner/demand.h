#pragma once
// How many more SMs a kernel can put to use: every SM given takes at least one of its blocks.

#include "policies/sm_partitioner/i_sm_partitioner.h"

namespace heddle {

// SMs of the partition that `kernel` holds.
std::size_t held_sms(const Partition& partition, KsrId kernel);

// True while a block of `kernel` is left for one more SM, beside those it holds without having issued there
// (waiting for the SM to drain, or being set up).
bool wants_sm(const MachineView& machine, const Partition& partition, const KernelView& kernel);

// The lowest-numbered SM that is idle and not given to anyone, or partition.sms().
std::size_t idle_sm(const MachineView& machine, const Partition& partition);

// Gives idle SMs to `kernel` as long as it wants one.
void give_idle_sms(const MachineView& machine, Partition& partition, const KernelView& kernel);

}  // namespace heddle
