#pragma once
// Which of a thread's physical registers a function's names take, what a scoreboard and register banks see,
// and which rows of a warp's storage, where execution keeps them: the fewer, the more warps the host's cache
// holds. Linear scan over live ranges (Poletto and Sarkar, "Linear Scan Register Allocation", TOPLAS 1999),
// ranges without holes; a register of 64 bits takes an even one and the next.

#include <cstdint>
#include <vector>

#include "models/core/kernel/instruction.h"
#include "stimuli/ptx/text/module.h"

namespace heddle::ptx {

// Predicates are numbered from here on. Ranges that find no room share: the scoreboard then sees dependences
// that there are not.
constexpr RegisterId kFirstPredicate = 960;
constexpr RegisterId kPredicates = kRegisterNames - kFirstPredicate;

struct PhysicalRegisters {
  std::vector<RegisterId> registers;   // by Function::registers: the first of its one or two
  std::vector<RegisterId> predicates;  // by Function::predicates
  RegisterId end = 0;                  // behind the last register
  // By Function::registers: the first of its one or two rows of 32 lanes. What an instruction reads and what
  // it writes are apart, and so are registers of 32 and of 64 bits: where lanes are apart, each lane has its
  // own part of a row, which is not the same part for both.
  std::vector<std::uint32_t> rows;
  std::uint32_t row_end = 0;
  bool live_at_start = false;  // something may be read before it is written
};

// `first`: what callers hold lies below.
PhysicalRegisters allocate_registers(const Function& function, RegisterId first);

}  // namespace heddle::ptx
