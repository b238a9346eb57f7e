#pragma once
// Random functions for tests of the analyses. They have any control flow, and read and write a few registers.

#include <set>

#include "models/core/base/random.h"
#include "stimuli/ptx/statements/module.h"

namespace heddle::ptx {

constexpr std::uint32_t kRandomRegisters = 6;
constexpr std::uint32_t kRandomPredicates = 3;

inline Operand random_operand(Random& random, bool predicate) {
  Operand operand;
  operand.kind = predicate ? OperandKind::kPredicate : OperandKind::kRegister;
  operand.index = static_cast<std::uint32_t>(random.below(predicate ? kRandomPredicates : kRandomRegisters));
  return operand;
}

// Returns a random function. Registers with even numbers have 64 bits.
inline Function random_function(Random& random) {
  Function function;
  for (std::uint32_t i = 0; i < kRandomRegisters; ++i)
    function.registers.push_back({"r" + std::to_string(i), i % 2 == 0 ? Type::kB64 : Type::kB32});
  for (std::uint32_t i = 0; i < kRandomPredicates; ++i)
    function.predicates.push_back({"p" + std::to_string(i), Type::kPred});
  const std::uint64_t size = 1 + random.below(14);
  for (std::uint64_t i = 0; i < size; ++i) {
    Statement statement;
    const std::uint64_t kind = random.below(10);
    const Opcode leaving[] = {Opcode::kRet, Opcode::kExit, Opcode::kTrap};
    statement.opcode = kind < 4 ? Opcode::kBra : kind < 5 ? leaving[random.below(3)] : Opcode::kAdd;
    if (i + 1 == size) statement.opcode = random.below(3) == 0 ? Opcode::kBra : Opcode::kRet;
    if (i + 1 < size && random.below(3) != 0)
      statement.guard = static_cast<std::uint32_t>(random.below(kRandomPredicates));
    statement.line = static_cast<std::uint32_t>(i + 1);
    statement.target = static_cast<std::uint32_t>(random.below(size));
    statement.operand = static_cast<std::uint32_t>(function.operands.size());
    if (statement.opcode == Opcode::kAdd) {
      statement.operands = 3;
      statement.destinations = 1;
      for (int n = 0; n < 3; ++n) function.operands.push_back(random_operand(random, random.below(4) == 0));
    }
    function.code.push_back(statement);
  }
  return function;
}

}  // namespace heddle::ptx
