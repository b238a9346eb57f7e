#include "stimuli/ptx/statements/group_product.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>

namespace heddle::ptx {
namespace {

constexpr std::uint32_t kMostColumns = 256;
constexpr std::uint32_t kShapesOfDepth = kMostColumns / kGroupColumns;
constexpr std::array<std::uint32_t, 3> kDepths{8, 16, 32};  // of elements of 32, 16 and 8 bits
// What shared memory gives in the 4 cycles that a tensor unit of Hopper takes for 8 columns.
constexpr std::uint32_t kBytesOfInterval = 4 * 128;
constexpr std::uint32_t kFirst = static_cast<std::uint32_t>(Shape::kFirstOfGroup);
static_assert(kFirst + kDepths.size() * kShapesOfDepth <= 256);

// Reads "n128" and the like.
bool read_number(std::string_view& text, char letter, std::uint32_t& number) {
  if (text.empty() || text.front() != letter) return false;
  const auto [end, error] = std::from_chars(text.data() + 1, text.data() + text.size(), number);
  if (error != std::errc{} || text[1] == '0') return false;
  text.remove_prefix(static_cast<std::size_t>(end - text.data()));
  return true;
}

// Products of integers have fewer shapes: multiples of 16 columns, and 8 and 24.
std::string words_of_depth(std::uint32_t depth, bool of_integers) {
  std::string words;
  for (std::uint32_t n = kGroupColumns; n <= kMostColumns; n += kGroupColumns) {
    if (of_integers && n % 16 != 0 && n > 24) continue;
    words += fmt::format("{}m64n{}k{}", words.empty() ? "shape:" : "|", n, depth);
  }
  return words;
}

std::string check_number(const Operand& operand, const char* what, std::int32_t least) {
  if (operand.kind == OperandKind::kNone) return "";
  const auto value = static_cast<std::int32_t>(operand.value);
  if (value == 1 || value == least) return "";
  return fmt::format("{} is {}, and not 1 or {}", what, value, least);
}

}  // namespace

std::uint32_t group_shape(std::string_view word) {
  std::uint32_t m = 0, n = 0, k = 0;
  if (!read_number(word, 'm', m) || !read_number(word, 'n', n) || !read_number(word, 'k', k) || !word.empty())
    return 0;
  const auto depth = std::find(kDepths.begin(), kDepths.end(), k);
  if (m != kGroupRows || n % kGroupColumns != 0 || n > kMostColumns || depth == kDepths.end()) return 0;
  return kFirst + static_cast<std::uint32_t>(depth - kDepths.begin()) * kShapesOfDepth + n / kGroupColumns -
         1;
}

MatrixSize size_of_group_shape(Shape shape) {
  const std::uint32_t number = static_cast<std::uint32_t>(shape) - kFirst;
  return {kRowsOfWarp, (number % kShapesOfDepth + 1) * kGroupColumns, kDepths[number / kShapesOfDepth]};
}

std::string complete_group_operands(Function& function, std::vector<Operand>& operands) {
  const bool has_trans = operands.size() > kTransposeA;
  operands.resize(kGroupOperands);
  const bool in_registers = operands[kMatrixA].kind == OperandKind::kVector;
  if (has_trans && in_registers != (operands[kTransposeB].kind == OperandKind::kNone))
    return in_registers ? "a in registers has no transposition" : "the transpositions of a and b are wanted";
  if (in_registers) std::swap(operands[kTransposeA], operands[kTransposeB]);
  const Operand& scale = operands[kScaleSum];
  for (const std::string& wrong :
       {check_number(operands[kScaleA], "imm-scale-a", -1),
        check_number(operands[kScaleB], "imm-scale-b", -1),
        check_number(operands[kTransposeA], "imm-trans-a", 0),
        check_number(operands[kTransposeB], "imm-trans-b", 0),
        scale.kind == OperandKind::kImmediate ? check_number(scale, "scale-d", 0) : std::string()})
    if (!wrong.empty()) return wrong;
  const Operand result = operands[kResult];
  operands[kSum] = result;
  operands[kSum].index = static_cast<std::uint32_t>(function.operands.size());
  for (std::uint32_t i = 0; i < result.count; ++i) {
    const Operand element = function.operands[result.index + i];
    if (element.kind != OperandKind::kRegister)
      return "the registers of d are read, too, so that '_' is none";
    function.operands.push_back(element);
  }
  return "";
}

std::uint32_t group_repeats(const Function& function, const Statement& statement) {
  const bool in_registers = function.operands_of(statement)[kMatrixA].kind == OperandKind::kVector;
  const std::uint32_t columns = size_of(statement.shape).n;
  const std::uint32_t bytes = (columns + (in_registers ? 0 : kGroupRows)) * kGroupBytes;
  return std::max(columns / kGroupColumns, (bytes + kBytesOfInterval - 1) / kBytesOfInterval);
}

std::uint32_t group_products(const Statement& statement) {
  return kRowsOfWarp * size_of(statement.shape).n * kGroupBytes * 8 / kBitsOfInterval;
}

namespace detail {

const std::vector<FormRow>& group_rows() {
  using O = Opcode;
  static const std::vector<FormRow> rows{
      {"wgmma", O::kWgmmaFence, "fence sync aligned", ""},
      {"wgmma", O::kWgmmaCommit, "commit_group sync aligned", ""},
      {"wgmma", O::kWgmmaWait, "wait_group sync aligned", "#u32"},
      {"wgmma", O::kWgmmaMma, "mma_async sync aligned @group16 type:f16|f32 source:f16 other:f16",
       "=D matrix b64 pred #s32 #s32 #s32 #s32?"},
      {"wgmma", O::kWgmmaMma, "mma_async sync aligned @group16 type:f32 source:bf16 other:bf16",
       "=D matrix b64 pred #s32 #s32 #s32 #s32?"},
      {"wgmma", O::kWgmmaMma, "mma_async sync aligned @group8 type:f32 source:tf32 other:tf32",
       "=D matrix b64 pred #s32 #s32"},
      {"wgmma", O::kWgmmaMma, "mma_async sync aligned @group32 type:f16|f32 source:e4m3|e5m2 other:e4m3|e5m2",
       "=D matrix b64 pred #s32 #s32"},
      {"wgmma", O::kWgmmaMma, "mma_async sync aligned @groups32 satfinite? type:s32 source:s8|u8 other:s8|u8",
       "=D matrix b64 pred"},
      {"wgmma", O::kWgmmaMma, "mma_async sync aligned @groups32 type:s32 source:s8|u8 other:s8|u8 satfinite",
       "=D matrix b64 pred"},
  };
  return rows;
}

std::string_view group_word_set(std::string_view name) {
  static const std::string depth8 = words_of_depth(8, false);
  static const std::string depth16 = words_of_depth(16, false);
  static const std::string depth32 = words_of_depth(32, false);
  static const std::string of_integers = words_of_depth(32, true);
  if (name == "group8") return depth8;
  if (name == "group16") return depth16;
  if (name == "group32") return depth32;
  return name == "groups32" ? std::string_view(of_integers) : std::string_view();
}

}  // namespace detail

}  // namespace heddle::ptx
