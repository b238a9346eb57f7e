// Groups of counters and formulas: names, order, walks and what they refuse.

#include "models/stats/group.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <functional>
#include <limits>
#include <stdexcept>
#include <string>
#include <vector>

#include "tests/models/stats/counted_cache.h"

namespace heddle::test {
namespace {

std::vector<std::string> paths(const Group& group) {
  std::vector<std::string> all;
  group.visit([&](const Statistic& statistic) { all.push_back(statistic.path); });
  return all;
}

std::string message_of(const std::function<void()>& misuse) {
  try {
    misuse();
  } catch (const std::logic_error& error) {
    return error.what();
  }
  return "nothing thrown";
}

TEST(NaturalOrder, ComparesRunsOfDigitsAsNumbers) {
  EXPECT_TRUE(natural_less("sm2", "sm10"));
  EXPECT_FALSE(natural_less("sm10", "sm2"));
  EXPECT_TRUE(natural_less("bank[9]", "bank[10]"));
  EXPECT_TRUE(natural_less("a2b10", "a10b2"));
  EXPECT_TRUE(natural_less("n18446744073709551616", "n18446744073709551617"));  // beyond 64 bits
}

TEST(NaturalOrder, IsAStrictTotalOrder) {
  std::vector<std::string> names = {"",    "0",   "00", "1",   "01",   "001", "9",   "10", "a", "a0",
                                    "a00", "a01", "a1", "a1b", "a01b", "a1c", "a10", "ab", "b", "\xc3\xa9"};
  for (const auto& a : names) {
    EXPECT_FALSE(natural_less(a, a)) << a;
    for (const auto& b : names) {
      EXPECT_EQ(a != b, natural_less(a, b) || natural_less(b, a)) << a << " " << b;
      EXPECT_FALSE(natural_less(a, b) && natural_less(b, a)) << a << " " << b;
      for (const auto& c : names) {
        EXPECT_LE(natural_less(a, b) && natural_less(b, c), natural_less(a, c)) << a << " " << b << " " << c;
      }
    }
  }
}

TEST(Counter, CountsByOneAndByAmount) {
  Counter counter;
  EXPECT_EQ(counter.value(), 0u);
  ++counter;
  counter += 41;
  EXPECT_EQ(counter.value(), 42u);
}

TEST(Group, WalksInCanonicalOrderWhateverTheOrderOfConstruction) {
  const std::vector<std::string> expected = {"gpu.cycles", "gpu.l2.hits", "gpu.sm2.warps", "gpu.sm10.warps"};
  std::vector<int> order = {0, 1, 2, 3};
  do {
    Group root("gpu");
    std::vector<Counter> counters(4);
    for (const int step : order) {
      if (step == 0) root.child("sm10").add(counters[0], "warps", "warps", "Warps");
      if (step == 1) root.child("sm2").add(counters[1], "warps", "warps", "Warps");
      if (step == 2) root.child("l2").add(counters[2], "hits", "accesses", "Hits");
      if (step == 3) root.add(counters[3], "cycles", "cycles", "Cycles");
    }
    EXPECT_EQ(paths(root), expected);
    EXPECT_EQ(root.counters(),
              (std::vector<const Counter*>{&counters[3], &counters[2], &counters[1], &counters[0]}));
  } while (std::next_permutation(order.begin(), order.end()));
}

TEST(Group, AResetZeroesEveryCounterBelow) {
  Counter own, below, attached;
  Group root("root"), other("other");
  root.add(own, "own", "event", "Its own");
  root.child("child").add(below, "below", "event", "Of a group below");
  other.add(attached, "attached", "event", "Of an attached group");
  root.attach(other);
  for (Counter* counter : {&own, &below, &attached}) *counter += 7;
  root.child("child").reset();
  EXPECT_EQ(own.value() + below.value() + attached.value(), 14u);
  root.reset();
  EXPECT_EQ(own.value() + below.value() + attached.value(), 0u);
}

TEST(Group, OrdersNameByNameAndNotByThePathsBytes) {
  Group root("");
  Counter a, b;
  root.child("l2-slice").add(a, "hits", "accesses", "Hits");
  root.child("l2").add(b, "hits", "accesses", "Hits");
  EXPECT_EQ(paths(root), (std::vector<std::string>{"l2.hits", "l2-slice.hits"}));
}

TEST(Group, ShowsUnitDescriptionAndLiveValues) {
  CountedCache cache("l2");
  std::vector<Statistic> seen;
  ++cache.hits;
  cache.group.visit([&](const Statistic& statistic) { seen.push_back(statistic); });
  ASSERT_EQ(seen.size(), 3u);
  EXPECT_EQ(seen[0].path, "l2.hit_rate");
  EXPECT_EQ(seen[1].unit, "accesses");
  EXPECT_EQ(seen[1].description, "Accesses that found their line");
  EXPECT_EQ(seen[1].counter->value(), 1u);
  ++cache.hits;
  EXPECT_EQ(seen[1].counter->value(), 2u);
  EXPECT_TRUE(seen[0].is_formula());
  EXPECT_EQ(seen[0].counter, nullptr);
  EXPECT_EQ(seen[0].unit, "%");
}

TEST(Group, ShowsALevelToAWalkThatAsksForLevels) {
  CountedCache cache("l2");
  double queued = 2;
  cache.group.add_level("a_queue", "request", "Requests in the queue", [&queued] { return queued; });
  std::vector<std::string> all;
  cache.group.visit_with_levels([&](const Statistic& statistic) {
    all.push_back(statistic.path);
    if (statistic.level != nullptr) {
      EXPECT_EQ((*statistic.level)(), 2);
      EXPECT_EQ(statistic.unit, "request");
      EXPECT_EQ(statistic.counter, nullptr);
      EXPECT_FALSE(statistic.is_formula());
    }
  });
  EXPECT_EQ(all.front(), "l2.a_queue");
  EXPECT_EQ(all.size(), 4u);
  EXPECT_EQ(paths(cache.group).size(), 3u);
  EXPECT_THROW(cache.group.add_level("hits", "1", "Taken", [] { return 0; }), std::logic_error);
}

TEST(Group, AttachesGroupsThatComponentsOwn) {
  Group root("gpu");
  CountedCache near("l1"), far("l2");
  root.child("memory").attach(far.group);
  root.attach(near.group);
  EXPECT_EQ(root.find("gpu.memory.l2.misses"), &far.misses);
  EXPECT_EQ(root.find("gpu.l1.misses"), &near.misses);
  EXPECT_EQ(&root.child("l1"), &near.group);
  EXPECT_EQ(far.group.find("l2.misses"), &far.misses);
}

TEST(Group, FindsCountersByTheirFullPathOnly) {
  CountedCache cache("l2");
  EXPECT_EQ(cache.group.find("l2.hits"), &cache.hits);
  for (const char* path : {"", ".", "hits", "l2", "l2.", "l2.hit", "l2.hits.", "l2.hits.x", "l2..hits",
                           "l22.hits", "l2.hit_rate", "l"}) {
    EXPECT_EQ(cache.group.find(path), nullptr) << path;
  }
  Group root("");
  root.attach(cache.group);
  EXPECT_EQ(root.find("l2.hits"), &cache.hits);
  EXPECT_EQ(root.find("l2"), nullptr);
}

TEST(Group, RefusesANameThatIsTaken) {
  CountedCache cache("l2");
  Counter counter;
  Group other("hits"), l2("l2"), root("gpu");
  const auto taken = [](const std::function<void()>& misuse) {
    EXPECT_NE(message_of(misuse).find("the name is taken"), std::string::npos);
  };
  taken([&] { cache.group.add(counter, "hits", "u", "d"); });
  taken([&] { cache.group.add(counter, "hit_rate", "u", "d"); });
  taken([&] { cache.group.add_formula("hits", "u", "d", {cache.hits}, {cache.misses}); });
  taken([&] { cache.group.attach(other); });
  taken([&] { cache.group.child("hits"); });
  root.child("l2");
  taken([&] { root.attach(l2); });
  taken([&] { root.add(counter, "l2", "u", "d"); });
  EXPECT_EQ(paths(cache.group).size(), 3u);
}

TEST(Group, RefusesAStatisticWithoutUnitOrDescription) {
  Group group("l2");
  Counter counter;
  EXPECT_EQ(message_of([&] { group.add(counter, "hits", "", "Hits"); }),
            "statistic 'hits' in group 'l2': the unit is missing");
  EXPECT_EQ(message_of([&] { group.add(counter, "hits", "accesses", ""); }),
            "statistic 'hits' in group 'l2': the description is missing");
  group.add(counter, "hits", "accesses", "Hits");
  EXPECT_THROW(group.add_formula("rate", "", "d", {counter}, {counter}), std::logic_error);
  EXPECT_THROW(group.add_formula("rate", "u", "", {counter}, {counter}), std::logic_error);
}

TEST(Group, RefusesNamesThatWouldBreakAPath) {
  Group group("l2");
  Counter counter;
  for (const char* name : {"", ".", "a.b", "a\nb", "\x7f"}) {
    EXPECT_THROW(group.add(counter, name, "u", "d"), std::logic_error);
    EXPECT_THROW(group.child(name), std::logic_error);
  }
  EXPECT_THROW(Group("a.b"), std::logic_error);
  Group unnamed("");
  EXPECT_THROW(group.attach(unnamed), std::logic_error);
}

TEST(Group, RefusesACycleAndACounterRegisteredTwice) {
  Group root("root"), below("below");
  root.child("middle").attach(below);
  EXPECT_THROW(below.attach(root), std::logic_error);
  EXPECT_THROW(root.attach(root), std::logic_error);
  Counter counter;
  root.add(counter, "a", "u", "d");
  EXPECT_EQ(message_of([&] { root.add(counter, "b", "u", "d"); }),
            "statistic 'b' in group 'root': the counter is registered as 'a' already");
}

TEST(Group, RefusesACounterThatItsTreeHasInAnotherGroup) {
  Group root("root"), below("below"), apart("apart");
  Counter first, second;
  root.child("middle").attach(below);
  below.add(first, "a", "u", "d");
  EXPECT_EQ(message_of([&] { root.add(first, "b", "u", "d"); }),
            "statistic 'b' in group 'root': the counter is registered as 'middle.below.a' already");
  apart.add(second, "c", "u", "d");
  apart.child("deep").add(first, "d", "u", "d");
  EXPECT_EQ(message_of([&] { root.attach(apart); }),
            "statistic 'd' in group 'deep': the counter is registered as 'middle.below.a' already");
  EXPECT_EQ(paths(root), (std::vector<std::string>{"root.middle.below.a"}));
}

TEST(Group, RefusesAGroupThatHasAParent) {
  Group root("root"), other("other"), below("below");
  root.attach(below);
  EXPECT_EQ(message_of([&] { other.attach(below); }),
            "statistic 'below' in group 'other': the group is attached already");
  EXPECT_THROW(other.attach(root.child("owned")), std::logic_error);
}

// The order holds whichever of two trees has more counters, and whether they are added before or after the
// attachment.
TEST(Group, KnowsItsCountersInAnyOrderOfAttaching) {
  for (const std::size_t counters : {1, 9}) {
    Group root("root"), middle("middle"), leaf("leaf");
    std::vector<Counter> mine(5), others(counters);
    for (std::size_t i = 0; i < 5; ++i) root.add(mine[i], "c" + std::to_string(i), "u", "d");
    leaf.add(others[0], "before", "u", "d");
    root.attach(middle);
    middle.attach(leaf);
    for (std::size_t i = 1; i < counters; ++i) leaf.add(others[i], "c" + std::to_string(i), "u", "d");
    for (Counter& counter : others) {
      EXPECT_NO_THROW(middle.add_formula("f" + std::to_string(&counter - others.data()), "u", "d", {counter},
                                         {others[0]}));
      EXPECT_THROW(middle.add(counter, "again", "u", "d"), std::logic_error);
    }
    EXPECT_THROW(middle.add_formula("above", "u", "d", {mine[0]}, {others[0]}), std::logic_error);
    EXPECT_EQ(root.counters().size(), 5 + counters);
  }
}

TEST(Formula, IsEvaluatedWhenVisitedFromTheSumsOfItsOperands) {
  CountedCache cache("l2");
  cache.hits += 3;
  cache.misses += 1;
  std::vector<std::string> operands;
  const Formula* rate = nullptr;
  cache.group.visit([&](const Statistic& statistic) {
    if (!statistic.is_formula()) return;
    rate = statistic.formula;
    for (const auto* side : {&rate->numerator(), &rate->denominator()})
      for (const Formula::Operand& operand : *side) operands.push_back(statistic.path_of(operand));
  });
  ASSERT_NE(rate, nullptr);
  EXPECT_EQ(operands, (std::vector<std::string>{"l2.hits", "l2.hits", "l2.misses"}));
  EXPECT_DOUBLE_EQ(rate->value().value(), 75.0);
  EXPECT_EQ(rate->numerator_sum(), 3u);
  EXPECT_EQ(rate->denominator_sum(), 4u);
  cache.misses += 8;
  EXPECT_DOUBLE_EQ(rate->value().value(), 25.0);
}

TEST(Formula, IsAHandleThatNeedsNoPath) {
  Group root("gpu");
  CountedCache first("sm0"), second("sm1");
  root.attach(first.group);
  root.attach(second.group);
  const Formula& share = root.add_formula("share", "1", "Hits of sm0 per hit of both", {first.hits},
                                          {first.hits, second.hits}, 2);
  EXPECT_FALSE(share.value().has_value());
  first.hits += 1;
  second.hits += 3;
  EXPECT_EQ(share.value(), 0.5);
  EXPECT_EQ(&share.group(), &root);
}

TEST(Formula, NamesItsOperandsFromWhereTheWalkStarts) {
  Group root("gpu"), unnamed("");
  CountedCache cache("l2");
  root.child("memory").attach(cache.group);
  unnamed.attach(root);
  const auto operand_in = [](const Group& group) {
    std::string path;
    group.visit([&](const Statistic& statistic) {
      if (statistic.is_formula()) path = statistic.path_of(statistic.formula->numerator()[0]);
    });
    return path;
  };
  EXPECT_EQ(operand_in(unnamed), "gpu.memory.l2.hits");
  EXPECT_EQ(operand_in(root), "gpu.memory.l2.hits");
  EXPECT_EQ(operand_in(root.child("memory")), "memory.l2.hits");
  EXPECT_EQ(operand_in(cache.group), "l2.hits");
}

TEST(Formula, RefusesUnknownOperandsEmptySidesAndScalesWithoutEnd) {
  CountedCache cache("l2");
  Counter stray;
  Group& group = cache.group;
  EXPECT_THROW(group.add_formula("f", "u", "d", {stray}, {cache.hits}), std::logic_error);
  EXPECT_THROW(group.add_formula("f", "u", "d", {cache.hits}, {cache.hits, stray}), std::logic_error);
  EXPECT_THROW(group.add_formula("f", "u", "d", {}, {cache.hits}), std::logic_error);
  EXPECT_THROW(group.add_formula("f", "u", "d", {cache.hits}, {}), std::logic_error);
  const double endless = std::numeric_limits<double>::infinity();
  EXPECT_THROW(group.add_formula("f", "u", "d", {cache.hits}, {cache.hits}, endless), std::logic_error);
  EXPECT_EQ(paths(group).size(), 3u);
}

}  // namespace
}  // namespace heddle::test
