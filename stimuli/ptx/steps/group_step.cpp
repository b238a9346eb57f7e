#include "stimuli/ptx/steps/group_step.h"

#include "stimuli/ptx/statements/group_product.h"
#include "stimuli/ptx/steps/row_table.h"

namespace heddle::ptx {
namespace {

std::vector<Row> rows_of(const Function& function, const Operand& vector, RowTable& rows) {
  std::vector<Row> result;
  for (std::uint32_t i = 0; i < vector.count; ++i)
    result.push_back(rows.row(function.operands[vector.index + i], false));
  return result;
}

bool is_minus_one(const Operand& scale) {
  return static_cast<std::int32_t>(scale.value) == -1;
}

}  // namespace

// Absent operands have the value 0.
GroupStep group_step_of(const Function& function, const Statement& statement, RowTable& rows) {
  const Operand* const operands = function.operands_of(statement);
  GroupStep group;
  group.d_table = fragment_table(statement, Fragment::kD);
  group.d = rows_of(function, operands[kResult], rows);
  if (operands[kMatrixA].kind == OperandKind::kVector) {
    group.a_table = fragment_table(statement, Fragment::kA);
    group.a = rows_of(function, operands[kMatrixA], rows);
  } else {
    group.a_descriptor = rows.row(operands[kMatrixA], true);
  }
  group.b_descriptor = rows.row(operands[kMatrixB], true);
  group.adds = rows.row(operands[kScaleSum], false);
  group.adds_negated = operands[kScaleSum].negated;
  group.scales.negates_a = is_minus_one(operands[kScaleA]);
  group.scales.negates_b = is_minus_one(operands[kScaleB]);
  group.a_is_k_major = operands[kTransposeA].value == 0;
  group.b_is_k_major = operands[kTransposeB].value == 0;
  return group;
}

}  // namespace heddle::ptx
