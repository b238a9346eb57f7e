#pragma once
// Makes the instruction that an SM executes (unit, registers, memory) of a PTX statement.

#include <cstdint>

#include "models/core/kernel/instruction.h"
#include "stimuli/ptx/analysis/physical_registers.h"
#include "stimuli/ptx/schedule/code_schedule.h"
#include "stimuli/ptx/statements/module.h"

namespace heddle::ptx {

// One statement becomes one instruction: a division that is not expanded (stimuli/ptx/schedule/expansion.h)
// is one instruction with the latency of its unit. ld.param reads the parameters of a launch from constant
// memory. Accesses to the parameters of calls are moves, because calls pass them in registers. `form` has the
// registers of the instruction; null: it has those of the statement.
Instruction timing_of(const Function& function, const Statement& statement, const InstructionForm* form,
                      const PhysicalRegisters& registers, std::uint32_t pc);

}  // namespace heddle::ptx
