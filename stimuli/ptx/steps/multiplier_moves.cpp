#include "stimuli/ptx/steps/multiplier_moves.h"

namespace heddle::ptx {
namespace {

bool is_of_integer_unit(Operation operation) {
  return operation == Operation::kIntAdd || operation == Operation::kIntMax ||
         operation == Operation::kMove || operation == Operation::kCondition;
}

// Returns whether the statement copies a register or a number of 32 bits, or shifts to the left by a
// constant.
bool can_be_product(const Function& function, const Statement& s) {
  const Operand* const operands = function.operands_of(s);
  if (s.type == Type::kPred || bytes_of(s.type) != 4) return false;
  if (s.opcode == Opcode::kShl) return operands[2].kind == OperandKind::kImmediate;
  return s.opcode == Opcode::kMov && operands[0].kind == OperandKind::kRegister &&
         operands[1].kind != OperandKind::kSpecial && operands[1].kind != OperandKind::kVector;
}

}  // namespace

void move_to_multiplier(const ScheduledFunction& code, std::vector<Instruction>& instructions) {
  std::size_t at = 0;
  bool is_behind_integer = false;
  for (std::size_t i = 0; i < code.folded.size(); ++i) {
    if (code.folded[i]) continue;
    Instruction& instruction = instructions[at++];
    if (is_behind_integer && instruction.operation == Operation::kMove &&
        can_be_product(code.function, code.function.code[i]))
      instruction.operation = Operation::kIntMad;
    is_behind_integer = is_of_integer_unit(instruction.operation);
  }
}

}  // namespace heddle::ptx
