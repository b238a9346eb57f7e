#include "stimuli/ptx/lanes/matrix_fragment.h"

namespace heddle::ptx {
namespace {

constexpr std::uint32_t kInGroup = 4;  // lanes
constexpr std::uint32_t kTile = 8;     // rows and columns

bool is_opaque(Opcode opcode) {
  return opcode == Opcode::kWmmaLoad || opcode == Opcode::kWmmaStore || opcode == Opcode::kWmmaMma;
}

MatrixPlace place_in_memory_order(const Statement& statement, const FragmentInfo& info, std::uint32_t lane,
                                  std::uint32_t element) {
  const bool second = info.fragment == Fragment::kB && statement.opcode == Opcode::kWmmaMma;
  const Layout layout = second ? statement.other_layout : statement.layout;
  const std::uint32_t at = (lane * info.elements() + element) % (info.rows * info.columns);
  if (layout == Layout::kColumns) return {at % info.rows, at / info.rows};
  return {at / info.columns, at % info.columns};
}

// Elements 2i and 2i + 1 lie in tile i.
MatrixPlace place_in_tiles(const FragmentInfo& info, std::uint32_t lane, std::uint32_t element) {
  const std::uint32_t tile = element / 2;
  const std::uint32_t across = info.columns / kTile;
  return {tile / across * kTile + lane / kInGroup, tile % across * kTile + lane % kInGroup * 2 + element % 2};
}

// Elements 4i and 4i + 1 lie in tile i of the upper 8 rows, and the next two in that of the lower ones.
MatrixPlace place_in_group(std::uint32_t lane, std::uint32_t element) {
  return {element / 2 % 2 * kTile + lane / kInGroup, element / 4 * kTile + lane % kInGroup * 2 + element % 2};
}

}  // namespace

MatrixPlace place_of(const Statement& statement, const FragmentInfo& info, std::uint32_t lane,
                     std::uint32_t element) {
  if (info.fragment == Fragment::kC && statement.opcode == Opcode::kWgmmaMma)
    return place_in_group(lane, element);
  if (info.fragment == Fragment::kC) return place_in_tiles(info, lane, element);
  if (is_opaque(statement.opcode)) return place_in_memory_order(statement, info, lane, element);
  const std::uint32_t in_register = element % info.per_register;
  const std::uint32_t number = element / info.per_register;  // of the register
  const std::uint32_t step = kInGroup * info.per_register;   // along k, from one register to the next
  const std::uint32_t along = lane % kInGroup * info.per_register + in_register;
  if (info.fragment == Fragment::kB) return {number * step + along, lane / kInGroup};
  const std::uint32_t tiles = info.rows / kTile;
  return {number % tiles * kTile + lane / kInGroup, number / tiles * step + along};
}

}  // namespace heddle::ptx
