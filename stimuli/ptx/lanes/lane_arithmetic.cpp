#include "stimuli/ptx/lanes/lane_arithmetic.h"

#include "stimuli/ptx/lanes/lane_loops.h"

namespace heddle::ptx {

LaneOperation lane_operation(const Instruction& instruction, const Operand* operands) {
  LaneOperation operation = lanes::integer_operation(instruction);
  if (!operation) operation = lanes::carry_operation(instruction);
  if (!operation) operation = lanes::bit_operation(instruction);
  if (!operation) operation = lanes::move_operation(instruction, operands);
  if (!operation) operation = lanes::comparison_operation(instruction, operands);
  if (!operation) operation = lanes::float_operation(instruction);
  if (!operation) operation = lanes::fma_operation(instruction);
  if (!operation) operation = lanes::approximate_operation(instruction);
  if (!operation) operation = lanes::conversion_operation(instruction, operands);
  if (!operation) operation = lanes::float_conversion_operation(instruction, operands);
  operation.rounding = lanes::host_rounding(instruction.rounding);
  return operation;
}

}  // namespace heddle::ptx
