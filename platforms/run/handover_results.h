#pragma once
// What a machine has to tell of its hand-overs, as plain values.

#include <vector>

#include "models/gpu/gpu.h"
#include "platforms/run/result/handover_result.h"

namespace heddle {

// Returns all hand-overs of the GPUs, whose core clocks are the same, then those of each way that happened;
// nothing without a hand-over.
std::vector<HandoverResult> handovers_of(const std::vector<const Gpu*>& gpus);

}  // namespace heddle
