#pragma once
// Loops over the lanes of a warp, and the groups of operations among which lane_operation() searches. The
// loops are always inlined, because lane_fma.cpp compiles them for more than one processor.

#include <cstring>
#include <type_traits>
#include <utility>

#include "stimuli/ptx/lanes/lane_arithmetic.h"

#define HEDDLE_LANE_INLINE [[gnu::always_inline]] inline

namespace heddle::ptx::lanes {

// Each returns an empty operation for an opcode of another group.
LaneOperation integer_operation(const Statement& statement);
LaneOperation carry_operation(const Statement& statement);
LaneOperation bit_operation(const Statement& statement);
LaneOperation half_operation(const Statement& statement);
LaneOperation packed_operation(const Statement& statement);
LaneOperation video_operation(const Statement& statement, const Operand* operands);
LaneOperation move_operation(const Statement& statement, const Operand* operands);
LaneOperation comparison_operation(const Statement& statement, const Operand* operands);
LaneOperation float_operation(const Statement& statement, const Operand* operands);
LaneOperation fma_operation(const Statement& statement);
LaneOperation approximate_operation(const Statement& statement);
LaneOperation conversion_operation(const Statement& statement, const Operand* operands);
LaneOperation float_conversion_operation(const Statement& statement, const Operand* operands);
int host_rounding(Rounding rounding);

alignas(16) constexpr std::uint32_t kBits[kWarpLanes] = {
    1U << 0U,  1U << 1U,  1U << 2U,  1U << 3U,  1U << 4U,  1U << 5U,  1U << 6U,  1U << 7U,
    1U << 8U,  1U << 9U,  1U << 10U, 1U << 11U, 1U << 12U, 1U << 13U, 1U << 14U, 1U << 15U,
    1U << 16U, 1U << 17U, 1U << 18U, 1U << 19U, 1U << 20U, 1U << 21U, 1U << 22U, 1U << 23U,
    1U << 24U, 1U << 25U, 1U << 26U, 1U << 27U, 1U << 28U, 1U << 29U, 1U << 30U, 1U << 31U};

template <typename Value>
using Storage = std::conditional_t<sizeof(Value) == 8, std::uint64_t, std::uint32_t>;

template <typename To, typename From>
HEDDLE_LANE_INLINE To bits_as(From from) {
  static_assert(sizeof(To) == sizeof(From));
  To to;
  std::memcpy(&to, &from, sizeof(to));
  return to;
}

template <typename Value>
HEDDLE_LANE_INLINE Value loaded(Storage<Value> bits) {
  if constexpr (std::is_floating_point_v<Value>)
    return bits_as<Value>(bits);
  else
    return static_cast<Value>(bits);
}

template <typename Value>
HEDDLE_LANE_INLINE Storage<Value> stored(Value value) {
  if constexpr (std::is_floating_point_v<Value>)
    return bits_as<Storage<Value>>(value);
  else
    return static_cast<std::make_unsigned_t<Value>>(value);
}

// .ftz: a subnormal number becomes a zero of its sign.
HEDDLE_LANE_INLINE float flushed(float value) {
  const auto bits = bits_as<std::uint32_t>(value);
  return bits_as<float>((bits & 0x7f800000U) == 0 ? bits & 0x80000000U : bits);
}

template <typename Bits>
HEDDLE_LANE_INLINE void keep_inactive(std::uint32_t active, Bits* destination, const Bits* results) {
#pragma GCC ivdep
  for (std::size_t lane = 0; lane < kWarpLanes; ++lane) {
    // A conditional store would keep GCC from vectorizing the loop.
    const Bits on = (active & kBits[lane]) != 0 ? static_cast<Bits>(~Bits{0}) : Bits{0};
    destination[lane] ^= (destination[lane] ^ results[lane]) & on;
  }
}

// Sets destination[lane] = result(lane) in the active lanes. result is called for inactive lanes, too.
template <typename Bits, typename Result>
HEDDLE_LANE_INLINE void each_lane(std::uint32_t active, void* destination, Result result) {
  alignas(16) Bits spare[kWarpLanes];
  Bits* const own = static_cast<Bits*>(destination);
  Bits* const to = active == kEveryLane ? own : spare;
#pragma GCC ivdep
  for (std::size_t lane = 0; lane < kWarpLanes; ++lane) to[lane] = result(lane);
  // The barrier keeps the computation before the end of its rounding mode.
  asm volatile("" : : "r"(to) : "memory");
  if (to != own) keep_inactive(active, own, to);
}

template <typename Result, typename... Values, typename Function, std::size_t... kIndices>
HEDDLE_LANE_INLINE void map_lanes(const LaneOperands& lanes, Function function,
                                  std::index_sequence<kIndices...>) {
  const auto all = lanes.sources;
  each_lane<Storage<Result>>(lanes.active, lanes.destinations[0], [all, function](std::size_t lane) {
    return stored<Result>(
        function(loaded<Values>(static_cast<const Storage<Values>*>(all[kIndices])[lane])...));
  });
}

// Sets the first destination to function(sources...), with the sources read as Values.
template <typename Result, typename... Values, typename Function>
HEDDLE_LANE_INLINE void map(const LaneOperands& lanes, Function function) {
  map_lanes<Result, Values...>(lanes, function, std::index_sequence_for<Values...>{});
}

template <typename Condition>
HEDDLE_LANE_INLINE std::uint32_t mask_of(Condition condition) {
  std::uint32_t mask = 0;
  for (std::size_t lane = 0; lane < kWarpLanes; ++lane) mask |= condition(lane) ? kBits[lane] : 0U;
  return mask;
}

HEDDLE_LANE_INLINE void set_mask(const LaneOperands& lanes, void* destination, std::uint32_t mask) {
  if (destination == nullptr) return;
  std::uint32_t& own = *static_cast<std::uint32_t*>(destination);
  own = (own & ~lanes.active) | (mask & lanes.active);
}

HEDDLE_LANE_INLINE std::uint32_t mask_at(const void* source) {
  return *static_cast<const std::uint32_t*>(source);
}

// Sets the first destination to Kind::of() of two sources.
template <typename Kind>
struct Binary {
  template <typename T>
  static void run(const LaneOperation&, const LaneOperands& lanes) {
    map<T, T, T>(lanes, [](T a, T b) { return Kind::of(a, b); });
  }
};

// Returns Kind::run<T> for the integer's type. Untyped bits count as unsigned.
template <typename Kind>
LaneOperation::Function integer_function(Type type) {
  switch (type) {
    case Type::kB16:
    case Type::kU16:
      return &Kind::template run<std::uint16_t>;
    case Type::kS16:
      return &Kind::template run<std::int16_t>;
    case Type::kB32:
    case Type::kU32:
      return &Kind::template run<std::uint32_t>;
    case Type::kS32:
      return &Kind::template run<std::int32_t>;
    case Type::kB64:
    case Type::kU64:
      return &Kind::template run<std::uint64_t>;
    case Type::kS64:
      return &Kind::template run<std::int64_t>;
    default:
      return nullptr;
  }
}

}  // namespace heddle::ptx::lanes
