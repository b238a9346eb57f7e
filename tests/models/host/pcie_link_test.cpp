#include "models/host/pcie_link.h"

#include <gtest/gtest.h>

#include "models/host/system_memory.h"
#include "tests/support/k20.h"
#include "tests/support/machine/protocol_checker.h"
#include "tests/support/machine/slow_memory.h"
#include "tests/support/machine/traffic_source.h"
#include "tests/support/rig.h"

namespace heddle::test {
namespace {

constexpr std::uint32_t kBurst = 4096;
constexpr std::uint64_t kBurstCycles = 256;  // 4096 bytes over 16 lanes of a byte
// The cycles of a request to the link, of the latency of the link, and of the response from the link.
constexpr std::uint64_t kFixed = 1 + 250 + 1;

using Requests = std::vector<TrafficSource::Request>;

Requests transfer(tlm::tlm_command command, std::uint64_t bytes, Cycle from = Cycle{1}) {
  Requests requests;
  for (std::uint64_t at = 0; at < bytes; at += kBurst)
    requests.push_back(
        {command, at, static_cast<std::uint32_t>(std::min<std::uint64_t>(kBurst, bytes - at)), from});
  return requests;
}

// A link with a source at each port and a checker on every connection.
struct Rig {
  Rig(const char* name, const std::vector<Requests>& traffic, const PcieSpec& spec = k20_pcie())
      : clock((std::string(name) + "_clock").c_str(), kK20PcieHz),
        memory((std::string(name) + "_memory").c_str(),
               sc_core::sc_time(kK20MemoryLatencyPs * 1e-12, sc_core::SC_SEC)),
        link(name, spec, static_cast<std::uint32_t>(traffic.size()), clock),
        below((std::string(name) + "_below").c_str()) {
    for (std::uint32_t i = 0; i < traffic.size(); ++i) {
      const std::string number = std::to_string(i);
      sources.push_back(std::make_unique<TrafficSource>((std::string(name) + "_source" + number).c_str(),
                                                        clock, traffic[i]));
      above.push_back(std::make_unique<ProtocolChecker>((std::string(name) + "_above" + number).c_str()));
      sources[i]->memory().bind(above[i]->target);
      above[i]->initiator.bind(link.port(i));
    }
    link.system().bind(below.target);
    below.initiator.bind(memory.socket);
  }

  std::uint64_t cycles(std::size_t source) const {
    const auto& done = sources[source]->done();
    return done.back().answered - done.front().sent;
  }
  std::uint64_t counter(const std::string& path) {
    link.update_stats();
    const Counter* counter = link.stats().find(link.stats().name() + "." + path);
    return counter == nullptr ? ~std::uint64_t{0} : counter->value();
  }
  void expect_clean() const {
    EXPECT_TRUE(link.idle());
    for (const auto& checker : above) {
      EXPECT_TRUE(checker->idle());
      EXPECT_EQ(checker->requests(), checker->responses());
    }
    EXPECT_TRUE(below.idle());
  }

  ClockDomain clock;
  SystemMemory memory;
  PcieLink link;
  std::vector<std::unique_ptr<TrafficSource>> sources;
  std::vector<std::unique_ptr<ProtocolChecker>> above;
  ProtocolChecker below;
};

TEST(PcieLink, ATransferTakesItsBurstsAndAFixedTime) {
  std::vector<std::unique_ptr<Rig>> rigs;
  std::vector<std::uint64_t> expected;
  for (const tlm::tlm_command command : {tlm::TLM_READ_COMMAND, tlm::TLM_WRITE_COMMAND})
    for (const std::uint64_t bursts : {1, 2, 3, 10, 200}) {
      const std::string name = "link" + std::to_string(rigs.size());
      rigs.push_back(
          std::make_unique<Rig>(name.c_str(), std::vector<Requests>{transfer(command, bursts * kBurst)}));
      // A write reaches memory when its data have crossed the link, which adds 50 cycles of memory latency.
      expected.push_back(bursts * kBurstCycles + kFixed + (command == tlm::TLM_WRITE_COMMAND ? 50 : 0));
    }
  run_dry();
  for (std::size_t i = 0; i < rigs.size(); ++i) {
    EXPECT_EQ(rigs[i]->cycles(0), expected[i]) << i;
    rigs[i]->expect_clean();
  }
}

TEST(PcieLink, ThePartOfABurstThatIsLeftTakesItsShare) {
  Rig rig("link", {transfer(tlm::TLM_READ_COMMAND, 2 * kBurst + 100)});
  run_dry();
  EXPECT_EQ(rig.cycles(0), 2 * kBurstCycles + 7 + kFixed);  // ceil(100 / 16)
  EXPECT_EQ(rig.counter("to_gpu.bytes"), 2 * kBurst + 100u);
  EXPECT_EQ(rig.counter("to_gpu.packets"), 3u);
  EXPECT_EQ(rig.counter("to_gpu.busy_cycles"), 2 * kBurstCycles + 7);
  EXPECT_EQ(rig.counter("to_host.packets"), 0u);
}

// A burst takes several cycles. The counters are read in each of them.
TEST(PcieLink, APacketThatIsCrossingCountsAsFarAsItHas) {
  const std::uint64_t bytes = 3 * kBurst + 100;
  Rig rig("link", {transfer(tlm::TLM_READ_COMMAND, bytes)});
  const std::uint64_t cycles = 4 * kBurstCycles + kFixed;
  std::uint64_t busy = 0, packets = 0;
  for (std::uint64_t cycle = 0; cycle < cycles; ++cycle) {
    sc_core::sc_start(sc_core::sc_time(1 / rig.clock.frequency_hz(), sc_core::SC_SEC));
    const std::uint64_t now = rig.counter("to_gpu.busy_cycles");
    EXPECT_LE(now - busy, 1u) << "cycle " << cycle;
    EXPECT_LE(rig.counter("to_gpu.bytes"), now * kBurst / kBurstCycles) << "cycle " << cycle;
    EXPECT_LE(rig.counter("to_gpu.packets") * kBurst, rig.counter("to_gpu.bytes") + kBurst - 100);
    EXPECT_GE(rig.counter("to_gpu.packets"), packets);
    packets = rig.counter("to_gpu.packets");
    busy = now;
  }
  EXPECT_EQ(busy, 3 * kBurstCycles + 7);
  EXPECT_EQ(rig.counter("to_gpu.bytes"), bytes);
  EXPECT_EQ(packets, 4u);
}

TEST(PcieLink, BothWaysAtOnceReachTheFullBandwidthEach) {
  constexpr std::uint64_t kBursts = 500;
  Rig rig("link", {transfer(tlm::TLM_READ_COMMAND, kBursts * kBurst),
                   transfer(tlm::TLM_WRITE_COMMAND, kBursts * kBurst)});
  run_dry();
  EXPECT_EQ(rig.cycles(0), kBursts * kBurstCycles + kFixed);
  EXPECT_EQ(rig.cycles(1), kBursts * kBurstCycles + kFixed + 50);
  for (const char* way : {"to_gpu", "to_host"}) {
    const double seconds =
        static_cast<double>(rig.counter(std::string(way) + ".busy_cycles")) / rig.clock.frequency_hz();
    EXPECT_DOUBLE_EQ(static_cast<double>(rig.counter(std::string(way) + ".bytes")) / seconds, 8e9) << way;
  }
  rig.expect_clean();
}

TEST(PcieLink, OneWaySharedByTwoPortsIsShared) {
  constexpr std::uint64_t kBursts = 20;
  Rig rig("link", {transfer(tlm::TLM_READ_COMMAND, kBursts * kBurst),
                   transfer(tlm::TLM_READ_COMMAND, kBursts * kBurst)});
  run_dry();
  EXPECT_EQ(std::max(rig.cycles(0), rig.cycles(1)), 2 * kBursts * kBurstCycles + kFixed);
  EXPECT_EQ(rig.cycles(0), kBursts * kBurstCycles + kFixed) << "the lowest port first";
  rig.expect_clean();
}

// Bursts are granted at cycles 2 + 256 n. A descriptor that is requested in the middle of the third burst
// goes before the fourth burst, and delays the following bursts by its four cycles.
TEST(PcieLink, SmallPacketsGoBetweenBursts) {
  Rig rig("link",
          {{{tlm::TLM_READ_COMMAND, 0, 64, Cycle{600}}}, transfer(tlm::TLM_READ_COMMAND, 10 * kBurst)});
  run_dry();
  ASSERT_EQ(rig.sources[0]->done().size(), 1u);
  EXPECT_EQ(rig.sources[0]->done()[0].sent, Cycle{600});
  EXPECT_EQ(rig.sources[0]->done()[0].answered, Cycle{2 + 3 * 256 + 4 + 250 + 1});
  EXPECT_EQ(rig.cycles(1), 10 * kBurstCycles + 4 + kFixed);
  rig.expect_clean();
}

TEST(PcieLink, ASmallPacketTheOtherWayDoesNotWait) {
  Rig rig("link", {{{tlm::TLM_WRITE_COMMAND, 0x100000, 8, Cycle{600}}},
                   transfer(tlm::TLM_READ_COMMAND, 10 * kBurst)});
  run_dry();
  EXPECT_EQ(rig.sources[0]->done()[0].answered, Cycle{601 + 1 + 250 + 50 + 1});
  EXPECT_EQ(rig.cycles(1), 10 * kBurstCycles + kFixed);
}

TEST(PcieLink, WithoutLatencyTheMemorysIsSeen) {
  PcieSpec spec = k20_pcie();
  spec.latency = 0;
  Rig rig("link", {{{tlm::TLM_READ_COMMAND, 0, 16, Cycle{1}}}}, spec);
  run_dry();
  EXPECT_EQ(rig.cycles(0), 1 + 50 + 1u);
}

// The memory takes a request every 41 cycles and answers on the backward path. Small packets queue up and are
// all answered once and in order.
TEST(PcieLink, ASlowMemoryPushesBack) {
  ClockDomain clock("clock", kK20PcieHz);
  PcieLink link("link", k20_pcie(), 1, clock);
  Requests requests;
  for (std::uint32_t i = 0; i < 300; ++i)
    requests.push_back({i % 3 == 0 ? tlm::TLM_WRITE_COMMAND : tlm::TLM_READ_COMMAND, i * 64, 64, Cycle{1}});
  TrafficSource source("source", clock, requests);
  SlowMemory memory("memory", clock, 40, 100);
  ProtocolChecker above("above"), below("below");
  source.memory().bind(above.target);
  above.initiator.bind(link.port(0));
  link.system().bind(below.target);
  below.initiator.bind(memory.socket());
  run_dry();
  EXPECT_EQ(source.done().size(), requests.size());
  EXPECT_EQ(above.responses(), requests.size());
  EXPECT_EQ(below.responses(), requests.size());
  EXPECT_TRUE(above.idle() && below.idle() && link.idle());
}

}  // namespace
}  // namespace heddle::test
