#pragma once
// The registers that an assembler gives the threads of a kernel.

#include <cstdint>
#include <vector>

#include "stimuli/ptx/analysis/live_values.h"
#include "stimuli/ptx/statements/module.h"

namespace heddle::ptx {

constexpr std::uint32_t kStackPointer = 1;  // registers of a thread that hold it

// Returns the registers of 32 bits of a function without its callees, and what is live where most are. The
// code is folded, merged, unrolled and scheduled for latency. If that takes more registers than a full SM has
// for each thread, as many as the code needs at least are taken, rounded up to what hardware allocates.
// .maxnreg lowers both.
Pressure register_estimate(const Function& function);

// Returns for each function an estimate of its threads' registers of 32 bits: the most of it and its callees.
std::vector<std::uint32_t> register_estimates(const Module& module);

}  // namespace heddle::ptx
