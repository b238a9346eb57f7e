// Additions and subtractions that read or write the carries of the lanes.

#include "stimuli/ptx/lanes/lane_loops.h"

namespace heddle::ptx::lanes {
namespace {

template <typename T>
HEDDLE_LANE_INLINE T low_product(T a, T b) {
  return static_cast<T>(a * b);
}
template <typename T>
HEDDLE_LANE_INLINE T high_product(T a, T b) {
  __extension__ using Bits = unsigned __int128;  // a signed T is sign-extended
  return static_cast<T>((static_cast<Bits>(a) * static_cast<Bits>(b)) >> (8 * sizeof(T)));
}

// Computes x + y + carry or x - y - borrow of unsigned numbers.
template <bool kSubtract, typename T>
HEDDLE_LANE_INLINE T total(T x, T y, bool carry, bool& carry_out) {
  const T first = static_cast<T>(kSubtract ? x - y : x + y);
  const T all = static_cast<T>(kSubtract ? first - carry : first + carry);
  carry_out = kSubtract ? (x < y) | (first < T{carry}) : (first < x) | (all < first);
  return all;
}

// Stores result(lane, carry, carry out) in each active lane, and the carry out if the statement writes it.
template <typename T, typename Result>
HEDDLE_LANE_INLINE void with_carries(const LaneOperation& operation, const LaneOperands& lanes,
                                     Result result) {
  const bool reads = operation.constants[0] != 0;
  const std::uint32_t in = reads ? *lanes.carry : 0;
  std::uint32_t out = 0;
  each_lane<Storage<T>>(lanes.active, lanes.destinations[0], [&](std::size_t lane) {
    bool carry = false;
    const T value = result(lane, (in & kBits[lane]) != 0, carry);
    out |= carry ? kBits[lane] : 0;
    return stored<T>(value);
  });
  if (operation.constants[1] != 0) *lanes.carry = (*lanes.carry & ~lanes.active) | (out & lanes.active);
}

template <typename T>
HEDDLE_LANE_INLINE T source(const LaneOperands& lanes, std::size_t index, std::size_t lane) {
  return loaded<T>(static_cast<const Storage<T>*>(lanes.sources[index])[lane]);
}

template <bool kSubtract>
struct Sum {
  template <typename T>
  static void run(const LaneOperation& operation, const LaneOperands& lanes) {
    using Bits = std::make_unsigned_t<T>;
    with_carries<Bits>(operation, lanes, [&lanes](std::size_t lane, bool carry, bool& out) {
      return total<kSubtract>(source<Bits>(lanes, 0, lane), source<Bits>(lanes, 1, lane), carry, out);
    });
  }
};

template <bool kHigh>
struct ProductSum {
  template <typename T>
  static void run(const LaneOperation& operation, const LaneOperands& lanes) {
    using Bits = std::make_unsigned_t<T>;
    with_carries<Bits>(operation, lanes, [&lanes](std::size_t lane, bool carry, bool& out) {
      const T a = source<T>(lanes, 0, lane);
      const T b = source<T>(lanes, 1, lane);
      const Bits product = kHigh ? static_cast<Bits>(high_product(a, b))
                                 : low_product(static_cast<Bits>(a), static_cast<Bits>(b));
      return total<false>(product, source<Bits>(lanes, 2, lane), carry, out);
    });
  }
};

template <typename Kind>
LaneOperation::Function wide_enough(Type type) {
  switch (type) {
    case Type::kU32:
      return &Kind::template run<std::uint32_t>;
    case Type::kS32:
      return &Kind::template run<std::int32_t>;
    case Type::kU64:
      return &Kind::template run<std::uint64_t>;
    case Type::kS64:
      return &Kind::template run<std::int64_t>;
    default:
      return nullptr;
  }
}

LaneOperation::Function function_for(const Statement& statement) {
  const bool out = statement.has(kCarryOut);
  const Type type = statement.type;
  switch (statement.opcode) {
    case Opcode::kAdd:
      return out ? wide_enough<Sum<false>>(type) : nullptr;
    case Opcode::kAddc:
      return wide_enough<Sum<false>>(type);
    case Opcode::kSub:
      return out ? wide_enough<Sum<true>>(type) : nullptr;
    case Opcode::kSubc:
      return wide_enough<Sum<true>>(type);
    case Opcode::kMad:
      if (!out) return nullptr;
      [[fallthrough]];
    case Opcode::kMadc:
      return statement.variant == Variant::kHi ? wide_enough<ProductSum<true>>(type)
                                               : wide_enough<ProductSum<false>>(type);
    default:
      return nullptr;
  }
}

}  // namespace

// constants: whether the statement reads the carries, and whether it writes them.
LaneOperation carry_operation(const Statement& statement) {
  LaneOperation operation;
  operation.function = function_for(statement);
  const Opcode opcode = statement.opcode;
  const bool reads = opcode == Opcode::kAddc || opcode == Opcode::kSubc || opcode == Opcode::kMadc;
  operation.constants = {reads, statement.has(kCarryOut)};
  return operation;
}

}  // namespace heddle::ptx::lanes
