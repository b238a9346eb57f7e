#pragma once

#include "models/core/config/config.h"
#include "models/sm/spec/cycle_spec.h"

namespace heddle {

// Reads what an SM with sub-cores has instead of operand collectors, from the section `subcore`. `l0` is the
// section of the instruction cache of each sub-core, which has been read. Problems are recorded in the
// sections.
void read_subcore(const config::Section& section, const config::Section& l0, CycleSmSpec& sm);

}  // namespace heddle
