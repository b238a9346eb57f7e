#pragma once
// Loops whose bodies an assembler repeats.

#include "stimuli/ptx/statements/module.h"

namespace heddle::ptx {

// Returns the function with the loops of one block repeated whose number of turns is known when they start: a
// register that each turn changes by a constant is compared with a value that stays. A loop of four bodies
// runs while at least four turns are left. The turns that are left run in the loop as it is, after two bodies
// without a loop where the comparison is for inequality. Only the last body of a loop counts and branches.
//
// Every thread runs the same turns in the same order. Loops in which lanes depend on each other, or with
// atomics or barriers, are repeated only where all lanes of a warp run the same turns. Loops with calls, with
// routines of divisions and roots, or with the directive .pragma "nounroll" at their label are not repeated.
//
// The factors and the largest bodies are those of ptxas 13.0 for sm_90, seen in its code.
Function with_repeated_loops(const Function& function);

}  // namespace heddle::ptx
