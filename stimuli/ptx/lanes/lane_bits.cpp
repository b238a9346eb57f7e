// Logic, shifts, bit fields and permutations of bytes.

#include <algorithm>
#include <array>
#include <cstdlib>

#include "stimuli/ptx/lanes/lane_loops.h"

namespace heddle::ptx::lanes {
namespace {

using Word = std::uint32_t;

struct And {
  template <typename T>
  HEDDLE_LANE_INLINE static T of(T a, T b) {
    return static_cast<T>(a & b);
  }
};
struct Or {
  template <typename T>
  HEDDLE_LANE_INLINE static T of(T a, T b) {
    return static_cast<T>(a | b);
  }
};
struct Xor {
  template <typename T>
  HEDDLE_LANE_INLINE static T of(T a, T b) {
    return static_cast<T>(a ^ b);
  }
};

template <typename Kind>
void predicate_logic(const LaneOperation&, const LaneOperands& lanes) {
  set_mask(lanes, lanes.destinations[0], Kind::of(mask_at(lanes.sources[0]), mask_at(lanes.sources[1])));
}
template <typename Kind>
LaneOperation::Function logic_function(Type type) {
  return type == Type::kPred ? predicate_logic<Kind> : integer_function<Binary<Kind>>(type);
}

struct Not {
  template <typename T>
  static void run(const LaneOperation&, const LaneOperands& lanes) {
    map<T, T>(lanes, [](T a) { return static_cast<T>(~a); });
  }
};
void predicate_not(const LaneOperation&, const LaneOperands& lanes) {
  set_mask(lanes, lanes.destinations[0], ~mask_at(lanes.sources[0]));
}

// A count past the width shifts all bits out.
struct Left {
  template <typename T>
  HEDDLE_LANE_INLINE static T of(T a, Word count) {
    constexpr Word kWidth = 8 * sizeof(T);
    return static_cast<T>(count < kWidth ? static_cast<Storage<T>>(a) << (count % kWidth) : 0);
  }
};
struct Right {
  template <typename T>
  HEDDLE_LANE_INLINE static T of(T a, Word count) {
    constexpr Word kLast = 8 * sizeof(T) - 1;
    const T almost = static_cast<T>(a >> std::min(count, kLast));
    return count > kLast ? static_cast<T>(almost >> 1) : almost;
  }
};

// Vectors before AVX2 shift all elements by one count, and most shifts have one count for all lanes.
template <typename Kind>
struct Shift {
  template <typename T>
  static void run(const LaneOperation&, const LaneOperands& lanes) {
    const auto* const counts = static_cast<const Word*>(lanes.sources[1]);
    const Word count = counts[0];
    Word differences = 0;
    for (std::size_t lane = 0; lane < kWarpLanes; ++lane) differences |= counts[lane] ^ count;
    if (differences == 0)
      map<T, T>(lanes, [count](T a) { return Kind::of(a, count); });
    else
      map<T, T, Word>(lanes, [](T a, Word own) { return Kind::of(a, own); });
  }
};

// Shifts the 64 bits b:a.
template <bool kLeft, bool kClamp>
void funnel_shift(const LaneOperation&, const LaneOperands& lanes) {
  map<Word, Word, Word, Word>(lanes, [](Word a, Word b, Word c) {
    const std::uint64_t both = (std::uint64_t{b} << 32U) | a;
    const Word count = kClamp ? std::min(c, 32U) : c % 32;
    return static_cast<Word>(kLeft ? (both << count) >> 32U : both >> count);
  });
}
LaneOperation::Function funnel_function(const Statement& statement) {
  const bool clamp = statement.bounds == Bounds::kClamp;
  if (statement.variant == Variant::kLeft)
    return clamp ? funnel_shift<true, true> : funnel_shift<true, false>;
  return clamp ? funnel_shift<false, true> : funnel_shift<false, false>;
}

// Returns `length` ones. A length past the width counts as the width.
template <typename T>
HEDDLE_LANE_INLINE T ones(Word length) {
  constexpr Word kWidth = 8 * sizeof(T);
  return length >= kWidth ? static_cast<T>(~T{0}) : static_cast<T>((T{1} << length) - 1);
}

struct FieldExtract {
  template <typename T>
  static void run(const LaneOperation&, const LaneOperands& lanes) {
    map<T, T, Word, Word>(lanes, [](T a, Word b, Word c) {
      using Bits = std::make_unsigned_t<T>;
      constexpr Word kLast = 8 * sizeof(T) - 1;
      const Word position = b & 0xffU;
      const Word length = c & 0xffU;
      const Bits bits = static_cast<Bits>(a);
      const Bits field = static_cast<Bits>(position > kLast ? 0 : bits >> position);
      // The sign is that of the field, or of the value if the field extends past its end.
      const Word last = std::min(position + length - 1, kLast);
      const bool negative = std::is_signed_v<T> && length != 0 && ((bits >> last) & 1U) != 0;
      const Word inside = position > kLast ? 0 : std::min(length, kLast + 1 - position);
      const Bits mask = ones<Bits>(inside);
      return static_cast<T>((field & mask) | (negative ? static_cast<Bits>(~mask) : Bits{0}));
    });
  }
};
struct FieldInsert {
  template <typename T>
  static void run(const LaneOperation&, const LaneOperands& lanes) {
    map<T, T, T, Word, Word>(lanes, [](T a, T b, Word c, Word d) {
      const Word position = c & 0xffU;
      if (position >= 8 * sizeof(T)) return b;
      const T mask = static_cast<T>(ones<T>(d & 0xffU) << position);
      return static_cast<T>((b & ~mask) | ((a << position) & mask));
    });
  }
};

// Finds the highest bit that differs from the sign; the result is all ones if there is none.
template <bool kShift>
struct FindBit {
  template <typename T>
  static void run(const LaneOperation&, const LaneOperands& lanes) {
    map<Word, T>(lanes, [](T a) {
      const auto bits = static_cast<std::make_unsigned_t<T>>(std::is_signed_v<T> && a < 0 ? ~a : a);
      if (bits == 0) return ~Word{0};
      const Word zeros = static_cast<Word>(__builtin_clzll(bits)) - static_cast<Word>(64 - 8 * sizeof(T));
      return kShift ? zeros : static_cast<Word>(8 * sizeof(T) - 1 - zeros);
    });
  }
};

struct CountOnes {
  template <typename T>
  static void run(const LaneOperation&, const LaneOperands& lanes) {
    map<Word, T>(lanes, [](T a) { return static_cast<Word>(__builtin_popcountll(a)); });
  }
};
struct CountZeros {
  template <typename T>
  static void run(const LaneOperation&, const LaneOperands& lanes) {
    map<Word, T>(lanes, [](T a) {
      constexpr Word kWidth = 8 * sizeof(T);
      return a == 0 ? kWidth : static_cast<Word>(__builtin_clzll(a)) - (64 - kWidth);
    });
  }
};
struct Reverse {
  template <typename T>
  static void run(const LaneOperation&, const LaneOperands& lanes) {
    map<T, T>(lanes, [](T a) {
      std::uint64_t x = a;
      x = ((x >> 1U) & 0x5555555555555555U) | ((x & 0x5555555555555555U) << 1U);
      x = ((x >> 2U) & 0x3333333333333333U) | ((x & 0x3333333333333333U) << 2U);
      x = ((x >> 4U) & 0x0f0f0f0f0f0f0f0fU) | ((x & 0x0f0f0f0f0f0f0f0fU) << 4U);
      return static_cast<T>(__builtin_bswap64(x) >> (64 - 8 * sizeof(T)));
    });
  }
};

template <typename Kind>
LaneOperation::Function bits_function(Type type) {
  if (type == Type::kB32) return &Kind::template run<std::uint32_t>;
  return &Kind::template run<std::uint64_t>;
}

template <bool kClamp>
void bit_mask(const LaneOperation&, const LaneOperands& lanes) {
  map<Word, Word, Word>(lanes, [](Word a, Word b) {
    const Word start = kClamp ? std::min(a, 32U) : a % 32;
    const Word length = kClamp ? std::min(b, 32U) : b % 32;
    return static_cast<Word>(std::uint64_t{ones<Word>(length)} << start);
  });
}

// Selects bytes of b:a by the nibbles of the selector, or by the row of a table that its lower two bits
// select.
void permute(const LaneOperation& operation, const LaneOperands& lanes) {
  const std::uint64_t rows = operation.constants[0];
  const bool table = operation.constants[1] != 0;
  map<Word, Word, Word, Word>(lanes, [rows, table](Word a, Word b, Word c) {
    const std::uint64_t both = (std::uint64_t{b} << 32U) | a;
    const Word selector = table ? static_cast<Word>(rows >> (16 * (c % 4))) & 0xffffU : c;
    Word result = 0;
    for (Word byte = 0; byte < 4; ++byte) {
      const Word nibble = selector >> (4 * byte);
      const Word value = static_cast<Word>(both >> (8 * (nibble & 7U))) & 0xffU;
      const Word sign = (value >> 7U) * 0xffU;
      result |= ((nibble & 8U) != 0 ? sign : value) << (8 * byte);
    }
    return result;
  });
}

// Returns the rows of the table for c % 4 = 3, 2, 1, 0.
std::uint64_t permute_rows(Variant variant) {
  switch (variant) {
    case Variant::kF4e:
      return 0x6543'5432'4321'3210U;
    case Variant::kB4e:
      return 0x0123'7012'6701'5670U;
    case Variant::kRc8:
      return 0x3333'2222'1111'0000U;
    case Variant::kEcl:
      return 0x3333'3222'3211'3210U;
    case Variant::kEcr:
      return 0x3210'2210'1110'0000U;
    case Variant::kRc16:
      return 0x3232'1010'3232'1010U;
    default:
      return 0;
  }
}

// The number is a table of truth: its bit 4a + 2b + c is the result for the bits a, b and c (PTX ISA,
// "lop3").
void logic_of_three(const LaneOperation&, const LaneOperands& lanes) {
  const Word table = *static_cast<const Word*>(lanes.sources[3]);
  std::array<Word, 8> rows;
  for (Word i = 0; i < rows.size(); ++i) rows[i] = (table >> i & 1U) != 0 ? ~Word{0} : 0;
  map<Word, Word, Word, Word>(lanes, [rows](Word a, Word b, Word c) {
    const Word low = (~b & ((~c & rows[0]) | (c & rows[1]))) | (b & ((~c & rows[2]) | (c & rows[3])));
    const Word high = (~b & ((~c & rows[4]) | (c & rows[5]))) | (b & ((~c & rows[6]) | (c & rows[7])));
    return (~a & low) | (a & high);
  });
}

// The predicate says whether the result is not 0, combined with another predicate.
template <bool kAnd>
void logic_and_predicate(const LaneOperation& operation, const LaneOperands& lanes) {
  const Word other = mask_at(lanes.sources[4]);
  logic_of_three(operation, lanes);
  const auto* const result = static_cast<const Word*>(lanes.destinations[0]);
  const Word any = mask_of([&](std::size_t lane) { return result[lane] != 0; });
  set_mask(lanes, lanes.destinations[1], kAnd ? any & other : any | other);
}

// Returns the place of the bit that is set and `offset` set bits away from `base`, counted as in the PTX ISA,
// "fns"; all ones if there is none.
HEDDLE_LANE_INLINE Word nth_set(Word mask, Word base, std::int32_t offset) {
  constexpr Word kNone = ~Word{0};
  const auto set = [mask](std::int64_t place) { return (mask >> place & 1U) != 0; };
  if (base > 31) return kNone;
  if (offset == 0) return set(base) ? base : kNone;
  std::int64_t left = std::abs(std::int64_t{offset});
  for (std::int64_t place = base; place >= 0 && place<32; place += offset> 0 ? 1 : -1)
    if (set(place) && --left == 0) return static_cast<Word>(place);
  return kNone;
}
void find_nth_set(const LaneOperation&, const LaneOperands& lanes) {
  map<Word, Word, Word, std::int32_t>(
      lanes, [](Word mask, Word base, std::int32_t offset) { return nth_set(mask, base, offset); });
}

// szext: a number of the lowest b bits of a becomes one of 32 bits, by its sign or by zeros.
template <bool kClamp, bool kSigned>
void extend(const LaneOperation&, const LaneOperands& lanes) {
  map<Word, Word, Word>(lanes, [](Word a, Word b) {
    if (kClamp && b >= 32) return a;
    const Word length = b % 32;
    const Word rest = ~ones<Word>(length);
    const bool sign = kSigned && length != 0 && (a >> ((length - 1) % 32) & 1U) != 0;
    return (a & ~rest) | (sign ? rest : 0);
  });
}
LaneOperation::Function extend_function(const Statement& statement) {
  if (statement.bounds == Bounds::kClamp)
    return is_signed(statement.type) ? extend<true, true> : extend<true, false>;
  return is_signed(statement.type) ? extend<false, true> : extend<false, false>;
}

LaneOperation::Function function_for(const Statement& statement) {
  const Type type = statement.type;
  switch (statement.opcode) {
    case Opcode::kAnd:
      return logic_function<And>(type);
    case Opcode::kOr:
      return logic_function<Or>(type);
    case Opcode::kXor:
      return logic_function<Xor>(type);
    case Opcode::kNot:
      return type == Type::kPred ? predicate_not : integer_function<Not>(type);
    case Opcode::kShl:
      return integer_function<Shift<Left>>(type);
    case Opcode::kShr:
      return integer_function<Shift<Right>>(type);
    case Opcode::kShf:
      return funnel_function(statement);
    case Opcode::kBfe:
      return integer_function<FieldExtract>(type);
    case Opcode::kBfi:
      return bits_function<FieldInsert>(type);
    case Opcode::kBfind:
      return statement.has(kShiftAmount) ? integer_function<FindBit<true>>(type)
                                         : integer_function<FindBit<false>>(type);
    case Opcode::kPopc:
      return bits_function<CountOnes>(type);
    case Opcode::kClz:
      return bits_function<CountZeros>(type);
    case Opcode::kBrev:
      return bits_function<Reverse>(type);
    case Opcode::kBmsk:
      return statement.bounds == Bounds::kClamp ? bit_mask<true> : bit_mask<false>;
    case Opcode::kPrmt:
      return permute;
    case Opcode::kLop3:
      if (statement.combination == Combination::kAnd) return logic_and_predicate<true>;
      return statement.combination == Combination::kOr ? logic_and_predicate<false> : logic_of_three;
    case Opcode::kFns:
      return find_nth_set;
    case Opcode::kSzext:
      return extend_function(statement);
    default:
      return nullptr;
  }
}

}  // namespace

LaneOperation bit_operation(const Statement& statement) {
  LaneOperation operation;
  operation.function = function_for(statement);
  if (statement.opcode == Opcode::kPrmt)
    operation.constants = {permute_rows(statement.variant), statement.variant != Variant::kNone};
  return operation;
}

}  // namespace heddle::ptx::lanes
