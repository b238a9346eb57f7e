#pragma once
// The order of the operations of a block, as a list scheduler chooses it.

#include "stimuli/ptx/analysis/machine_code.h"

namespace heddle::ptx {

enum class ScheduleGoal : std::uint8_t {
  // One operation issues each cycle, and each starts as late as those that need its result let it. Loads with
  // long latencies then stand together at the start of the block, and their results need registers at once.
  kLatency,
  // The registers that are live before each operation are as few as a greedy choice from the end can make
  // them.
  kRegisters,
};

void schedule(MachineCode& code, ScheduleGoal goal);

}  // namespace heddle::ptx
