#include "stimuli/ptx/statements/matrix.h"

#include <algorithm>

#include "stimuli/ptx/statements/group_product.h"

namespace heddle::ptx {
namespace {

constexpr std::uint32_t kWarp = 32;  // lanes
constexpr std::uint32_t kRegisterBits = 32;
constexpr std::uint32_t kMostAccessBytes = 16;      // bytes
constexpr std::uint32_t kHalfOperandRegisters = 8;  // of wmma with f16, whatever the shape

Fragment named(const Statement& statement) {
  if (names_rows(statement.opcode) || statement.variant == Variant::kMatrixA) return Fragment::kA;
  return statement.variant == Variant::kMatrixB ? Fragment::kB : Fragment::kC;
}

// wmma.mma of f16 states the types of d and c; all others state those of d, a and b, and c has that of d.
Type element_of(const Statement& statement, Fragment fragment) {
  if (!is_matrix_product(statement.opcode) || fragment == Fragment::kD) return statement.type;
  const bool short_form = statement.other_type == Type::kNone;
  if (fragment == Fragment::kC) return short_form ? statement.source_type : statement.type;
  if (short_form) return Type::kF16;
  return fragment == Fragment::kA ? statement.source_type : statement.other_type;
}

}  // namespace

MatrixSize size_of(Shape shape) {
  if (is_group_shape(shape)) return size_of_group_shape(shape);
  switch (shape) {
    case Shape::kM16n16k16:
      return {16, 16, 16};
    case Shape::kM32n8k16:
      return {32, 8, 16};
    case Shape::kM8n32k16:
      return {8, 32, 16};
    case Shape::kM16n16k8:
      return {16, 16, 8};
    case Shape::kM8n8k4:
      return {8, 8, 4};
    case Shape::kM8n8k16:
      return {8, 8, 16};
    case Shape::kM16n8k4:
      return {16, 8, 4};
    case Shape::kM16n8k8:
      return {16, 8, 8};
    case Shape::kM16n8k16:
      return {16, 8, 16};
    case Shape::kM16n8k32:
      return {16, 8, 32};
    default:
      return {8, 8, 8};  // the matrices of ldmatrix and stmatrix
  }
}

FragmentInfo info_of(const Statement& statement, Fragment fragment) {
  FragmentInfo info;
  info.element = element_of(statement, fragment);
  info.fragment = fragment == Fragment::kNamed ? named(statement) : fragment;
  if (info.fragment == Fragment::kD) info.fragment = Fragment::kC;
  const MatrixSize size = size_of(statement.shape);
  info.rows = info.fragment == Fragment::kB ? size.k : size.m;
  info.columns = info.fragment == Fragment::kA ? size.k : size.n;
  const std::uint32_t bits = bits_of(info.element);
  info.per_register = std::max(kRegisterBits / bits, 1U);
  info.registers = info.rows * info.columns / kWarp / info.per_register;
  info.register_type = Type::kB32;
  if (bits == kRegisterBits && info.element != Type::kTf32) info.register_type = info.element;
  if (info.element == Type::kF16) info.register_type = Type::kF16x2;
  if (info.element == Type::kF64) info.register_type = Type::kF64;
  const bool wmma = statement.opcode == Opcode::kWmmaLoad || statement.opcode == Opcode::kWmmaMma;
  if (wmma && info.element == Type::kF16 && info.fragment != Fragment::kC)
    info.registers = kHalfOperandRegisters;
  if (names_rows(statement.opcode)) {
    info.registers = statement.width;
    info.register_type = Type::kB32;
  }
  return info;
}

FragmentAccess access_of(const Statement& statement, const FragmentInfo& info, std::uint32_t part) {
  const std::uint32_t element = bytes_of(info.element);
  const std::uint32_t all = info.elements();
  const bool by_columns = statement.layout == Layout::kColumns;
  FragmentAccess access;
  std::uint32_t together = 0;  // elements of an access
  if (info.fragment == Fragment::kC) {
    together = by_columns ? 1 : 2;
    access.parts = all / together;
    // Of a pair in one row, the second elements follow after all first ones.
    access.first_element = by_columns ? part % (all / 2) * 2 + part / (all / 2) : part * together;
  } else {
    const std::uint32_t line = by_columns ? info.rows : info.columns;
    together = std::min({all, line, kMostAccessBytes / element});
    access.parts = all / together;
    access.first_element = part * together;
  }
  access.bytes = together * element;
  access.first_register = access.first_element / info.per_register;
  access.registers = std::max(together / info.per_register, 1U);
  return access;
}

std::uint32_t tensor_repeats(const Statement& statement) {
  const MatrixSize size = size_of(statement.shape);
  const std::uint32_t bits = bits_of(info_of(statement, Fragment::kA).element);
  return std::clamp(size.m * size.n * size.k * bits / kBitsOfInterval, 1U, kMostTensorRepeats);
}

}  // namespace heddle::ptx
