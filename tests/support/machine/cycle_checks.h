#pragma once
// What must hold for the counters of any finished run of a machine with cycle SMs.

#include "tests/support/machine/cycle_machine.h"

namespace heddle::test {

// Cycles of SMs and schedulers add up to the time, kernels' counters to the SMs' and to the applications',
// and every request sent is found at crossbar, L2 and DRAM.
void expect_closed(const CycleRun& run);

// The same counters; `wakes`: also those that say how often somebody was woken.
void expect_same(const CycleRun& one, const CycleRun& other, bool wakes);

}  // namespace heddle::test
