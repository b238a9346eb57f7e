// The decisions of the DRAM schedulers that know contexts, each by its paper. Requests of one bank are
// numbered in the order in which they come; the tests state the order in which they are served.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <set>

#include "tests/support/dram/context_channel.h"

namespace heddle::test {
namespace {

using testing::ElementsAre;

constexpr std::uint32_t kContext0 = 0, kContext1 = 1;

void add(ContextChannel& channel, int count, std::uint32_t context, std::uint32_t row) {
  for (int i = 0; i < count; ++i) channel.add(context, 0, row);
}

// ---- bliss

TEST(BlissScheduler, TheFifthRequestInARowOfOneContextWaitsBehindAnothers) {
  for (const char* scheduler : {"fr-fcfs", "bliss"}) {
    ContextChannel channel({scheduler, {}});
    add(channel, 6, kContext0, 0);
    add(channel, 1, kContext1, 1);
    if (scheduler == std::string("fr-fcfs"))
      EXPECT_THAT(channel.finish(), ElementsAre(0, 1, 2, 3, 4, 5, 6));
    else
      EXPECT_THAT(channel.finish(), ElementsAre(0, 1, 2, 3, 6, 4, 5));
  }
}

TEST(BlissScheduler, ForgivesAfterTheInterval) {
  ContextChannel channel({"bliss", {{"streak", 1}, {"clear", 1000}}});
  add(channel, 1, kContext0, 0);
  channel.run_until(500);
  add(channel, 1, kContext0, 0);
  add(channel, 1, kContext1, 1);
  channel.run_until(990);
  EXPECT_THAT(channel.finish(), ElementsAre(0, 2, 1));
  channel.forget();
  channel.run_until(1010);
  add(channel, 1, kContext1, 1);
  add(channel, 1, kContext0, 0);  // of the open row
  EXPECT_THAT(channel.finish(), ElementsAre(4, 3));
}

// The blacklist is cleared while both requests wait for tRAS.
TEST(BlissScheduler, DecidesAnewInTheCycleInWhichItForgives) {
  ContextChannel channel({"bliss", {{"streak", 1}, {"clear", 20}}});
  add(channel, 2, kContext0, 0);
  add(channel, 1, kContext1, 1);
  EXPECT_THAT(channel.finish(), ElementsAre(0, 1, 2)) << "the precharge for 2 is legal in cycle 28";
}

TEST(RankedSchedulers, ARowThatHasJustBeenOpenedServesARequestBeforeItIsClosed) {
  ContextChannel channel({"bliss", {{"streak", 1}}});
  add(channel, 1, kContext0, 0);
  channel.run_until(200);
  add(channel, 1, kContext0, 1);  // precharge in cycle 200, activate in cycle 212, read in cycle 224
  channel.run_until(215);
  add(channel, 1, kContext1, 2);  // of a context that is not blacklisted
  EXPECT_THAT(channel.finish(), ElementsAre(0, 1, 2));
}

// ---- atlas

class AtlasScheduler : public testing::Test {
 protected:
  // The first quantum has 10000 CK. Context 0 has ten bursts, and context 1 has one.
  void serve_a_quantum() {
    add(channel_, 1, kContext1, 1);
    channel_.run_until(100);
    add(channel_, 10, kContext0, 0);
    channel_.finish();
    channel_.forget();
  }
  ContextChannel channel_{{"atlas", {{"quantum", 10000}, {"threshold", 2000}}}};
};

TEST_F(AtlasScheduler, TheContextWithLessAttainedServiceGoesFirstAfterAQuantum) {
  serve_a_quantum();
  add(channel_, 2, kContext0, 0);
  add(channel_, 1, kContext1, 1);
  EXPECT_THAT(channel_.finish(), ElementsAre(11, 12, 13)) << "no quantum has ended";
  channel_.run_until(10001);
  add(channel_, 1, kContext1, 1);
  channel_.finish();
  channel_.forget();
  add(channel_, 2, kContext1, 0);
  add(channel_, 2, kContext0, 1);
  EXPECT_THAT(channel_.finish(), ElementsAre(15, 16, 17, 18));
}

TEST_F(AtlasScheduler, ARequestThatHasWaitedBeyondTheThresholdGoesFirst) {
  serve_a_quantum();
  channel_.run_until(10001);
  add(channel_, 1, kContext1, 1);
  const std::uint64_t victim = channel_.add(kContext0, 0, 0);
  const auto is_served = [&] {
    const auto served = channel_.served();
    return std::find(served.begin(), served.end(), victim) != served.end();
  };
  std::uint64_t now = 10001;
  for (; !is_served() && now < 19000; channel_.run_until(now += 2))
    if (channel_.waiting() < 8) channel_.add(kContext1, 0, 1);
  EXPECT_GT(now, 10001 + 2000u);
  EXPECT_LT(now, 10001 + 2000 + 60u) << "precharge, activate and read";
}

// ---- par-bs

TEST(ParBsScheduler, AMarkedRequestGoesBeforeAnUnmarkedRowHit) {
  ContextChannel channel({"par-bs", {{"cap", 2}}});
  add(channel, 4, kContext0, 0);  // the first one is a batch of its own; the next batch has 1 and 2
  add(channel, 1, kContext1, 1);
  EXPECT_THAT(channel.finish(), ElementsAre(0, 1, 2, 4, 3));
}

TEST(ParBsScheduler, WithinABatchTheContextWithTheShortestJobGoesFirst) {
  ContextChannel channel({"par-bs", {}});
  for (const std::uint32_t row : {0u, 1u, 2u, 3u}) add(channel, 1, kContext0, row);
  add(channel, 1, kContext1, 4);
  EXPECT_THAT(channel.finish(), ElementsAre(0, 4, 1, 2, 3));
}

TEST(ParBsScheduler, ARowHitGoesBeforeAContextOfHigherRankInTheBatch) {
  ContextChannel channel({"par-bs", {}});
  add(channel, 3, kContext0, 0);
  add(channel, 1, kContext1, 4);
  EXPECT_THAT(channel.finish(), ElementsAre(0, 1, 2, 3));
}

TEST(ParBsScheduler, ReadsThatComeWaitForTheNextBatch) {
  ContextChannel channel({"par-bs", {}});
  add(channel, 1, kContext0, 0);
  for (const std::uint32_t row : {1u, 2u}) add(channel, 1, kContext0, row);
  channel.run_until(14);  // the first read is served; the other two are marked
  add(channel, 1, kContext1, 4);
  EXPECT_THAT(channel.finish(), ElementsAre(0, 1, 2, 3));
}

// ---- tcm

// The ranking by itself. Requests of one entry come and are served at once.
class TcmScheduler : public testing::Test {
 protected:
  RequestRanking& ranking() { return *policy_->ranking(); }
  void serve(std::uint32_t context, std::uint32_t bank, std::uint32_t row, std::uint64_t now) {
    QueuedRequest request;
    request.entry = 9;
    request.accepted = Cycle{now};
    request.context = ContextId{context};
    request.bank = bank;
    request.row = row;
    ranking().arrived(request);
    ranking().served(9, Cycle{now + 1});
  }
  std::uint64_t level(std::uint32_t context) {
    QueuedRequest request;
    request.entry = context;
    request.context = ContextId{context};
    ranking().arrived(request);
    const std::uint64_t level = ranking().priority(context).level;
    ranking().served(context, Cycle{0});
    return level;
  }
  std::unique_ptr<DramScheduler> policy_ =
      PolicyRegistry<DramScheduler>::make({"tcm", {{"quantum", 10000}, {"shuffle", 800}}});
};

TEST_F(TcmScheduler, ContextsThatAskLittleGoFirstAndTheOthersBehindThem) {
  for (std::uint64_t i = 0; i < 90; ++i) serve(0, 0, 0, 10 * i);
  for (std::uint64_t i = 0; i < 8; ++i) serve(1, 1, 0, 1000 + 10 * i);
  for (std::uint64_t i = 0; i < 4; ++i) serve(2, 2, 0, 2000 + 10 * i);
  EXPECT_FALSE(ranking().update(Cycle{9999}));
  EXPECT_EQ(ranking().next_change(), Cycle{10000});
  EXPECT_TRUE(ranking().update(Cycle{10000}));
  EXPECT_LT(level(2), level(1));
  EXPECT_LT(level(1), level(0));
}

TEST_F(TcmScheduler, TheOrderOfContextsThatAskMuchIsShuffledByInsertion) {
  // Context 0 has row hits in one bank, context 1 has none and keeps two banks busy: it is the nicer one.
  for (std::uint64_t i = 0; i < 50; ++i) {
    serve(0, 0, 7, 20 * i);
    QueuedRequest request;
    request.entry = 8;
    request.accepted = Cycle{20 * i + 10};
    request.context = ContextId{1};
    request.bank = 1;
    request.row = static_cast<std::uint32_t>(i);
    ranking().arrived(request);
    request.entry = 7;
    request.bank = 2;
    ranking().arrived(request);
    ranking().served(7, Cycle{20 * i + 15});
    ranking().served(8, Cycle{20 * i + 15});
  }
  std::vector<bool> nicer_first;
  for (std::uint64_t shuffle = 0; shuffle < 8; ++shuffle) {
    EXPECT_TRUE(ranking().update(Cycle{10000 + 800 * shuffle}));
    EXPECT_EQ(ranking().next_change(), Cycle{10000 + 800 * (shuffle + 1)});
    nicer_first.push_back(level(1) < level(0));
  }
  EXPECT_THAT(nicer_first, ElementsAre(true, true, false, false, true, true, false, false));
}

TEST_F(TcmScheduler, TheOrderOfEqualContextsIsDrawn) {
  for (std::uint64_t i = 0; i < 50; ++i) {
    serve(0, 0, 7, 20 * i);
    serve(1, 1, 7, 20 * i + 10);
  }
  std::set<bool> seen;
  for (std::uint64_t shuffle = 0; shuffle < 12; ++shuffle) {
    ranking().update(Cycle{10000 + 800 * shuffle});
    seen.insert(level(1) < level(0));
  }
  EXPECT_EQ(seen.size(), 2u);
}

// ---- sms

TEST(SmsScheduler, TheShortestJobGoesBetweenTwoBatchesOfAnotherContext) {
  ContextChannel channel({"sms", {{"sjf", 1}, {"bypass", 0}, {"bank_queue", 1}, {"age", 10}}});
  add(channel, 3, kContext0, 0);
  add(channel, 3, kContext0, 1);
  add(channel, 1, kContext1, 5);
  EXPECT_THAT(channel.finish(), ElementsAre(0, 1, 2, 6, 3, 4, 5));
}

TEST(SmsScheduler, ContextsGoInTurnWithoutShortestJobs) {
  ContextChannel channel({"sms", {{"sjf", 0}, {"bypass", 0}, {"bank_queue", 1}, {"age", 10}}});
  for (const std::uint32_t row : {0u, 1u, 2u}) add(channel, 1, kContext0, row);
  for (const std::uint32_t row : {4u, 5u}) add(channel, 2, kContext1, row);
  EXPECT_THAT(channel.finish(), ElementsAre(0, 3, 4, 1, 5, 6, 2));
}

TEST(SmsScheduler, ABatchThatNobodyEndsIsReadyAfterItsAge) {
  ContextChannel channel({"sms", {{"bypass", 0}, {"age", 70}}});
  add(channel, 1, kContext0, 0);
  channel.finish();
  EXPECT_EQ(channel.last_time(), 70 + 12u) << "activate and read";
}

// ---- bandwidth-shares

// The queue holds enough requests of each context for every bank.
double ratio_of_bursts(const PolicyChoice& scheduler, const std::vector<ContextSource>& sources) {
  DramSpec spec = gddr5_spec(kRowBankGroupColumn, true);
  spec.queue = 256;
  const auto channel = make_controller(spec, scheduler);
  const std::vector<ContextService> services = run_sources(*channel, sources, 60'000, 1);
  return static_cast<double>(services[0].bursts) / static_cast<double>(services[1].bursts);
}

PolicyChoice shares(std::int64_t first, std::int64_t second, double window = 4) {
  return {"bandwidth-shares", {{"weights", IntegerLists{{first, second}}}, {"window", window}}};
}

TEST(BandwidthShares, TwoSaturatingContextsHaveBurstsInTheRatioOfTheirWeights) {
  const std::vector<ContextSource> equal{{120, 16}, {120, 16}};
  EXPECT_NEAR(ratio_of_bursts(shares(3, 1), equal), 3.0, 0.06);
  EXPECT_NEAR(ratio_of_bursts(shares(1, 1), equal), 1.0, 0.02);
  EXPECT_NEAR(ratio_of_bursts(shares(2, 5), equal), 0.4, 0.01);
}

TEST(BandwidthShares, TheRatioHoldsWhateverTheLocalityOfTheContexts) {
  EXPECT_NEAR(ratio_of_bursts(shares(3, 1), {{120, 1}, {120, 64}}), 3.0, 0.06);
  EXPECT_NEAR(ratio_of_bursts(shares(1, 1), {{120, 64}, {120, 1}}), 1.0, 0.02);
}

// Row hits go first within a window, which favours the context that has them.
TEST(BandwidthShares, AWideWindowGivesTheRatioLessExactlyAndMoreBursts) {
  const std::vector<ContextSource> sources{{120, 1}, {120, 64}};
  EXPECT_NEAR(ratio_of_bursts(shares(3, 1, 256), sources), 3.0, 0.2);
  std::vector<std::uint64_t> bursts;
  for (const double window : {4.0, 256.0}) {
    DramSpec spec = gddr5_spec(kRowBankGroupColumn, true);
    spec.queue = 128;
    const auto channel = make_controller(spec, shares(3, 1, window));
    const auto services = run_sources(*channel, {{60, 8, 30}, {60, 8, 30}}, 60'000, 1);
    bursts.push_back(services[0].bursts + services[1].bursts);
  }
  EXPECT_GT(bursts[1], bursts[0] + bursts[0] / 10);
}

TEST(BandwidthShares, AContextWithMoreRequestsInTheQueueHasNoLargerShare) {
  const std::vector<ContextSource> sources{{180, 4}, {60, 4}};
  EXPECT_GT(ratio_of_bursts({"fr-fcfs", {}}, sources), 2.5);
  EXPECT_NEAR(ratio_of_bursts(shares(1, 1), sources), 1.0, 0.02);
}

TEST(BandwidthShares, WhatAContextDoesNotAskGoesToTheOther) {
  const std::vector<ContextSource> sources{{1, 1}, {40, 16}};
  std::vector<std::uint64_t> bursts;
  for (const PolicyChoice& scheduler : {PolicyChoice{"fr-fcfs", {}}, shares(9, 1)}) {
    const auto channel = make_controller(gddr5_spec(kRowBankGroupColumn, true), scheduler);
    bursts.push_back(run_sources(*channel, sources, 100'000, 1)[1].bursts);
  }
  EXPECT_GT(static_cast<double>(bursts[1]), 0.9 * static_cast<double>(bursts[0]));
}

TEST(BandwidthShares, RefusesWeightsThatAreNoOneList) {
  GpuDescription gpu;
  gpu.has_dram = true;
  const auto misfit = [&gpu](const IntegerLists& weights) {
    return PolicyCatalogue::instance().misfit("dram_scheduler", {"bandwidth-shares", {{"weights", weights}}},
                                              gpu);
  };
  EXPECT_EQ(misfit({{3, 1}}), "");
  EXPECT_NE(misfit({{3, 1}, {1}}), "");
  EXPECT_THROW(misfit({{3, PolicyValue::kAll}}), PolicyError);
}

}  // namespace
}  // namespace heddle::test
