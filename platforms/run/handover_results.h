#pragma once
// What a machine has to tell of its hand-overs, as plain values.

#include <vector>

#include "models/machine/machine.h"
#include "platforms/run/result/handover_result.h"

namespace heddle {

// Returns all hand-overs of the run, then those of each way that happened; nothing without a hand-over.
std::vector<HandoverResult> handovers_of(const Gpu& gpu);

}  // namespace heddle
