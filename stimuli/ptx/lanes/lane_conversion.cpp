// cvt from integers to integers and to floating point.

#include <algorithm>

#include "stimuli/ptx/lanes/lane_conversion.h"
#include "stimuli/ptx/lanes/lane_float.h"

namespace heddle::ptx::lanes {
namespace {

// Extends the value in the lower bits of a register by its sign: (bits & mask ^ sign) - sign.
struct Extension {
  std::uint64_t mask;
  std::uint64_t sign;
};

Extension extension_of(Type type) {
  const std::uint64_t mask = mask_of_bits(bits_of(type));
  return {mask, is_signed(type) ? mask ^ (mask >> 1U) : 0};
}

template <typename T>
HEDDLE_LANE_INLINE T extended(T bits, T mask, T sign) {
  return static_cast<T>(((bits & mask) ^ sign) - sign);
}

// constants 0 to 4: the extension of the source, the extension of the result, and the bits of its register.
template <typename To, typename From>
void integer_to_integer(const LaneOperation& operation, const LaneOperands& lanes) {
  using Both =
      std::conditional_t<sizeof(To) < sizeof(From), To, From>;  // the result does not depend on upper bits
  using Work = std::conditional_t<sizeof(To) == 8, std::uint64_t, Both>;
  std::array<Work, 5> k;
  for (std::size_t i = 0; i < k.size(); ++i) k[i] = static_cast<Work>(operation.constants[i]);
  map<To, From>(lanes, [k](From bits) {
    const Work value = extended(static_cast<Work>(bits), k[0], k[1]);
    return static_cast<To>(extended(value, k[2], k[3]) & k[4]);
  });
}

// The source is signed or fits into 63 bits. The constants are those of the conversion above.
template <typename To, typename From>
void integer_to_integer_saturated(const LaneOperation& operation, const LaneOperands& lanes) {
  const auto& k = operation.constants;
  const bool has_sign = k[5] != 0;
  const std::uint64_t result_mask = k[2];
  const auto most = static_cast<std::int64_t>(k[3] != 0 ? result_mask >> 1U
                                                        : std::min(result_mask, ~std::uint64_t{0} >> 1U));
  const std::int64_t least = k[3] != 0 ? -most - 1 : 0;
  const std::uint64_t unsigned_most = k[3] != 0 ? result_mask >> 1U : result_mask;
  const std::uint64_t source_mask = k[0];
  const std::uint64_t source_sign = k[1];
  const std::uint64_t register_mask = k[4];
  map<To, From>(lanes, [=](From bits) {
    const std::uint64_t value = extended<std::uint64_t>(bits, source_mask, source_sign);
    const std::uint64_t clamped =
        has_sign ? static_cast<std::uint64_t>(std::clamp(static_cast<std::int64_t>(value), least, most))
                 : std::min(value, unsigned_most);
    return static_cast<To>(clamped & register_mask);
  });
}

template <bool kSaturate, typename To>
LaneOperation::Function integer_function_from(bool from_wide) {
  if constexpr (kSaturate)
    return from_wide ? integer_to_integer_saturated<To, std::uint64_t>
                     : integer_to_integer_saturated<To, std::uint32_t>;
  else
    return from_wide ? integer_to_integer<To, std::uint64_t> : integer_to_integer<To, std::uint32_t>;
}

LaneOperation to_integer(const Statement& statement, const Operand* operands) {
  LaneOperation operation;
  const std::uint32_t register_bits = operand_bits(operands[0], statement.type);
  const bool wide = register_bits == 64;
  const bool from_wide = operand_bits(operands[1], statement.source_type) == 64;
  if (statement.has(kSat))
    operation.function = wide ? integer_function_from<true, std::uint64_t>(from_wide)
                              : integer_function_from<true, std::uint32_t>(from_wide);
  else
    operation.function = wide ? integer_function_from<false, std::uint64_t>(from_wide)
                              : integer_function_from<false, std::uint32_t>(from_wide);
  const Extension source = extension_of(statement.source_type);
  const Extension result = extension_of(statement.type);
  operation.constants = {source.mask,
                         source.sign,
                         result.mask,
                         result.sign,
                         mask_of_bits(register_bits),
                         is_signed(statement.source_type)};
  return operation;
}

// constants: the extension of the source.
template <typename To, typename From, typename Value, bool kSaturate>
void integer_to_float(const LaneOperation& operation, const LaneOperands& lanes) {
  const HostRounding rounding(operation.rounding);
  const auto mask = static_cast<std::make_unsigned_t<Value>>(operation.constants[0]);
  const auto sign = static_cast<std::make_unsigned_t<Value>>(operation.constants[1]);
  map<To, From>(lanes, [mask, sign](From bits) {
    const auto value =
        static_cast<Value>(extended(static_cast<std::make_unsigned_t<Value>>(bits), mask, sign));
    return result<false, kSaturate>(static_cast<To>(value));
  });
}

// Numbers beyond 2^17 round alike, and f64 holds smaller ones exactly.
template <typename From, typename Value, bool kSaturate>
void integer_to_half(const LaneOperation& operation, const LaneOperands& lanes) {
  constexpr Value kMost = 1 << 17;
  constexpr Value kLeast = std::is_signed_v<Value> ? static_cast<Value>(-kMost) : Value{0};
  const std::uint64_t mask = operation.constants[0];
  const std::uint64_t sign = operation.constants[1];
  const auto mode = static_cast<int>(operation.rounding);
  map<std::uint32_t, From>(lanes, [=](From bits) {
    const auto value = static_cast<Value>(extended<std::uint64_t>(bits, mask, sign));
    const auto number = static_cast<double>(std::clamp(value, kLeast, kMost));
    return half_of(result<false, kSaturate>(number), mode);
  });
}

// Numbers that fit into signed 32 bits do not need the wide conversions.
template <typename To, bool kSaturate>
LaneOperation::Function float_function_of(Type source, bool from_wide) {
  if (source == Type::kU64) return integer_to_float<To, std::uint64_t, std::uint64_t, kSaturate>;
  if (from_wide) return integer_to_float<To, std::uint64_t, std::int64_t, kSaturate>;
  if (source == Type::kU32) return integer_to_float<To, std::uint32_t, std::int64_t, kSaturate>;
  return integer_to_float<To, std::uint32_t, std::int32_t, kSaturate>;
}
template <bool kSaturate>
LaneOperation::Function half_function_of(Type source, bool from_wide) {
  if (source == Type::kU64) return integer_to_half<std::uint64_t, std::uint64_t, kSaturate>;
  if (from_wide) return integer_to_half<std::uint64_t, std::int64_t, kSaturate>;
  return integer_to_half<std::uint32_t, std::int64_t, kSaturate>;
}
template <bool kSaturate>
LaneOperation::Function to_float_function(Type type, Type source, bool from_wide) {
  if (type == Type::kF32) return float_function_of<float, kSaturate>(source, from_wide);
  if (type == Type::kF64) return float_function_of<double, kSaturate>(source, from_wide);
  return half_function_of<kSaturate>(source, from_wide);
}

LaneOperation to_float(const Statement& statement, const Operand* operands) {
  LaneOperation operation;
  const Type source = statement.source_type;
  const bool from_wide = operand_bits(operands[1], source) == 64;
  operation.function = statement.has(kSat) ? to_float_function<true>(statement.type, source, from_wide)
                                           : to_float_function<false>(statement.type, source, from_wide);
  const Extension extension = extension_of(source);
  operation.constants = {extension.mask, extension.sign};
  return operation;
}

}  // namespace

LaneOperation conversion_operation(const Statement& statement, const Operand* operands) {
  if (statement.opcode != Opcode::kCvt || is_float(statement.source_type)) return {};
  return is_float(statement.type) ? to_float(statement, operands) : to_integer(statement, operands);
}

}  // namespace heddle::ptx::lanes
