#include "stimuli/ptx/schedule/statement_effects.h"

#include "stimuli/ptx/analysis/operation_costs.h"
#include "stimuli/ptx/statements/clocks.h"

namespace heddle::ptx {

bool is_launch_parameter(const Function& function, const Statement& s) {
  if (s.opcode != Opcode::kLd || s.space != Space::kParam || !function.entry) return false;
  const Operand& address = function.operands_of(s)[1];
  return address.kind == OperandKind::kParameter && address.value < function.parameter_bytes;
}

MachineOperation::Memory memory_of(const Function& function, const Statement& s) {
  using Memory = MachineOperation::Memory;
  const bool is_ordered = s.ordering != Ordering::kNone && s.ordering != Ordering::kWeak;
  if (orders_block(s.opcode)) return Memory::kFence;
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
    case Opcode::kStmatrix:
    case Opcode::kSuld:
    case Opcode::kSust:
    case Opcode::kWgmmaCommit:
    case Opcode::kWgmmaFence:
    case Opcode::kWgmmaMma:
    case Opcode::kWgmmaWait:
    case Opcode::kWmmaStore:
      return Memory::kFence;
    default:
      return Memory::kNone;
  }
}

bool uses_registers_alone(const Function& function, const Statement& s) {
  switch (s.opcode) {
    case Opcode::kLd:
      return is_launch_parameter(function, s) || s.space == Space::kConst;
    case Opcode::kAbs:
    case Opcode::kAdd:
    case Opcode::kAnd:
    case Opcode::kBfe:
    case Opcode::kBfi:
    case Opcode::kCvt:
    case Opcode::kCvta:
    case Opcode::kDiv:
    case Opcode::kFma:
    case Opcode::kLop3:
    case Opcode::kMad:
    case Opcode::kMax:
    case Opcode::kMin:
    case Opcode::kMov:
    case Opcode::kMul:
    case Opcode::kNeg:
    case Opcode::kNot:
    case Opcode::kOr:
    case Opcode::kPrmt:
    case Opcode::kRem:
    case Opcode::kSelp:
    case Opcode::kSetp:
    case Opcode::kShf:
    case Opcode::kShl:
    case Opcode::kShr:
    case Opcode::kSub:
    case Opcode::kXor:
      return !reads_clock(function, s);
    default:
      return false;
  }
}

bool depends_on_lanes(const Statement& s) {
  switch (s.opcode) {
    case Opcode::kActivemask:
    case Opcode::kElect:
    case Opcode::kLdmatrix:
    case Opcode::kMatch:
    case Opcode::kMma:
    case Opcode::kRedux:
    case Opcode::kShfl:
    case Opcode::kVote:
    case Opcode::kWgmmaMma:
    case Opcode::kWmmaLoad:
    case Opcode::kWmmaMma:
      return true;
    default:
      return false;
  }
}

bool ends_block(const Statement& s) {
  return s.opcode == Opcode::kBra || s.opcode == Opcode::kRet || s.opcode == Opcode::kExit ||
         s.opcode == Opcode::kTrap;
}

bool is_fixed(const Function& function, const Statement& s) {
  return s.opcode == Opcode::kCall || s.opcode == Opcode::kPhase || s.opcode == Opcode::kWgmmaWait ||
         costs_of(s).calls || reads_clock(function, s);
}

}  // namespace heddle::ptx
