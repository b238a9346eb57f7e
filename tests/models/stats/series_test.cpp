// Series of statistics over a run: what each has grown by in an interval.

#include "models/stats/series.h"

#include <gtest/gtest.h>

#include <sstream>

#include "tests/support/trace_decoder.h"

namespace heddle {
namespace {

struct Tree {
  Tree() {
    root.add(hits, "hits", "access", "hits");
    root.add(misses, "misses", "access", "misses");
    below.add(loads, "loads", "load", "loads");
    root.attach(below);
    root.add_formula("hit_rate", "1", "hits per access", {hits}, {hits, misses});
    root.add_formula("per_thousand", "1/1000", "misses per thousand", {misses}, {hits, misses}, 1000.0);
  }
  Counter hits, misses, loads;
  Group root{"cache"};
  Group below{"bank0"};
};

TEST(Series, ARowHasWhatEachCounterHasGrownByAndTheRatioOfWhatAFormulaHasGrownBy) {
  Tree tree;
  std::ostringstream out;
  Series series(tree.root, {"cache.*"});
  SeriesCsv csv(series, out);
  EXPECT_EQ(series.columns().size(), 5u);
  tree.hits += 3;
  tree.misses += 1;
  tree.loads += 7;
  series.sample();
  csv.row(100, 200);
  tree.hits += 1;
  tree.misses += 1;
  series.sample();
  csv.row(200, 400);
  series.sample();
  csv.row(300, 600);
  EXPECT_EQ(out.str(),
            "cycle,ps,cache.bank0.loads [load],cache.hit_rate [1],cache.hits [access],cache.misses [access],"
            "cache.per_thousand [1/1000]\n"
            "100,200,7,0.75,3,1,250\n"
            "200,400,0,0.5,1,1,500\n"
            "300,600,0,,0,0,\n");
}

TEST(Series, ColumnsHaveAKindAndADescription) {
  Tree tree;
  tree.root.add_level("length", "entry, all", "entries", [] { return 0.0; });
  std::ostringstream out;
  write_columns(Series(tree.root, {"cache.h*", "cache.length"}), out);
  EXPECT_EQ(out.str(),
            "path,unit,kind,description\ncache.hit_rate,1,formula,hits per access\n"
            "cache.hits,access,counter,hits\ncache.length,\"entry, all\",level,entries\n");
}

TEST(Series, ALevelIsItsValueAtTheEndOfTheInterval) {
  Group root("queue");
  double length = 3;
  root.add_level("length", "entry", "entries in the queue", [&length] { return length; });
  std::ostringstream out;
  Series series(root, {"*"});
  SeriesCsv csv(series, out);
  series.sample();
  csv.row(10, 10);
  length = 0.5;
  series.sample();
  csv.row(20, 20);
  EXPECT_EQ(out.str(), "cycle,ps,queue.length [entry]\n10,10,3\n20,20,0.5\n");
}

TEST(Series, ATrackHasTheValueOfAnIntervalFromItsBeginOn) {
  Tree tree;
  std::ostringstream out;
  {
    Timeline timeline(out);
    Series series(tree.root, {"cache.hits", "cache.hit_rate"});
    SeriesTracks tracks(series, timeline);
    for (const std::uint64_t begin_ps : {0, 5000, 10000}) {
      series.sample();
      tracks.draw(begin_ps);
      tree.hits += 2;
    }
  }
  const trace::Trace drawn(out.str());
  std::vector<std::string> events;
  for (const trace::Event& event : drawn.events)
    if (event.type == trace::kCounter)
      events.push_back(
          fmt::format("{} {} {}", event.ns, event.track, event.fields.has(30) ? "whole" : "real"));
  EXPECT_EQ(events,
            (std::vector<std::string>{"0 cache.hits whole", "5 cache.hit_rate real", "5 cache.hits whole",
                                      "10 cache.hit_rate real", "10 cache.hits whole"}));
}

TEST(Series, PatternsSelectColumnsOnceEach) {
  Tree tree;
  std::ostringstream out;
  const Series series(tree.root, {"*.bank[0-9].*", "cache.h*s", "cache.hits", "nothing"});
  const SeriesCsv csv(series, out);
  EXPECT_EQ(out.str(), "cycle,ps,cache.bank0.loads [load],cache.hits [access]\n");
}

TEST(Series, PatternsWithoutAMatchAreNamed) {
  const Tree tree;
  EXPECT_EQ(unmatched_patterns(tree.root, {"cache.hits", "hits", "cache.*.loads", "*.bank1.*"}),
            (std::vector<std::string>{"hits", "*.bank1.*"}));
}

}  // namespace
}  // namespace heddle
