#pragma once
// Compilers merge some atomics: where the code shows that all lanes of a warp access one word, one lane does
// so with the sum, the maximum or the like of all lanes.

#include <vector>

#include "stimuli/ptx/statements/module.h"

namespace heddle::ptx {

// Returns for each statement of an entry whether it is an atomic of device memory that ptxas merges. The
// rules are those of ptxas 13.0 for sm_90, measured on an H200: the address is the same in all lanes by the
// code; the operation is an addition of 32 bits, an addition of 64 bits of one value for all lanes, or and,
// or, xor, min, max, inc or dec of 32 bits whose result no statement reads. Other operations, floating-point
// ones among them, are not merged. What the merged code executes besides, such as the sum over the lanes, is
// not modelled.
std::vector<bool> merged_atomics(const Function& entry);

}  // namespace heddle::ptx
