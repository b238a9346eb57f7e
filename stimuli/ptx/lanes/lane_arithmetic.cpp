#include "stimuli/ptx/lanes/lane_arithmetic.h"

#include "stimuli/ptx/lanes/lane_loops.h"

namespace heddle::ptx {

LaneOperation lane_operation(const Statement& statement, const Operand* operands) {
  LaneOperation operation = lanes::half_operation(statement);
  if (!operation) operation = lanes::integer_operation(statement);
  if (!operation) operation = lanes::carry_operation(statement);
  if (!operation) operation = lanes::bit_operation(statement);
  if (!operation) operation = lanes::packed_operation(statement);
  if (!operation) operation = lanes::video_operation(statement, operands);
  if (!operation) operation = lanes::move_operation(statement, operands);
  if (!operation) operation = lanes::comparison_operation(statement, operands);
  if (!operation) operation = lanes::float_operation(statement, operands);
  if (!operation) operation = lanes::fma_operation(statement);
  if (!operation) operation = lanes::approximate_operation(statement);
  if (!operation) operation = lanes::conversion_operation(statement, operands);
  if (!operation) operation = lanes::float_conversion_operation(statement, operands);
  operation.rounding = lanes::host_rounding(statement.rounding);
  return operation;
}

}  // namespace heddle::ptx
