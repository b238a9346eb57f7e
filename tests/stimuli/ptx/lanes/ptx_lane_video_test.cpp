// Video instructions compared with the pseudocode of the PTX ISA, with every selector of a part.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/support/problems.h"
#include "tests/support/ptx/ptx_lane_values.h"
#include "tests/support/ptx/ptx_numbers.h"

namespace heddle::ptx {
namespace {

const std::vector<std::string> kSigns = {"u32", "s32"};
bool is_signed_name(const std::string& type) {
  return type[0] == 's';
}

// Returns part `digit` of the letter 'b' or 'h', or the whole word without a letter, with its sign.
Big part(std::uint64_t words, char letter, unsigned digit, bool has_sign) {
  const unsigned bits = letter == 'b' ? 8 : letter == 'h' ? 16 : 32;
  const Big value = (words >> (bits * digit)) & ((std::uint64_t{1} << bits) - 1);
  return has_sign && value >> (bits - 1) != 0 ? value - (Big{1} << bits) : value;
}
Big part(std::uint64_t word, const std::string& selector, bool has_sign) {
  return selector.empty() ? part(word, ' ', 0, has_sign)
                          : part(word, selector[1], static_cast<unsigned>(selector[2] - '0'), has_sign);
}

Big limited(Big value, unsigned bits, bool has_sign) {
  const Big most = (Big{1} << (has_sign ? bits - 1 : bits)) - 1;
  const Big least = has_sign ? -most - 1 : Big{0};
  return std::min(std::max(value, least), most);
}

using Function = std::function<Big(Big, Big)>;
struct Named {
  std::string name;
  Function function;
};
Big distance(Big a, Big b) {
  return a > b ? a - b : b - a;
}
const std::vector<Named> kScalar = {{"vadd", [](Big a, Big b) { return a + b; }},
                                    {"vsub", [](Big a, Big b) { return a - b; }},
                                    {"vabsdiff", distance},
                                    {"vmin", [](Big a, Big b) { return std::min(a, b); }},
                                    {"vmax", [](Big a, Big b) { return std::max(a, b); }}};
const std::vector<Named> kComparisons = {
    {"eq", [](Big a, Big b) { return Big{a == b}; }}, {"ne", [](Big a, Big b) { return Big{a != b}; }},
    {"lt", [](Big a, Big b) { return Big{a < b}; }},  {"le", [](Big a, Big b) { return Big{a <= b}; }},
    {"gt", [](Big a, Big b) { return Big{a > b}; }},  {"ge", [](Big a, Big b) { return Big{a >= b}; }}};

// How a scalar instruction ends: .sat, a second operation, or a part of c that is replaced.
struct Ending {
  bool saturates = false;
  std::string second;  // "", ".add", ".min", ".max"
  std::string merged;  // "", ".b0" to ".h1"
};

std::uint64_t finished(Big value, std::uint64_t c, const Ending& ending, bool has_sign) {
  const unsigned width = ending.merged.empty() ? 32 : ending.merged[1] == 'b' ? 8 : 16;
  if (ending.saturates) value = limited(value, width, has_sign);
  const Big other = part(c, "", has_sign);
  if (ending.second == ".add") value += other;
  if (ending.second == ".min") value = std::min(value, other);
  if (ending.second == ".max") value = std::max(value, other);
  if (ending.merged.empty()) return static_cast<std::uint32_t>(value);
  const unsigned shift = width * static_cast<unsigned>(ending.merged[2] - '0');
  const std::uint64_t mask = ((std::uint64_t{1} << width) - 1) << shift;
  return (c & ~mask) | ((static_cast<std::uint64_t>(value) << shift) & mask);
}

const std::vector<Ending> kEndings = {{false, "", ""},    {true, "", ""},      {false, ".add", ""},
                                      {true, ".min", ""}, {false, ".max", ""}, {false, "", ".b0"},
                                      {true, "", ".b3"},  {true, "", ".h1"},   {false, "", ".h0"}};
const std::vector<std::string> kSelectors = {"", ".b0", ".b1", ".b2", ".b3", ".h0", ".h1"};

// `ending` stands behind the types, or behind `mode` where the instruction has one.
void expect_scalar(const std::string& start, const std::string& mode, const std::string& d,
                   const std::string& a, const std::string& b, const Function& function, std::size_t turn) {
  const Ending& ending = kEndings[turn % kEndings.size()];
  const std::string first = kSelectors[turn % kSelectors.size()];
  const std::string second = kSelectors[turn / 3 % kSelectors.size()];
  const bool has_third = !ending.second.empty() || !ending.merged.empty();
  const std::string text = start + (ending.saturates ? ".sat" : "") + mode + ending.second + " %" + d + "_0" +
                           ending.merged + ", %" + a + "_1" + first + ", %" + b + "_2" + second +
                           (has_third ? ", %" + d + "_3" : "");
  expect_lanes(
      text,
      [=](const LaneValues& v) {
        return finished(function(part(v[0], first, is_signed_name(a)), part(v[1], second, is_signed_name(b))),
                        v[2], ending, is_signed_name(d));
      },
      2);
}

TEST(PtxLaneVideo, ScalarArithmeticSelectsSaturatesCombinesAndMerges) {
  std::size_t turn = 0;
  for (const Named& named : kScalar)
    for (const std::string& d : kSigns)
      for (const std::string& a : kSigns)
        for (const std::string& b : kSigns)
          for (int i = 0; i < 9; ++i)
            expect_scalar(named.name + "." + d + "." + a + "." + b, "", d, a, b, named.function, ++turn);
}

TEST(PtxLaneVideo, ShiftsClampOrWrapTheirCount) {
  std::size_t turn = 0;
  for (const std::string& d : kSigns)
    for (const std::string& a : kSigns)
      for (const bool wraps : {false, true})
        for (const bool left : {false, true})
          for (int i = 0; i < 9; ++i)
            expect_scalar(
                std::string(left ? "vshl" : "vshr") + "." + d + "." + a + ".u32", wraps ? ".wrap" : ".clamp",
                d, a, "u32",
                [=](Big x, Big count) {
                  const Big places = wraps ? count & 31 : std::min(count, Big{32});
                  return left ? x * (Big{1} << places) : x >> places;
                },
                ++turn);
}

TEST(PtxLaneVideo, ComparisonsOfPartsGiveOneOrZero) {
  std::size_t turn = 0;
  for (const Named& named : kComparisons)
    for (const std::string& a : kSigns)
      for (const std::string& b : kSigns)
        for (int i = 0; i < 9; ++i) {
          const Ending& ending = kEndings[++turn % kEndings.size()];
          if (ending.saturates) continue;  // there is no vset.sat
          const std::string text = "vset." + a + "." + b + "." + named.name + ending.second;
          const std::string second = kSelectors[turn % kSelectors.size()];
          const bool has_third = !ending.second.empty() || !ending.merged.empty();
          expect_lanes(
              text + " %u32_0" + ending.merged + ", %" + a + "_1.h1, %" + b + "_2" + second +
                  (has_third ? ", %u32_3" : ""),
              [=](const LaneValues& v) {
                return finished(named.function(part(v[0], ".h1", is_signed_name(a)),
                                               part(v[1], second, is_signed_name(b))),
                                v[2], ending, false);
              },
              2);
        }
}

TEST(PtxLaneVideo, AMultiplicationAddsScalesAndSaturates) {
  for (const std::string& d : kSigns)
    for (const std::string& a : kSigns)
      for (const std::string& b : kSigns)
        for (const char* const plus : {"", ".po"})
          for (const char* const saturated : {"", ".sat"})
            for (const auto& [scale, shift] :
                 {std::pair{"", 0}, std::pair{".shr7", 7}, std::pair{".shr15", 15}}) {
              const bool has_sign = is_signed_name(a) || is_signed_name(b);
              const bool clamps = *saturated != 0;
              const int more = *plus != 0 ? 1 : 0;
              expect_lanes(
                  "vmad." + d + "." + a + "." + b + plus + saturated + scale + " %" + d + "_0, %" + a +
                      "_1.h0, %" + b + "_2, %" + d + "_3",
                  [=, places = shift](const LaneValues& v) -> std::uint64_t {
                    const Big sum = part(v[0], ".h0", is_signed_name(a)) * part(v[1], "", is_signed_name(b)) +
                                    part(v[2], "", has_sign) + more;
                    const Big scaled = sum >> places;
                    return static_cast<std::uint32_t>(clamps ? limited(scaled, 32, has_sign) : scaled);
                  },
                  2);
            }
}

Big average(Big a, Big b) {
  return a + b >= 0 ? (a + b + 1) / 2 : (a + b) >> 1;
}

// The digits of a selector from the lowest part on: "b7610" gives 0, 1, 6, 7.
std::vector<unsigned> digits_of(const std::string& selector) {
  std::vector<unsigned> digits;
  for (std::size_t i = selector.size(); i-- > 2;) digits.push_back(static_cast<unsigned>(selector[i] - '0'));
  return digits;
}

struct Simd {
  char letter;
  unsigned parts;
  std::string first, second, mask;  // empty: the default
};
const std::vector<Simd> kSimd = {{'h', 2, "", "", ""},          {'h', 2, ".h12", ".h03", ".h1"},
                                 {'h', 2, ".h33", "", ".h10"},  {'h', 2, "", ".h21", ".h0"},
                                 {'b', 4, "", "", ""},          {'b', 4, ".b7351", ".b0246", ".b20"},
                                 {'b', 4, ".b0000", "", ".b3"}, {'b', 4, "", ".b3210", ".b310"}};

std::string or_default(const std::string& given, const Simd& simd, const char* halves, const char* bytes) {
  return given.empty() ? std::string(simd.letter == 'h' ? halves : bytes) : given;
}

void expect_simd(const std::string& start, const std::string& d, const std::string& a, const std::string& b,
                 const Simd& simd, const std::string& ending, const Function& function) {
  const std::string text = start + ending + " %" + d + "_0" + simd.mask + ", %" + a + "_1" + simd.first +
                           ", %" + b + "_2" + simd.second + ", %" + d + "_3";
  const std::vector<unsigned> first = digits_of(or_default(simd.first, simd, ".h10", ".b3210"));
  const std::vector<unsigned> second = digits_of(or_default(simd.second, simd, ".h32", ".b7654"));
  const std::vector<unsigned> mask = digits_of(or_default(simd.mask, simd, ".h10", ".b3210"));
  const unsigned bits = 32 / simd.parts;
  expect_lanes(
      text,
      [=](const LaneValues& v) {
        const std::uint64_t both = v[1] << 32U | v[0];
        Big sum = v[2];
        std::uint64_t merged = v[2];
        for (const unsigned i : mask) {
          Big value = function(part(both, simd.letter, first[i], is_signed_name(a)),
                               part(both, simd.letter, second[i], is_signed_name(b)));
          if (ending == ".sat") value = limited(value, bits, is_signed_name(d));
          sum += value;
          const std::uint64_t place = ((std::uint64_t{1} << bits) - 1) << (bits * i);
          merged = (merged & ~place) | ((static_cast<std::uint64_t>(value) << (bits * i)) & place);
        }
        return ending == ".add" ? std::uint64_t{static_cast<std::uint32_t>(sum)} : merged;
      },
      2);
}

TEST(PtxLaneVideo, HalvesAndBytesAreSelectedMergedAndAccumulated) {
  std::vector<Named> all = kScalar;
  all.push_back({"vavrg", average});
  std::size_t turn = 0;
  for (const Named& named : all)
    for (const char* const ending : {"", ".sat", ".add"})
      for (const std::string& d : kSigns)
        for (const std::string& a : kSigns)
          for (const std::string& b : kSigns)
            for (int i = 0; i < 3; ++i) {
              const Simd& simd = kSimd[turn++ % kSimd.size()];
              const std::string start = named.name + std::to_string(simd.parts) + "." + d + "." + a + "." + b;
              expect_simd(start, d, a, b, simd, ending, named.function);
            }
}

TEST(PtxLaneVideo, HalvesAndBytesAreCompared) {
  std::size_t turn = 0;
  for (const Named& named : kComparisons)
    for (const std::string& a : kSigns)
      for (const char* const ending : {"", ".add"})
        for (int i = 0; i < 3; ++i) {
          const Simd& simd = kSimd[turn++ % kSimd.size()];
          const std::string start = "vset" + std::to_string(simd.parts) + "." + a + ".u32." + named.name;
          expect_simd(start, "u32", a, "u32", simd, ending, named.function);
        }
}

TEST(PtxLaneVideo, ASelectorThatTheOperandCannotHaveIsRefused) {
  const auto problems = [](const std::string& text) {
    return test::problems_of([&] { parse(kernel(text)); });
  };
  const auto refuses = [&](const std::string& text, const std::string& message) {
    EXPECT_THAT(problems(text), testing::ElementsAre(testing::HasSubstr(message))) << text;
  };
  refuses("vadd.u32.u32.u32 %u32_0, %u32_1.b4, %u32_2;",
          "t.ptx:8:26: '.b4' selects no part of '%u32_1' here");
  refuses("vadd.u32.u32.u32 %u32_0, %u32_1.h10, %u32_2;", "selects no part");
  refuses("vadd2.u32.u32.u32 %u32_0.h01, %u32_1, %u32_2, %u32_3;", "'.h01' selects no part");
  refuses("vadd2.u32.u32.u32 %u32_0, %u32_1.b10, %u32_2, %u32_3;", "'.b10' selects no part");
  refuses("vadd4.u32.u32.u32 %u32_0, %u32_1.b8210, %u32_2, %u32_3;", "selects no part");
  refuses("vadd.u32.u32.u32 %u32_0.b1, %u32_1, %u32_2;", "a selected part of the destination needs a third");
  refuses("vadd.u32.u32.u32 %u32_0, %u32_1, %u32_2, %u32_3;", "a third source needs a selected part");
  refuses("add.u32 %u32_0, %u32_1.b1, %u32_2;", "'%u32_1.b1' is no special register");
}

}  // namespace
}  // namespace heddle::ptx
