// The conformance of every registered replacement policy, and the behaviour of each on access patterns whose
// hits are known in closed form.

#include "policies/replacement/i_replacement.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <vector>

#include "models/cache/tag_array.h"
#include "models/core/base/random.h"
#include "tests/support/policy_names.h"

namespace heddle {
namespace {

// One set of a cache without time. A line is filled by the access that misses it.
class OneSet {
 public:
  OneSet(const PolicyChoice& policy, std::uint32_t ways)
      : tags_({1, ways, 128, 32, SetHash::kNone, policy}) {}

  bool access(Address number) {
    TagArray::Line line = tags_.find(0, number * 128);
    const bool hit = line != TagArray::kNone;
    if (hit) {
      tags_.touch(line);
    } else {
      line = tags_.victim(0);
      tags_.install(line, number * 128);
    }
    last_ = line;
    return hit;
  }
  std::uint32_t last_way() const { return last_; }
  std::uint64_t hits(const std::vector<Address>& numbers) {
    return static_cast<std::uint64_t>(
        std::count_if(numbers.begin(), numbers.end(), [this](Address number) { return access(number); }));
  }

 private:
  TagArray tags_;
  std::uint32_t last_ = 0;
};

std::vector<Address> cycle_of(std::uint64_t lines, std::uint64_t rounds) {
  std::vector<Address> numbers;
  for (std::uint64_t i = 0; i < lines * rounds; ++i) numbers.push_back(i % lines);
  return numbers;
}

// ---- every policy

class EveryReplacement : public testing::TestWithParam<PolicyName> {
 protected:
  PolicyChoice choice() const { return {GetParam().name, {}}; }
};

TEST_P(EveryReplacement, KeepsALoopThatFitsIntoTheSet) {
  for (std::uint32_t ways = 1; ways <= 17; ++ways)
    for (std::uint64_t lines = 1; lines <= ways; ++lines)
      EXPECT_EQ(OneSet(choice(), ways).hits(cycle_of(lines, 5)), 4 * lines) << ways << " " << lines;
}

TEST_P(EveryReplacement, FillsEmptyWaysInOrder) {
  OneSet set(choice(), 6);
  for (Address number = 0; number < 6; ++number) {
    set.access(number);
    EXPECT_EQ(set.last_way(), number);
    set.access(0);
  }
}

TEST_P(EveryReplacement, NeverEvictsALockedLineAndAnswersTheSameWhenAskedAgain) {
  Random random(5);
  for (std::uint32_t ways = 1; ways <= 12; ++ways) {
    constexpr std::uint32_t kSets = 3;
    const auto policy = PolicyRegistry<Replacement>::make(choice());
    policy->resize(kSets, ways);
    std::vector<LineUse> lines(std::size_t{kSets} * ways);
    std::uint64_t clock = 0;
    for (std::uint32_t i = 0; i < kSets * ways; ++i) {
      ++clock;
      lines[i] = {clock, clock, false};
      policy->installed(i / ways, i % ways);
    }
    for (int step = 0; step < 2000; ++step) {
      const auto set = static_cast<std::uint32_t>(random.below(kSets));
      LineUse* const first = &lines[std::size_t{set} * ways];
      const auto used = static_cast<std::uint32_t>(random.below(ways));
      first[used].used = ++clock;
      policy->used(set, used);
      const std::uint64_t odds = random.below(4);
      for (std::uint32_t way = 0; way < ways; ++way) first[way].locked = random.below(4) < odds;
      const std::uint32_t victim = policy->victim(set, first, ways);
      const bool all = std::all_of(first, first + ways, [](const LineUse& line) { return line.locked; });
      ASSERT_EQ(victim == Replacement::kNone, all);
      ASSERT_EQ(policy->victim(set, first, ways), victim);
      if (all) continue;
      ASSERT_LT(victim, ways);
      ASSERT_FALSE(first[victim].locked);
      ++clock;
      first[victim] = {clock, clock, false};
      policy->installed(set, victim);
    }
  }
}

HEDDLE_CONFORMANCE(EveryReplacement, Replacement);

// ---- closed forms

// Returns the hits of line 0. Between two uses of it, `streams` other lines are accessed once each.
std::uint64_t hits_beside_a_stream(const char* policy, std::uint32_t ways, std::uint64_t streams) {
  OneSet set({policy, {}}, ways);
  std::uint64_t hits = 0;
  for (std::uint64_t i = 1; i <= streams; ++i) {
    hits += set.access(0) ? 1 : 0;
    EXPECT_FALSE(set.access(i));
  }
  return hits;
}

TEST(Replacement, LruAndFifoMissAllOfALoopOneLineTooLong) {
  for (const char* policy : {"lru", "fifo"})
    for (const std::uint32_t ways : {1u, 2u, 4u, 7u, 16u})
      EXPECT_EQ(OneSet({policy, {}}, ways).hits(cycle_of(ways + 1, 10)), 0u) << policy << " " << ways;
}

TEST(Replacement, LruAndTreePlruKeepTheLineUsedLast) {
  for (const char* policy : {"lru", "tree-plru"})
    for (const std::uint32_t ways : {2u, 3u, 4u, 8u, 13u})
      EXPECT_EQ(hits_beside_a_stream(policy, ways, 100), 99u) << policy << " " << ways;
}

// The install number `ways` after its own evicts a line.
TEST(Replacement, FifoEvictsAUsedLineAllTheSame) {
  for (const std::uint32_t ways : {2u, 3u, 4u, 8u})
    for (const std::uint64_t streams : {1u, 8u, 99u, 100u})
      EXPECT_EQ(hits_beside_a_stream("fifo", ways, streams), streams - (streams + ways - 1) / ways) << ways;
}

TEST(Replacement, FifoHasBeladysAnomaly) {
  const std::vector<Address> numbers{1, 2, 3, 4, 1, 2, 5, 1, 2, 3, 4, 5};
  EXPECT_EQ(OneSet({"fifo", {}}, 3).hits(numbers), 12u - 9u);
  EXPECT_EQ(OneSet({"fifo", {}}, 4).hits(numbers), 12u - 10u);
  EXPECT_EQ(OneSet({"lru", {}}, 3).hits(numbers), 12u - 10u);
  EXPECT_EQ(OneSet({"lru", {}}, 4).hits(numbers), 12u - 8u);
}

TEST(Replacement, TreePlruAlternatesBetweenTheHalves) {
  OneSet set({"tree-plru", {}}, 8);
  for (Address number = 0; number < 8; ++number) set.access(number);
  std::vector<std::uint32_t> order;
  for (Address number = 8; number < 16; ++number) {
    set.access(number);
    order.push_back(set.last_way());
  }
  EXPECT_EQ(order, (std::vector<std::uint32_t>{0, 4, 2, 6, 1, 5, 3, 7}));
}

// The tree as hardware stores it, with one bit for each inner node, which every use sets.
class TreeOfBits {
 public:
  explicit TreeOfBits(std::uint32_t ways) : ways_(ways), right_(ways) {}
  void use(std::uint32_t way) {
    for (std::uint32_t node = ways_ + way; node > 1; node /= 2) right_[node / 2] = node % 2 == 0;
  }
  std::uint32_t victim() const {
    std::uint32_t node = 1;
    while (node < ways_) node = 2 * node + (right_[node] ? 1 : 0);
    return node - ways_;
  }

 private:
  std::uint32_t ways_;
  std::vector<bool> right_;  // by node; true if the victim is in the right half
};

TEST(Replacement, TreePlruIsTheTreeOfBits) {
  Random random(11);
  for (const std::uint32_t ways : {1u, 2u, 4u, 8u, 16u}) {
    OneSet set({"tree-plru", {}}, ways);
    TreeOfBits tree(ways);
    for (std::uint32_t i = 0; i < 5000; ++i) {
      const std::uint32_t victim = tree.victim();
      if (!set.access(i < ways ? i : random.below(3 * ways)) && i >= ways) {
        ASSERT_EQ(set.last_way(), victim);
      }
      tree.use(set.last_way());
    }
  }
}

// Returns how many of `lines` lines that were used twice survive a scan of `scan` other lines. Under SRRIP
// all survive a scan of up to (2^bits - 1) (ways - lines) lines (Jaleel et al., Section 4.1). Under LRU they
// survive a scan of up to ways - lines lines.
std::uint64_t hits_after_a_scan(const PolicyChoice& policy, std::uint32_t ways, std::uint64_t lines,
                                std::uint64_t scan) {
  OneSet set(policy, ways);
  set.hits(cycle_of(lines, 2));
  for (std::uint64_t i = 0; i < scan; ++i) EXPECT_FALSE(set.access(1000 + i));
  return set.hits(cycle_of(lines, 1));
}

TEST(Replacement, SrripResistsAScanAsLongAsItsPredictionsReach) {
  for (const std::uint32_t ways : {4u, 8u, 16u})
    for (const std::uint64_t lines : {1u, 2u, 3u}) {
      for (const int bits : {1, 2, 3}) {
        const PolicyChoice srrip{"srrip", {{"bits", PolicyValue(bits)}}};
        const std::uint64_t longest = ((1u << bits) - 1) * (ways - lines);
        EXPECT_EQ(hits_after_a_scan(srrip, ways, lines, longest), lines) << ways << " " << bits;
        EXPECT_LT(hits_after_a_scan(srrip, ways, lines, longest + 1), lines) << ways << " " << bits;
      }
      for (const char* policy : {"lru", "fifo"}) {
        EXPECT_EQ(hits_after_a_scan({policy, {}}, ways, lines, ways - lines), lines);
        EXPECT_LT(hits_after_a_scan({policy, {}}, ways, lines, ways - lines + 1), lines);
      }
    }
}

}  // namespace
}  // namespace heddle
