#include "stimuli/ptx/schedule/operation_sequence.h"

#include <string>

#include "models/core/base/check.h"

namespace heddle::ptx {
namespace {

// A sequence is written with a letter for each step. Steps in line have capital letters.
Operation operation_of_letter(char letter) {
  switch (letter) {
    case 'A':
      return Operation::kIntAdd;
    case 'B':  // a branch around the call of a routine, which is not executed; BSSY and BSYNC
      return Operation::kNop;
    case 'C':
      return Operation::kConvert;
    case 'D':
      return Operation::kDouble;
    case 'F':
      return Operation::kFloatFma;
    case 'L':  // logic, shifts, moves, comparisons, selections
      return Operation::kMove;
    case 'M':
      return Operation::kIntMad;
    case 'P':
      return Operation::kFloatMul;
    case 'S':
      return Operation::kSfu;
    case 'U':
      return Operation::kFloatAdd;
    default:
      HEDDLE_CHECK(false, "PTX sequences", Cycle{}, "a letter without an operation");
      return Operation::kNop;
  }
}

// The reciprocal of the divisor gives a quotient that is at most two too small.
std::string integer_division_steps(const Statement& s, bool by_constant) {
  std::string steps = is_signed(s.type) ? "LCSACAMMla" : "CSACAMM";
  steps += "MAMLA";
  steps += by_constant ? "LA" : "lmLA";
  if (is_signed(s.type)) steps += by_constant ? "A" : "llmA";  // the sign of the result
  if (s.opcode == Opcode::kDiv) steps += 'a';
  return steps + 'L';  // the result of a division by zero
}

std::string wide_product_steps(const Statement& s, bool by_constant) {
  if (s.variant == Variant::kHi) return is_signed(s.type) ? "MMMMlAllmAllmALLA" : "MMMMlAA";
  if (s.variant != Variant::kLo) return "";
  return by_constant ? "mMA" : "MMmA";
}

// An index that is multiplied by a constant is added by the instruction that multiplies it (IMAD.WIDE).
std::string wide_sum_steps(const Function& function, const OperandFolding& folding, const Statement& s) {
  for (std::uint32_t i = s.destinations; i < s.operands; ++i) {
    const Operand& operand = function.operands_of(s)[i];
    if (operand.kind != OperandKind::kRegister || folding.scaled(operand.index) == Graph::kNone) continue;
    if (folding.chains().definition(operand.index)->opcode == Opcode::kMul) return "M";
  }
  return "aA";  // in a chain of sums the lower halves do not wait for the upper ones
}

std::string wide_integer_steps(const Function& function, const OperandFolding& folding, const Statement& s) {
  switch (s.opcode) {
    case Opcode::kAdd:
    case Opcode::kSub:
      return wide_sum_steps(function, folding, s);
    case Opcode::kNeg:
      return "aA";
    case Opcode::kAbs:
      return "lAALL";
    case Opcode::kMin:
    case Opcode::kMax:
      return "LLLL";
    case Opcode::kMul:
    case Opcode::kMad:
      return wide_product_steps(s, function.operands_of(s)[2].kind == OperandKind::kImmediate);
    case Opcode::kAnd:
    case Opcode::kOr:
    case Opcode::kXor:
    case Opcode::kNot:
    case Opcode::kShl:
    case Opcode::kShr:
    case Opcode::kSetp:
      return "LL";
    case Opcode::kPopc:
      return "LlA";
    default:
      return "";
  }
}

std::string float_division_steps(const Statement& s) {
  if (s.type == Type::kF64) return "SlDDDDDDbfllbBDD";
  if (s.has(kFull)) return "LlPppSPP";
  if (!s.has(kApprox)) return "SbFlFFFbBF";
  return s.has(kFtz) ? "SP" : "LPpSP";
}

// An approximation without .ftz scales operands that are not normal.
std::string approximation_steps(const Statement& s) {
  if (s.opcode == Opcode::kSin || s.opcode == Opcode::kCos) return "PS";
  if (s.has(kFtz) || is_half(s.type)) return "";
  if (s.opcode == Opcode::kRcp) return "lllLLPSP";
  return s.opcode == Opcode::kLg2 ? "LPSU" : "LPSP";
}

std::string root_steps(const Statement& s) {
  const bool is_reciprocal = s.opcode == Opcode::kRcp;
  if (s.type == Type::kF64) {
    if (s.has(kApprox) && s.has(kFtz)) return "";
    return is_reciprocal || s.opcode == Opcode::kRsqrt ? "SallbDDDDBbD" : "SallbDDDDDDaDBbD";
  }
  if (s.has(kApprox) || s.rounding == Rounding::kNone) return approximation_steps(s);
  return is_reciprocal ? "ALLbBSFUbF" : "SALbBPpFbF";
}

// A pair of registers that is packed or unpacked needs no instruction.
std::string wide_copy_steps(const Operand& from) {
  const bool is_number = from.kind == OperandKind::kImmediate && from.value != 0;
  return from.kind == OperandKind::kRegister || is_number ? "LL" : "";
}

std::string steps_of(const Function& function, const OperandFolding& folding, const Statement& s) {
  const Operand* const operands = function.operands_of(s);
  const bool is_wide = bytes_of(s.type) == 8;
  switch (s.opcode) {
    case Opcode::kDiv:
    case Opcode::kRem:
      if (is_float(s.type)) return float_division_steps(s);
      return is_wide ? "" : integer_division_steps(s, operands[2].kind == OperandKind::kImmediate);
    case Opcode::kRcp:
    case Opcode::kSqrt:
    case Opcode::kRsqrt:
      return root_steps(s);
    case Opcode::kSin:
    case Opcode::kCos:
    case Opcode::kLg2:
    case Opcode::kEx2:
      return approximation_steps(s);
    case Opcode::kSelp:
      return is_wide ? "LL" : "";
    case Opcode::kMov:
      return is_wide ? wide_copy_steps(operands[1]) : "";
    case Opcode::kClz:
    case Opcode::kBfe:
    case Opcode::kBfi:
    case Opcode::kSlct:
      return "LL";
    case Opcode::kMin:
    case Opcode::kMax:
      if (s.type == Type::kF64) return "DllmmLL";
      [[fallthrough]];
    default:
      return is_wide && !is_float(s.type) ? wide_integer_steps(function, folding, s) : "";
  }
}

}  // namespace

OperationSequence sequence_of(const Function& function, const OperandFolding& folding, const Statement& s) {
  OperationSequence sequence;
  if (s.destinations == 0 || s.operands <= s.destinations) return sequence;
  const Operand& result = function.operands_of(s)[0];
  // The low half of a result takes one instruction.
  if (result.kind == OperandKind::kRegister && folding.is_narrow(result.index)) return sequence;
  for (const char letter : steps_of(function, folding, s)) {
    const bool is_in_line = letter >= 'A' && letter <= 'Z';
    sequence.push_back(
        {operation_of_letter(is_in_line ? letter : static_cast<char>(letter - 'a' + 'A')), is_in_line});
  }
  return sequence;
}

}  // namespace heddle::ptx
