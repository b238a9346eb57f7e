#pragma once
// Which instructions take turns, and which send messages, because the blocks of a cluster share memory.

#include "models/core/kernel/instruction.h"
#include "stimuli/ptx/statements/module.h"

namespace heddle::ptx {

// Adds what an instruction of timing_of() is in a launch with more than one block in a cluster: it may send
// messages to other blocks, and takes turns where it may access what they access.
void set_cluster(const Function& function, const Statement& statement, Instruction& timing);

}  // namespace heddle::ptx
