#pragma once
// A machine with timed SMs whose GPU, policies, processes and programs are drawn at random.

#include "models/machine/machine_spec.h"

namespace heddle::test {

// Returns the machine of this seed. Equal seeds give equal machines, and every program ends within two
// seconds of simulated time.
MachineSpec random_machine(std::uint64_t seed, const GpuSpec& k20);

}  // namespace heddle::test
