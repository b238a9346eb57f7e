// Statistics and tables as text: JSON, CSV and aligned columns.

#include "models/stats/writers.h"

#include <gtest/gtest.h>

#include <limits>
#include <nlohmann/json.hpp>
#include <sstream>
#include <stdexcept>
#include <string>

#include "tests/models/stats/counted_cache.h"

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

TEST(Json, IsOneLineForEachStatisticInCanonicalOrder) {
  CountedCache cache("l2");
  cache.hits += 1;
  cache.misses += 2;
  EXPECT_EQ(json(cache.group),
            R"({
  "l2.hit_rate": {"value": 33.333333333333336, "unit": "%", "description": "Share of hits", "numerator": {"l2.hits":1}, "denominator": {"l2.hits":1,"l2.misses":2}},
  "l2.hits": {"value": 1, "unit": "accesses", "description": "Accesses that found their line"},
  "l2.misses": {"value": 2, "unit": "accesses", "description": "Accesses that fetched their line"}
}
)");
}

TEST(Formula, TakesOperandsOfTheGroupsBelow) {
  Group root("gpu");
  CountedCache first("sm0"), second("sm1");
  root.attach(first.group);
  root.attach(second.group);
  root.add_formula("miss_share", "1", "Misses of sm1 per miss", {second.misses},
                   {first.misses, second.misses});
  first.misses += 1;
  second.misses += 3;
  EXPECT_NE(
      json(root).find(
          R"("gpu.miss_share": {"value": 0.75, "unit": "1", "description": "Misses of sm1 per miss", )"
          R"("numerator": {"gpu.sm1.misses":3}, "denominator": {"gpu.sm0.misses":1,"gpu.sm1.misses":3}})"),
      std::string::npos)
      << json(root);
}

TEST(Json, ExportsNullForARatioOverNothing) {
  CountedCache cache("l2");
  EXPECT_TRUE(nlohmann::json::parse(json(cache.group))["l2.hit_rate"]["value"].is_null());
  Group group("g");
  group.attach(cache.group);
  group.add_formula("per_miss", "1", "Hits per miss", {cache.hits}, {cache.misses});
  ++cache.hits;
  EXPECT_TRUE(nlohmann::json::parse(json(group))["g.per_miss"]["value"].is_null());
  EXPECT_NE(csv(group).find("g.per_miss,,1,Hits per miss\n"), std::string::npos);
}

TEST(Json, KeepsEveryBitOfALargeCounter) {
  Group group("g");
  Counter counter;
  counter += std::numeric_limits<std::uint64_t>::max();
  group.add(counter, "most", "u", "d");
  EXPECT_EQ(nlohmann::json::parse(json(group))["g.most"]["value"].get<std::uint64_t>(), counter.value());
}

TEST(Json, EscapesTextAndReplacesBadUtf8) {
  Group group("g\"\\");
  Counter counter;
  group.add(counter, "n", "\xb5s", "tab\tand \"quotes\"");
  const auto parsed = nlohmann::json::parse(json(group));
  EXPECT_EQ(parsed["g\"\\.n"]["description"], "tab\tand \"quotes\"");
  EXPECT_EQ(parsed["g\"\\.n"]["unit"], "\xef\xbf\xbds");
}

TEST(Json, OfAnEmptyGroupIsAnEmptyObject) {
  EXPECT_TRUE(nlohmann::json::parse(json(Group("g"))).is_object());
  EXPECT_TRUE(nlohmann::json::parse(json(Group("g"))).empty());
}

TEST(Json, AddsUpAnOperandNamedTwice) {
  CountedCache cache("l2");
  cache.group.add_formula("f", "1", "Twice the hits per miss", {cache.hits, cache.hits}, {cache.misses});
  cache.hits += 5;
  cache.misses += 4;
  const auto parsed = nlohmann::json::parse(json(cache.group))["l2.f"];
  EXPECT_EQ(parsed["value"], 2.5);
  EXPECT_EQ(parsed["numerator"]["l2.hits"], 10);
  EXPECT_EQ(parsed["numerator"].size(), 1u);
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
