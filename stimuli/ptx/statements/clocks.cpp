#include "stimuli/ptx/statements/clocks.h"

#include <algorithm>

namespace heddle::ptx {

bool is_clock(Special special) {
  return special >= Special::kClock && special <= Special::kGlobaltimerHi;
}

bool reads_clock(const Function& function, const Statement& statement) {
  const auto is = [](const Operand& operand) {
    return operand.kind == OperandKind::kSpecial && is_clock(static_cast<Special>(operand.index));
  };
  const Operand* const first = function.operands_of(statement);
  return std::any_of(first, first + statement.operands, [&](const Operand& operand) {
    const Operand* const elements = function.operands.data() + operand.index;
    return is(operand) ||
           (operand.kind == OperandKind::kVector && std::any_of(elements, elements + operand.count, is));
  });
}

}  // namespace heddle::ptx
