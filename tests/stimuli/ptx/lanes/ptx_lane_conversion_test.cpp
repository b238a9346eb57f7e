// Conversions of lanes: every pair of types, registers wider than their types, and every rounding mode.

#include "tests/support/ptx/ptx_exact.h"
#include "tests/support/ptx/ptx_lane_values.h"
#include "tests/support/ptx/ptx_numbers.h"

namespace heddle::ptx {
namespace {

constexpr Type kIntegers[] = {Type::kU8, Type::kU16, Type::kU32, Type::kU64,
                              Type::kS8, Type::kS16, Type::kS32, Type::kS64};
constexpr Type kFloats[] = {Type::kF16, Type::kF32, Type::kF64};
constexpr const char* kModes[] = {"rn", "rz", "rm", "rp"};
constexpr const char* kIntegerModes[] = {"rni", "rzi", "rmi", "rpi"};

std::string named(const std::string& modifiers, Type to, Type from) {
  return "cvt" + modifiers + "." + name_of(to) + "." + name_of(from);
}

// Returns the registers that may hold a value of this type.
std::vector<Type> registers_for(Type type) {
  std::vector<Type> types;
  for (const Type wide : {Type::kB16, Type::kB32, Type::kB64})
    if (bits_of(wide) >= bits_of(type)) types.push_back(wide);
  return types;
}

// Returns the value extended to its register by its own sign.
std::uint64_t in_register(Type reg, Type type, Big value) {
  return bits_of_number(reg, number_of(type, bits_of_number(type, value)));
}

TEST(PtxLaneConversion, IntegersOfEveryPairInEveryRegister) {
  for (const Type to : kIntegers)
    for (const Type from : kIntegers)
      for (const Type to_register : registers_for(to))
        for (const Type from_register : registers_for(from))
          for (const bool saturate : {false, true})
            expect_lanes(
                spelled(named(saturate ? ".sat" : "", to, from), {to_register, from_register}),
                [=](const LaneValues& v) {
                  const Big value = number_of(from, v[0]);
                  return in_register(to_register, to, saturate ? clamped(to, value) : value);
                },
                4);
}

double half_value(std::uint64_t bits) {
  const auto fraction = static_cast<double>(bits & 0x3ffU);
  const int exponent = static_cast<int>((bits >> 10U) & 31U);
  const double sign = (bits & 0x8000U) != 0 ? -1 : 1;
  if (exponent == 31) return fraction != 0 ? std::nan("") : sign * std::numeric_limits<double>::infinity();
  return sign * (exponent == 0 ? std::ldexp(fraction, -24) : std::ldexp(1024 + fraction, exponent - 25));
}

std::uint64_t rounded_half(double value, const std::string& mode) {
  if (std::isnan(value)) return 0x7fff;
  const std::uint64_t sign = std::signbit(value) ? 0x8000U : 0U;
  const double size = std::abs(value);
  if (std::isinf(value)) return sign | 0x7c00U;
  std::uint64_t low = 0;
  for (std::uint64_t step = 0x4000; step != 0; step /= 2)
    if (low + step < 0x7c00 && half_value(low + step) <= size) low += step;
  if (half_value(low) == size) return sign | low;
  const bool outward = mode == (sign != 0 ? "rm" : "rp");
  if (mode != "rn") return sign | (low + (outward ? 1 : 0));
  const double high = low == 0x7bff ? 65536 : half_value(low + 1);
  const double below = size - half_value(low);
  const double above = high - size;
  return sign | (below < above || (below == above && low % 2 == 0) ? low : low + 1);
}

double value_of(Type type, std::uint64_t bits, bool flush = false) {
  if (type == Type::kF64) return float_of_bits<double>(bits);
  if (type == Type::kF16) return half_value(bits);
  const auto value = float_of_bits<float>(bits);
  return flush && std::fpclassify(value) == FP_SUBNORMAL ? std::copysign(0.0, value) : double{value};
}

double whole(double value, const std::string& mode) {
  if (mode == "rzi") return value < 0 ? -std::floor(-value) : std::floor(value);
  if (mode == "rmi") return std::floor(value);
  if (mode == "rpi") return -std::floor(-value);
  const double low = std::floor(value);
  const double above = value - low;
  const double even = std::fmod(low, 2) == 0 ? low : low + 1;
  const double nearest = above < 0.5 ? low : (above > 0.5 ? low + 1 : even);
  return std::copysign(nearest, value);
}

Big integer_of(Type to, Type from, double value, const std::string& mode) {
  if (std::isnan(value))
    return from != Type::kF64 && bits_of(to) != 64 ? Big{0} : Big{1} << (bits_of(to) - 1);
  const double result = std::isinf(value) ? value : whole(value, mode);
  if (result >= 0x1p100) return most_of(to);
  return result <= -0x1p100 ? least_of(to) : clamped(to, static_cast<Big>(result));
}

TEST(PtxLaneConversion, FloatsToIntegersAreClamped) {
  for (const Type to : kIntegers)
    for (const Type from : kFloats)
      for (const std::string mode : kIntegerModes)
        for (const bool flush : {false, true}) {
          if (flush && from != Type::kF32) continue;
          for (const Type reg : registers_for(to))
            expect_lanes(spelled(named("." + mode + (flush ? ".ftz" : ""), to, from), {reg, from}),
                         [=](const LaneValues& v) {
                           const Big value = integer_of(to, from, value_of(from, v[0], flush), mode);
                           return in_register(reg, to, value);
                         });
        }
}

// Returns a result of type `to`. A NaN is that of arithmetic.
std::uint64_t float_result(Type to, const Exact& exact, const std::string& mode, bool saturate, bool flush) {
  const auto near = static_cast<double>(exact.value);
  if (saturate && !(near > 0)) return 0;
  const Exact kept = saturate && near > 1 ? Exact{1, 0} : exact;
  if (to == Type::kF16) {
    // f64 keeps the side of integers of 64 bits. All values beyond 2^17 have the same result.
    return rounded_half(static_cast<double>(kept.value), mode);
  }
  if (to == Type::kF64) return bits_of_float(rounded<double>(kept, mode));
  if (std::isnan(near)) return 0x7fffffffU;
  const bool infinite = std::isinf(near) && kept.value - kept.value != 0;
  const float result = infinite ? static_cast<float>(near) : rounded<float>(kept, mode);
  return bits_of_float(flush && std::fpclassify(result) == FP_SUBNORMAL ? std::copysign(0.0F, result)
                                                                        : result);
}

TEST(PtxLaneConversion, IntegersToFloatsAreRoundedOnce) {
  for (const Type to : kFloats)
    for (const Type from : kIntegers)
      for (const std::string mode : kModes)
        for (const bool saturate : {false, true})
          for (const Type reg : registers_for(from))
            expect_lanes(spelled(named("." + mode + (saturate ? ".sat" : ""), to, from), {to, reg}),
                         [=](const LaneValues& v) {
                           const Exact exact{static_cast<Quad>(number_of(from, v[0])), 0};
                           return float_result(to, exact, mode, saturate, false);
                         });
}

std::uint64_t converted(Type to, Type from, std::uint64_t bits, const std::string& mode, bool flush,
                        bool saturate) {
  double value = value_of(from, bits, flush);
  if (std::isnan(value)) {
    if (saturate) return 0;
    if (to == Type::kF32) return 0x7fffffffU;
    if (to == Type::kF16) return 0x7fffU;
    // A conversion to f64 keeps the payload, and makes it quiet if anything is computed.
    const std::uint64_t quiet = 0x7ff8ULL << 48U;
    if (from == Type::kF64) return mode.empty() ? bits : bits | quiet;
    const unsigned fraction = from == Type::kF32 ? 23 : 10;
    const std::uint64_t sign = (bits >> (bits_of(from) - 1)) << 63U;
    return sign | quiet | ((bits & ((1ULL << fraction) - 1)) << (52 - fraction));
  }
  if (mode.size() == 3 && !std::isinf(value)) value = whole(value, mode);
  if (value == 0 && !saturate) {
    if (to == Type::kF16) return std::signbit(value) ? 0x8000U : 0U;
    return to == Type::kF32 ? bits_of_float(static_cast<float>(value)) : bits_of_float(value);
  }
  return float_result(to, {value, 0}, mode.size() == 2 ? mode : "rn", saturate, flush);
}

void expect_floats(Type to, Type from, const std::string& mode, bool may_flush) {
  for (const bool flush : {false, true})
    for (const bool saturate : {false, true}) {
      if (flush && !may_flush) continue;
      const std::string modifiers =
          (mode.empty() ? "" : "." + mode) + (flush ? ".ftz" : "") + (saturate ? ".sat" : "");
      expect_lanes(
          spelled(named(modifiers, to, from), {to, from}),
          [=](const LaneValues& v) { return converted(to, from, v[0], mode, flush, saturate); }, 128);
    }
}

TEST(PtxLaneConversion, FloatsToOtherFloats) {
  expect_floats(Type::kF32, Type::kF16, "", true);
  expect_floats(Type::kF64, Type::kF16, "", false);
  expect_floats(Type::kF64, Type::kF32, "", true);
  for (const std::string mode : kModes) {
    expect_floats(Type::kF16, Type::kF32, mode, true);
    expect_floats(Type::kF16, Type::kF64, mode, false);
    expect_floats(Type::kF32, Type::kF64, mode, true);
  }
}

TEST(PtxLaneConversion, FloatsToWholeNumbersOfTheirType) {
  for (const std::string mode : {"", "rni", "rzi", "rmi", "rpi"}) {
    expect_floats(Type::kF16, Type::kF16, mode, false);
    expect_floats(Type::kF32, Type::kF32, mode, true);
    expect_floats(Type::kF64, Type::kF64, mode, false);
  }
}

TEST(PtxLaneConversion, EveryF16IsConvertedThereAndBack) {
  LaneRig wide("cvt.f32.f16 %f32_0, %f16_1");
  LaneRig narrow("cvt.rn.f16.f32 %f16_0, %f32_1");
  for (std::uint64_t start = 0; start < 0x10000; start += kWarpLanes) {
    for (std::size_t lane = 0; lane < kWarpLanes; ++lane) wide.set(0, lane, start + lane);
    wide.run();
    for (std::size_t lane = 0; lane < kWarpLanes; ++lane) narrow.set(0, lane, wide.result(lane));
    narrow.run();
    for (std::size_t lane = 0; lane < kWarpLanes; ++lane) {
      const bool is_nan = ((start + lane) & 0x7fffU) > 0x7c00;
      EXPECT_EQ(narrow.result(lane), is_nan ? 0x7fffU : start + lane);
    }
  }
}

TEST(PtxLaneConversion, AnImmediateIsTheSameInAllLanes) {
  std::array<std::uint32_t, kWarpLanes> narrow{};
  broadcast(static_cast<std::uint64_t>(-2), Type::kS16, narrow.data());
  EXPECT_EQ(narrow[31], 0xfffeU);
  std::array<std::uint64_t, kWarpLanes> wide{};
  broadcast(static_cast<std::uint64_t>(-2), Type::kS64, wide.data());
  EXPECT_EQ(wide[0], ~std::uint64_t{1});
}

// The register has the upper 19 bits of an f32. Ties are rounded away from zero.
TEST(PtxLaneConversion, ATf32IsTheNearestWithTenBitsBehindThePoint) {
  expect_lanes("cvt.rna.tf32.f32 %b32_0, %f32_1", [](const LaneValues& v) -> std::uint64_t {
    const auto value = float_of_bits<float>(v[0]);
    if (std::isnan(value)) return 0x7fffffff;
    if (std::isinf(value)) return v[0];
    const double size = std::fabs(double{value});
    const int exponent = std::max(size == 0 ? -126 : std::ilogb(size), -126) - 10;
    const double rounded = std::ldexp(std::floor(std::ldexp(size, -exponent) + 0.5), exponent);
    return bits_of_float(static_cast<float>(std::copysign(rounded, double{value})));
  });
}

}  // namespace
}  // namespace heddle::ptx
