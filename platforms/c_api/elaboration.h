#pragma once
// SystemC elaborates once in a process: it has one machine, or some boundaries that are opened before the
// first step. The processes of a module stay in SystemC when the module is gone, so what was built stays to
// the end of the process.

#include <cstdint>

#include "models/core/time/clock_domain.h"

namespace heddle {

// They say that a machine, or one more boundary, will be built. They throw a BadCall if this process cannot
// have it.
void claim_machine();
void claim_boundary();

// Throws a BadCall if SystemC is simulating already, or for a number of cycles that no run can reach.
void check_step(std::uint64_t cycles);

// Returns the cycle whose edge comes next. Only a run that has ended may stand at the edge itself.
Cycle standing_at(const ClockDomain& clock);

}  // namespace heddle
