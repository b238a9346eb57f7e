#pragma once
// An SM with sub-cores, with the numbers of an H100 that its pipeline reads, and instruction caches that
// always hit. Its latencies are those of Huerta et al., MICRO 2025, and of Luo et al., arXiv 2501.12084.

#include "tests/support/sm/sm_rig.h"

namespace heddle::test {

CycleSmSpec subcore_sm();

// Four sub-cores with caches of code: L0 of 2 KiB each, in front of 8 KiB.
CycleSmSpec subcore_sm_with_code();

// The cycles in which the SM issues an instruction, in their order, until all blocks have ended. A cycle in
// which it issues several stands there as often.
std::vector<std::uint64_t> issue_cycles(SmRig& rig);

// Runs one block of these warps on such an SM, and returns what issue_cycles() returns.
std::vector<std::uint64_t> issue_cycles_of(std::vector<std::vector<ScriptedInstruction>> warps,
                                           const CycleSmSpec& spec = subcore_sm());

}  // namespace heddle::test
