#pragma once

#include <cstdint>

#include "models/core/kernel/instruction.h"
#include "models/sm/spec/cycle_spec.h"

namespace heddle {

// A UnitInstruction is an instruction between its issue and its result. It has no padding, because the host
// copies it as one piece.
struct UnitInstruction {
  const Instruction* code = nullptr;
  std::uint32_t entry = 0;  // entry of the load/store unit, for memory instructions
  std::uint16_t warp = 0;   // slot
  UnitKind unit = UnitKind::kSp;
  Operation operation = Operation::kNop;  // operation of `code`
};
static_assert(sizeof(UnitInstruction) == 16);

struct UnitTiming {
  std::uint32_t latency = 0;
  std::uint32_t interval = 0;

  // Returns the timing of this instruction, if this is that of its operation: a product of matrices may take
  // several intervals.
  UnitTiming of(const UnitInstruction& instruction) const {
    if (instruction.unit != UnitKind::kTensor) return *this;
    const std::uint32_t more = interval * (instruction.code->repeats - 1u);
    return {latency + more, interval + more};
  }
};

}  // namespace heddle
