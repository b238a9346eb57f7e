#pragma once
// The reader of the sections of a platform that describe a cycle SM: pipeline, units, operations, caches,
// shared_memory, load_store. `heddle list keys` prints every key.

#include <cstdint>
#include <vector>

#include "models/core/config/config.h"
#include "models/sm/spec/cycle_spec.h"

namespace heddle {

// Returns the cycle SM. `carve_outs` gets SmLimits::carve_outs. Problems are recorded in the document; the
// values must not be used then.
CycleSmSpec read_cycle_sm(const config::Section& root, std::vector<std::uint32_t>& carve_outs);

}  // namespace heddle
