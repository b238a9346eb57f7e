#pragma once

#include <algorithm>
#include <cstdint>

#include "models/core/kernel/instruction.h"
#include "models/sm/spec/cycle_spec.h"

namespace heddle {

// A UnitInstruction is an instruction between its issue and its result. It has no padding, because the host
// copies it as one piece.
struct UnitInstruction {
  const Instruction* code = nullptr;
  // Of a memory instruction, its entry of the load/store unit. Of a kTensorGroup, its group of products.
  std::uint32_t entry = 0;
  std::uint16_t warp = 0;  // slot
  UnitKind unit = UnitKind::kSp;
  Operation operation = Operation::kNop;  // operation of `code`
};
static_assert(sizeof(UnitInstruction) == 16);

struct UnitTiming {
  std::uint32_t latency = 0;
  std::uint32_t interval = 0;

  // Returns the timing of this instruction, if this is that of its operation: a product of matrices may take
  // several intervals. A product of a warpgroup ends with its last interval if that is later than its
  // latency: m64n256k16 of wgmma takes 128 cycles alone as well as in a row (Luo et al., Benchmarking and
  // dissecting the Nvidia Hopper GPU architecture via microbenchmarking, 2024).
  UnitTiming of(const UnitInstruction& instruction) const {
    if (instruction.unit != UnitKind::kTensor) return *this;
    const std::uint32_t all = interval * instruction.code->repeats;
    if (instruction.operation == Operation::kTensorGroup) return {std::max(latency, all), all};
    return {latency + all - interval, all};
  }
};

}  // namespace heddle
