// Integer arithmetic of lanes, compared with numbers of 128 bits.

#include "tests/support/ptx/ptx_lane_values.h"
#include "tests/support/ptx/ptx_numbers.h"

namespace heddle::ptx {
namespace {

constexpr Type kIntegers[] = {Type::kU16, Type::kU32, Type::kU64, Type::kS16, Type::kS32, Type::kS64};
constexpr Type kWithCarry[] = {Type::kU32, Type::kS32, Type::kU64, Type::kS64};

using BigFunction = std::function<Big(Big, Big, Big)>;

// Expects `result` of the sources as numbers, in the lower bits of the type.
void expect_numbers(const std::string& mnemonic, Type to, const std::vector<Type>& from,
                    const BigFunction& result) {
  std::vector<Type> types = {to};
  types.insert(types.end(), from.begin(), from.end());
  const auto at = [&from](const LaneValues& values, std::size_t index) {
    return index < from.size() ? number_of(from[index], values[index]) : Big{0};
  };
  expect_lanes(spelled(mnemonic, types), [&](const LaneValues& values) {
    return bits_of_number(to, result(at(values, 0), at(values, 1), at(values, 2)));
  });
}

Big distance(Big a, Big b) {
  return a < b ? b - a : a - b;
}

TEST(PtxLaneInteger, TwoSourcesOfEveryType) {
  for (const Type type : kIntegers) {
    const std::string end = std::string(".") + name_of(type);
    const unsigned bits = bits_of(type);
    const auto expect = [&](const std::string& name, const BigFunction& result) {
      expect_numbers(name + end, type, {type, type}, result);
    };
    expect("add", [](Big a, Big b, Big) { return a + b; });
    expect("sub", [](Big a, Big b, Big) { return a - b; });
    expect("mul.lo", [](Big a, Big b, Big) {
      const std::uint64_t low = static_cast<std::uint64_t>(a) * static_cast<std::uint64_t>(b);
      return Big{low};
    });
    // The product of unsigned numbers of 64 bits has 128 bits. The sign of the shift does not affect the
    // lower 64 bits.
    expect("mul.hi", [bits](Big a, Big b, Big) {
      __extension__ using Bits = unsigned __int128;
      return static_cast<Big>((static_cast<Bits>(a) * static_cast<Bits>(b)) >> bits);
    });
    expect("min", [](Big a, Big b, Big) { return a < b ? a : b; });
    expect("max", [](Big a, Big b, Big) { return a < b ? b : a; });
    expect("div", [](Big a, Big b, Big) { return b == 0 ? Big{-1} : a / b; });
    expect("rem", [](Big a, Big b, Big) { return b == 0 ? Big{-1} : a % b; });
  }
}

TEST(PtxLaneInteger, ThreeSourcesOfEveryType) {
  for (const Type type : kIntegers) {
    const std::string end = std::string(".") + name_of(type);
    const unsigned bits = bits_of(type);
    const auto expect = [&](const std::string& name, const BigFunction& result) {
      expect_numbers(name + end, type, {type, type, type}, result);
    };
    __extension__ using Bits = unsigned __int128;
    expect("mad.lo", [](Big a, Big b, Big c) {
      return static_cast<Big>(static_cast<Bits>(a) * static_cast<Bits>(b) + static_cast<Bits>(c));
    });
    expect("mad.hi", [bits](Big a, Big b, Big c) {
      return static_cast<Big>(((static_cast<Bits>(a) * static_cast<Bits>(b)) >> bits) + static_cast<Bits>(c));
    });
    expect("sad", [](Big a, Big b, Big c) { return c + distance(a, b); });
  }
}

TEST(PtxLaneInteger, OneSource) {
  for (const Type type : {Type::kS16, Type::kS32, Type::kS64}) {
    const std::string end = std::string(".") + name_of(type);
    expect_numbers("neg" + end, type, {type}, [](Big a, Big, Big) { return -a; });
    expect_numbers("abs" + end, type, {type}, [](Big a, Big, Big) { return a < 0 ? -a : a; });
  }
}

TEST(PtxLaneInteger, WideProductsHaveAllBits) {
  for (const Type type : {Type::kU16, Type::kS16, Type::kU32, Type::kS32}) {
    const Type wide = twice_as_wide(type);
    const std::string end = std::string(".") + name_of(type);
    expect_numbers("mul.wide" + end, wide, {type, type}, [](Big a, Big b, Big) { return a * b; });
    expect_numbers("mad.wide" + end, wide, {type, type, wide}, [](Big a, Big b, Big c) { return a * b + c; });
  }
}

Big low_24(Type type, Big a) {
  const Big low = a & 0xffffff;
  return is_signed(type) && low >= 0x800000 ? low - 0x1000000 : low;
}

TEST(PtxLaneInteger, ProductsOf24Bits) {
  for (const Type type : {Type::kU32, Type::kS32}) {
    const std::string end = std::string(".") + name_of(type);
    const auto product = [type](Big a, Big b) { return low_24(type, a) * low_24(type, b); };
    expect_numbers("mul24.lo" + end, type, {type, type}, [=](Big a, Big b, Big) { return product(a, b); });
    expect_numbers("mul24.hi" + end, type, {type, type},
                   [=](Big a, Big b, Big) { return product(a, b) >> 16; });
    expect_numbers("mad24.lo" + end, type, {type, type, type},
                   [=](Big a, Big b, Big c) { return product(a, b) + c; });
    expect_numbers("mad24.hi" + end, type, {type, type, type},
                   [=](Big a, Big b, Big c) { return (product(a, b) >> 16) + c; });
  }
}

TEST(PtxLaneInteger, SaturatedResultsStayAtTheEnds) {
  constexpr Type kType = Type::kS32;
  expect_numbers("add.sat.s32", kType, {kType, kType},
                 [](Big a, Big b, Big) { return clamped(kType, a + b); });
  expect_numbers("sub.sat.s32", kType, {kType, kType},
                 [](Big a, Big b, Big) { return clamped(kType, a - b); });
  expect_numbers("mad.hi.sat.s32", kType, {kType, kType, kType},
                 [](Big a, Big b, Big c) { return clamped(kType, ((a * b) >> 32) + c); });
  expect_numbers("mad24.hi.sat.s32", kType, {kType, kType, kType}, [](Big a, Big b, Big c) {
    return clamped(kType, ((low_24(kType, a) * low_24(kType, b)) >> 16) + c);
  });
}

using CarryFunction = std::function<Big(const LaneValues&, bool)>;  // a result below zero is a borrow

void expect_carries(const std::string& text, Type type, bool writes, const CarryFunction& total) {
  LaneRig rig(text);
  ASSERT_TRUE(rig.known()) << text;
  std::mt19937_64 random(2);
  const std::vector<std::uint64_t> edges = edges_of(type);
  for (std::size_t round = 0; round < 400; ++round) {
    std::array<LaneValues, kWarpLanes> values{};
    for (std::size_t lane = 0; lane < kWarpLanes; ++lane)
      for (std::size_t i = 0; i < rig.sources(); ++i) {
        rig.set(i, lane, random() % 4 != 0 ? edges[random() % edges.size()] : random_of(type, random));
        values[lane][i] = rig.source(i, lane);
      }
    const auto carry = static_cast<std::uint32_t>(random());
    const auto active = round % 2 == 0 ? kEveryLane : static_cast<std::uint32_t>(random());
    rig.set_carry(carry);
    rig.run(active, 0x77);
    for (std::size_t lane = 0; lane < kWarpLanes; ++lane) {
      const bool on = ((active >> lane) & 1U) != 0;
      const bool in = ((carry >> lane) & 1U) != 0;
      const Big wanted = total(values[lane], in);
      const bool out = wanted < 0 || wanted > static_cast<Big>(mask_of(type));
      ASSERT_EQ(rig.result(lane), on ? bits_of_number(type, wanted) : 0x77U) << text;
      ASSERT_EQ((rig.carry() >> lane) & 1U, (on && writes ? out : in) ? 1U : 0U) << text;
    }
  }
}

TEST(PtxLaneInteger, CarriesAndBorrowsOfSums) {
  for (const Type type : kWithCarry) {
    const std::string end = std::string(".") + name_of(type);
    const auto sum = [](const LaneValues& v, bool in) { return Big{v[0]} + v[1] + in; };
    const auto difference = [](const LaneValues& v, bool in) { return Big{v[0]} - v[1] - in; };
    const std::vector<Type> types = {type, type, type};
    expect_carries(spelled("add.cc" + end, types), type, true,
                   [=](const LaneValues& v, bool) { return sum(v, false); });
    expect_carries(spelled("addc" + end, types), type, false, sum);
    expect_carries(spelled("addc.cc" + end, types), type, true, sum);
    expect_carries(spelled("sub.cc" + end, types), type, true,
                   [=](const LaneValues& v, bool) { return difference(v, false); });
    expect_carries(spelled("subc" + end, types), type, false, difference);
    expect_carries(spelled("subc.cc" + end, types), type, true, difference);
  }
}

TEST(PtxLaneInteger, CarriesOfProducts) {
  for (const Type type : kWithCarry)
    for (const bool high : {false, true}) {
      const std::string end = std::string(high ? ".hi" : ".lo");
      const std::vector<Type> types = {type, type, type, type};
      const auto sum = [=](const LaneValues& v, bool in) {
        __extension__ using Bits = unsigned __int128;
        const Bits product =
            static_cast<Bits>(number_of(type, v[0])) * static_cast<Bits>(number_of(type, v[1]));
        const auto part =
            static_cast<std::uint64_t>(high ? product >> bits_of(type) : product) & mask_of(type);
        return Big{part} + v[2] + in;
      };
      const auto alone = [=](const LaneValues& v, bool) { return sum(v, false); };
      const std::string name = name_of(type);
      expect_carries(spelled("mad" + end + ".cc." + name, types), type, true, alone);
      expect_carries(spelled("madc" + end + "." + name, types), type, false, sum);
      expect_carries(spelled("madc" + end + ".cc." + name, types), type, true, sum);
    }
}

TEST(PtxLaneInteger, FourWordsAddUpTo128Bits) {
  LaneRig first("add.cc.u32 %u32_0, %u32_1, %u32_2");
  LaneRig next("addc.cc.u32 %u32_0, %u32_1, %u32_2");
  std::mt19937_64 random(3);
  std::array<std::array<std::uint32_t, 8>, kWarpLanes> words{};
  for (auto& lane : words)
    for (std::uint32_t& word : lane) word = random() % 3 == 0 ? static_cast<std::uint32_t>(random()) : ~0U;
  std::array<Big, kWarpLanes> sums{};
  std::uint32_t carry = 0;
  for (std::size_t word = 0; word < 4; ++word) {
    LaneRig& rig = word == 0 ? first : next;
    for (std::size_t lane = 0; lane < kWarpLanes; ++lane) {
      rig.set(0, lane, words[lane][word]);
      rig.set(1, lane, words[lane][4 + word]);
    }
    rig.set_carry(carry);
    rig.run();
    carry = rig.carry();
    for (std::size_t lane = 0; lane < kWarpLanes; ++lane) sums[lane] |= Big{rig.result(lane)} << (32 * word);
  }
  for (std::size_t lane = 0; lane < kWarpLanes; ++lane) {
    __extension__ using Bits = unsigned __int128;
    std::array<Bits, 2> values{};
    for (std::size_t word = 0; word < 8; ++word)
      values[word / 4] |= Bits{words[lane][word]} << (32 * (word % 4));
    EXPECT_TRUE(static_cast<Bits>(sums[lane]) == values[0] + values[1]);
  }
}

}  // namespace
}  // namespace heddle::ptx
