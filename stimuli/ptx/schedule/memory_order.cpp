#include "stimuli/ptx/schedule/memory_order.h"

namespace heddle::ptx {

bool is_launch_parameter(const Function& function, const Statement& s) {
  if (s.opcode != Opcode::kLd || s.space != Space::kParam || !function.entry) return false;
  const Operand& address = function.operands_of(s)[1];
  return address.kind == OperandKind::kParameter && address.value < function.parameter_bytes;
}

MachineOperation::Memory memory_of(const Function& function, const Statement& s) {
  using Memory = MachineOperation::Memory;
  const bool is_ordered = s.ordering != Ordering::kNone && s.ordering != Ordering::kWeak;
  switch (s.opcode) {
    case Opcode::kLd:
      if (is_launch_parameter(function, s)) return Memory::kNone;
      return is_ordered ? Memory::kFence : Memory::kLoad;
    case Opcode::kSt:
      return is_ordered ? Memory::kFence : Memory::kStore;
    case Opcode::kLdmatrix:
    case Opcode::kTex:
    case Opcode::kTld4:
    case Opcode::kWmmaLoad:
      return Memory::kLoad;
    case Opcode::kAtom:
    case Opcode::kBarArrive:
    case Opcode::kBarRed:
    case Opcode::kBarSync:
    case Opcode::kBarWarp:
    case Opcode::kCall:
    case Opcode::kCopyAsync:
    case Opcode::kCopyCommit:
    case Opcode::kCopyWait:
    case Opcode::kFence:
    case Opcode::kNanosleep:
    case Opcode::kNoEffect:
    case Opcode::kPhase:
    case Opcode::kRed:
    case Opcode::kSuld:
    case Opcode::kSust:
    case Opcode::kWmmaStore:
      return Memory::kFence;
    default:
      return Memory::kNone;
  }
}

}  // namespace heddle::ptx
