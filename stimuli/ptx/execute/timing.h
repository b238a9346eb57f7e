#pragma once
// Makes the instruction that an SM executes (unit, registers, memory) of a PTX statement.

#include <cstdint>

#include "models/core/kernel/instruction.h"
#include "stimuli/ptx/analysis/physical_registers.h"
#include "stimuli/ptx/schedule/code_schedule.h"
#include "stimuli/ptx/text/module.h"

namespace heddle::ptx {

// One statement becomes one instruction. Heddle does not expand statements as ptxas does: a division is one
// instruction with the latency of its unit. ld.param reads the parameters of a launch from constant
// memory. Accesses to the parameters of calls are moves, because calls pass them in registers. `names` are
// the registers of the instruction; null: those of the statement.
Instruction timing_of(const Function& function, const Statement& statement, const InstructionNames* names,
                      const PhysicalRegisters& registers, std::uint32_t pc);

}  // namespace heddle::ptx
