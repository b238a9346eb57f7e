#include "stimuli/ptx/analysis/operation_costs.h"

namespace heddle::ptx {
namespace {

constexpr std::uint32_t kDouble = 16;
constexpr std::uint32_t kShared = 30;  // also of shuffles
constexpr std::uint32_t kConst = 40;
constexpr std::uint32_t kGlobal = 200;
constexpr std::uint32_t kAtomic = 300;
constexpr std::uint32_t kSpecial = 20;
constexpr std::uint32_t kMatrix = 32;     // of a product of matrices
constexpr std::uint32_t kSequence = 100;  // of a division or an exact root

OperationCosts load(Space space) {
  if (space == Space::kShared) return {kShared, 0};
  if (space == Space::kConst) return {kConst, 0};
  if (space == Space::kParam) return {};
  return {kGlobal, 0};
}

OperationCosts division(const Statement& s) {
  if (s.has(kApprox) || s.has(kFull)) return {kShared, 0};
  if (s.type == Type::kF32) return {kSequence, 8, true};
  if (s.type == Type::kF64) return {kSequence, 12, true};
  if (bytes_of(s.type) == 8) return {kSequence, 14, true};
  return {kSequence, is_signed(s.type) ? 5U : 2U};
}

OperationCosts root(const Statement& s) {
  if (s.has(kApprox) || s.rounding == Rounding::kNone) return {kSpecial, 0};
  const bool reciprocal = s.opcode == Opcode::kRcp;
  if (s.type == Type::kF32) return {kSequence, reciprocal ? 8U : 5U, true};
  return {kSequence, reciprocal ? 7U : 17U, true};
}

}  // namespace

OperationCosts costs_of(const Statement& statement) {
  switch (statement.opcode) {
    case Opcode::kLd:
    case Opcode::kLdmatrix:
    case Opcode::kWmmaLoad:
      return load(statement.space);
    case Opcode::kMma:
    case Opcode::kWmmaMma:
      return {kMatrix, 0};
    case Opcode::kAtom:
    case Opcode::kTex:
    case Opcode::kTld4:
    case Opcode::kSuld:
      return {kAtomic, 0};
    case Opcode::kMbarrierArrive:
    case Opcode::kMbarrierDrop:
    case Opcode::kMbarrierTest:
    case Opcode::kMbarrierTry:
    case Opcode::kShfl:
      return {kShared, 0};
    case Opcode::kSin:
    case Opcode::kCos:
    case Opcode::kLg2:
    case Opcode::kEx2:
    case Opcode::kTanh:
      return {kSpecial, 0};
    case Opcode::kDiv:
    case Opcode::kRem:
      return division(statement);
    case Opcode::kRcp:
    case Opcode::kSqrt:
    case Opcode::kRsqrt:
      return root(statement);
    case Opcode::kMul:
    case Opcode::kMad:
      if (bytes_of(statement.type) == 8 && !is_float(statement.type)) return {10, 2};
      break;
    default:
      break;
  }
  return statement.type == Type::kF64 ? OperationCosts{kDouble, 0} : OperationCosts{};
}

}  // namespace heddle::ptx
