// Statistics and tables as text: JSON, CSV and aligned columns.

#include "models/stats/writers.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <deque>
#include <limits>
#include <map>
#include <set>
#include <sstream>
#include <stdexcept>
#include <string>

#include "models/core/base/random.h"
#include "tests/models/stats/counted_cache.h"
#include "tests/support/machine/statistics.h"
#include "tests/support/test_size.h"

namespace heddle::test {
namespace {

std::string json(const Group& group) {
  std::ostringstream out;
  write_json(group, out);
  return out.str();
}

std::string csv(const Group& group) {
  std::ostringstream out;
  write_csv(group, out);
  return out.str();
}

TEST(Json, HasAnEntryForEachDescriptionAndOneRangeForEqualBlocks) {
  Group root("gpu");
  CountedCache first("l2_0"), second("l2_1"), third("l2_2");
  for (CountedCache* cache : {&first, &second, &third}) root.attach(cache->group);
  first.hits += 1;
  first.misses += 2;
  second.hits += 3;
  EXPECT_EQ(json(root),
            R"({"schema": "heddle-stats-1",
"statistics": [
{"unit": "%", "description": "Share of hits", "numerator": ["hits"], "denominator": ["hits", "misses"], "scale": 100,
 "values": {"gpu.l2_[0-1].hit_rate": [33.333333333333336,100]},
 "undefined": ["gpu.l2_2.hit_rate"]},
{"unit": "accesses", "description": "Accesses that found their line",
 "values": {"gpu.l2_[0-1].hits": [1,3]},
 "zero": ["gpu.l2_2.hits"]},
{"unit": "accesses", "description": "Accesses that fetched their line",
 "values": {"gpu.l2_0.misses": 2},
 "zero": ["gpu.l2_[1-2].misses"]}
]}
)");
}

TEST(Json, NamesOperandsOfTheGroupsBelowByRanges) {
  Group root("gpu");
  CountedCache first("sm0"), second("sm1");
  root.attach(first.group);
  root.attach(second.group);
  root.add_formula("miss_share", "1", "Misses of sm1 per miss", {second.misses},
                   {first.misses, second.misses});
  first.misses += 1;
  second.misses += 3;
  EXPECT_NE(json(root).find(R"("numerator": ["sm1.misses"], "denominator": ["sm[0-1].misses"], "scale": 1,
 "values": {"gpu.miss_share": 0.75}})"),
            std::string::npos)
      << json(root);
  const ReadStatistic formula = statistics_in(json(root)).at("gpu.miss_share");
  EXPECT_EQ(formula.formula->denominator, (std::vector<std::string>{"sm0.misses", "sm1.misses"}));
  EXPECT_EQ(formula.path_of("sm1.misses"), "gpu.sm1.misses");
}

TEST(Json, HasNoValueForARatioOverNothing) {
  CountedCache cache("l2");
  EXPECT_FALSE(statistics_in(json(cache.group)).at("l2.hit_rate").value);
  Group group("g");
  group.attach(cache.group);
  group.add_formula("per_miss", "1", "Hits per miss", {cache.hits}, {cache.misses});
  ++cache.hits;
  EXPECT_FALSE(statistics_in(json(group)).at("g.per_miss").value);
  EXPECT_NE(csv(group).find("g.per_miss,,1,Hits per miss\n"), std::string::npos);
}

TEST(Json, KeepsEveryBitOfALargeCounter) {
  Group group("g");
  Counter counter;
  counter += std::numeric_limits<std::uint64_t>::max();
  group.add(counter, "most", "u", "d");
  EXPECT_EQ(statistics_in(json(group)).at("g.most").count, counter.value());
}

TEST(Json, EscapesTextAndReplacesBadUtf8) {
  Group group("g\"\\");
  Counter counter;
  group.add(counter, "n", "\xb5s", "tab\tand \"quotes\"");
  const ReadStatistic read = statistics_in(json(group)).at("g\"\\.n");
  EXPECT_EQ(read.description, "tab\tand \"quotes\"");
  EXPECT_EQ(read.unit, "\xef\xbf\xbds");
}

TEST(Json, OfAnEmptyGroupHasNoStatistics) {
  EXPECT_TRUE(read_stats(json(Group("g"))).empty());
}

TEST(Json, AddsUpAnOperandNamedTwice) {
  CountedCache cache("l2");
  cache.group.add_formula("f", "1", "Twice the hits per miss", {cache.hits, cache.hits}, {cache.misses});
  cache.hits += 5;
  cache.misses += 4;
  const ReadStatistic read = statistics_in(json(cache.group)).at("l2.f");
  EXPECT_EQ(read.value, 2.5);
  EXPECT_EQ(read.formula->numerator, (std::vector<std::string>{"hits", "hits"}));
}

// A random tree. Names have numbers with and without leading zeros, brackets, quotes and commas.
class RandomTree {
 public:
  explicit RandomTree(std::uint64_t seed) : random_(seed), root_(random_.below(2) == 0 ? "" : "gpu") {
    fill(root_, 2);
  }
  const Group& root() const { return root_; }

 private:
  CounterList fill(Group& group, int depth) {
    static const char* const stems[] = {"sm", "sm", "l", "", "x[0-3]", "[", "a,\"b\"", "0"};
    CounterList counters;
    for (std::uint64_t i = 1 + random_.below(4); i-- > 0;) {
      const std::string stem = stems[random_.below(8)];
      const std::uint64_t last = random_.below(12), step = 1 + random_.below(2);
      const std::uint64_t first = random_.below(2) == 0 ? 0 : random_.below(1'000'000'000'000);
      for (std::uint64_t number = 0; number <= last; number += step) {
        const std::string name = stem + std::to_string(first + number);
        if (!names_.insert({&group, name}).second) continue;
        if (depth > 0 && stem == "sm") {
          const CounterList below = fill(group.child(name), depth - 1);
          counters.insert(counters.end(), below.begin(), below.end());
        } else {
          add(group, name, counters);
        }
      }
    }
    return counters;
  }

  void add(Group& group, const std::string& name, CounterList& counters) {
    const std::string text = std::to_string(random_.below(3));
    if (!counters.empty() && random_.below(4) == 0) {
      CounterList numerator{counters[random_.below(counters.size())], counters.front()};
      const double scale = random_.below(2) == 0 ? 1 : -0.25;
      group.add_formula(name, "%", "Ratio " + text, numerator, counters, scale);
      return;
    }
    Counter& counter = counters_.emplace_back();
    if (random_.below(2) == 0) counter += random_.below(~std::uint64_t{0});
    group.add(counter, name, "u" + text, "Says, \"" + text + "\"");
    counters.emplace_back(counter);
  }

  Random random_;
  std::deque<Counter> counters_;
  std::set<std::pair<const Group*, std::string>> names_;
  Group root_;
};

// Returns the full path of each operand, in order of their paths.
std::vector<std::string> operands_of(const Statistic& statistic,
                                     const std::vector<Formula::Operand>& operands) {
  std::vector<std::string> paths;
  for (const Formula::Operand& operand : operands)
    for (std::uint64_t i = 0; i < operand.times; ++i) paths.push_back(statistic.path_of(operand));
  std::sort(paths.begin(), paths.end());
  return paths;
}
std::vector<std::string> operands_of(const ReadStatistic& statistic, std::vector<std::string> operands) {
  for (std::string& operand : operands) operand = statistic.path_of(operand);
  std::sort(operands.begin(), operands.end());
  return operands;
}

TEST(Json, GivesTheWholeWalkAgain) {
  std::size_t zeros = 0, formulas = 0;
  for (std::uint64_t seed = 1; seed <= cases(60) && !testing::Test::HasFailure(); ++seed) {
    SCOPED_TRACE(testing::Message() << "seed " << seed);
    const RandomTree tree(seed);
    const std::string text = json(tree.root());
    std::ostringstream again;
    write_csv(read_stats(text), again);
    EXPECT_EQ(again.str(), csv(tree.root()));  // every path, value, unit and description, in order
    const std::map<std::string, ReadStatistic> read = statistics_in(text);
    tree.root().visit([&](const Statistic& statistic) {
      const ReadStatistic& other = read.at(statistic.path);
      ASSERT_EQ(statistic.is_formula(), other.formula != nullptr) << statistic.path;
      zeros += other.value == 0.0 ? 1 : 0;
      if (!statistic.is_formula()) return;
      ++formulas;
      EXPECT_EQ(other.value, statistic.formula->value());
      EXPECT_EQ(other.formula->scale, statistic.formula->scale());
      EXPECT_EQ(operands_of(other, other.formula->numerator),
                operands_of(statistic, statistic.formula->numerator()));
      EXPECT_EQ(operands_of(other, other.formula->denominator),
                operands_of(statistic, statistic.formula->denominator()));
    });
  }
  EXPECT_GT(zeros, 1000u);
  EXPECT_GT(formulas, 1000u);
}

TEST(Json, DoesNotGrowWithEqualBlocks) {
  const auto size = [](int caches) {
    Group root("gpu");
    std::deque<CountedCache> all;
    for (int i = 0; i < caches; ++i) root.attach(all.emplace_back("l2_" + std::to_string(i)).group);
    all.front().hits += 1;
    return json(root).size();
  };
  EXPECT_LE(size(96), size(4) + 10);
}

TEST(ReadStats, RefusesWhatIsDamagedOrOfAnotherSchema) {
  const auto problem = [](const std::string& text) {
    try {
      read_stats(text);
    } catch (const StatsError& error) {
      return std::string(error.what());
    }
    return std::string("none");
  };
  const auto entry = [](const std::string& rest) {
    return R"({"schema": "heddle-stats-1", "statistics": [{"unit": "u", "description": "d", )" + rest + "}]}";
  };
  EXPECT_EQ(problem(entry(R"("values": {"a[0-1]": [3,4]})")), "none");
  EXPECT_EQ(problem(R"({"schema": "heddle-stats-9"})"),
            "is of the schema heddle-stats-9; this program reads heddle-stats-1");
  EXPECT_EQ(problem("{}"), "has no schema; this program reads heddle-stats-1");
  EXPECT_EQ(problem("[]"), "is damaged: must be an object");
  EXPECT_EQ(problem(entry(R"("values": {"a[0-1]": [3]})")), "is damaged: a[0-1] has 2 paths and 1 values");
  EXPECT_EQ(problem(entry(R"("values": {"a": -3})")), "is damaged: a has a value -3");
  EXPECT_EQ(problem(entry(R"("values": {"a": 0.5})")), "is damaged: a has a value 0.5");
  EXPECT_EQ(problem(entry(R"("value": {"a": 5})")), "is damaged: unknown key 'value'");
  for (const char* range : {"a[", "a[0", "a[0-", "a[0-1", "a[1-0]", "a[01-2]", "a[0-999999999]", "a[[",
                            "a[x-2]", "a[0-99999][0-99999]"})
    EXPECT_EQ(problem(entry(fmt::format(R"("zero": ["{}"])", range))).rfind("is damaged: ", 0), 0u) << range;
  const std::string whole = entry(R"("values": {"a[0-1]": [3,4]})");
  for (std::size_t length = 0; length < whole.size(); ++length)
    EXPECT_EQ(problem(whole.substr(0, length)).rfind("is damaged: ", 0), 0u) << length;
}

TEST(Writers, AreIndependentOfTheStreamsFormat) {
  CountedCache cache("l2");
  cache.hits += 1234567;
  std::ostringstream out;
  out << std::hex << std::showbase;
  out.width(40);
  write_json(cache.group, out);
  EXPECT_EQ(out.str(), json(cache.group));
}

TEST(Csv, QuotesWhatNeedsQuotes) {
  Group group("g");
  Counter a, b;
  a += 7;
  group.add(a, "a,b", "u", "says \"hits\"");
  group.add(b, "c", "u", "two\nlines");
  EXPECT_EQ(csv(group),
            "path,value,unit,description\n"
            "\"g.a,b\",7,u,\"says \"\"hits\"\"\"\n"
            "g.c,0,u,\"two\nlines\"\n");
}

// A spreadsheet takes such a text for a formula.
TEST(Csv, QuotesWhatLooksLikeAFormulaAndNoNumber) {
  for (const char* text : {"=1+1", "+cmd", "-x", "@SUM(A1)", "-1-1", "+", "-"})
    EXPECT_EQ(quoted_csv(text), std::string("\"") + text + "\"");
  for (const char* text : {"-1", "+2.5", "-1e-9", "-inf", "a=b", "a-b", ""})
    EXPECT_EQ(quoted_csv(text), text);
}

TEST(Table, AlignsColumnsUnderARule) {
  Table table({{"policy"}, {"STP", Table::Align::kRight}, {"note"}});
  table.add_row({"fcfs", "1.00", ""});
  table.add_row({"dss", "10.25", "3–4 SMs"});
  table.add_row({"ppq–x", "–", "x"});
  std::ostringstream out;
  table.print(out);
  EXPECT_EQ(out.str(),
            "policy    STP  note\n"
            "------  -----  -------\n"
            "fcfs     1.00\n"
            "dss     10.25  3–4 SMs\n"
            "ppq–x       –  x\n");
}

TEST(Table, RefusesRowsOfTheWrongLength) {
  Table table({{"a"}, {"b"}});
  EXPECT_THROW(table.add_row({"1"}), std::logic_error);
  EXPECT_THROW(table.add_row({"1", "2", "3"}), std::logic_error);
  EXPECT_THROW(Table({}), std::logic_error);
}

}  // namespace
}  // namespace heddle::test
