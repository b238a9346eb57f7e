#include "stimuli/ptx/steps/row_table.h"

#include <algorithm>

#include "models/core/base/check.h"

namespace heddle::ptx {
namespace {

constexpr std::uint32_t kNarrowRow = 4 * kWarpLanes;  // bytes
constexpr std::uint32_t kWideRow = 8 * kWarpLanes;
constexpr std::uint32_t kRowAlignment = 64;

bool is_wide(Type type) {
  return bits_of(type) == 64;
}

}  // namespace

std::uint32_t RowTable::take(std::uint32_t bytes) {
  const std::uint32_t offset = function_->frame_bytes;
  function_->frame_bytes += (bytes + kRowAlignment - 1) / kRowAlignment * kRowAlignment;
  return offset;
}

void RowTable::begin(FunctionCode& function, const PhysicalRegisters& physical) {
  function_ = &function;
  registers_.clear();
  for (const std::uint32_t row : physical.rows) registers_.push_back(row * kNarrowRow);
  take(physical.row_end * kNarrowRow);
  predicates_ = take(static_cast<std::uint32_t>(4 * function.function->predicates.size()));
  function.carry = take(sizeof(std::uint32_t));
  scratch_ = take(kWideRow);
}

std::uint64_t RowTable::address_of(std::uint32_t variable) const {
  if (image_.module->variables[variable].space != Space::kShared) return image_.address_of(variable);
  const std::vector<SharedPlace>& places = image_.module->functions[code_.entry].shared;
  const auto at = std::lower_bound(
      places.begin(), places.end(), variable,
      [](const SharedPlace& place, std::uint32_t wanted) { return place.variable < wanted; });
  HEDDLE_CHECK(at != places.end() && at->variable == variable, "PTX rows", Cycle{},
               "a shared variable without a place");
  return at->offset;
}

Row RowTable::row(const Operand& operand, bool wide) {
  switch (operand.kind) {
    case OperandKind::kNone:
      return {};
    case OperandKind::kSink:
      return scratch();
    case OperandKind::kRegister:
      return {registers_[operand.index], RowBase::kFrame,
              is_wide(function_->function->registers[operand.index].type)};
    case OperandKind::kPredicate:
      return {predicate(operand.index), RowBase::kFrame, false};
    case OperandKind::kImmediate:
      // A predicate immediate is false or true for all lanes.
      if (operand.type == Type::kPred) return number(operand.value != 0 ? ~std::uint64_t{0} : 0, 32);
      return number(operand.value, bits_of(operand.type));
    case OperandKind::kSpecial:
      return special(operand);
    case OperandKind::kVariable:
      return number(address_of(operand.index) + operand.value, wide ? 64 : 32);
    case OperandKind::kLocal:
      return local(operand.value, wide);
    case OperandKind::kParameter:
      return number(operand.value, wide ? 64 : 32);
    case OperandKind::kVector:
      break;
  }
  HEDDLE_CHECK(false, "PTX rows", Cycle{}, "braces have no row of their own");
  return {};
}

Row RowTable::number(std::uint64_t value, std::uint32_t bits) {
  const bool wide = bits == 64;
  if (!wide) value &= (std::uint64_t{1} << bits) - 1;
  const auto [found, fresh] = numbers_.try_emplace({value, wide ? 64U : 32U}, 0);
  if (fresh) {
    found->second = static_cast<std::uint32_t>(code_.constants.size() * sizeof(std::uint64_t));
    if (wide)
      code_.constants.insert(code_.constants.end(), kWarpLanes, value);
    else
      code_.constants.insert(code_.constants.end(), kWarpLanes / 2, value << 32U | value);
  }
  return {found->second, RowBase::kConstant, wide};
}

Row RowTable::special(const Operand& operand) {
  const std::uint32_t used = operand.type == Type::kNone
                                 ? bits_of(type_of(static_cast<Special>(operand.index)))
                                 : bits_of(operand.type);
  const auto which = static_cast<Special>(operand.index);
  for (const SpecialRow& row : code_.specials)
    if (row.special == which && row.number == operand.value && row.bits == used)
      return {row.offset, RowBase::kWarp, used == 64};
  const SpecialRow row{which, static_cast<std::uint32_t>(operand.value), used, code_.warp_bytes};
  code_.specials.push_back(row);
  code_.warp_bytes += used == 64 ? kWideRow : kNarrowRow;
  return {row.offset, RowBase::kWarp, used == 64};
}

Row RowTable::local(std::uint64_t value, bool wide) {
  for (const FunctionCode::LocalAddress& address : function_->local_addresses)
    if (address.value == value && address.wide == wide) return {address.row, RowBase::kFrame, wide};
  const std::uint32_t row = take(wide ? kWideRow : kNarrowRow);
  function_->local_addresses.push_back({row, wide, value});
  return {row, RowBase::kFrame, wide};
}

}  // namespace heddle::ptx
