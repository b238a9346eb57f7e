#pragma once
// A launch of a captured program that the user does not want to see on the machine. On the machine it is a
// block of one thread with one instruction, which executes the whole kernel functionally when it issues: what
// the kernel writes is there, in the order of the streams, and takes next to no time.

#include <memory>

#include "models/core/kernel/instruction.h"
#include "models/core/memory/device_memory.h"
#include "stimuli/ptx/execute/launch.h"

namespace heddle::capture {

BlockShape shape_of_skipped_launch();
std::unique_ptr<KernelProgram> skipped_launch(ptx::Launch launch, DeviceMemory& memory,
                                              bool independent_threads);

}  // namespace heddle::capture
