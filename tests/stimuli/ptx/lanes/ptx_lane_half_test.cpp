// Arithmetic of .f16, .f16x2, .bf16 and .bf16x2, compared with exact values that are rounded once.

#include "tests/support/ptx/ptx_half.h"
#include "tests/support/ptx/ptx_lane_values.h"

namespace heddle::ptx {
namespace {

using Word = std::uint32_t;

// Calls visit(spelling, numbers) for every spelling of the mnemonic with numbers of 16 bits.
template <typename Visit>
void for_each_half(const char* mnemonic, const Visit& visit) {
  std::size_t seen = 0;
  for (const Spelling& spelling : spellings_of(mnemonic))
    if (is_half(spelling.fields.type)) {
      visit(spelling, half_numbers(spelling.fields.type));
      ++seen;
    }
  ASSERT_GT(seen, 0u) << mnemonic;
}

Word finished(const HalfNumbers& numbers, const Statement& fields, const Exact& exact, double host) {
  Word result = numbers.result(exact, host);
  if (fields.has(kFtz)) result = numbers.flushed(result);
  const double value = numbers.value(result);
  if (fields.has(kSat)) {
    if (!(value > 0)) return 0;
    return value < 1 ? result : numbers.rounded({1, 0}, 1, "rn");
  }
  return fields.has(kRelu) && value <= 0 ? 0 : result;
}

using Reference = std::function<std::pair<Exact, double>(double a, double b, double c)>;

void expect_arithmetic(const char* mnemonic, std::size_t sources, const Reference& reference) {
  for_each_half(mnemonic, [&](const Spelling& spelling, const HalfNumbers& numbers) {
    const Type type = spelling.fields.type;
    expect_lanes(
        spelled(spelling.text, std::vector<Type>(sources + 1, type)),
        [&](const LaneValues& v) {
          return each_half(type, [&](unsigned shift) {
            const auto at = [&](std::size_t i) {
              const Word bits = static_cast<Word>(v[i] >> shift) & 0xffffU;
              return numbers.value(spelling.fields.has(kFtz) ? numbers.flushed(bits) : bits);
            };
            const auto [exact, host] = reference(at(0), at(1), at(2));
            return finished(numbers, spelling.fields, exact, host);
          });
        },
        256);
  });
}

TEST(PtxLaneHalf, ArithmeticIsRoundedOnce) {
  expect_arithmetic("add", 2, [](double a, double b, double) { return std::pair(exact_sum(a, b), a + b); });
  expect_arithmetic("sub", 2, [](double a, double b, double) { return std::pair(exact_sum(a, -b), a - b); });
  expect_arithmetic("mul", 2, [](double a, double b, double) {
    return std::pair(Exact{Quad(a) * Quad(b), 0}, a * b);
  });
  expect_arithmetic("fma", 3, [](double a, double b, double c) {
    return std::pair(exact_sum(Quad(a) * Quad(b), c), a * b + c);
  });
}

TEST(PtxLaneHalf, ApproximationsAreRounded) {
  expect_arithmetic("ex2", 1, [](double a, double, double) {
    return std::pair(Exact{std::exp2(static_cast<long double>(a)), 0}, std::exp2(a));
  });
  expect_arithmetic("tanh", 1, [](double a, double, double) {
    return std::pair(Exact{std::tanh(static_cast<long double>(a)), 0}, std::tanh(a));
  });
}

TEST(PtxLaneHalf, ASumThatIsATieButForASmallPartIsNotATie) {
  // 1.00390625 * 1.5 is in the middle between two numbers of bf16; 2^-100 decides.
  for (const bool negative : {false, true}) {
    LaneRig rig("fma.rn.bf16 %b16_0, %b16_1, %b16_2, %b16_3");
    for (std::size_t lane = 0; lane < kWarpLanes; ++lane) {
      rig.set(0, lane, 0x3f81);                        // 1 + 2^-7
      rig.set(1, lane, 0x3f81);                        // the square is 1 + 2^-6 + 2^-14
      rig.set(2, lane, negative ? 0x8d80U : 0x0d80U);  // 2^-100
    }
    rig.run();
    EXPECT_EQ(rig.result(0), 0x3f82u);
    for (std::size_t lane = 0; lane < kWarpLanes; ++lane) {
      rig.set(0, lane, 0x3fc0);  // 1.5
      rig.set(1, lane, 0x3f83);  // 1 + 3 * 2^-7: the product is 1.53515625, a tie between 0x3fc4 and 0x3fc5
    }
    rig.run();
    EXPECT_EQ(rig.result(0), negative ? 0x3fc4u : 0x3fc5u);
  }
}

TEST(PtxLaneHalf, ExtremesPreferNumbers) {
  for (const bool greater : {false, true})
    for_each_half(greater ? "max" : "min", [&](const Spelling& spelling, const HalfNumbers& numbers) {
      if (spelling.fields.has(kXorSign)) return;  // ptx_lane_extremes_test.cpp
      const Type type = spelling.fields.type;
      expect_lanes(spelled(spelling.text, {type, type, type}), [&](const LaneValues& v) {
        return each_half(type, [&](unsigned shift) -> Word {
          Word a = static_cast<Word>(v[0] >> shift) & 0xffffU;
          Word b = static_cast<Word>(v[1] >> shift) & 0xffffU;
          if (spelling.fields.has(kFtz)) a = numbers.flushed(a), b = numbers.flushed(b);
          if (numbers.is_nan(a) && numbers.is_nan(b)) return 0x7fff;
          if (numbers.is_nan(a) || numbers.is_nan(b))
            return spelling.fields.has(kKeepNan) ? 0x7fffU : (numbers.is_nan(a) ? b : a);
          const double x = numbers.value(a);
          const double y = numbers.value(b);
          if (x == y) return greater ? a & b : a | b;  // of zeros
          return (x > y) == greater ? a : b;
        });
      });
    });
}

TEST(PtxLaneHalf, SignsAreChanged) {
  for (const bool negate : {false, true})
    for_each_half(negate ? "neg" : "abs", [&](const Spelling& spelling, const HalfNumbers& numbers) {
      const Type type = spelling.fields.type;
      expect_lanes(spelled(spelling.text, {type, type}), [&](const LaneValues& v) {
        return each_half(type, [&](unsigned shift) {
          const Word bits = static_cast<Word>(v[0] >> shift) & 0xffffU;
          const Word own = spelling.fields.has(kFtz) ? numbers.flushed(bits) : bits;
          return negate ? own ^ 0x8000U : own & 0x7fffU;
        });
      });
    });
}

bool holds(const std::string& name, double a, double b) {
  const bool none = std::isnan(a) || std::isnan(b);
  if (name == "num" || name == "nan") return none == (name == "nan");
  if (none) return name.size() == 3;  // equ .. geu
  const std::string order = name.substr(0, 2);
  if (order == "eq" || order == "ne") return (a == b) == (order == "eq");
  if (order == "lt" || order == "ge") return (a < b) == (order == "lt");
  return (a > b) == (order == "gt");
}

std::string comparison_of(const std::string& text) {
  const std::size_t start = text.find('.') + 1;
  return text.substr(start, text.find('.', start) - start);
}

// Returns whether the comparison of a spelling holds between the halves at `shift`.
bool compared(const Spelling& spelling, Type type, const LaneValues& v, unsigned shift) {
  const HalfNumbers numbers = half_numbers(type);
  const auto at = [&](std::size_t i) {
    const Word bits = static_cast<Word>(v[i] >> shift) & 0xffffU;
    return numbers.value(spelling.fields.has(kFtz) ? numbers.flushed(bits) : bits);
  };
  return holds(comparison_of(spelling.text), at(0), at(1));
}

TEST(PtxLaneHalf, ComparisonsSetValues) {
  for (const Spelling& spelling : spellings_of("set")) {
    const Type source = spelling.fields.source_type;
    const Type type = spelling.fields.type;
    if (!is_half(source)) continue;
    const Word truth = !is_float(type) ? (bits_of(type) == 32 && !is_packed(source) ? 0xffffffffU : 0xffffU)
                       : half_numbers(type).bias == 15 ? 0x3c00U
                                                       : 0x3f80U;
    expect_lanes(spelled(spelling.text, {type, source, source}), [&](const LaneValues& v) {
      return each_half(source,
                       [&](unsigned shift) { return compared(spelling, source, v, shift) ? truth : 0U; });
    });
  }
}

TEST(PtxLaneHalf, ComparisonsSetPredicates) {
  std::mt19937_64 random(3);
  for (const Spelling& spelling : spellings_of("setp")) {
    const Type type = spelling.fields.type;
    if (!is_half(type) || spelling.fields.combination != Combination::kNone) continue;
    LaneRig rig(spelling.text + " %pred_0|%pred_1, " + register_for(type, 2) + ", " + register_for(type, 3));
    for (int round = 0; round < 20; ++round) {
      const WarpValues values = fill(rig, static_cast<std::size_t>(round) * kWarpLanes, random);
      rig.run();
      for (std::size_t lane = 0; lane < kWarpLanes; ++lane) {
        const bool low = compared(spelling, type, values[lane], 0);
        const bool second = is_packed(type) ? compared(spelling, type, values[lane], 16) : !low;
        ASSERT_EQ(rig.result(lane, 0), low) << spelling.text;
        ASSERT_EQ(rig.result(lane, 1), second) << spelling.text;
      }
    }
  }
}

TEST(PtxLaneHalf, NumbersOfF32AreConvertedAloneAndInPairs) {
  for (const std::string mode : {"rn", "rz"})
    for (const bool relu : {false, true})
      for (const Type type : {Type::kF16x2, Type::kBf16x2, Type::kBf16}) {
        const HalfNumbers numbers = half_numbers(type);
        const auto converted = [&](std::uint64_t bits) -> std::uint64_t {
          const float value = float_of_bits<float>(bits);
          if (relu && value <= 0) return 0;
          return numbers.result({value, 0}, value, mode);
        };
        const std::string name = "cvt." + mode + (relu ? ".relu." : ".") + name_of(type) + ".f32";
        if (type == Type::kBf16)
          expect_lanes(spelled(name, {type, Type::kF32}),
                       [&](const LaneValues& v) { return converted(v[0]); });
        else
          expect_lanes(spelled(name, {type, Type::kF32, Type::kF32}),
                       [&](const LaneValues& v) { return converted(v[0]) << 16U | converted(v[1]); });
      }
  expect_lanes(spelled("cvt.f32.bf16", {Type::kF32, Type::kBf16}),
               [](const LaneValues& v) { return v[0] << 16U; });
}

}  // namespace
}  // namespace heddle::ptx
