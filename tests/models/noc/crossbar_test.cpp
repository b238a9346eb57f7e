#include "models/noc/crossbar.h"

#include <gtest/gtest.h>

#include "tests/support/machine/crossbar_arbiters.h"
#include "tests/support/machine/gtx480_memory.h"
#include "tests/support/machine/memory_sink.h"
#include "tests/support/machine/protocol_checker.h"
#include "tests/support/machine/traffic_source.h"
#include "tests/support/rig.h"

namespace heddle::test {
namespace {

using Requests = std::vector<TrafficSource::Request>;
constexpr std::uint64_t kPage = 4096;
// Cycles from the tick that sends a packet of one flit to the tick that finds it on the other side: to the
// port, through the switch, and to the neighbour.
constexpr std::uint64_t kOneWay = 1 + 4 + 1;

TrafficSource::Request read(Address address, std::uint32_t bytes = 32, Cycle from = Cycle{1}) {
  return {tlm::TLM_READ_COMMAND, address, bytes, from};
}
TrafficSource::Request write(Address address, std::uint32_t bytes, Cycle from = Cycle{1}) {
  return {tlm::TLM_WRITE_COMMAND, address, bytes, from};
}

// Sources and sinks around a crossbar, with a checker on every link. The address bits from 12 on choose the
// slice.
struct Rig {
  Rig(const std::vector<Requests>& traffic, const std::vector<MemorySink::Options>& memories,
      const NocSpec& spec = gtx480_noc(), const std::string& arbiter = "round-robin")
      : clock("clock", 700e6),
        pages(kPage, 64 << 20, 4),
        crossbar("crossbar", spec, static_cast<std::uint32_t>(traffic.size()),
                 static_cast<std::uint32_t>(memories.size()),
                 {clock, pages,
                  [n = memories.size()](Address address) {
                    return static_cast<std::uint32_t>(address / kPage % n);
                  },
                  crossbar_arbiters(memories.size(), arbiter), crossbar_arbiters(traffic.size(), arbiter)}) {
    for (std::uint32_t i = 0; i < traffic.size(); ++i) {
      const std::string number = std::to_string(i);
      sources.push_back(
          std::make_unique<TrafficSource>(("source" + number).c_str(), clock, traffic[i], SmId{i}));
      checkers.push_back(std::make_unique<ProtocolChecker>(("above" + number).c_str()));
      sources.back()->memory().bind(checkers.back()->target);
      checkers.back()->initiator.bind(crossbar.sm(i));
    }
    for (std::uint32_t i = 0; i < memories.size(); ++i) {
      const std::string number = std::to_string(i);
      sinks.push_back(std::make_unique<MemorySink>(("sink" + number).c_str(), clock, memories[i]));
      checkers.push_back(std::make_unique<ProtocolChecker>(("below" + number).c_str()));
      crossbar.slice(i).bind(checkers.back()->target);
      checkers.back()->initiator.bind(sinks.back()->socket());
    }
  }

  std::uint64_t counter(const std::string& path) {
    crossbar.update_stats(clock.now());
    const Counter* counter = crossbar.stats().find("crossbar." + path);
    EXPECT_NE(counter, nullptr) << path;
    return counter == nullptr ? 0 : counter->value();
  }
  void expect_clean() {
    EXPECT_TRUE(crossbar.idle());
    EXPECT_EQ(crossbar.waiting_for(), "");
    for (const auto& checker : checkers) {
      EXPECT_TRUE(checker->idle());
      EXPECT_EQ(checker->requests(), checker->responses());
    }
    EXPECT_EQ(counter("requests.packets"), counter("replies.packets"));
  }

  ClockDomain clock;
  PageTables pages;
  Crossbar crossbar;
  std::vector<std::unique_ptr<TrafficSource>> sources;
  std::vector<std::unique_ptr<MemorySink>> sinks;
  std::vector<std::unique_ptr<ProtocolChecker>> checkers;
};

TEST(Crossbar, ZeroLoadLatencyIsSixCyclesEachWayForOneFlit) {
  Rig rig({{read(0, 32, Cycle{10})}}, {{1, 1, 7}});
  run_dry();
  ASSERT_EQ(rig.sinks[0]->seen.size(), 1u);
  EXPECT_EQ(rig.sinks[0]->seen[0].taken, Cycle{10 + kOneWay});
  EXPECT_EQ(rig.sources[0]->done()[0].answered, Cycle{10 + kOneWay + 7 + kOneWay});
  rig.expect_clean();
}

TEST(Crossbar, AFlitMoreIsACycleMore) {
  Rig rig({{read(0, 128, Cycle{10}), write(0, 128, Cycle{100})}}, {{1, 1, 7}});
  run_dry();
  EXPECT_EQ(rig.sources[0]->done()[0].answered, Cycle{10 + kOneWay + 7 + kOneWay + 3});
  EXPECT_EQ(rig.sinks[0]->seen[1].taken, Cycle{100 + kOneWay + 3});
  EXPECT_EQ(rig.sources[0]->done()[1].answered, Cycle{100 + kOneWay + 3 + 7 + kOneWay});
  EXPECT_EQ(rig.counter("requests.flits"), 1u + 4u);
  EXPECT_EQ(rig.counter("replies.flits"), 4u + 1u);
  EXPECT_EQ(rig.counter("requests.latency_cycles"), 4u + 7u);
}

// A line leaves slice 0 and, a cycle later, a sector leaves slice 1, both to the same SM.
std::vector<Requests> line_and_sector() {
  return {{read(0, 128, Cycle{10}), read(kPage, 32, Cycle{11})}};
}

TEST(Crossbar, AReplyOfOnePacketHoldsItsOutputUntilItsTailHasPassed) {
  Rig rig(line_and_sector(), {{1, 1, 7}, {1, 1, 7}});
  run_dry();
  ASSERT_EQ(rig.sources[0]->done().size(), 2u);
  EXPECT_EQ(rig.sources[0]->done()[0].number, 0u);
  EXPECT_EQ(rig.sources[0]->done()[0].answered, Cycle{10 + kOneWay + 7 + kOneWay + 3});
  EXPECT_EQ(rig.sources[0]->done()[1].answered, Cycle{10 + kOneWay + 7 + kOneWay + 4});
  rig.expect_clean();
}

TEST(Crossbar, AReplyOfSeveralPacketsLetsAnotherOneThrough) {
  NocSpec spec = gtx480_noc();
  spec.reply_bytes = 32;
  Rig rig(line_and_sector(), {{1, 1, 7}, {1, 1, 7}}, spec);
  run_dry();
  ASSERT_EQ(rig.sources[0]->done().size(), 2u);
  EXPECT_EQ(rig.sources[0]->done()[0].number, 1u);
  EXPECT_EQ(rig.sources[0]->done()[0].answered, Cycle{11 + kOneWay + 7 + kOneWay});
  EXPECT_EQ(rig.sources[0]->done()[1].answered, Cycle{10 + kOneWay + 7 + kOneWay + 4});
  EXPECT_EQ(rig.counter("replies.flits"), 4u + 1u);
  EXPECT_EQ(rig.counter("replies.packets"), 4u + 1u);
  EXPECT_TRUE(rig.crossbar.idle());
}

TEST(Crossbar, AWriteIsAnsweredByAsManyPacketsWithoutData) {
  NocSpec spec = gtx480_noc();
  spec.reply_bytes = 32;
  Rig rig({{write(0, 96, Cycle{10})}}, {{1, 1, 7}}, spec);
  run_dry();
  EXPECT_EQ(rig.counter("replies.packets"), 3u);
  EXPECT_EQ(rig.counter("replies.flits"), 3u);
  EXPECT_TRUE(rig.crossbar.idle());
}

TrafficSource::Request load(Address address, Cycle from) {
  TrafficSource::Request made = read(address, 128, from);
  made.kind = RequestKind::kLoad;
  return made;
}

TEST(Crossbar, ReadsOfNeighboursGoToL2OnceAndAreAnsweredOneAfterAnother) {
  NocSpec spec = gtx480_noc();
  spec.merge = {MergeSpec::Of::kTpc, 8, 2, {2, 1}};
  Rig rig({{load(0, Cycle{10})}, {load(0, Cycle{12})}, {load(0, Cycle{12})}}, {{1, 1, 7}}, spec);
  run_dry();
  EXPECT_EQ(rig.sinks[0]->seen.size(), 2u) << "the third SM is of another group";
  EXPECT_EQ(rig.counter("requests.merged_reads"), 1u);
  EXPECT_EQ(rig.sources[0]->done()[0].answered, Cycle{10 + kOneWay + 7 + kOneWay + 3});
  EXPECT_EQ(rig.sources[1]->done()[0].answered, Cycle{10 + kOneWay + 7 + kOneWay + 4});
  rig.expect_clean();
}

// An SM reads a line of each of two slices. The answers pass a switch of wide flits in two cycles, one after
// the other.
std::uint64_t between_answers(std::uint32_t port_bytes) {
  NocSpec spec = gtx480_noc();
  spec.reply_flit_bytes = 136;
  spec.sm_port_bytes = port_bytes;
  Rig rig({{load(0, Cycle{10}), load(kPage, Cycle{11})}}, {{1, 1, 8}, {1, 1, 7}}, spec);
  run_dry();
  rig.expect_clean();
  return rig.sources[0]->done()[1].answered - rig.sources[0]->done()[0].answered;
}

TEST(Crossbar, WideFlitsBringAnAnswerACycle) {
  EXPECT_EQ(between_answers(0), 1u);
}

TEST(Crossbar, AnAnswerTakesItsBytesOverThoseOfThePortOfAnSm) {
  EXPECT_EQ(between_answers(32), 4u);
}

TEST(Crossbar, AtomicsCarryTheirOperandsAndResults) {
  TrafficSource::Request atomic = read(0, 128, Cycle{10});
  atomic.kind = RequestKind::kAtomic;
  atomic.lanes = 32;
  Rig rig({{atomic}}, {{1, 1, 7}});
  run_dry();
  EXPECT_EQ(rig.counter("requests.flits"), 4u);
  EXPECT_EQ(rig.counter("replies.flits"), 4u);
}

TEST(Crossbar, APortPassesAFlitACycle) {
  Requests reads, writes;
  for (std::uint32_t i = 0; i < 60; ++i) reads.push_back(read(i % 8 * 32));
  for (std::uint32_t i = 0; i < 60; ++i) writes.push_back(write(kPage + i % 8 * 128, 128));
  Rig rig({reads, writes}, {{1, 1, 1}, {1, 1, 1}});
  run_dry();
  const auto& single = rig.sinks[0]->seen;
  const auto& quad = rig.sinks[1]->seen;
  ASSERT_EQ(single.size(), 60u);
  ASSERT_EQ(quad.size(), 60u);
  for (std::size_t i = 1; i < 60; ++i) {
    EXPECT_EQ(single[i].taken - single[i - 1].taken, 1u) << i;
    EXPECT_EQ(quad[i].taken - quad[i - 1].taken, 4u) << i;
  }
  rig.expect_clean();
}

TEST(Crossbar, RoundRobinIsFair) {
  std::vector<Requests> traffic(5);
  for (std::uint32_t s = 0; s < 5; ++s)
    for (std::uint32_t i = 0; i < 40; ++i) traffic[s].push_back(read(0));
  Rig rig(traffic, {{1, 1, 1}});
  run_dry();
  const auto& seen = rig.sinks[0]->seen;
  ASSERT_EQ(seen.size(), 200u);
  for (std::size_t i = 0; i < 200; ++i) EXPECT_EQ(seen[i].sm, SmId{static_cast<std::uint32_t>(i % 5)}) << i;
  EXPECT_EQ(seen[199].taken - seen[0].taken, 199u);
  rig.expect_clean();
}

// Source 0 has queued writes of four flits when a read of source 1 comes. Round robin serves that read next.
// Oldest first serves it after all requests that were issued earlier.
TEST(Crossbar, OldestFirstKeepsTheOrderOfIssue) {
  Requests writes;
  for (std::uint32_t i = 0; i < 4; ++i) writes.push_back(write(0, 128));  // issued in cycles 1 .. 4
  Rig rig({writes, {read(64, 32, Cycle{4})}}, {{1, 1, 1}}, gtx480_noc(), "oldest-first");
  run_dry();
  std::vector<std::uint32_t> order;
  for (const auto& seen : rig.sinks[0]->seen) order.push_back(seen.sm.value);
  EXPECT_EQ(order, (std::vector<std::uint32_t>{0, 0, 0, 0, 1}));
  rig.expect_clean();
}

TEST(Crossbar, RoundRobinLetsTheLateReadGoBetween) {
  Requests writes;
  for (std::uint32_t i = 0; i < 4; ++i) writes.push_back(write(0, 128));
  Rig rig({writes, {read(64, 32, Cycle{4})}}, {{1, 1, 1}});
  run_dry();
  std::vector<std::uint32_t> order;
  for (const auto& seen : rig.sinks[0]->seen) order.push_back(seen.sm.value);
  EXPECT_EQ(order, (std::vector<std::uint32_t>{0, 1, 0, 0, 0}));
}

// The sink takes no requests. The crossbar then holds as many requests as its buffers, and one more packet in
// each handshake.
TEST(Crossbar, FullBuffersHoldSourcesBack) {
  Requests reads;
  for (std::uint32_t i = 0; i < 64; ++i) reads.push_back(read(0));
  Rig rig({reads}, {{2, MemorySink::kNever, 1}});
  run_to(rig.clock, Cycle{500});
  // The sink has taken 2 and has 1 in its handshake. The output buffer holds 16, the input buffer 16, and the
  // port 1 and 1.
  EXPECT_EQ(rig.checkers[0]->requests(), 3u + 16 + 16 + 1 + 1);
  EXPECT_EQ(rig.checkers[1]->requests(), 3u);
  EXPECT_FALSE(rig.crossbar.idle());
  EXPECT_EQ(rig.crossbar.waiting_for(),
            "16 requests for slice 0, which has no room; 18 requests of SM 0 at the request switch");
}

TEST(Crossbar, ASlowMemoryPushesBackAndLosesNothing) {
  Requests mixed;
  for (std::uint32_t i = 0; i < 200; ++i)
    mixed.push_back(i % 3 == 0 ? write(i * 128, 128) : read(i * 128, 128));
  Rig rig({mixed, mixed, mixed}, {{0, 9, 30}, {1, 5, 3, 2}});
  run_dry();
  for (const auto& source : rig.sources) EXPECT_EQ(source->done().size(), 200u);
  EXPECT_GT(rig.counter("requests.refused_cycles"), 0u);
  EXPECT_GT(rig.counter("requests.blocked_cycles"), 0u);
  EXPECT_GT(rig.counter("requests.arbitration_cycles"), 0u);
  rig.expect_clean();
}

TEST(Crossbar, AddressesBecomePhysicalInOrderOfPorts) {
  TrafficSource::Request other = read(0x7000'0000'0000 + 32);
  other.context = ContextId{1};
  Rig rig({{read(0x7000'0000'0000), read(0x7000'0000'1000)}, {other}}, {{1, 1, 1}, {1, 1, 1}});
  run_dry();
  ASSERT_EQ(rig.sinks[0]->seen.size(), 2u);
  ASSERT_EQ(rig.sinks[1]->seen.size(), 1u);
  EXPECT_EQ(rig.sinks[0]->seen[0].address, 0u);
  EXPECT_EQ(rig.sinks[1]->seen[0].address, 0x1020u);
  EXPECT_EQ(rig.sinks[0]->seen[1].address, 0x2000u);
  EXPECT_EQ(rig.pages.frames_used(), 3u);
}

TEST(Crossbar, AnIdleCrossbarSleeps) {
  Rig rig({{read(0, 32, Cycle{10}), read(0, 32, Cycle{100'000})}}, {{1, 1, 7}});
  run_dry();
  const Counter* ticks = &rig.clock.activity().ticks;
  ASSERT_NE(ticks, nullptr);
  EXPECT_LE(ticks->value(), 2u * 14u);
}

}  // namespace
}  // namespace heddle::test
