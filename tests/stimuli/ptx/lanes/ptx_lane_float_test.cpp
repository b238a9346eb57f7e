// Floating point of lanes, compared with exact values that are rounded as IEEE 754 defines.

#include "tests/support/ptx/ptx_exact.h"
#include "tests/support/ptx/ptx_lane_values.h"

namespace heddle::ptx {
namespace {

constexpr const char* kModes[] = {"rn", "rz", "rm", "rp"};

template <typename T>
constexpr Type kType = sizeof(T) == 4 ? Type::kF32 : Type::kF64;
template <typename T>
constexpr std::uint64_t kNan = sizeof(T) == 4 ? 0x7fffffffU : 0xfff8000000000000U;

template <typename T>
T flushed_if(bool flush, T value) {
  return flush && std::fpclassify(value) == FP_SUBNORMAL ? std::copysign(T{0}, value) : value;
}

struct Mode {
  std::string rounding;
  bool flush = false;
  bool saturate = false;
};

// `value` is the exact result of these sources. `host` is the result of the host, which gives NaN, infinities
// and zeros.
template <typename T>
std::uint64_t finished(const Exact& value, T host, const Mode& mode) {
  T result = host;
  if (std::isnan(host)) return mode.saturate ? 0 : kNan<T>;
  const bool exact_zero = value.value == 0 && value.tail == 0;
  const bool finite = value.value - value.value == 0;
  if (finite && !exact_zero) result = rounded<T>(value, mode.rounding);
  result = flushed_if(mode.flush, result);
  if (mode.saturate) result = result > 0 ? std::min(result, T{1}) : T{0};
  return bits_of_float(result);
}

// Returns a sum that is exactly zero, with its sign: +0; -0 if both operands are -0, or with rounding toward
// negative infinity unless both are +0.
template <typename T>
T zero_sum(T a, T b, const Mode& mode) {
  if (a == 0 && b == 0 && std::signbit(a) == std::signbit(b)) return a;
  return mode.rounding == "rm" ? -T{0} : T{0};
}

template <typename T>
std::uint64_t sum(T a, T b, const Mode& mode) {
  const Exact exact = exact_sum(a, b);
  const bool zero = exact.value == 0 && exact.tail == 0;
  return finished<T>(exact, zero ? zero_sum(a, b, mode) : a + b, mode);
}
template <typename T>
std::uint64_t product(T a, T b, const Mode& mode) {
  return finished<T>({Quad(a) * Quad(b), 0}, a * b, mode);
}
template <typename T>
std::uint64_t quotient(T a, T b, const Mode& mode) {
  return finished<T>({Quad(a) / Quad(b), 0}, a / b, mode);
}
template <typename T>
std::uint64_t fused(T a, T b, T c, const Mode& mode) {
  const Quad both = Quad(a) * Quad(b);
  const Exact exact = exact_sum(both, c);
  const bool zero = exact.value == 0 && exact.tail == 0;
  const T sign = both < 0 || (both == 0 && std::signbit(a) != std::signbit(b)) ? T{-1} : T{1};
  const T part = both == 0 ? std::copysign(T{0}, sign) : sign;
  // NaN and infinities are computed from numbers that are small enough not to overflow.
  const auto tame = [](T x) { return std::isfinite(x) && x != 0 ? std::copysign(T{1}, x) : x; };
  const T host = tame(a) * tame(b) + (std::isfinite(c) ? tame(c) : c);
  return finished<T>(exact, zero ? zero_sum(part, c, mode) : host, mode);
}

// Returns the largest number whose square is not above x, and its distance from the root.
template <typename T>
std::uint64_t root(T x, const Mode& mode) {
  const T host = std::sqrt(x);
  if (std::isnan(host) || std::isinf(host) || x == 0) return finished<T>({host, 0}, host, mode);
  T low = host;
  while (Quad(low) * Quad(low) > Quad(x)) low = std::nextafter(low, T{0});
  const Quad rest = Quad(x) - Quad(low) * Quad(low);
  const T high = std::nextafter(low, std::numeric_limits<T>::infinity());
  if (rest == 0) return finished<T>({low, 0}, host, mode);
  const Quad middle = (Quad(low) + Quad(high)) / 2;
  // A root is never in the middle between two numbers.
  const Quad shown = middle * middle < Quad(x) ? middle : Quad(low);
  return finished<T>({shown, 1}, host, mode);
}

template <typename T>
void expect_sources(const std::string& name, std::size_t sources, const Mode& mode,
                    const std::function<std::uint64_t(T, T, T, const Mode&)>& reference) {
  std::string text = name + (mode.rounding.empty() ? "" : "." + mode.rounding) + (mode.flush ? ".ftz" : "") +
                     (mode.saturate ? ".sat" : "") + "." + name_of(kType<T>);
  Mode used = mode;
  if (used.rounding.empty()) used.rounding = "rn";
  expect_lanes(spelled(text, std::vector<Type>(sources + 1, kType<T>)), [&](const LaneValues& v) {
    const auto at = [&](std::size_t i) { return flushed_if(mode.flush, float_of_bits<T>(v[i])); };
    return reference(at(0), at(1), at(2), used);
  });
}

template <typename T>
void expect_arithmetic(const Mode& mode) {
  if (!mode.saturate) {
    expect_sources<T>("div", 2, mode, [](T a, T b, T, const Mode& m) { return quotient(a, b, m); });
    expect_sources<T>("rcp", 1, mode, [](T a, T, T, const Mode& m) { return quotient(T{1}, a, m); });
    expect_sources<T>("sqrt", 1, mode, [](T a, T, T, const Mode& m) { return root(a, m); });
  }
  expect_sources<T>("add", 2, mode, [](T a, T b, T, const Mode& m) { return sum(a, b, m); });
  expect_sources<T>("sub", 2, mode, [](T a, T b, T, const Mode& m) { return sum(a, -b, m); });
  expect_sources<T>("mul", 2, mode, [](T a, T b, T, const Mode& m) { return product(a, b, m); });
  expect_sources<T>("fma", 3, mode, [](T a, T b, T c, const Mode& m) { return fused(a, b, c, m); });
  expect_sources<T>("mad", 3, mode, [](T a, T b, T c, const Mode& m) { return fused(a, b, c, m); });
}

TEST(PtxLaneFloat, ArithmeticIsRoundedOnceInEveryMode) {
  for (const char* rounding : kModes) {
    expect_arithmetic<double>({rounding, false, false});
    for (const bool flush : {false, true})
      for (const bool saturate : {false, true}) expect_arithmetic<float>({rounding, flush, saturate});
  }
}

TEST(PtxLaneFloat, WithoutAModeItIsRoundedToNearest) {
  expect_sources<float>("add", 2, {}, [](float a, float b, float, const Mode& m) { return sum(a, b, m); });
  expect_sources<double>("sub", 2, {},
                         [](double a, double b, double, const Mode& m) { return sum(a, -b, m); });
  expect_sources<float>("mul", 2, {},
                        [](float a, float b, float, const Mode& m) { return product(a, b, m); });
}

TEST(PtxLaneFloat, TheHostRoundsToNearestAfterwards) {
  LaneRig rig("add.rp.f32 %f32_0, %f32_1, %f32_2");
  rig.run();
  const volatile float one = 1;
  EXPECT_EQ(one + 0x1p-30F, 1.0F);
}

template <typename T>
std::uint64_t extreme(T a, T b, bool greater) {
  if (std::isnan(a) && std::isnan(b)) return kNan<T>;
  if (std::isnan(a) || std::isnan(b)) return bits_of_float(std::isnan(a) ? b : a);
  if (a == 0 && b == 0) return bits_of_float(std::signbit(a) == greater ? b : a);
  return bits_of_float((a < b) != greater ? a : b);
}

template <typename T>
void expect_signs(bool flush) {
  const Mode mode{"", flush, false};
  expect_sources<T>("min", 2, mode, [](T a, T b, T, const Mode&) { return extreme(a, b, false); });
  expect_sources<T>("max", 2, mode, [](T a, T b, T, const Mode&) { return extreme(a, b, true); });
  constexpr std::uint64_t kSign = 1ULL << (8 * sizeof(T) - 1);
  const std::string end = std::string(flush ? ".ftz." : ".") + name_of(kType<T>);
  const auto own = [flush](std::uint64_t bits) {
    return bits_of_float(flushed_if(flush, float_of_bits<T>(bits)));
  };
  const std::vector<Type> types = {kType<T>, kType<T>};
  expect_lanes(spelled("neg" + end, types), [&](const LaneValues& v) { return own(v[0]) ^ kSign; });
  expect_lanes(spelled("abs" + end, types), [&](const LaneValues& v) { return own(v[0]) & ~kSign; });
}

TEST(PtxLaneFloat, ExtremesAndSigns) {
  expect_signs<float>(false);
  expect_signs<float>(true);
  expect_signs<double>(false);
  expect_lanes("copysign.f32 %f32_0, %f32_1, %f32_2",
               [](const LaneValues& v) { return (v[0] & 0x80000000U) | (v[1] & 0x7fffffffU); });
  expect_lanes("copysign.f64 %f64_0, %f64_1, %f64_2",
               [](const LaneValues& v) { return (v[0] & (1ULL << 63U)) | (v[1] & ~(1ULL << 63U)); });
}

using LongFunction = long double (*)(long double);

// Expects results within one unit in the last place of long double. NaN and signs must be equal.
void expect_near(const std::string& name, LongFunction function) {
  for (const bool flush : {false, true}) {
    if (flush && name == "tanh.approx") continue;
    LaneRig rig(name + (flush ? ".ftz" : "") + ".f32 %f32_0, %f32_1");
    ASSERT_TRUE(rig.known()) << rig.text();
    std::mt19937_64 random(5);
    const std::vector<std::uint64_t> edges = edges_of(Type::kF32);
    for (std::size_t round = 0; round < 64; ++round) {
      for (std::size_t lane = 0; lane < kWarpLanes; ++lane)
        rig.set(0, lane, round == 0 ? edges[lane] : random_of(Type::kF32, random));
      rig.run();
      for (std::size_t lane = 0; lane < kWarpLanes; ++lane) {
        const float source = flushed_if(flush, float_of_bits<float>(rig.source(0, lane)));
        const float wanted = flushed_if(flush, static_cast<float>(function(source)));
        const auto given = float_of_bits<float>(rig.result(lane));
        if (std::isnan(wanted)) {
          ASSERT_EQ(rig.result(lane), kNan<float>) << rig.text() << source;
          continue;
        }
        ASSERT_EQ(std::signbit(given), std::signbit(wanted)) << rig.text() << source;
        ASSERT_LE(std::abs(static_cast<std::int64_t>(rig.result(lane)) -
                           static_cast<std::int64_t>(bits_of_float(wanted))),
                  1)
            << rig.text() << source;
      }
    }
  }
}

TEST(PtxLaneFloat, ApproximationsAreWithinAnUlp) {
  expect_near("sin.approx", [](long double x) { return std::sin(x); });
  expect_near("cos.approx", [](long double x) { return std::cos(x); });
  expect_near("lg2.approx", [](long double x) { return std::log2(x); });
  expect_near("ex2.approx", [](long double x) { return std::exp2(x); });
  expect_near("tanh.approx", [](long double x) { return std::tanh(x); });
  expect_near("rsqrt.approx", [](long double x) { return 1 / std::sqrt(x); });
  expect_near("sqrt.approx", [](long double x) { return std::sqrt(x); });
  expect_near("rcp.approx", [](long double x) { return 1 / x; });
}

TEST(PtxLaneFloat, ApproximateQuotientsAreRounded) {
  for (const char* name : {"div.approx", "div.full"})
    for (const bool flush : {false, true})
      expect_sources<float>(name, 2, {"", flush, false},
                            [](float a, float b, float, const Mode& m) { return quotient(a, b, m); });
}

double upper(double value) {
  return flushed_if(true, float_of_bits<double>(bits_of_float(value) & ~0xffffffffULL));
}

TEST(PtxLaneFloat, ApproximationsOfTheUpperHalfOfF64) {
  const auto expect = [](const std::string& name, double (*function)(double)) {
    expect_lanes(name + " %f64_0, %f64_1", [function](const LaneValues& v) {
      const auto source = float_of_bits<double>(v[0]);
      const double result = upper(function(upper(source)));
      return std::isnan(source) || std::isnan(result) ? kNan<double> : bits_of_float(result);
    });
  };
  expect("rcp.approx.ftz.f64", [](double x) { return 1 / x; });
  expect("rsqrt.approx.ftz.f64", [](double x) { return 1 / std::sqrt(x); });
  expect_lanes("rsqrt.approx.f64 %f64_0, %f64_1", [](const LaneValues& v) {
    const double result = 1 / std::sqrt(float_of_bits<double>(v[0]));
    return std::isnan(result) ? kNan<double> : bits_of_float(result);
  });
}

}  // namespace
}  // namespace heddle::ptx
