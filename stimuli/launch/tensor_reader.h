#pragma once
// This file reads the tensors of a launch file: arrays in buffers, of which kernels copy boxes in bulk.
//
//   tensors:
//     a: {buffer: a, type: f16, sizes: [k, m], box: [64, 128], swizzle: 128B}
//
// The first dimension is the one whose elements follow each other in memory. Further keys: `strides`, the
// bytes from an element to the next one along each further dimension (without them the array has no gaps);
// `steps`, so that a box has every so many elements along a dimension; `fill: nan` for elements outside.

#include <string>
#include <vector>

#include "stimuli/launch/launch_plan.h"
#include "stimuli/launch/launch_values.h"

namespace heddle {

// Adds the tensors of the section to the plan, whose buffers must be complete and are marked as used.
// Problems are recorded.
void read_tensors(const config::Section& section, const Scope& scope, LaunchPlan& plan);

}  // namespace heddle
