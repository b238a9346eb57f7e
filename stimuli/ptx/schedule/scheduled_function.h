#pragma once
// A function as the instructions that an SM executes of it.

#include <cstdint>
#include <optional>
#include <vector>

#include "models/core/kernel/instruction.h"
#include "models/core/kernel/operation.h"
#include "stimuli/ptx/statements/module.h"

namespace heddle::ptx {

// What the instruction of a statement is, where the statement alone does not say it.
struct InstructionForm {
  std::vector<std::uint32_t> reads;             // registers and predicates by name as in Liveness
  std::vector<std::uint32_t> writes;            // the same
  std::optional<Operation> operation;           // none: that of the statement
  bool is_fixed = false;                        // no instruction of the block moves across it
  std::vector<ConstantAddress> constants = {};  // of operands in constant memory
};

struct ScheduledFunction {
  Function function;
  // By statement; both are empty in a function whose instructions are its statements. A folded statement has
  // no instruction: the next instruction of its basic block computes it, or the last one if none follows.
  // Each block has an instruction.
  std::vector<bool> folded;
  std::vector<InstructionForm> forms;
};

}  // namespace heddle::ptx
