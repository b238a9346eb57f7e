#pragma once
// Register allocation. It assigns the names of a function to the physical registers that the scoreboard and
// the register banks see, and to rows of a warp's storage, where execution keeps the values. Few rows keep
// many warps in the host's cache. The algorithm is linear scan over live ranges without holes (Poletto and
// Sarkar, "Linear Scan Register Allocation", TOPLAS 1999). A register of 64 bits takes an even register and
// the next one.

#include <cstdint>
#include <vector>

#include "models/core/kernel/instruction.h"
#include "stimuli/ptx/statements/module.h"

namespace heddle::ptx {

// The first register id of a predicate. Live ranges that find no free register share one, and the scoreboard
// then sees false dependences.
constexpr RegisterId kFirstPredicate = kFirstPredicateName;
constexpr RegisterId kPredicates = kRegisterNames - kFirstPredicate;

struct PhysicalRegisters {
  std::vector<RegisterId> registers;   // by Function::registers: the first of one or two
  std::vector<RegisterId> predicates;  // by Function::predicates
  RegisterId end = 0;                  // one past the last register
  // By Function::registers: the first of one or two rows of 32 lanes. Rows that a statement reads and writes
  // are disjoint. Registers of 32 and of 64 bits never share a row, because a lane's bytes lie at different
  // places in the two, and diverged lanes use them at different times.
  std::vector<std::uint32_t> rows;
  std::uint32_t row_end = 0;
  bool live_at_start = false;  // a register may be read before it is written
};

// Registers below `first` belong to the callers.
PhysicalRegisters allocate_registers(const Function& function, RegisterId first);

}  // namespace heddle::ptx
