#pragma once
// The code of a function as an assembler would emit it, as far as registers depend on it: copies, constants,
// parameters and address arithmetic are folded into the operations that read them.

#include <cstdint>
#include <string>
#include <vector>

#include "models/core/kernel/instruction.h"
#include "stimuli/ptx/analysis/flow_graph.h"
#include "stimuli/ptx/analysis/operand_folding.h"
#include "stimuli/ptx/statements/module.h"

namespace heddle::ptx {

// A value is a register of the function or a predicate (numbered as in Liveness), or one that unrolling adds.
struct MachineOperation {
  enum class Memory : std::uint8_t { kNone, kLoad, kStore, kFence };

  std::vector<std::uint32_t> reads;
  std::vector<std::uint32_t> writes;
  std::vector<ConstantAddress> constants;  // of operands in constant memory
  std::uint32_t latency = 0;               // cycles until a result can be read
  std::uint32_t temporaries = 0;           // registers of 32 bits that it needs beside its operands
  Memory memory = Memory::kNone;
  Space space = Space::kGeneric;
  bool read_only = false;  // a load of memory that no store changes
  bool keeps_old = false;  // a guarded operation may leave the old values of its results
  bool ends_block = false;
  std::uint32_t base = ~std::uint32_t{0};  // value that the address is relative to
  std::uint64_t offset = 0;
  std::uint32_t bytes = 0;
  bool steps = false;  // adds `offset` to the value that it reads and writes
  bool compares = false;
  bool in_halves = false;       // writes the low half of its result before it has read all operands
  bool calls = false;           // a routine, across which the assembler moves no operation
  bool issues = true;           // false: it is computed with an operation that reads its result
  std::uint32_t statement = 0;  // of the function, from which it comes
};

struct MachineBlock {
  std::vector<MachineOperation> operations;
  std::vector<std::uint32_t> successors;
  std::uint32_t held = 0;  // registers of 32 bits that are live all through the block, beside values
};

struct MachineCode {
  std::string name;                 // of the function
  std::uint32_t line = 0;           // where the function starts
  std::vector<std::uint8_t> units;  // by value: registers of 32 bits; 0: a predicate
  std::vector<MachineBlock> blocks;
};

MachineCode machine_code(const Function& function, const FlowGraph& graph,
                         Constants constants = Constants::kOperands);

}  // namespace heddle::ptx
