#pragma once
// Machines whose GPU, policies, processes and programs are drawn at random.

#include <string>

#include "models/machine/machine_spec.h"

namespace heddle::test {

// Returns a machine with timed SMs. Equal seeds give equal machines, and every program ends within two
// seconds of simulated time.
MachineSpec random_machine(std::uint64_t seed, const GpuSpec& k20);

// Returns a machine with three cycle SMs on which three random kernels overlap. They may be preempted and
// halted.
MachineSpec random_cycle_mix(std::uint64_t seed);

// Runs the machine to its end in a process of its own. With several threads, the blocks of the GPU are
// divided among the threads in every cycle, even if only one block is due. The function returns a
// text: the error message if the run has failed, and then the statistics of the machine as JSON.
std::string statistics(const MachineSpec& spec, unsigned threads = 1);

}  // namespace heddle::test
