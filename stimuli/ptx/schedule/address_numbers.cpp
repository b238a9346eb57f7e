#include "stimuli/ptx/schedule/address_numbers.h"

#include <algorithm>
#include <utility>

namespace heddle::ptx {
namespace {

// Shared and local memory use the low 32 bits of an address. Offsets below this one, either way, differ in
// 32 bits as they do in 64.
constexpr std::uint64_t kMostOffset = std::uint64_t{1} << 30U;

constexpr std::uint64_t kConstant = ~std::uint64_t{0};  // marks the key of an operand that is no register

bool is_small(std::uint64_t offset) {
  return offset < kMostOffset || std::uint64_t{0} - offset < kMostOffset;
}

// Returns whether the result depends on nothing but the operands and the fields of the statement that a key
// has.
bool is_numbered(const Statement& statement) {
  switch (statement.opcode) {
    case Opcode::kMul:
    case Opcode::kMad:
    case Opcode::kShl:
    case Opcode::kAdd:
    case Opcode::kSub:
    case Opcode::kCvt:
    case Opcode::kCvta:
      return !is_float(statement.type) && !is_float(statement.source_type) && !statement.has(kCarryOut);
    default:
      return false;
  }
}

}  // namespace

void AddressNumbers::start() {
  registers_.clear();
}

AddressNumbers::Value AddressNumbers::numbered(const Key& key) {
  const auto [at, is_new] = numbers_.emplace(key, next_);
  if (is_new) ++next_;
  return {at->second, 0};
}

AddressNumbers::Value AddressNumbers::sum_of(Value value, std::uint64_t added) {
  if (is_small(value.offset + added)) return {value.number, value.offset + added};
  return fresh();
}

AddressNumbers::Value AddressNumbers::value_of(const Operand& operand) {
  if (operand.kind == OperandKind::kSpecial) return fresh();
  if (operand.kind != OperandKind::kRegister)
    return {numbered({kConstant, static_cast<std::uint64_t>(operand.kind), operand.index,
                      operand.kind == OperandKind::kImmediate ? operand.value : 0})
                .number,
            operand.kind == OperandKind::kImmediate ? 0 : operand.value};
  const auto at = registers_.find(operand.index);
  if (at != registers_.end()) return at->second;
  return registers_.emplace(operand.index, fresh()).first->second;
}

AddressNumbers::Value AddressNumbers::address_of(const Operand& address) {
  if (address.kind != OperandKind::kRegister) return value_of(address);
  return sum_of(value_of(address), address.value);
}

AddressNumbers::Value AddressNumbers::result_of(const Statement& s) {
  const Operand* const operands = function_.operands_of(s);
  if (s.guarded() || s.destinations != 1 || operands[0].kind != OperandKind::kRegister) return fresh();
  const auto is_whole = [&](const Operand& operand) {
    return operand.kind == OperandKind::kImmediate ||
           (operand.kind == OperandKind::kRegister &&
            bytes_of(function_.registers[operand.index].type) == bytes_of(s.type));
  };
  const bool is_sum = (s.opcode == Opcode::kAdd || s.opcode == Opcode::kSub) && is_numbered(s) &&
                      !s.has(kSat) && is_whole(operands[0]) && is_whole(operands[1]) && is_whole(operands[2]);
  if (is_sum && operands[2].kind == OperandKind::kImmediate)
    return sum_of(value_of(operands[1]),
                  s.opcode == Opcode::kAdd ? operands[2].value : std::uint64_t{0} - operands[2].value);
  if (is_sum && operands[1].kind == OperandKind::kImmediate && s.opcode == Opcode::kAdd)
    return sum_of(value_of(operands[2]), operands[1].value);
  if (s.opcode == Opcode::kMov && is_whole(operands[0]) && operands[1].kind == OperandKind::kRegister &&
      is_whole(operands[1]))
    return value_of(operands[1]);
  if (!is_numbered(s) || s.operands > 4) return fresh();
  Key key{static_cast<std::uint64_t>(s.opcode) | std::uint64_t{s.form} << 8U | std::uint64_t{s.flags} << 32U,
          static_cast<std::uint64_t>(s.type) | static_cast<std::uint64_t>(s.source_type) << 8U |
              static_cast<std::uint64_t>(s.variant) << 16U | static_cast<std::uint64_t>(s.space) << 24U |
              static_cast<std::uint64_t>(s.rounding) << 32U};
  std::uint64_t offset = 0;
  for (std::uint32_t i = 1; i < s.operands; ++i) {
    const Value value = value_of(operands[i]);
    key[2 * i] = value.number + 1;
    // Offsets of the terms of a sum are offsets of the sum.
    if (is_sum && s.opcode == Opcode::kAdd)
      offset += value.offset;
    else
      key[2 * i + 1] = value.offset;
  }
  return sum_of(numbered(key), offset);
}

void AddressNumbers::write(const Statement& s) {
  const Operand* const operands = function_.operands_of(s);
  const Value result = result_of(s);
  const auto set = [&](const Operand& operand, const Value& value) {
    if (operand.kind == OperandKind::kRegister) registers_.insert_or_assign(operand.index, value);
  };
  for (std::uint32_t j = 0; j < s.destinations; ++j) {
    const Operand& operand = operands[j];
    for (std::uint32_t i = 0; operand.kind == OperandKind::kVector && i < operand.count; ++i)
      set(function_.operands[operand.index + i], fresh());
    set(operand, j == 0 ? result : fresh());
  }
}

}  // namespace heddle::ptx
