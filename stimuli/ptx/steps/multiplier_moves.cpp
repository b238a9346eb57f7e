#include "stimuli/ptx/steps/multiplier_moves.h"

#include <algorithm>

namespace heddle::ptx {
namespace {

bool is_of_integer_unit(Operation operation) {
  return operation == Operation::kIntAdd || operation == Operation::kIntMax ||
         operation == Operation::kMove || operation == Operation::kCondition;
}

class MultiplierMoves {
 public:
  explicit MultiplierMoves(const ScheduledFunction& code)
      : code_(code), function_(code.function), is_shifted_(function_.registers.size()) {
    for (std::size_t i = 0; i < code.folded.size(); ++i) {
      const Statement& s = function_.code[i];
      if (code.folded[i] && s.opcode == Opcode::kShl) is_shifted_[function_.operands_of(s)[0].index] = true;
    }
  }

  // Returns whether the statement copies a register or a number of 32 bits, shifts 32 bits to the left by a
  // constant, or adds the upper halves of 64 bits.
  bool can_be_product(std::size_t statement, Operation operation) const {
    const Statement& s = function_.code[statement];
    const Operand* const operands = function_.operands_of(s);
    if (s.type == Type::kPred) return false;
    switch (s.opcode) {
      case Opcode::kAdd:  // the multiplier has no LEA, which shifts and adds
        return !is_float(s.type) && bytes_of(s.type) == 8 && operation == Operation::kIntAdd &&
               code_.forms[statement].operation.has_value() &&
               std::none_of(operands + 1, operands + 3, [&](const Operand& operand) {
                 return operand.kind == OperandKind::kRegister && is_shifted_[operand.index];
               });
      case Opcode::kShl:
        return bytes_of(s.type) == 4 && operands[2].kind == OperandKind::kImmediate;
      case Opcode::kMov:
        return bytes_of(s.type) == 4 && operation == Operation::kMove &&
               operands[0].kind == OperandKind::kRegister && operands[1].kind != OperandKind::kSpecial &&
               operands[1].kind != OperandKind::kVector;
      default:
        return false;
    }
  }

 private:
  const ScheduledFunction& code_;
  const Function& function_;
  std::vector<bool> is_shifted_;  // by register: a folded statement shifts it to the left
};

}  // namespace

void move_to_multiplier(const ScheduledFunction& code, std::vector<Instruction>& instructions) {
  const MultiplierMoves moves(code);
  std::size_t at = 0;
  bool is_behind_integer = false;
  for (std::size_t i = 0; i < code.folded.size(); ++i) {
    if (code.folded[i]) continue;
    Instruction& instruction = instructions[at++];
    if (is_behind_integer && moves.can_be_product(i, instruction.operation))
      instruction.operation = Operation::kIntMad;
    is_behind_integer = is_of_integer_unit(instruction.operation);
  }
}

}  // namespace heddle::ptx
