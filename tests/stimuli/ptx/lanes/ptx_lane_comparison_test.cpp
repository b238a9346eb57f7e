// Comparisons and tests of lanes, compared with the order of the numbers.

#include <cmath>

#include "tests/support/ptx/ptx_lane_values.h"
#include "tests/support/ptx/ptx_numbers.h"

namespace heddle::ptx {
namespace {

enum class Relation { kLess, kSame, kGreater, kUnordered };

double float_of(Type type, std::uint64_t bits, bool flush) {
  if (type == Type::kF64) {
    double value = 0;
    std::memcpy(&value, &bits, 8);
    return value;
  }
  const auto word = static_cast<std::uint32_t>(bits);
  float value = 0;
  std::memcpy(&value, &word, 4);
  return flush && std::fpclassify(value) == FP_SUBNORMAL ? 0.0 : double{value};
}

Relation relation_of(Type type, std::uint64_t a, std::uint64_t b, bool flush) {
  const auto of = [](auto x, auto y) {
    return x < y ? Relation::kLess : (x == y ? Relation::kSame : Relation::kGreater);
  };
  if (!is_float(type)) return of(number_of(type, a), number_of(type, b));
  const double x = float_of(type, a, flush);
  const double y = float_of(type, b, flush);
  return std::isnan(x) || std::isnan(y) ? Relation::kUnordered : of(x, y);
}

struct Row {
  const char* name;
  bool less, same, greater, unordered;  // whether the comparison holds for such numbers
};
constexpr Row kOrders[] = {{"eq", false, true, false, false}, {"ne", true, false, true, false},
                           {"lt", true, false, false, false}, {"le", true, true, false, false},
                           {"gt", false, false, true, false}, {"ge", false, true, true, false}};
constexpr Row kUnsignedOrders[] = {{"lo", true, false, false, false},
                                   {"ls", true, true, false, false},
                                   {"hi", false, false, true, false},
                                   {"hs", false, true, true, false}};
constexpr Row kFloatOrders[] = {{"equ", false, true, false, true}, {"neu", true, false, true, true},
                                {"ltu", true, false, false, true}, {"leu", true, true, false, true},
                                {"gtu", false, false, true, true}, {"geu", false, true, true, true},
                                {"num", true, true, true, false},  {"nan", false, false, false, true}};

bool holds(const Row& row, Relation relation) {
  switch (relation) {
    case Relation::kLess:
      return row.less;
    case Relation::kSame:
      return row.same;
    case Relation::kGreater:
      return row.greater;
    case Relation::kUnordered:
      break;
  }
  return row.unordered;
}

void expect_comparison(const Row& row, Type type, bool flush) {
  const std::string middle = flush ? ".ftz." : ".";
  const std::string name = std::string(".") + row.name + middle + name_of(type);
  const auto reference = [=, &row](const LaneValues& v) {
    return holds(row, relation_of(type, v[0], v[1], flush));
  };
  expect_lanes(spelled("setp" + name, {Type::kPred, type, type}), reference, 16);
  const std::string start = std::string("set.") + row.name + middle;
  expect_lanes(
      spelled(start + "u32." + name_of(type), {Type::kU32, type, type}),
      [&](const LaneValues& v) { return reference(v) ? 0xffffffffU : 0U; }, 16);
  expect_lanes(
      spelled(start + "f32." + name_of(type), {Type::kF32, type, type}),
      [&](const LaneValues& v) { return reference(v) ? 0x3f800000U : 0U; }, 16);
}

TEST(PtxLaneComparison, EveryOrderOfEveryType) {
  for (const Type type :
       {Type::kS16, Type::kS32, Type::kS64, Type::kU16, Type::kU32, Type::kU64, Type::kF32, Type::kF64}) {
    for (const Row& row : kOrders) expect_comparison(row, type, false);
    if (class_of(type) == TypeClass::kUnsigned)
      for (const Row& row : kUnsignedOrders) expect_comparison(row, type, false);
    if (is_float(type))
      for (const Row& row : kFloatOrders) expect_comparison(row, type, false);
  }
  for (const Row& row : kOrders) expect_comparison(row, Type::kF32, true);
  for (const Row& row : kFloatOrders) expect_comparison(row, Type::kF32, true);
  for (const Type type : {Type::kB16, Type::kB32, Type::kB64}) {
    expect_comparison(kOrders[0], type, false);
    expect_comparison(kOrders[1], type, false);
  }
}

bool combined(const std::string& how, bool a, bool b) {
  return how == "and" ? a && b : (how == "or" ? a || b : a != b);
}

TEST(PtxLaneComparison, ResultsAreCombinedWithAPredicateAndItsOpposite) {
  for (const std::string how : {"and", "or", "xor"})
    for (const bool negated : {false, true}) {
      const std::string end = std::string(negated ? ", !" : ", ") + "%pred_4";
      LaneRig rig("setp.lt." + how + ".s32 %pred_0|%pred_1, %s32_2, %s32_3" + end);
      for (std::size_t lane = 0; lane < kWarpLanes; ++lane) {
        rig.set(0, lane, lane % 2);
        rig.set(1, lane, 1);
        rig.set(2, lane, lane / 2 % 2);
      }
      rig.run(0x0000ffff, 1);
      for (std::size_t lane = 0; lane < kWarpLanes; ++lane) {
        const bool less = lane % 2 == 0;
        const bool other = (lane / 2 % 2 == 1) != negated;
        EXPECT_EQ(rig.result(lane, 0) != 0, lane >= 16 || combined(how, less, other)) << how << lane;
        EXPECT_EQ(rig.result(lane, 1) != 0, lane >= 16 || combined(how, !less, other)) << how << lane;
      }
      expect_lanes("set.lt." + how + ".u32.s32 %u32_0, %s32_1, %s32_2" + end, [&](const LaneValues& v) {
        const bool less = number_of(Type::kS32, v[0]) < number_of(Type::kS32, v[1]);
        return combined(how, less, (v[2] != 0) != negated) ? 0xffffffffU : 0U;
      });
    }
}

TEST(PtxLaneComparison, TheSecondPredicateIsTheOpposite) {
  LaneRig rig("setp.eq.u32 %pred_0|%pred_1, %u32_2, %u32_3");
  for (std::size_t lane = 0; lane < kWarpLanes; ++lane) rig.set(0, lane, lane % 3);
  rig.run();
  for (std::size_t lane = 0; lane < kWarpLanes; ++lane) {
    EXPECT_EQ(rig.result(lane, 0), lane % 3 == 0 ? 1U : 0U);
    EXPECT_EQ(rig.result(lane, 1), lane % 3 == 0 ? 0U : 1U);
  }
}

TEST(PtxLaneComparison, KindsOfNumbers) {
  for (const Type type : {Type::kF32, Type::kF64}) {
    const auto expect = [type](const std::string& name, const std::function<bool(int)>& wanted) {
      expect_lanes(
          spelled("testp." + name + "." + name_of(type), {Type::kPred, type}), [&](const LaneValues& v) {
            const double value = float_of(type, v[0], false);
            const int kind =
                type == Type::kF32 ? std::fpclassify(static_cast<float>(value)) : std::fpclassify(value);
            return wanted(kind);
          });
    };
    expect("finite", [](int kind) { return kind != FP_NAN && kind != FP_INFINITE; });
    expect("infinite", [](int kind) { return kind == FP_INFINITE; });
    expect("number", [](int kind) { return kind != FP_NAN; });
    expect("notanumber", [](int kind) { return kind == FP_NAN; });
    expect("normal", [](int kind) { return kind == FP_NORMAL || kind == FP_ZERO; });
    expect("subnormal", [](int kind) { return kind == FP_SUBNORMAL; });
  }
}

}  // namespace
}  // namespace heddle::ptx
