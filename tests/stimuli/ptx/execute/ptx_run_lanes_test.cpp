// Exchange between lanes with some lanes inactive: shfl, vote, match and activemask.

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <random>

#include "tests/support/ptx/ptx_run.h"
#include "tests/support/ptx/ptx_text.h"

namespace heddle::ptx {
namespace {

constexpr std::size_t kRounds = 40;
constexpr std::size_t kInputs = 6;   // words per lane and round
constexpr std::size_t kOutputs = 2;  // words per lane and round
constexpr std::uint32_t kBefore = 0x5a5a5a5a;

using Lane = std::array<std::uint64_t, kInputs>;
// The results of a round: two words of each active lane.
using Results = std::array<std::array<std::uint64_t, kOutputs>, 32>;

// Runs `text` in blocks, one per round. The words of a lane are in %rd10 to %rd14 and %r10 to %r14. The last
// word states whether the lane is active, by a guard `G` or by a branch. The results are %r20 and %p20.
Results run_round(const std::string& text, const std::array<Lane, 32>& lanes, bool by_guard) {
  std::string body = fmt::format("mul.wide.u32 %rd2, %r0, {}; add.u64 %rd2, %rd1, %rd2;\n", 8 * kInputs);
  for (std::size_t i = 0; i < kInputs; ++i)
    body += fmt::format("ld.global.u64 %rd{0}, [%rd2+{1}]; cvt.u32.u64 %r{0}, %rd{0};\n", 10 + i, 8 * i);
  body += fmt::format("mov.u32 %r20, {}; setp.eq.u32 %p20, %r0, 77; setp.ne.u32 %p1, %r15, 0;\n", kBefore);
  body += "and.b32 %r9, %r13, 1; setp.ne.u32 %p2, %r9, 0;\n";
  body += by_guard ? "@%p1 " + text + "\n" : "@!%p1 bra OVER;\n" + text + "\nOVER:\n";
  body += "selp.u32 %r21, 1, 0, %p20; mul.wide.u32 %rd2, %r0, 16; add.u64 %rd2, %rd0, %rd2;\n";
  body += "cvt.u64.u32 %rd3, %r20; cvt.u64.u32 %rd4, %r21; st.global.v2.u64 [%rd2], {%rd3, %rd4};\n";
  std::vector<std::uint64_t> input;
  for (const Lane& lane : lanes) input.insert(input.end(), lane.begin(), lane.end());
  const std::vector<std::uint64_t> words = words_of(body, 32 * kOutputs, input);
  Results results;
  std::memcpy(&results, words.data(), sizeof(results));
  return results;
}

std::array<Lane, 32> random_lanes(std::mt19937_64& random) {
  std::array<Lane, 32> lanes;
  const std::uint64_t style = random() % 4;
  const std::uint64_t on = style == 0   ? ~std::uint64_t{0}
                           : style == 1 ? std::uint64_t{1} << random() % 32
                                        : random() | 1;
  for (std::size_t lane = 0; lane < 32; ++lane) {
    for (std::uint64_t& word : lanes[lane]) word = random();
    lanes[lane][5] = on >> lane & 1U;
  }
  return lanes;
}

std::uint32_t active_of(const std::array<Lane, 32>& lanes) {
  std::uint32_t active = 0;
  for (std::uint32_t lane = 0; lane < 32; ++lane)
    if (lanes[lane][5] != 0) active |= 1U << lane;
  return active;
}

void expect_round(const std::string& text, const std::array<Lane, 32>& lanes, const Results& wanted) {
  for (const bool by_guard : {true, false}) {
    const Results results = run_round(text, lanes, by_guard);
    for (std::size_t lane = 0; lane < 32; ++lane)
      for (std::size_t i = 0; i < kOutputs; ++i)
        ASSERT_EQ(results[lane][i], wanted[lane][i])
            << text << " lane " << lane << " word " << i << " guard " << by_guard;
  }
}

Results untouched() {
  Results results;
  for (auto& lane : results) lane = {kBefore, 0};
  return results;
}

// Returns the result of the pseudocode of PTX ISA, shfl, for one lane.
std::pair<std::uint32_t, bool> shuffled(Variant mode, std::int32_t lane, std::uint32_t b, std::uint32_t c) {
  const auto bval = static_cast<std::int32_t>(b & 0x1fU);
  const auto cval = static_cast<std::int32_t>(c & 0x1fU);
  const auto segmask = static_cast<std::int32_t>(c >> 8U & 0x1fU);
  const std::int32_t max_lane = (lane & segmask) | (cval & ~segmask);
  const std::int32_t min_lane = lane & segmask;
  std::int32_t j = 0;
  bool inside = false;
  switch (mode) {
    case Variant::kUp:
      j = lane - bval;
      inside = j >= max_lane;
      break;
    case Variant::kDown:
      j = lane + bval;
      inside = j <= max_lane;
      break;
    case Variant::kBfly:
      j = lane ^ bval;
      inside = j <= max_lane;
      break;
    default:
      j = min_lane | (bval & ~segmask);
      inside = j <= max_lane;
  }
  return {static_cast<std::uint32_t>(inside ? j : lane), inside};
}

TEST(PtxShuffles, EverySpellingFollowsThePseudocode) {
  std::mt19937_64 random(5);
  const std::uint64_t clamps[] = {0x1f, 0, 0x0f, 0x181f, 0x1c1f, 0x1000, 0x101f, 0x1e1f, 0x1f1f};
  for (const Spelling& spelling : spellings_of("shfl"))
    for (std::size_t round = 0; round < kRounds; ++round) {
      std::array<Lane, 32> lanes = random_lanes(random);
      const bool uniform = round % 2 == 0;
      for (Lane& lane : lanes) {
        lane[1] = uniform ? lanes[0][1] : lane[1];
        lane[2] = uniform ? clamps[round / 2 % std::size(clamps)] : lane[2];
        lane[4] = active_of(lanes);
      }
      const bool sync = spelling.text.find(".sync") != std::string::npos;
      const bool predicate = round % 3 != 0;
      const std::string text = fmt::format("{} %r20{}, %r10, %r11, %r12{};", spelling.text,
                                           predicate ? "|%p20" : "", sync ? ", %r14" : "");
      Results wanted = untouched();
      for (std::uint32_t lane = 0; lane < 32; ++lane) {
        if (lanes[lane][5] == 0) continue;
        const auto [from, inside] =
            shuffled(spelling.fields.variant, static_cast<std::int32_t>(lane),
                     static_cast<std::uint32_t>(lanes[lane][1]), static_cast<std::uint32_t>(lanes[lane][2]));
        const bool is_member = !sync || lanes[from][5] != 0;  // a lane that the mask lacks is read as 0
        wanted[lane] = {is_member ? static_cast<std::uint32_t>(lanes[from][0]) : 0,
                        predicate && inside ? 1U : 0U};
      }
      expect_round(text, lanes, wanted);
    }
}

TEST(PtxShuffles, ADestinationMayBeTheSourceOrUnwanted) {
  EXPECT_EQ(
      words_of("mov.u32 %r1, %r0; shfl.sync.bfly.b32 %r1, %r1, 1, 31, -1; shfl.sync.up.b32 _|%p1, %r1, 1, "
               "0, -1; selp.u32 %r2, 100, 200, %p1; add.u32 %r1, %r1, %r2; mul.wide.u32 %rd2, %r0, 8; "
               "add.u64 %rd2, %rd0, %rd2; cvt.u64.u32 %rd3, %r1; st.global.u64 [%rd2], %rd3;",
               32)[5],
      104u);
}

// Returns the members that a lane names: one set, two halves, or the active lanes.
std::uint32_t members_of(std::size_t round, std::uint32_t lane, std::uint32_t active) {
  if (round % 3 == 0) return ~0U;
  if (round % 3 == 1) return lane < 16 ? 0xffffU : 0xffff0000U;
  return active;
}

TEST(PtxVotes, EverySpellingCountsTheLanesThatAreOnAndNamed) {
  std::mt19937_64 random(6);
  for (const Spelling& spelling : spellings_of("vote"))
    for (std::size_t round = 0; round < kRounds; ++round) {
      std::array<Lane, 32> lanes = random_lanes(random);
      const std::uint32_t active = active_of(lanes);
      const bool sync = spelling.text.find(".sync") != std::string::npos;
      const bool negated = round % 2 == 1;
      const std::uint64_t style = random() % 3;
      std::uint32_t holds = 0;
      for (std::uint32_t lane = 0; lane < 32; ++lane) {
        if (style < 2) lanes[lane][3] = style;
        lanes[lane][4] = members_of(round, lane, active);
        if (((lanes[lane][3] & 1U) != 0) != negated) holds |= 1U << lane;
      }
      const bool ballot = spelling.fields.variant == Variant::kBallot;
      const std::string text = fmt::format("{} {}, {}%p2{};", spelling.text, ballot ? "%r20" : "%p20",
                                           negated ? "!" : "", sync ? ", %r14" : "");
      Results wanted = untouched();
      for (std::uint32_t lane = 0; lane < 32; ++lane) {
        if (lanes[lane][5] == 0) continue;
        const std::uint32_t group = sync ? active & static_cast<std::uint32_t>(lanes[lane][4]) : active;
        const std::uint32_t those = holds & group;
        if (ballot) wanted[lane][0] = those;
        if (spelling.fields.variant == Variant::kAll) wanted[lane][1] = those == group ? 1 : 0;
        if (spelling.fields.variant == Variant::kAny) wanted[lane][1] = those != 0 ? 1 : 0;
        if (spelling.fields.variant == Variant::kUni) wanted[lane][1] = those == 0 || those == group ? 1 : 0;
      }
      expect_round(text, lanes, wanted);
    }
}

TEST(PtxMatches, EverySpellingComparesTheLanesThatAreOnAndNamed) {
  std::mt19937_64 random(8);
  for (const Spelling& spelling : spellings_of("match"))
    for (std::size_t round = 0; round < kRounds; ++round) {
      std::array<Lane, 32> lanes = random_lanes(random);
      const std::uint32_t active = active_of(lanes);
      const bool wide = bits_of(spelling.fields.type) == 64;
      const bool all = spelling.fields.variant == Variant::kAll;
      const std::uint64_t values = 1 + random() % 4;
      for (std::uint32_t lane = 0; lane < 32; ++lane) {
        lanes[lane][0] = (random() % values) << (wide ? 32U : 0U);
        lanes[lane][4] = members_of(round, lane, active);
      }
      const bool predicate = all && round % 2 == 0;
      const std::string text = fmt::format("{} %r20{}, {}, %r14;", spelling.text, predicate ? "|%p20" : "",
                                           wide ? "%rd10" : "%r10");
      Results wanted = untouched();
      for (std::uint32_t lane = 0; lane < 32; ++lane) {
        if (lanes[lane][5] == 0) continue;
        const std::uint32_t group = active & static_cast<std::uint32_t>(lanes[lane][4]);
        std::uint32_t same = 0;
        for (std::uint32_t other = 0; other < 32; ++other)
          if ((group >> other & 1U) != 0 && lanes[other][0] == lanes[lane][0]) same |= 1U << other;
        if (!all)
          wanted[lane][0] = same;
        else
          wanted[lane] = {same == group ? group : 0U, predicate && same == group ? 1U : 0U};
      }
      expect_round(text, lanes, wanted);
    }
}

std::int64_t reduced(const Statement& fields, std::int64_t a, std::int64_t b) {
  switch (fields.variant) {
    case Variant::kAdd:
      return a + b;
    case Variant::kMin:
      return std::min(a, b);
    case Variant::kMax:
      return std::max(a, b);
    case Variant::kAnd:
      return a & b;
    case Variant::kOr:
      return a | b;
    default:
      return a ^ b;
  }
}

TEST(PtxReductions, EverySpellingReducesTheLanesThatAreOnAndNamed) {
  std::mt19937_64 random(9);
  for (const Spelling& spelling : spellings_of("redux"))
    for (std::size_t round = 0; round < kRounds; ++round) {
      std::array<Lane, 32> lanes = random_lanes(random);
      const std::uint32_t active = active_of(lanes);
      for (std::uint32_t lane = 0; lane < 32; ++lane) lanes[lane][4] = members_of(round, lane, active);
      Results wanted = untouched();
      const auto value = [&](std::uint32_t lane) -> std::int64_t {
        const auto word = static_cast<std::uint32_t>(lanes[lane][0]);
        return is_signed(spelling.fields.type) ? std::int64_t{static_cast<std::int32_t>(word)} : word;
      };
      for (std::uint32_t lane = 0; lane < 32; ++lane) {
        if (lanes[lane][5] == 0) continue;
        std::int64_t result = value(lane);
        for (std::uint32_t other = 0; other < 32; ++other)
          if (other != lane && (active & lanes[lane][4] & 1U << other) != 0)
            result = reduced(spelling.fields, result, value(other));
        wanted[lane][0] = static_cast<std::uint32_t>(result);
      }
      expect_round(spelling.text + " %r20, %r10, %r14;", lanes, wanted);
    }
}

TEST(PtxActiveMask, HasTheLanesThatAreActive) {
  std::mt19937_64 random(9);
  for (std::size_t round = 0; round < kRounds; ++round) {
    const std::array<Lane, 32> lanes = random_lanes(random);
    Results wanted = untouched();
    for (std::uint32_t lane = 0; lane < 32; ++lane)
      if (lanes[lane][5] != 0) wanted[lane][0] = active_of(lanes);
    expect_round("activemask.b32 %r20;", lanes, wanted);
  }
}

// PTX ISA, "elect.sync": one lane of the members is the leader, here the lowest.
TEST(PtxElect, TheLowestActiveMemberLeads) {
  std::mt19937_64 random(7);
  for (std::size_t round = 0; round < kRounds; ++round) {
    std::array<Lane, 32> lanes = random_lanes(random);
    const std::uint32_t active = active_of(lanes);
    for (std::uint32_t lane = 0; lane < 32; ++lane) lanes[lane][4] = members_of(round, lane, active);
    Results wanted = untouched();
    for (std::uint32_t lane = 0; lane < 32; ++lane) {
      if (lanes[lane][5] == 0) continue;
      const auto group = static_cast<std::uint32_t>(active & lanes[lane][4]);
      std::uint32_t leader = 0;
      while ((group >> leader & 1U) == 0) ++leader;
      wanted[lane] = {leader, lane == leader ? 1U : 0U};
    }
    expect_round("elect.sync %r20|%p20, %r14;", lanes, wanted);
  }
}

TEST(PtxHints, InstructionsThatOnlyAdviseChangeNothing) {
  const std::vector<std::uint64_t> words = words_of(
      "createpolicy.fractional.L2::evict_last.b64 %rd5, 0f3f000000; createpolicy.cvt.L2.b64 %rd6, %rd5;\n"
      "ld.global.L2::cache_hint.u64 %rd3, [%rd1], %rd5; applypriority.global.L2::evict_normal [%rd1], 128;\n"
      "discard.global.L2 [%rd1+8], 128; griddepcontrol.wait; griddepcontrol.launch_dependents; pmevent 3;\n"
      "pmevent.mask 12; prefetch.global.L2::evict_last [%rd1];\n"
      "st.global.L2::cache_hint.u64 [%rd0], %rd3, %rd5; st.global.u64 [%rd0+8], %rd6;",
      2, {42, 43});
  EXPECT_EQ(words, (std::vector<std::uint64_t>{42, 0}));
}

}  // namespace
}  // namespace heddle::ptx
