#pragma once
// The order of the operations of a block, as a list scheduler chooses it.

#include "stimuli/ptx/analysis/machine_code.h"

namespace heddle::ptx {

enum class ScheduleGoal : std::uint8_t {
  // One operation issues each cycle, those first that the end of the block waits for longest. Operations with
  // long latencies start no sooner than they have to, so that their results take registers only while they
  // are under way or used. Short ones move ahead into cycles that would be idle. An operation that does not
  // issue takes no cycle, and stands before the first one that needs it.
  kLatency,
  // The registers that are live before each operation are as few as a greedy choice from the end can make
  // them.
  kRegisters,
};

void schedule(MachineCode& code, ScheduleGoal goal);

}  // namespace heddle::ptx
