#include "platforms/cli/bench/bench_threads.h"

#include <gtest/gtest.h>

#include <cmath>

namespace heddle::test {
namespace {

double time_ns = 0;
double clock() {
  return time_ns;
}

// Reports a cycle to the meter. Element i of `ns` is the time for which block i works, or 0 if it does not
// work.
void work(SpeedUpMeter& meter, const std::vector<double>& ns) {
  meter.begin_cycle();
  for (std::size_t block = 0; block < ns.size(); ++block) {
    if (ns[block] == 0) continue;
    time_ns += ns[block];
    meter.end_block(block);
  }
  meter.end_cycle(ns.size());
}

TEST(SpeedUpMeter, EqualWorkIsDividedByTheThreads) {
  SpeedUpMeter meter(clock, 0);
  for (int cycle = 0; cycle < 100; ++cycle) work(meter, std::vector<double>(16, 10));
  EXPECT_DOUBLE_EQ(meter.work_ns(), 16'000);
  EXPECT_EQ(meter.cycles(), 100u);
  // 4,000 ns of the run are not work of blocks, and it takes 5 ns in each cycle to synchronise the threads.
  const auto run = meter.run_ns(20'000, 5);
  for (std::size_t i = 0; i < run.size(); ++i)
    EXPECT_DOUBLE_EQ(run[i], 4'000 + 16'000.0 / kThreadsOfLimits[i] + 500) << kThreadsOfLimits[i];
}

TEST(SpeedUpMeter, TheThreadWithMostWorkDecides) {
  SpeedUpMeter meter(clock, 0);
  work(meter, {1, 2, 3, 4, 5, 6, 7, 8});    // of two threads 10 and 26, of four 3, 7, 11 and 15
  work(meter, {80, 0, 0, 0, 10, 0, 0, 0});  // 80 on any number
  const auto run = meter.run_ns(meter.work_ns(), 0);
  EXPECT_DOUBLE_EQ(run[0], 26 + 80);
  EXPECT_DOUBLE_EQ(run[1], 15 + 80);
  EXPECT_DOUBLE_EQ(run[2], 8 + 80);
  EXPECT_DOUBLE_EQ(run[3], 8 + 80);  // there are no more than eight blocks
}

}  // namespace
}  // namespace heddle::test
