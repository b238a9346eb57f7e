#include "stimuli/ptx/lanes/lane_atomic.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <type_traits>

#include "models/core/base/check.h"
#include "stimuli/ptx/lanes/lane_half.h"

namespace heddle::ptx {
namespace {

float flushed(float value) {
  constexpr std::uint32_t kSign = 0x80000000;
  constexpr std::uint32_t kExponent = 0x7f800000;
  const auto bits = lanes::bits_as<std::uint32_t>(value);
  return (bits & kExponent) == 0 ? lanes::bits_as<float>(bits & kSign) : value;
}

template <typename T>
T canonical(T value) {
  if constexpr (std::is_floating_point_v<T>) {
    if (std::isnan(value))
      return lanes::bits_as<T>(sizeof(T) == 4 ? lanes::Storage<T>{0x7fffffff}
                                              : static_cast<lanes::Storage<T>>(0xfff8000000000000));
  }
  return value;
}

struct Add {
  template <typename T>
  static T of(T old, T a, T) {
    if constexpr (std::is_floating_point_v<T>)
      return canonical(old + a);
    else
      return static_cast<T>(static_cast<std::make_unsigned_t<T>>(old) +
                            static_cast<std::make_unsigned_t<T>>(a));
  }
};
struct AddFlushed {
  static float of(float old, float a, float) { return canonical(flushed(flushed(old) + flushed(a))); }
};
// .noftz: sums of numbers of 16 bits keep subnormals.
template <typename Format>
struct AddHalf {
  static std::uint32_t sum(std::uint32_t old, std::uint32_t a) {
    const double exact = lanes::sum_to_odd(Format::of(old & 0xffffU), Format::of(a & 0xffffU));
    return Format::bits(exact, FE_TONEAREST);
  }
  static std::uint16_t of(std::uint16_t old, std::uint16_t a, std::uint16_t) {
    return static_cast<std::uint16_t>(sum(old, a));
  }
  static std::uint32_t of(std::uint32_t old, std::uint32_t a, std::uint32_t) {
    return sum(old >> 16U, a >> 16U) << 16U | sum(old, a);
  }
};
struct Min {
  template <typename T>
  static T of(T old, T a, T) {
    return std::min(old, a);
  }
};
struct Max {
  template <typename T>
  static T of(T old, T a, T) {
    return std::max(old, a);
  }
};
struct Inc {
  template <typename T>
  static T of(T old, T a, T) {
    return old >= a ? T{0} : old + 1;
  }
};
struct Dec {
  template <typename T>
  static T of(T old, T a, T) {
    return old == 0 || old > a ? a : old - 1;
  }
};
struct And {
  template <typename T>
  static T of(T old, T a, T) {
    return old & a;
  }
};
struct Or {
  template <typename T>
  static T of(T old, T a, T) {
    return old | a;
  }
};
struct Xor {
  template <typename T>
  static T of(T old, T a, T) {
    return old ^ a;
  }
};
struct Exchange {
  template <typename T>
  static T of(T, T a, T) {
    return a;
  }
};
struct CompareAndSwap {
  template <typename T>
  static T of(T old, T a, T b) {
    return old == a ? b : old;
  }
};

template <typename Kind, typename T>
void run(const LanePlaces& places, std::uint32_t active, const AtomicRows& rows) {
  using Storage = lanes::Storage<T>;
  const auto source = [](const void* row, int lane) {
    T value{};
    if (row != nullptr) std::memcpy(&value, static_cast<const Storage*>(row) + lane, sizeof(value));
    return value;
  };
  for (; active != 0; active &= active - 1) {
    const int lane = __builtin_ctz(active);
    std::byte* const at = places.data + (places.addresses[lane] - places.first);
    T old;
    std::memcpy(&old, at, sizeof(old));
    const T next = Kind::of(old, source(rows.a, lane), source(rows.b, lane));
    std::memcpy(at, &next, sizeof(next));
    if (rows.old != nullptr) {
      Storage bits{};
      std::memcpy(&bits, &old, sizeof(old));
      static_cast<Storage*>(rows.old)[lane] = bits;
    }
  }
}

template <typename Kind>
AtomicLanes of_bits(Type type) {
  return bits_of(type) == 64 ? run<Kind, std::uint64_t> : run<Kind, std::uint32_t>;
}

template <typename Kind>
AtomicLanes of_order(Type type) {
  if (is_signed(type)) return bits_of(type) == 64 ? run<Kind, std::int64_t> : run<Kind, std::int32_t>;
  return of_bits<Kind>(type);
}

AtomicLanes addition(Type type, bool shared) {
  if (type == Type::kF16) return run<AddHalf<lanes::HalfFormat>, std::uint16_t>;
  if (type == Type::kF16x2) return run<AddHalf<lanes::HalfFormat>, std::uint32_t>;
  if (type == Type::kBf16) return run<AddHalf<lanes::BfloatFormat>, std::uint16_t>;
  if (type == Type::kBf16x2) return run<AddHalf<lanes::BfloatFormat>, std::uint32_t>;
  if (type == Type::kF64) return run<Add, double>;
  if (type == Type::kF32) return shared ? run<Add, float> : run<AddFlushed, float>;
  return of_bits<Add>(type);
}

}  // namespace

AtomicLanes atomic_lanes(const Statement& statement, bool shared) {
  const Type type = statement.type;
  switch (statement.variant) {
    case Variant::kAdd:
      return addition(type, shared);
    case Variant::kMin:
      return of_order<Min>(type);
    case Variant::kMax:
      return of_order<Max>(type);
    case Variant::kInc:
      return run<Inc, std::uint32_t>;
    case Variant::kDec:
      return run<Dec, std::uint32_t>;
    case Variant::kAnd:
      return of_bits<And>(type);
    case Variant::kOr:
      return of_bits<Or>(type);
    case Variant::kXor:
      return of_bits<Xor>(type);
    case Variant::kExch:
      return of_bits<Exchange>(type);
    case Variant::kCas:
      return bits_of(type) == 16 ? run<CompareAndSwap, std::uint16_t> : of_bits<CompareAndSwap>(type);
    default:
      HEDDLE_CHECK(false, "PTX atomics", Cycle{}, "variant {}", static_cast<int>(statement.variant));
      return nullptr;
  }
}

}  // namespace heddle::ptx
