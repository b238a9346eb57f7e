#pragma once
// The sections of a platform that describe a cycle SM: pipeline, units, operations, caches, shared_memory,
// load_store. `heddle list keys` prints every key.

#include "models/core/config/config.h"
#include "models/sm/cycle_spec.h"

namespace heddle {

// Problems are recorded in the document.
CycleSmSpec read_cycle_sm(const config::Section& root);

}  // namespace heddle
