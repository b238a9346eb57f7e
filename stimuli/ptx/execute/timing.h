#pragma once
// What a PTX instruction looks like to an SM: unit, registers, memory.

#include <cstdint>

#include "models/core/kernel/instruction.h"
#include "stimuli/ptx/analysis/physical_registers.h"
#include "stimuli/ptx/text/module.h"

namespace heddle::ptx {

constexpr std::uint32_t kCodeBytes = 8;  // an instruction's, as on Fermi and Kepler

// One PTX instruction is one of the machine. What ptxas would fold or expand is not: a division is one
// instruction of the unit's latency. ld.param of a launch's parameters reads constant memory; parameters of
// calls are moves, as they are passed in registers.
Instruction timing_of(const Function& function, const Statement& statement,
                      const PhysicalRegisters& registers, std::uint32_t pc);

}  // namespace heddle::ptx
