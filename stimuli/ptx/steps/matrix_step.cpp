#include "stimuli/ptx/steps/matrix_step.h"

namespace heddle::ptx {
namespace {

MatrixStep::Rows fragment(const Function& function, const Operand& operand, RowTable& rows) {
  MatrixStep::Rows result;
  if (operand.kind != OperandKind::kVector) result[0] = rows.row(operand, false);
  for (std::uint32_t i = 0; operand.kind == OperandKind::kVector && i < operand.count; ++i)
    result[i] = rows.row(function.operands[operand.index + i], false);
  return result;
}

void set_address(const Operand& operand, RowTable& rows, MatrixStep& matrix) {
  matrix.offset = operand.value;
  if (operand.kind == OperandKind::kRegister)
    matrix.address = rows.row(operand, true);
  else if (operand.kind == OperandKind::kVariable)
    matrix.offset += rows.address_of(operand.index);
}

}  // namespace

MatrixStep matrix_step_of(const Function& function, const Statement& statement, RowTable& rows,
                          const Instruction& instruction) {
  const Operand* const operands = function.operands_of(statement);
  MatrixStep matrix;
  matrix.space = statement.space;
  if (is_matrix_product(statement.opcode)) {
    matrix.tables = {fragment_table(statement, Fragment::kA), fragment_table(statement, Fragment::kB),
                     fragment_table(statement, Fragment::kC), fragment_table(statement, Fragment::kD)};
    matrix.d = fragment(function, operands[0], rows);
    matrix.a = fragment(function, operands[1], rows);
    matrix.b = fragment(function, operands[2], rows);
    matrix.c = fragment(function, operands[3], rows);
    return matrix;
  }
  const bool loads = is_matrix_load(statement.opcode);
  (loads ? matrix.d : matrix.c) = fragment(function, operands[loads ? 0 : 1], rows);
  set_address(operands[loads ? 1 : 0], rows, matrix);
  matrix.fragment = fragment_table(statement, Fragment::kNamed);
  matrix.access = access_of(statement, matrix.fragment.info, statement.part);
  if (!names_rows(statement.opcode)) matrix.stride = rows.row(operands[2], false);
  matrix.default_stride =
      statement.layout == Layout::kColumns ? matrix.fragment.info.rows : matrix.fragment.info.columns;
  matrix.resolved.fill(instruction);
  matrix.resolved[1].space = MemorySpace::kShared;
  matrix.resolved[2].space = MemorySpace::kLocal;
  return matrix;
}

}  // namespace heddle::ptx
