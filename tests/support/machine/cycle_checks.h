#pragma once
// Checks of counters that hold for every finished run of a machine with cycle SMs.

#include "tests/support/machine/cycle_machine.h"

namespace heddle::test {

// Expects that the cycles of SMs and schedulers add up to the simulated time, that the counters of the
// kernels add up to those of the SMs and of the applications, and that crossbar, L2 cache and DRAM count
// every request that was sent.
void expect_closed(const CycleRun& run);

// Expects equal counters in both runs. The counters of ticks, wakes and calls by the SystemC kernel are
// compared only if `wakes` is true.
void expect_same(const CycleRun& one, const CycleRun& other, bool wakes);

}  // namespace heddle::test
