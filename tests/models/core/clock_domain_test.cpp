#include "models/core/time/clock_domain.h"

#include "models/gpu/clock_stats.h"

#include <gtest/gtest.h>

#include <fmt/format.h>
#include <gmock/gmock.h>

#include <functional>
#include <memory>
#include <stdexcept>
#include <thread>

#include "models/core/link/payload_pool.h"
#include "tests/support/rig.h"

namespace heddle::test {
namespace {

class Ticker : public Clocked {
 public:
  explicit Ticker(ClockDomain& clock) : sleeper(clock.add(*this)) {}
  void tick(Cycle now) override {
    ticks.push_back(now.value);
    if (on_tick) on_tick(now);
  }
  ClockDomain::Sleeper sleeper;
  std::vector<std::uint64_t> ticks;
  std::function<void(Cycle)> on_tick;
};

// A Worker writes each call of finish() to a log that all workers share. work() has no access to the log,
// because it may run on several threads.
class Worker : public Divided {
 public:
  Worker(ClockDomain& clock, std::vector<std::string>& log, std::string block)
      : sleeper(clock.add(*this)), log_(log), block_(std::move(block)) {}
  Cycle work(Cycle now) override {
    works.push_back(now.value);
    if (now == fails_at) throw std::runtime_error(block_ + " fails");
    return now < finishes_until ? kFinishes : Cycle::never();
  }
  Cycle finish(Cycle now) override {
    log_.push_back(fmt::format("{} {}", now.value, block_));
    return now + 1;
  }
  ClockDomain::Sleeper sleeper;
  std::vector<std::uint64_t> works;
  Cycle finishes_until{0};
  Cycle fails_at = Cycle::never();

 private:
  std::vector<std::string>& log_;
  const std::string block_;
};

std::uint64_t count(ClockDomain& clock, const std::string& name) {
  ClockStats stats(clock);
  const Counter* counter = stats.group().find(stats.group().name() + "." + name);
  return counter == nullptr ? ~std::uint64_t{0} : counter->value();
}

using Ticks = std::vector<std::uint64_t>;

TEST(ClockDomain, ThePeriodIsRoundedToTheTimeResolution) {
  ClockDomain core("core", 706e6);  // 1416.43 ps
  ClockDomain pcie("pcie", 500e6);
  EXPECT_EQ(core.time_of(Cycle{1000}), sc_core::sc_time(1416, sc_core::SC_NS));
  EXPECT_DOUBLE_EQ(core.frequency_hz(), 1e12 / 1416);
  EXPECT_EQ(pcie.time_of(Cycle{3}), sc_core::sc_time(6, sc_core::SC_NS));
  EXPECT_DOUBLE_EQ(pcie.frequency_hz(), 500e6);
  EXPECT_EQ(pcie.edge_at(sc_core::sc_time(6, sc_core::SC_NS)), Cycle{3});
  EXPECT_EQ(pcie.edge_at(sc_core::sc_time(6001, sc_core::SC_PS)), Cycle{4});
}

TEST(ClockDomain, NowIsTheLastEdge) {
  ClockDomain clock("clock", 500e6);
  sc_core::sc_start(sc_core::sc_time(5999, sc_core::SC_PS));
  EXPECT_EQ(clock.now(), Cycle{2});
  sc_core::sc_start(sc_core::sc_time(1, sc_core::SC_PS));
  EXPECT_EQ(clock.now(), Cycle{3});
}

TEST(ClockDomain, TicksAtTheCyclesAskedFor) {
  ClockDomain clock("clock", 500e6);
  Ticker first(clock), second(clock);
  std::vector<const Ticker*> order;
  first.on_tick = [&](Cycle now) {
    order.push_back(&first);
    EXPECT_EQ(clock.now(), now);
    EXPECT_EQ(sc_core::sc_time_stamp(), clock.time_of(now));
    if (now < Cycle{12}) clock.wake_at(first.sleeper, now + 4);
  };
  second.on_tick = [&](Cycle) { order.push_back(&second); };
  clock.wake_at(second.sleeper, Cycle{8});
  clock.wake_at(first.sleeper, Cycle{4});
  run_dry();
  EXPECT_EQ(first.ticks, (Ticks{4, 8, 12}));
  EXPECT_EQ(second.ticks, (Ticks{8}));
  EXPECT_EQ(order, (std::vector<const Ticker*>{&first, &first, &second, &first}));
  EXPECT_EQ(count(clock, "wakes"), 3u);
  EXPECT_EQ(count(clock, "ticks"), 4u);
}

// All divided blocks work before the first one finishes, and they finish in the order in which they were
// added.
void expect_divided_order(unsigned threads) {
  ClockDomain clock("clock", 500e6);
  WorkerPool pool(threads);
  std::vector<std::string> log;
  std::vector<std::unique_ptr<Worker>> workers;
  for (const char* block : {"a", "b", "c", "d", "e"}) {
    workers.push_back(std::make_unique<Worker>(clock, log, block));
    workers.back()->finishes_until = Cycle{3};
  }
  Ticker ticker(clock);
  ticker.on_tick = [&](Cycle now) {
    log.push_back(fmt::format("{} tick", now.value));
    clock.wake_at(workers[2]->sleeper, now);  // in the present cycle
  };
  clock.share(pool, 1);
  clock.wake_at(ticker.sleeper, Cycle{2});
  for (const std::size_t awake : {4, 0, 1}) clock.wake_at(workers[awake]->sleeper, Cycle{2});
  run_dry();
  EXPECT_EQ(log, (std::vector<std::string>{"2 tick", "2 a", "2 b", "2 c", "2 e"})) << threads;
  EXPECT_EQ(workers[0]->works, (Ticks{2, 3}));
  EXPECT_EQ(workers[2]->works, (Ticks{2, 3}));
  EXPECT_EQ(workers[3]->works, (Ticks{}));
  EXPECT_EQ(count(clock, "wakes"), 2u);
  EXPECT_EQ(count(clock, "ticks"), 9u);
}

TEST(ClockDomain, DividedBlocksFinishInTheirOrderAfterAllWork) {
  expect_divided_order(1);
}

TEST(ClockDomain, DividedBlocksFinishInTheirOrderOnSeveralThreads) {
  expect_divided_order(3);
}

TEST(ClockDomain, TheFirstDividedBlockThatFailsIsTold) {
  ClockDomain clock("clock", 500e6);
  WorkerPool pool(3);
  std::vector<std::string> log;
  std::vector<std::unique_ptr<Worker>> workers;
  for (const char* block : {"a", "b", "c", "d", "e", "f"})
    workers.push_back(std::make_unique<Worker>(clock, log, block));
  clock.share(pool, 1);
  for (const auto& worker : workers) clock.wake_at(worker->sleeper, Cycle{5});
  for (const std::size_t failing : {5, 3}) workers[failing]->fails_at = Cycle{5};
  std::string told;
  try {
    run_dry();
  } catch (const std::exception& error) {
    told = error.what();
  }
  EXPECT_THAT(told, testing::HasSubstr("d fails"));
}

TEST(ClockDomain, FewDividedBlocksWorkOnTheCallingThread) {
  ClockDomain clock("clock", 500e6);
  WorkerPool pool(2);
  std::vector<std::string> log;
  class Where : public Divided {
   public:
    explicit Where(ClockDomain& clock) : sleeper(clock.add(*this)) {}
    Cycle work(Cycle now) override {
      threads.push_back(std::this_thread::get_id());
      return now < Cycle{2} ? now + 1 : Cycle::never();
    }
    Cycle finish(Cycle) override { return Cycle::never(); }
    ClockDomain::Sleeper sleeper;
    std::vector<std::thread::id> threads;
  };
  Where first(clock);
  Where second(clock);
  clock.share(pool, 2);
  clock.wake_at(second.sleeper, Cycle{1});
  clock.wake_at(first.sleeper, Cycle{2});
  run_dry();
  ASSERT_EQ(second.threads.size(), 2u);
  EXPECT_EQ(second.threads[0], std::this_thread::get_id());
  EXPECT_NE(second.threads[1], std::this_thread::get_id());
  EXPECT_EQ(first.threads, std::vector<std::thread::id>{std::this_thread::get_id()});
}

TEST(ClockDomain, ASleepingDomainCostsNothing) {
  ClockDomain clock("clock", 500e6);
  Ticker ticker(clock);
  clock.wake_at(ticker.sleeper, Cycle{1'000'000});
  sc_core::sc_start(sc_core::sc_time(1, sc_core::SC_MS));
  EXPECT_EQ(count(clock, "wakes"), 0u);
  EXPECT_EQ(sc_core::sc_delta_count(), 0u);
  sc_core::sc_start(sc_core::sc_time(2, sc_core::SC_MS));
  EXPECT_EQ(ticker.ticks, (Ticks{1'000'000}));
  EXPECT_EQ(count(clock, "wakes"), 1u);
}

TEST(ClockDomain, AnEarlierWakeFromOutsideOverridesALaterOne) {
  ClockDomain clock("clock", 500e6);
  Ticker one(clock), other(clock);
  clock.wake_at(one.sleeper, Cycle{1000});
  run_to(clock, Cycle{10});
  clock.wake_at(other.sleeper, Cycle{20});
  clock.wake_at(one.sleeper, Cycle{15});
  run_dry();
  EXPECT_EQ(one.ticks, (Ticks{15}));
  EXPECT_EQ(other.ticks, (Ticks{20}));
  EXPECT_EQ(count(clock, "wakes"), 2u);
}

TEST(ClockDomain, ABlockWakesAnotherOfItsDomainOrOfAnother) {
  ClockDomain fast("fast", 1e9), slow("slow", 250e6);
  Ticker a(fast), b(fast), c(slow);
  a.on_tick = [&](Cycle now) {
    fast.wake_at(b.sleeper, now + 1);
    slow.wake_at(c.sleeper, slow.now() + 1);
  };
  fast.wake_at(a.sleeper, Cycle{8});  // 8 ns is an edge of both clocks
  run_dry();
  EXPECT_EQ(b.ticks, (Ticks{9}));
  EXPECT_EQ(c.ticks, (Ticks{3}));
}

// Edges at the same time cost one call by the SystemC kernel, whatever the frequencies. Each clock keeps its
// own count of cycles.
TEST(ClockDomain, ClocksThatShareAMethodAreCalledOnceForEdgesAtTheSameTime) {
  ClockDomain fast("fast", 1e9), same("same", 1e9, fast), slow("slow", 250e6, fast);
  Ticker a(fast), b(same), c(slow);
  a.on_tick = [&](Cycle now) {
    if (now < Cycle{16}) fast.wake_at(a.sleeper, now + 4);
    if (now > Cycle{8}) return;
    same.wake_at(b.sleeper, now + 4);
    slow.wake_at(c.sleeper, slow.now() + 1);
  };
  fast.wake_at(a.sleeper, Cycle{8});
  slow.wake_at(c.sleeper, Cycle{1});
  run_dry();
  EXPECT_EQ(a.ticks, (Ticks{8, 12, 16}));
  EXPECT_EQ(b.ticks, (Ticks{12}));
  EXPECT_EQ(c.ticks, (Ticks{1, 3}));
  EXPECT_EQ(count(fast, "calls"), 4u);  // at 4, 8, 12 and 16 ns
  EXPECT_EQ(count(fast, "wakes"), 3u);
  EXPECT_EQ(count(same, "wakes"), 1u);
  EXPECT_EQ(count(slow, "wakes"), 2u);
  EXPECT_EQ(ClockStats(same).group().find("same.calls"), nullptr);
}

TEST(ClockDomain, AnEarlierWakeOfAClockThatSharesAMethodOverridesALaterOne) {
  ClockDomain first("first", 1e9), other("other", 500e6, first);
  Ticker a(first), b(other);
  first.wake_at(a.sleeper, Cycle{1000});
  run_to(first, Cycle{10});
  other.wake_at(b.sleeper, Cycle{400});
  other.wake_at(b.sleeper, Cycle{7});
  run_dry();
  EXPECT_EQ(a.ticks, (Ticks{1000}));
  EXPECT_EQ(b.ticks, (Ticks{7}));
  EXPECT_EQ(count(first, "calls"), 2u);
}

// A message takes effect `latency` edges of the receiver's clock after it was sent.
TEST(ClockDomain, MessagesArriveAtTheReceiversEdge) {
  ClockDomain clock("clock", 500e6);
  Ticker ticker(clock);
  Inbox<int> inbox("inbox", clock, ticker.sleeper, 2);
  std::vector<std::pair<std::uint64_t, int>> got;
  ticker.on_tick = [&](Cycle now) {
    for (; inbox.has(now); inbox.pop()) got.emplace_back(now.value, inbox.front());
    clock.wake_at(ticker.sleeper, inbox.due(now));
  };
  sc_core::sc_start(sc_core::sc_time(5, sc_core::SC_NS));  // half a cycle after cycle 2
  inbox.receive(7, 1);
  inbox.receive(8, 3);
  EXPECT_FALSE(inbox.has(Cycle{2}));
  EXPECT_THROW(inbox.receive(9, 3), InvariantError) << "more than it can hold";
  run_dry();
  EXPECT_EQ(got, (std::vector<std::pair<std::uint64_t, int>>{{3, 7}, {5, 8}}));
  EXPECT_THROW(inbox.receive(9, 0), InvariantError) << "no latency";
}

TEST(ClockDomain, AnInboxLetsGoOfWhatAMessageCarriesWhenItIsTakenOrDropped) {
  ClockDomain clock("clock", 500e6);
  Ticker ticker(clock);
  Inbox<std::shared_ptr<int>> inbox("inbox", clock, ticker.sleeper, 2);
  const auto carried = std::make_shared<int>(7);
  inbox.receive(carried, 1);
  inbox.receive(carried, 2);
  EXPECT_EQ(carried.use_count(), 3);
  EXPECT_EQ(*inbox.front(), 7);
  inbox.pop();
  EXPECT_EQ(carried.use_count(), 2);
  inbox.reset();
  EXPECT_EQ(carried.use_count(), 1);
}

// The time of the reset is not an edge of either clock.
TEST(ClockDomain, AResetDropsEveryWakeAndMakesThePresentTimeCycleZeroOfAllClocksOfTheMethod) {
  ClockDomain core("core", 500e6);
  ClockDomain slow("slow", 250e6, core);
  Ticker fast(core), lazy(slow);
  core.wake_at(fast.sleeper, Cycle{2});
  core.wake_at(fast.sleeper, Cycle{2000});
  slow.wake_at(lazy.sleeper, Cycle{700});
  const sc_core::sc_time begin(7001, sc_core::SC_PS);
  sc_core::sc_start(begin);
  core.wake_at(fast.sleeper, Cycle{4});
  core.reset();
  EXPECT_EQ(core.now(), Cycle{0});
  EXPECT_EQ(slow.now(), Cycle{0});
  EXPECT_EQ(core.time_of(Cycle{3}), begin + sc_core::sc_time(6, sc_core::SC_NS));
  EXPECT_EQ(count(core, "ticks"), 0u);
  core.wake_at(fast.sleeper, Cycle{5});
  slow.wake_at(lazy.sleeper, Cycle{300});
  fast.on_tick = [&](Cycle now) { EXPECT_EQ(sc_core::sc_time_stamp(), core.time_of(now)); };
  run_dry();
  EXPECT_EQ(fast.ticks, (Ticks{2, 5}));
  EXPECT_EQ(lazy.ticks, (Ticks{300}));
  EXPECT_EQ(sc_core::sc_time_stamp(), begin + sc_core::sc_time(1200, sc_core::SC_NS));
  EXPECT_EQ(count(core, "calls"), 2u);
}

TEST(PayloadPool, AResetTakesEveryPayloadBackWhoeverHoldsIt) {
  PayloadPool pool(3, 16);
  tlm::tlm_generic_payload& first = pool.take(tlm::TLM_READ_COMMAND, 0, 16);
  pool.take(tlm::TLM_READ_COMMAND, 0, 16).acquire();
  EXPECT_EQ(pool.in_use(), 2u);
  pool.reset();
  EXPECT_EQ(pool.in_use(), 0u);
  EXPECT_EQ(first.get_ref_count(), 0);
  EXPECT_EQ(&pool.take(tlm::TLM_READ_COMMAND, 0, 16), &first) << "in the order of a new pool";
}

}  // namespace
}  // namespace heddle::test
