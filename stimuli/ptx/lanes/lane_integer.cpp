// Integer arithmetic without carries between statements.

#include <algorithm>
#include <limits>

#include "stimuli/ptx/lanes/lane_loops.h"

namespace heddle::ptx::lanes {
namespace {

// The type of twice the width and the same signedness.
template <typename T>
struct Wide;
template <>
struct Wide<std::int16_t> {
  using Type = std::int32_t;
};
template <>
struct Wide<std::uint16_t> {
  using Type = std::uint32_t;
};
template <>
struct Wide<std::int32_t> {
  using Type = std::int64_t;
};
template <>
struct Wide<std::uint32_t> {
  using Type = std::uint64_t;
};
__extension__ template <>
struct Wide<std::int64_t> {
  __extension__ using Type = __int128;
};
__extension__ template <>
struct Wide<std::uint64_t> {
  __extension__ using Type = unsigned __int128;
};

// Sums and products are computed in at least 32 unsigned bits, so that none is undefined.
template <typename T>
using Modular = std::conditional_t<sizeof(T) == 8, std::uint64_t, std::uint32_t>;

template <typename T>
HEDDLE_LANE_INLINE T sum(T a, T b) {
  return static_cast<T>(static_cast<Modular<T>>(a) + static_cast<Modular<T>>(b));
}
template <typename T>
HEDDLE_LANE_INLINE T difference(T a, T b) {
  return static_cast<T>(static_cast<Modular<T>>(a) - static_cast<Modular<T>>(b));
}
template <typename T>
HEDDLE_LANE_INLINE T low_product(T a, T b) {
  return static_cast<T>(static_cast<Modular<T>>(a) * static_cast<Modular<T>>(b));
}
template <typename T>
HEDDLE_LANE_INLINE auto wide_product(T a, T b) {
  using Wider = typename Wide<T>::Type;
  return static_cast<Wider>(static_cast<Wider>(a) * static_cast<Wider>(b));
}
template <typename T>
HEDDLE_LANE_INLINE T high_product(T a, T b) {
  return static_cast<T>(wide_product(a, b) >> (8 * sizeof(T)));
}
template <typename T>
HEDDLE_LANE_INLINE T absolute(T a) {
  return std::is_signed_v<T> && a < 0 ? difference(T{0}, a) : a;
}

HEDDLE_LANE_INLINE std::int32_t saturated(std::int64_t value) {
  using Limits = std::numeric_limits<std::int32_t>;
  return static_cast<std::int32_t>(std::clamp<std::int64_t>(value, Limits::min(), Limits::max()));
}

struct Add {
  template <typename T>
  HEDDLE_LANE_INLINE static T of(T a, T b) {
    return sum(a, b);
  }
};
struct Sub {
  template <typename T>
  HEDDLE_LANE_INLINE static T of(T a, T b) {
    return difference(a, b);
  }
};
struct MulLow {
  template <typename T>
  HEDDLE_LANE_INLINE static T of(T a, T b) {
    return low_product(a, b);
  }
};
struct MulHigh {
  template <typename T>
  HEDDLE_LANE_INLINE static T of(T a, T b) {
    return high_product(a, b);
  }
};
struct Min {
  template <typename T>
  HEDDLE_LANE_INLINE static T of(T a, T b) {
    return a < b ? a : b;
  }
};
struct Max {
  template <typename T>
  HEDDLE_LANE_INLINE static T of(T a, T b) {
    return a > b ? a : b;
  }
};
struct Div {
  template <typename T>
  HEDDLE_LANE_INLINE static T of(T a, T b) {
    if (b == 0) return static_cast<T>(-1);
    if (std::is_signed_v<T> && b == static_cast<T>(-1)) return difference(T{0}, a);
    return static_cast<T>(a / b);
  }
};
struct Rem {
  template <typename T>
  HEDDLE_LANE_INLINE static T of(T a, T b) {
    if (b == 0) return static_cast<T>(-1);
    if (std::is_signed_v<T> && b == static_cast<T>(-1)) return 0;
    return static_cast<T>(a % b);
  }
};
struct Abs {
  template <typename T>
  HEDDLE_LANE_INLINE static T of(T a) {
    return absolute(a);
  }
};
struct Neg {
  template <typename T>
  HEDDLE_LANE_INLINE static T of(T a) {
    return difference(T{0}, a);
  }
};
struct MadLow {
  template <typename T>
  HEDDLE_LANE_INLINE static T of(T a, T b, T c) {
    return sum(low_product(a, b), c);
  }
};
struct MadHigh {
  template <typename T>
  HEDDLE_LANE_INLINE static T of(T a, T b, T c) {
    return sum(high_product(a, b), c);
  }
};
struct Sad {
  template <typename T>
  HEDDLE_LANE_INLINE static T of(T a, T b, T c) {
    return sum(a < b ? difference(b, a) : difference(a, b), c);
  }
};

template <typename Kind>
struct Unary {
  template <typename T>
  static void run(const LaneOperation&, const LaneOperands& lanes) {
    map<T, T>(lanes, [](T a) { return Kind::of(a); });
  }
};
template <typename Kind>
struct Ternary {
  template <typename T>
  static void run(const LaneOperation&, const LaneOperands& lanes) {
    map<T, T, T, T>(lanes, [](T a, T b, T c) { return Kind::of(a, b, c); });
  }
};

template <typename T>
void multiply_wide(const LaneOperation&, const LaneOperands& lanes) {
  using Wider = typename Wide<T>::Type;
  map<Wider, T, T>(lanes, [](T a, T b) { return wide_product(a, b); });
}
template <typename T>
void multiply_add_wide(const LaneOperation&, const LaneOperands& lanes) {
  using Wider = typename Wide<T>::Type;
  map<Wider, T, T, Wider>(lanes, [](T a, T b, Wider c) { return sum(wide_product(a, b), c); });
}

// The product of the lower 24 bits has 48 bits; lo is its lower 32 bits, and hi is its upper 32 bits.
template <typename T>
HEDDLE_LANE_INLINE T product_of_24_bits(T a, T b, unsigned shift) {
  const T x = static_cast<T>(static_cast<T>(static_cast<std::uint32_t>(a) << 8U) >> 8U);
  const T y = static_cast<T>(static_cast<T>(static_cast<std::uint32_t>(b) << 8U) >> 8U);
  return static_cast<T>(wide_product(x, y) >> shift);
}
template <typename T, unsigned kShift>
void multiply_24(const LaneOperation&, const LaneOperands& lanes) {
  map<T, T, T>(lanes, [](T a, T b) { return product_of_24_bits(a, b, kShift); });
}
template <typename T, unsigned kShift>
void multiply_add_24(const LaneOperation&, const LaneOperands& lanes) {
  map<T, T, T, T>(lanes, [](T a, T b, T c) { return sum(product_of_24_bits(a, b, kShift), c); });
}

using Word = std::int32_t;
void add_saturated(const LaneOperation&, const LaneOperands& lanes) {
  map<Word, Word, Word>(lanes, [](Word a, Word b) { return saturated(std::int64_t{a} + b); });
}
void subtract_saturated(const LaneOperation&, const LaneOperands& lanes) {
  map<Word, Word, Word>(lanes, [](Word a, Word b) { return saturated(std::int64_t{a} - b); });
}
void mad_saturated(const LaneOperation&, const LaneOperands& lanes) {
  map<Word, Word, Word, Word>(
      lanes, [](Word a, Word b, Word c) { return saturated(std::int64_t{high_product(a, b)} + c); });
}
void mad_24_saturated(const LaneOperation&, const LaneOperands& lanes) {
  map<Word, Word, Word, Word>(lanes, [](Word a, Word b, Word c) {
    return saturated(std::int64_t{product_of_24_bits(a, b, 16)} + c);
  });
}

LaneOperation::Function saturating_function(Opcode opcode) {
  switch (opcode) {
    case Opcode::kAdd:
      return add_saturated;
    case Opcode::kSub:
      return subtract_saturated;
    case Opcode::kMad:
      return mad_saturated;
    case Opcode::kMad24:
      return mad_24_saturated;
    default:
      return nullptr;
  }
}

LaneOperation::Function wide_function(Opcode opcode, Type type) {
  const bool add = opcode == Opcode::kMad;
  switch (type) {
    case Type::kU16:
      return add ? multiply_add_wide<std::uint16_t> : multiply_wide<std::uint16_t>;
    case Type::kS16:
      return add ? multiply_add_wide<std::int16_t> : multiply_wide<std::int16_t>;
    case Type::kU32:
      return add ? multiply_add_wide<std::uint32_t> : multiply_wide<std::uint32_t>;
    case Type::kS32:
      return add ? multiply_add_wide<std::int32_t> : multiply_wide<std::int32_t>;
    default:
      return nullptr;
  }
}

template <typename T>
LaneOperation::Function function_of_24_bits(Opcode opcode, bool high) {
  if (opcode == Opcode::kMul24) return high ? multiply_24<T, 16> : multiply_24<T, 0>;
  return high ? multiply_add_24<T, 16> : multiply_add_24<T, 0>;
}

LaneOperation::Function product_function(const Statement& statement) {
  const Opcode opcode = statement.opcode;
  const Type type = statement.type;
  const bool high = statement.variant == Variant::kHi;
  if (statement.variant == Variant::kWide) return wide_function(opcode, type);
  if (opcode == Opcode::kMul)
    return high ? integer_function<Binary<MulHigh>>(type) : integer_function<Binary<MulLow>>(type);
  if (opcode == Opcode::kMad)
    return high ? integer_function<Ternary<MadHigh>>(type) : integer_function<Ternary<MadLow>>(type);
  return is_signed(type) ? function_of_24_bits<std::int32_t>(opcode, high)
                         : function_of_24_bits<std::uint32_t>(opcode, high);
}

LaneOperation::Function function_for(const Statement& statement) {
  const Type type = statement.type;
  if (is_float(type) || statement.has(kCarryOut)) return nullptr;
  if (statement.has(kSat)) return saturating_function(statement.opcode);
  switch (statement.opcode) {
    case Opcode::kAdd:
      return integer_function<Binary<Add>>(type);
    case Opcode::kSub:
      return integer_function<Binary<Sub>>(type);
    case Opcode::kMul:
    case Opcode::kMad:
    case Opcode::kMul24:
    case Opcode::kMad24:
      return product_function(statement);
    case Opcode::kSad:
      return integer_function<Ternary<Sad>>(type);
    case Opcode::kDiv:
      return integer_function<Binary<Div>>(type);
    case Opcode::kRem:
      return integer_function<Binary<Rem>>(type);
    case Opcode::kMin:
      return integer_function<Binary<Min>>(type);
    case Opcode::kMax:
      return integer_function<Binary<Max>>(type);
    case Opcode::kAbs:
      return integer_function<Unary<Abs>>(type);
    case Opcode::kNeg:
      return integer_function<Unary<Neg>>(type);
    default:
      return nullptr;
  }
}

}  // namespace

LaneOperation integer_operation(const Statement& statement) {
  LaneOperation operation;
  operation.function = function_for(statement);
  return operation;
}

}  // namespace heddle::ptx::lanes
