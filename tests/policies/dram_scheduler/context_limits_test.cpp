// These schedulers of DRAM follow what an experiment states for each context: its priority, or its most
// bandwidth.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "tests/support/dram/context_channel.h"

namespace heddle::test {
namespace {

using testing::ElementsAre;

// ---- context-priority

PolicyChoice priorities(const std::vector<std::int64_t>& numbers, double bound = 10000) {
  return {"context-priority", {{"priorities", IntegerLists{numbers}}, {"bound", bound}}};
}

TEST(DramContextPriority, ThePriorityGoesBeforeRowHitsAndAge) {
  ContextChannel channel(priorities({0, 2, 1}));
  channel.add(0, 0, 0);
  channel.add(0, 0, 0);
  channel.add(2, 0, 5);
  channel.add(3, 0, 0);  // its context has no entry in the list, and so has priority 0
  channel.add(1, 0, 7);
  EXPECT_THAT(channel.finish(), ElementsAre(4, 2, 0, 1, 3));
}

TEST(DramContextPriority, EqualPrioritiesAreServedAsUnderFrFcfs) {
  ContextChannel ranked({"context-priority", {}});
  ContextChannel plain({"fr-fcfs", {}});
  for (ContextChannel* channel : {&ranked, &plain})
    for (std::uint32_t i = 0; i < 40; ++i) channel->add(i % 3, i % 5, i * 7 % 4);
  EXPECT_EQ(ranked.finish(), plain.finish());
  EXPECT_EQ(ranked.last_time(), plain.last_time());
}

// Context 1 always has a row hit waiting, and goes before the request of context 0 until that is late.
TEST(DramContextPriority, ARequestThatHasWaitedForTheBoundGoesFirst) {
  ContextChannel channel(priorities({0, 1}, 2000));
  channel.add(1, 0, 1);
  channel.run_until(50);
  const std::uint64_t victim = channel.add(0, 0, 0);
  const auto is_served = [&] {
    const auto& served = channel.served();
    return std::find(served.begin(), served.end(), victim) != served.end();
  };
  std::uint64_t now = 50;
  for (; !is_served() && now < 9000; channel.run_until(now += 2))
    if (channel.waiting() < 8) channel.add(1, 0, 1);
  EXPECT_GT(now, 50 + 2000u);
  EXPECT_LT(now, 50 + 2000 + 60u) << "precharge, activate and read";
}

// ---- bandwidth-limits

PolicyChoice limits(const std::vector<std::int64_t>& numbers, const std::string& beyond = "hold",
                    double window = 1000) {
  return {"bandwidth-limits",
          {{"limits", IntegerLists{numbers}}, {"beyond", PolicyValue(beyond)}, {"window", window}}};
}

// Returns the share of the channel's peak that each source has. A burst takes two CK of the data bus.
std::vector<double> shares_of_peak(const PolicyChoice& scheduler, const std::vector<ContextSource>& sources) {
  constexpr std::uint64_t kCycles = 200'000;
  DramSpec spec = gddr5_spec(kRowBankGroupColumn, true);
  spec.queue = 256;
  const auto channel = make_controller(spec, scheduler);
  std::vector<double> shares;
  for (const ContextService& service : run_sources(*channel, sources, kCycles, 1))
    shares.push_back(2.0 * static_cast<double>(service.bursts) / kCycles);
  return shares;
}

const ContextSource kStream{120, 4096};
const ContextSource kStreamWithWrites{120, 4096, 30};

TEST(BandwidthLimits, AStreamHasItsLimitOfThePeak) {
  for (const std::int64_t limit : {5, 25, 60})
    for (const double window : {200.0, 1000.0, 20000.0}) {
      const double share = static_cast<double>(limit) / 100;
      EXPECT_NEAR(shares_of_peak(limits({limit}, "hold", window), {kStream})[0], share, 0.01 * share)
          << limit << " in " << window;
    }
}

TEST(BandwidthLimits, TheOtherContextHasTheRest) {
  const double whole = shares_of_peak({"fr-fcfs", {}}, {kStream})[0];
  for (const std::int64_t limit : {10, 25, 40}) {
    const double share = static_cast<double>(limit) / 100;
    const std::vector<double> shares = shares_of_peak(limits({limit}), {kStream, kStream});
    EXPECT_NEAR(shares[0], share, 0.01 * share) << limit;
    EXPECT_NEAR(shares[0] + shares[1], whole, 0.05 * whole) << limit;
  }
}

TEST(BandwidthLimits, AContextAloneIsHeldByAHardLimitAndNotByASoftOne) {
  const double whole = shares_of_peak({"fr-fcfs", {}}, {kStream})[0];
  EXPECT_NEAR(shares_of_peak(limits({20}, "hold"), {kStream})[0], 0.2, 0.002);
  EXPECT_NEAR(shares_of_peak(limits({20}, "last"), {kStream})[0], whole, 0.01 * whole);
}

TEST(BandwidthLimits, BeyondASoftLimitAContextGoesBehindTheOthers) {
  const std::vector<double> shares = shares_of_peak(limits({20}, "last"), {kStream, kStream});
  EXPECT_NEAR(shares[0], 0.2, 0.02);
  EXPECT_GT(shares[1], 0.7);
}

TEST(BandwidthLimits, ReadsAndWritesCountTogether) {
  EXPECT_NEAR(shares_of_peak(limits({30}), {kStreamWithWrites})[0], 0.3, 0.003);
}

TEST(BandwidthLimits, WithoutLimitsRequestsAreServedAsUnderFrFcfs) {
  const std::vector<ContextSource> sources{{40, 16, 20}, {40, 1}};
  EXPECT_EQ(shares_of_peak({"bandwidth-limits", {}}, sources), shares_of_peak({"fr-fcfs", {}}, sources));
  EXPECT_EQ(shares_of_peak(limits({100, 100}), sources), shares_of_peak({"fr-fcfs", {}}, sources));
}

// Requests that are held add to the wait of their context.
TEST(BandwidthLimits, WhatIsHeldWaits) {
  DramSpec spec = gddr5_spec(kRowBankGroupColumn);
  const auto channel = make_controller(spec, limits({10}));
  run_sources(*channel, {{8, 64}}, 100'000, 1);
  const auto value = [&](const char* name) {
    return channel->part(0).stats().group().find(std::string("dram.contexts.context0.") + name)->value();
  };
  // Eight requests always wait, and one is served every 20 CK.
  EXPECT_NEAR(static_cast<double>(value("bursts")), 5000, 50);
  EXPECT_NEAR(static_cast<double>(value("wait")) / static_cast<double>(value("bursts")), 160, 16);
}

TEST(DramContextNumbers, APolicyRefusesNumbersThatAreNoOneList) {
  GpuDescription gpu;
  gpu.has_dram = true;
  const auto misfit = [&gpu](const char* policy, const char* parameter, const IntegerLists& numbers) {
    return PolicyCatalogue::instance().misfit("dram_scheduler", {policy, {{parameter, numbers}}}, gpu);
  };
  EXPECT_EQ(misfit("context-priority", "priorities", {{3}, {1}}),
            "context-priority takes one list of priorities");
  EXPECT_EQ(misfit("bandwidth-limits", "limits", {{3}, {1}}), "bandwidth-limits takes one list of limits");
  EXPECT_THROW(misfit("bandwidth-limits", "limits", {{0}}), PolicyError);
  EXPECT_THROW(misfit("bandwidth-limits", "limits", {{101}}), PolicyError);
}

}  // namespace
}  // namespace heddle::test
