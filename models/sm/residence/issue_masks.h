#pragma once
// The IssueMasks say what the next instruction of each resident warp waits for. The pipeline keeps them, and
// the accounts of stalls and whoever reports a deadlock read them.

#include <array>

#include "models/sm/residence/warp_mask.h"
#include "models/sm/spec/cycle_spec.h"

namespace heddle {

struct IssueMasks {
  WarpMask buffered = 0;     // the next instruction is known
  WarpMask wait_alu = 0;     // it waits for a register that an arithmetic unit writes
  WarpMask wait_memory = 0;  // it waits for a load, or at a fence or a wait for earlier accesses
  // One of the instructions that the warp may issue next takes turns (Instruction::takes_turns).
  WarpMask takes_turns = 0;
  std::array<WarpMask, kUnitKinds> next_on{};  // by unit: the next instruction executes there

  WarpMask next_on_memory() const { return next_on[static_cast<std::size_t>(UnitKind::kMemory)]; }
};

}  // namespace heddle
