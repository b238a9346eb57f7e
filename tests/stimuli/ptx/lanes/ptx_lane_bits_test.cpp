// Shifts, bit fields, permutations and logic of lanes, compared with loops over single bits.

#include "tests/support/ptx/ptx_lane_values.h"
#include "tests/support/ptx/ptx_numbers.h"

namespace heddle::ptx {
namespace {

bool bit(std::uint64_t value, std::uint64_t index) {
  return index < 64 && ((value >> index) & 1U) != 0;
}

// Returns the number whose bit i is bit(i), which is the notation of the manual.
std::uint64_t built(std::uint64_t bits, const std::function<bool(std::uint64_t)>& value) {
  std::uint64_t result = 0;
  for (std::uint64_t i = 0; i < bits; ++i) result |= std::uint64_t{value(i)} << i;
  return result;
}

TEST(PtxLaneBits, LogicOfEveryWidthAndOfPredicates) {
  for (const Type type : {Type::kB16, Type::kB32, Type::kB64, Type::kPred}) {
    const std::string end = std::string(".") + name_of(type);
    const std::uint64_t mask = type == Type::kPred ? 1 : mask_of(type);
    const std::vector<Type> types = {type, type, type};
    expect_lanes(spelled("and" + end, types), [](const LaneValues& v) { return v[0] & v[1]; });
    expect_lanes(spelled("or" + end, types), [](const LaneValues& v) { return v[0] | v[1]; });
    expect_lanes(spelled("xor" + end, types), [](const LaneValues& v) { return v[0] ^ v[1]; });
    expect_lanes(spelled("not" + end, {type, type}), [mask](const LaneValues& v) { return ~v[0] & mask; });
  }
}

TEST(PtxLaneBits, ShiftsPastTheWidthShiftAllOut) {
  for (const Type type : {Type::kB16, Type::kB32, Type::kB64, Type::kU16, Type::kU32, Type::kU64, Type::kS16,
                          Type::kS32, Type::kS64}) {
    const std::string name = name_of(type);
    const std::uint64_t bits = bits_of(type);
    const std::vector<Type> types = {type, type, Type::kU32};
    if (class_of(type) == TypeClass::kBits)
      expect_lanes(spelled("shl." + name, types), [bits](const LaneValues& v) {
        return built(bits, [&](std::uint64_t i) { return i >= v[1] && bit(v[0], i - v[1]); });
      });
    const bool has_sign = is_signed(type);
    expect_lanes(spelled("shr." + name, types), [bits, has_sign](const LaneValues& v) {
      return built(bits, [&](std::uint64_t i) {
        return i + v[1] < bits ? bit(v[0], i + v[1]) : has_sign && bit(v[0], bits - 1);
      });
    });
  }
}

TEST(PtxLaneBits, OneCountOfAllLanesShiftsAsManyDo) {
  for (const std::uint32_t count : {0U, 1U, 31U, 32U, 63U, 64U, 0x80000001U}) {
    LaneRig left("shl.b64 %b64_0, %b64_1, %u32_2");
    LaneRig right("shr.s32 %s32_0, %s32_1, %u32_2");
    for (std::size_t lane = 0; lane < kWarpLanes; ++lane) {
      left.set(0, lane, 0xfedcba9876543210U + lane);
      right.set(0, lane, 0xfedcba98U + lane);
      left.set(1, lane, count);
      right.set(1, lane, count);
    }
    left.run();
    right.run();
    for (std::size_t lane = 0; lane < kWarpLanes; ++lane) {
      EXPECT_EQ(left.result(lane), count < 64 ? (0xfedcba9876543210U + lane) << count : 0) << count;
      const std::int64_t wide = static_cast<std::int32_t>(0xfedcba98U + lane);
      EXPECT_EQ(right.result(lane), static_cast<std::uint32_t>(wide >> std::min(count, 63U))) << count;
    }
  }
}

TEST(PtxLaneBits, FunnelShiftsWrapOrClamp) {
  for (const bool left : {false, true})
    for (const bool clamp : {false, true}) {
      const std::string name =
          std::string("shf.") + (left ? "l" : "r") + (clamp ? ".clamp" : ".wrap") + ".b32";
      expect_lanes(spelled(name, {Type::kB32, Type::kB32, Type::kB32, Type::kU32}), [=](const LaneValues& v) {
        const std::uint64_t n = clamp ? std::min<std::uint64_t>(v[2], 32) : v[2] & 31U;
        const std::uint64_t start = left ? 32 - n : n;
        return built(32, [&](std::uint64_t i) {
          const std::uint64_t from = start + i;
          return from < 32 ? bit(v[0], from) : bit(v[1], from - 32);
        });
      });
    }
}

TEST(PtxLaneBits, FieldsAreExtractedWithTheirSign) {
  for (const Type type : {Type::kU32, Type::kS32, Type::kU64, Type::kS64}) {
    const std::uint64_t last = bits_of(type) - 1;
    const bool has_sign = is_signed(type);
    const auto reference = [=](const LaneValues& v) {
      const std::uint64_t position = v[1] & 0xffU;
      const std::uint64_t length = v[2] & 0xffU;
      const bool sign = has_sign && length != 0 && bit(v[0], std::min(position + length - 1, last));
      return built(last + 1, [&](std::uint64_t i) {
        return i < length && position + i <= last ? bit(v[0], position + i) : sign;
      });
    };
    expect_lanes(spelled(std::string("bfe.") + name_of(type), {type, type, Type::kU32, Type::kU32}),
                 reference, 256);
  }
}

TEST(PtxLaneBits, FieldsAreInserted) {
  for (const Type type : {Type::kB32, Type::kB64}) {
    const std::uint64_t bits = bits_of(type);
    const auto reference = [=](const LaneValues& v) {
      const std::uint64_t position = v[2] & 0xffU;
      const std::uint64_t length = v[3] & 0xffU;
      return built(bits, [&](std::uint64_t i) {
        return i >= position && i < position + length ? bit(v[0], i - position) : bit(v[1], i);
      });
    };
    expect_lanes(spelled(std::string("bfi.") + name_of(type), {type, type, type, Type::kU32, Type::kU32}),
                 reference, 256);
  }
}

TEST(PtxLaneBits, TheHighestBitIsFound) {
  for (const Type type : {Type::kU32, Type::kS32, Type::kU64, Type::kS64})
    for (const bool shift : {false, true}) {
      const std::uint64_t last = bits_of(type) - 1;
      const bool has_sign = is_signed(type);
      const std::string name = std::string("bfind") + (shift ? ".shiftamt." : ".") + name_of(type);
      expect_lanes(spelled(name, {Type::kU32, type}), [=](const LaneValues& v) -> std::uint64_t {
        const bool sign = has_sign && bit(v[0], last);
        for (std::uint64_t i = last + 1; i-- > 0;)
          if (bit(v[0], i) != sign) return shift ? last - i : i;
        return 0xffffffffU;
      });
    }
}

TEST(PtxLaneBits, BitsAreCountedAndReversed) {
  for (const Type type : {Type::kB32, Type::kB64}) {
    const std::string end = std::string(".") + name_of(type);
    const std::uint64_t bits = bits_of(type);
    expect_lanes(spelled("popc" + end, {Type::kU32, type}), [=](const LaneValues& v) {
      std::uint64_t count = 0;
      for (std::uint64_t i = 0; i < bits; ++i) count += bit(v[0], i) ? 1 : 0;
      return count;
    });
    expect_lanes(spelled("clz" + end, {Type::kU32, type}), [=](const LaneValues& v) {
      std::uint64_t count = 0;
      while (count < bits && !bit(v[0], bits - 1 - count)) ++count;
      return count;
    });
    expect_lanes(spelled("brev" + end, {type, type}), [=](const LaneValues& v) {
      return built(bits, [&](std::uint64_t i) { return bit(v[0], bits - 1 - i); });
    });
  }
}

TEST(PtxLaneBits, MasksWrapOrClamp) {
  for (const bool clamp : {false, true}) {
    const std::string name = std::string("bmsk.") + (clamp ? "clamp" : "wrap") + ".b32";
    expect_lanes(spelled(name, {Type::kB32, Type::kU32, Type::kU32}), [=](const LaneValues& v) {
      const std::uint64_t start = clamp ? v[0] : v[0] & 31U;
      const std::uint64_t length = clamp ? v[1] : v[1] & 31U;
      return built(32, [&](std::uint64_t i) { return i >= start && i < start + length; });
    });
  }
}

// The tables of the manual: the bytes that d takes, with the highest first, for c = 0, 1, 2, 3.
struct PermuteMode {
  const char* name;
  const char* rows[4];
};
constexpr PermuteMode kModes[] = {
    {".f4e", {"3210", "4321", "5432", "6543"}}, {".b4e", {"5670", "6701", "7012", "0123"}},
    {".rc8", {"0000", "1111", "2222", "3333"}}, {".ecl", {"3210", "3211", "3222", "3333"}},
    {".ecr", {"0000", "1110", "2210", "3210"}}, {".rc16", {"1010", "3232", "1010", "3232"}},
};

std::uint64_t byte_of(const LaneValues& v, std::uint64_t index) {
  return ((index < 4 ? v[0] : v[1]) >> (8 * (index % 4))) & 0xffU;
}

TEST(PtxLaneBits, BytesArePermutedInEveryMode) {
  const std::vector<Type> types = {Type::kB32, Type::kB32, Type::kB32, Type::kB32};
  expect_lanes(
      spelled("prmt.b32", types),
      [](const LaneValues& v) {
        std::uint64_t result = 0;
        for (unsigned i = 0; i < 4; ++i) {
          const std::uint64_t selector = (v[2] >> (4 * i)) & 15U;
          const std::uint64_t value = byte_of(v, selector & 7U);
          result |= (selector < 8 ? value : (value >= 128 ? 255U : 0U)) << (8 * i);
        }
        return result;
      },
      256);
  for (const PermuteMode& mode : kModes)
    expect_lanes(spelled(std::string("prmt.b32") + mode.name, types), [&mode](const LaneValues& v) {
      std::uint64_t result = 0;
      for (unsigned i = 0; i < 4; ++i) {
        const auto index = static_cast<std::uint64_t>(mode.rows[v[2] % 4][3 - i] - '0');
        result |= byte_of(v, index) << (8 * i);
      }
      return result;
    });
}

TEST(PtxLaneBits, DifferencesOfBytes) {
  for (const Type type : {Type::kU32, Type::kS32})
    for (const Type first : {Type::kU32, Type::kS32})
      for (const Type second : {Type::kU32, Type::kS32})
        for (const std::string end : {"", ".sat", ".add"}) {
          const auto number = [](Type sign, std::uint64_t word, unsigned i) {
            return number_of(is_signed(sign) ? Type::kS8 : Type::kU8, word >> (8 * i));
          };
          const auto reference = [=](const LaneValues& v) {
            Big sum = v[2];
            std::uint64_t bytes = 0;
            for (unsigned i = 0; i < 4; ++i) {
              const Big x = number(first, v[0], i) - number(second, v[1], i);
              const Big size = x < 0 ? -x : x;
              const Type byte = is_signed(type) ? Type::kS8 : Type::kU8;
              sum += size;
              bytes |= bits_of_number(byte, end == ".sat" ? clamped(byte, size) : size) << (8 * i);
            }
            return end == ".add" ? bits_of_number(type, sum) : bytes;
          };
          const std::string name =
              std::string("vabsdiff4.") + name_of(type) + "." + name_of(first) + "." + name_of(second) + end;
          expect_lanes(spelled(name, {type, first, second, type}), reference);
        }
}

// PTX ISA, "lop3": p is (d != 0) BoolOp q.
TEST(PtxLaneBits, LogicOfThreeTellsAPredicateWhetherItsResultIsZero) {
  for (const bool both : {false, true}) {
    LaneRig rig(fmt::format("lop3.{}.b32 %b32_0|%pred_0, %b32_1, %b32_2, %b32_3, 0x80, %pred_1",
                            both ? "and" : "or"));
    for (std::size_t lane = 0; lane < kWarpLanes; ++lane) {
      rig.set(0, lane, lane % 2 == 0 ? 0x0ff0U : 0);
      rig.set(1, lane, 0xff00U);
      rig.set(2, lane, 0x0fffU);
      rig.set(3, lane, 0x80);  // a & b & c
      rig.set(4, lane, lane / 2 % 2);
    }
    rig.run();
    for (std::size_t lane = 0; lane < kWarpLanes; ++lane) {
      const bool any = lane % 2 == 0;
      const bool other = lane / 2 % 2 != 0;
      EXPECT_EQ(rig.result(lane, 0), any ? 0x0f00U : 0U);
      EXPECT_EQ(rig.result(lane, 1), std::uint64_t{both ? any && other : any || other}) << lane;
    }
  }
}

// PTX ISA, "lop3": the number is what the function gives of 0xf0, 0xcc and 0xaa.
TEST(PtxLaneBits, LogicOfThreeFollowsEveryTable) {
  std::mt19937_64 random(2);
  for (std::uint32_t table = 0; table < 256; ++table) {
    LaneRig rig(fmt::format("lop3.b32 %b32_0, %b32_1, %b32_2, %b32_3, {}", table));
    for (std::size_t lane = 0; lane < kWarpLanes; ++lane) {
      for (std::size_t i = 0; i < 3; ++i) rig.set(i, lane, random() & 0xffffffffU);
      rig.set(3, lane, table);
    }
    rig.run();
    for (std::size_t lane = 0; lane < kWarpLanes; ++lane)
      ASSERT_EQ(rig.result(lane), built(32,
                                        [&](std::uint64_t i) {
                                          const auto at = [&](std::size_t source) {
                                            return bit(rig.source(source, lane), i);
                                          };
                                          return bit(table, 4U * at(0) + 2U * at(1) + at(2));
                                        }))
          << table;
  }
}

// PTX ISA, "fns": the places of the set bits are listed here, and counted from the base.
TEST(PtxLaneBits, TheNthSetBitIsFound) {
  LaneRig rig("fns.b32 %b32_0, %b32_1, %u32_2, %s32_3");
  std::mt19937_64 random(4);
  for (int round = 0; round < 400; ++round) {
    std::array<std::int32_t, kWarpLanes> wanted{};
    for (std::size_t lane = 0; lane < kWarpLanes; ++lane) {
      const auto mask =
          static_cast<std::uint32_t>(round % 2 == 0 ? random() : random() & random() & random());
      const auto base = static_cast<std::int32_t>(random() % 32);
      const auto offset = static_cast<std::int32_t>(random() % 21) - 10;
      std::vector<std::int32_t> places;
      for (std::int32_t i = 0; i < 32; ++i)
        if (bit(mask, static_cast<std::uint64_t>(i)) && (offset == 0  ? i == base
                                                         : offset > 0 ? i >= base
                                                                      : i <= base))
          places.push_back(i);
      if (offset < 0) std::reverse(places.begin(), places.end());
      const auto number = static_cast<std::size_t>(offset == 0 ? 0 : std::abs(offset) - 1);
      wanted[lane] = number < places.size() ? places[number] : -1;
      rig.set(0, lane, mask);
      rig.set(1, lane, static_cast<std::uint64_t>(base));
      rig.set(2, lane, static_cast<std::uint32_t>(offset));
    }
    rig.run();
    for (std::size_t lane = 0; lane < kWarpLanes; ++lane)
      ASSERT_EQ(static_cast<std::int32_t>(rig.result(lane)), wanted[lane]) << round;
  }
}

// PTX ISA, "szext".
TEST(PtxLaneBits, LowerBitsAreExtended) {
  for (const bool has_sign : {false, true})
    for (const bool clamp : {false, true}) {
      const Type type = has_sign ? Type::kS32 : Type::kU32;
      const std::string name = std::string("szext.") + (clamp ? "clamp." : "wrap.") + name_of(type);
      expect_lanes(spelled(name, {type, type, Type::kU32}), [=](const LaneValues& v) {
        const std::uint64_t length = clamp ? std::min<std::uint64_t>(v[1], 32) : v[1] % 32;
        return built(32, [&](std::uint64_t i) {
          return i < length ? bit(v[0], i) : has_sign && length > 0 && bit(v[0], length - 1);
        });
      });
    }
}

TEST(PtxLaneBits, RegistersAreMovedPackedAndUnpacked) {
  for (const Type type : {Type::kU16, Type::kU32, Type::kS64, Type::kF32, Type::kF64, Type::kPred})
    expect_lanes(spelled(std::string("mov.") + name_of(type), {type, type}),
                 [](const LaneValues& v) { return v[0]; });
  expect_lanes("mov.b64 %b64_0, {%b32_1, %b32_2}", [](const LaneValues& v) { return v[0] | (v[1] << 32U); });
  expect_lanes("mov.b32 %b32_0, {%b16_1, %b16_2}", [](const LaneValues& v) { return v[0] | (v[1] << 16U); });
  expect_lanes("mov.b64 %b64_0, {%b16_1, %b16_2, %b16_3, %b16_4}",
               [](const LaneValues& v) { return v[0] | (v[1] << 16U) | (v[2] << 32U) | (v[3] << 48U); });
  LaneRig rig("mov.b64 {%b16_0, _, %b16_2, %b16_3}, %b64_1");
  for (std::size_t lane = 0; lane < kWarpLanes; ++lane) rig.set(0, lane, 0x4444333322221111U + lane);
  rig.run(0xff, 7);
  EXPECT_EQ(rig.result(2, 0), 0x1113U);
  EXPECT_EQ(rig.result(2, 2), 0x3333U);
  EXPECT_EQ(rig.result(2, 3), 0x4444U);
  EXPECT_EQ(rig.result(8, 3), 7U);
}

TEST(PtxLaneBits, OneOfTwoIsSelected) {
  for (const Type type : {Type::kB16, Type::kU32, Type::kF64}) {
    const std::string name = name_of(type);
    expect_lanes(spelled("selp." + name, {type, type, type, Type::kPred}),
                 [](const LaneValues& v) { return v[2] != 0 ? v[0] : v[1]; });
    expect_lanes(spelled("slct." + name + ".s32", {type, type, type, Type::kS32}),
                 [](const LaneValues& v) { return v[2] < 0x80000000U ? v[0] : v[1]; });
    for (const bool flush : {false, true})
      expect_lanes(spelled(std::string("slct") + (flush ? ".ftz." : ".") + name + ".f32",
                           {type, type, type, Type::kF32}),
                   [flush](const LaneValues& v) {
                     const bool number = (v[2] & 0x7fffffffU) <= 0x7f800000U;
                     const std::uint64_t last_zero = flush ? 0x807fffffU : 0x80000000U;
                     const bool not_negative = v[2] < 0x80000000U || v[2] <= last_zero;
                     return number && not_negative ? v[0] : v[1];
                   });
  }
}

}  // namespace
}  // namespace heddle::ptx
