#include "models/dram/memory_controller.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <map>

#include "tests/support/dram/hbm2.h"
#include "tests/support/machine/protocol_checker.h"
#include "tests/support/machine/traffic_source.h"
#include "tests/support/rig.h"

namespace heddle::test {
namespace {

constexpr double kHz = 924e6;
constexpr double kCoreHz = 700e6;
using Requests = std::vector<TrafficSource::Request>;

class Recorder final : public DramObserver {
 public:
  void command(Cycle now, DramCommand command, std::uint32_t group, std::uint32_t bank,
               std::uint32_t row) override {
    issued.push_back({now.value, static_cast<std::uint64_t>(command), group, bank, row});
  }
  std::vector<std::array<std::uint64_t, 5>> issued;
};

DramSpec one_channel(std::uint32_t latency, bool refresh) {
  DramSpec spec = gddr5_spec(kGtx480Map, refresh);
  spec.map.channels = 1;
  spec.latency = latency;
  return spec;
}

struct Rig {
  Rig(const DramSpec& spec, const std::vector<Requests>& traffic, double source_hz = kHz)
      : clock("clock", kHz),
        other("other", kCoreHz),
        controller("dram", spec, 0, static_cast<std::uint32_t>(traffic.size()),
                   make_policies({"fr-fcfs", {}}, "open"), clock) {
    controller.observe(recorder);
    for (std::uint32_t i = 0; i < traffic.size(); ++i) {
      const std::string number = std::to_string(i);
      sources.push_back(std::make_unique<TrafficSource>(("source" + number).c_str(),
                                                        source_hz == kHz ? clock : other, traffic[i]));
      checkers.push_back(std::make_unique<ProtocolChecker>(("checker" + number).c_str()));
      sources[i]->memory().bind(checkers[i]->target);
      checkers[i]->initiator.bind(controller.port(i));
    }
  }
  void expect_all_answered() const {
    EXPECT_TRUE(controller.idle());
    for (const auto& checker : checkers) {
      EXPECT_TRUE(checker->idle());
      EXPECT_EQ(checker->requests(), checker->responses());
    }
  }

  ClockDomain clock, other;
  MemoryController controller;
  Recorder recorder;
  std::vector<std::unique_ptr<TrafficSource>> sources;
  std::vector<std::unique_ptr<ProtocolChecker>> checkers;
};

Requests mixed(std::uint64_t seed, std::uint64_t count, std::uint64_t pause) {
  MixedTraffic traffic(seed, count, 1 << 24, 30);
  Random random(seed);
  Requests requests;
  Cycle at{1};
  for (DramRequest request; traffic(request);) {
    at = at + 1 + random.below(pause) + (random.below(200) == 0 ? 5000 : 0);
    requests.push_back(
        {request.write ? tlm::TLM_WRITE_COMMAND : tlm::TLM_READ_COMMAND, request.local, 64, at});
  }
  return requests;
}

// The results of the pure controller for requests that are accepted in given cycles.
struct Pure {
  Pure(const DramSpec& spec, const std::map<std::uint64_t, DramRequest>& accepted) {
    const auto controller = make_controller(spec);
    controller->observe(recorder);
    auto next = accepted.begin();
    while (next != accepted.end() || !controller->idle()) {
      const Cycle now =
          std::min(controller->next_wake(), next == accepted.end() ? Cycle::never() : Cycle{next->first});
      if (next != accepted.end() && next->first == now.value) controller->accept(next++->second, now);
      if (const auto done = controller->tick(now)) last_beat[done->accepted.value] = done->last_beat.value;
    }
  }
  Recorder recorder;
  std::map<std::uint64_t, std::uint64_t> last_beat;  // by cycle of acceptance
};

class MemoryControllerUnder : public testing::TestWithParam<std::uint64_t> {};

TEST_P(MemoryControllerUnder, TrafficDoesWhatThePureControllerDoesAndAnswersWhenTheDataAreThere) {
  DramSpec spec = one_channel(20, true);
  // The queue is never full, so that a request is accepted at the end of its latency.
  spec.queue = 256;
  const Requests requests = mixed(GetParam(), 4000, GetParam());
  Rig rig(spec, {requests});
  run_dry();
  rig.expect_all_answered();
  // A request is in the queue one cycle and the latency after it was sent. A source sends in order, one
  // request per cycle.
  std::vector<TrafficSource::Done> done = rig.sources[0]->done();
  std::sort(done.begin(), done.end(), [](const auto& a, const auto& b) { return a.sent < b.sent; });
  ASSERT_EQ(done.size(), requests.size());
  const auto accepted_at = [&](std::size_t i) { return done[i].sent.value + 1 + spec.latency; };
  const auto is_write = [&](std::size_t i) { return requests[i].command == tlm::TLM_WRITE_COMMAND; };
  std::map<std::uint64_t, DramRequest> accepted;
  for (std::size_t i = 0; i < done.size(); ++i)
    accepted[accepted_at(i)] = {requests[i].address, is_write(i), i};
  ASSERT_EQ(accepted.size(), requests.size());
  const Pure pure(spec, accepted);
  EXPECT_EQ(rig.recorder.issued, pure.recorder.issued);
  for (std::size_t i = 0; i < done.size(); ++i)
    ASSERT_EQ(done[i].answered.value, (is_write(i) ? accepted_at(i) : pure.last_beat.at(accepted_at(i))) + 1)
        << i;
}

INSTANTIATE_TEST_SUITE_P(, MemoryControllerUnder, testing::Values(1, 8, 60));

TEST(MemoryController, AnUnloadedReadTakesTheLatencyAndItsRow) {
  Rig rig(one_channel(132, false), {{{tlm::TLM_READ_COMMAND, 0x40, 32, Cycle{10}}}});
  run_dry();
  ASSERT_EQ(rig.sources[0]->done().size(), 1u);
  EXPECT_EQ(rig.sources[0]->done()[0].answered, Cycle{10 + 1 + 132 + 26 + 1});
}

TEST(MemoryController, TakesTurnsBetweenItsPortsAndFillsTheBus) {
  std::vector<Requests> traffic(2);
  for (std::uint32_t i = 0; i < 8000; ++i)
    traffic[i / 2 % 2].push_back({tlm::TLM_READ_COMMAND, i * 64, 64, Cycle{1}});
  Rig rig(one_channel(132, false), traffic, kCoreHz);
  run_dry();
  rig.expect_all_answered();
  rig.controller.update_stats(rig.clock.now());
  for (const auto& source : rig.sources) EXPECT_EQ(source->done().size(), 4000u);
  const Counter* busy = rig.controller.stats().find("dram.data_bus.busy");
  ASSERT_NE(busy, nullptr);
  EXPECT_EQ(busy->value(), 16'000u);
  EXPECT_NEAR(static_cast<double>(rig.clock.now().value), 16'000 * 1.02, 16'000 * 0.02 + 300);
  const auto ended = [&](std::size_t i) { return rig.sources[i]->done().back().answered.value; };
  EXPECT_NEAR(static_cast<double>(ended(0)), static_cast<double>(ended(1)), 100);
}

// The pseudo-channels of HBM2 have statistics of their own. Neighbouring bursts are in different bank groups,
// so that each could fill its data bus. The module takes one request a command clock, which is just as many
// as both can serve, so that what one of them misses while rows change is lost.
TEST(MemoryController, SendsEachRequestToItsPseudoChannel) {
  DramSpec spec = hbm2_spec("RRRRRRRRRRRRRRBBCCCCCGGPSSSSS");
  spec.map.channels = 1;
  std::vector<Requests> traffic(2);
  for (std::uint32_t i = 0; i < 8000; ++i)
    traffic[i % 2].push_back({tlm::TLM_READ_COMMAND, i * 32, 32, Cycle{1}});
  Rig rig(spec, traffic);
  run_dry();
  rig.expect_all_answered();
  rig.controller.update_stats(rig.clock.now());
  Group all("all");
  rig.controller.attach_stats(all);
  for (const char* part : {"all.dram_0", "all.dram_1"}) {
    const std::string path = part;
    ASSERT_NE(all.find(path + ".reads"), nullptr);
    EXPECT_EQ(all.find(path + ".reads")->value(), 4000u) << part;
    EXPECT_EQ(all.find(path + ".data_bus.busy")->value(), 8000u) << part;
  }
  for (const auto& source : rig.sources)
    EXPECT_LT(static_cast<double>(source->done().back().answered.value), 8000 * 1.1);
}

TEST(MemoryController, OnlySoManyReadsAreOnTheirWay) {
  DramSpec spec = one_channel(0, false);
  spec.return_queue = 1;
  Requests requests;
  for (std::uint32_t i = 0; i < 50; ++i) requests.push_back({tlm::TLM_READ_COMMAND, i * 64, 64, Cycle{1}});
  Rig rig(spec, {requests});
  run_dry();
  rig.expect_all_answered();
  const auto& done = rig.sources[0]->done();
  ASSERT_EQ(done.size(), 50u);
  // Each request is a row hit, and the next request is accepted in the cycle of the answer.
  EXPECT_EQ(done[2].answered - done[1].answered, 14u);
}

struct Misplaced {
  Address address;
  std::uint32_t bytes;
  std::uint32_t channels;
};

std::ostream& operator<<(std::ostream& out, const Misplaced& misplaced) {
  return out << misplaced.bytes << " B at " << misplaced.address << " of " << misplaced.channels
             << " channels";
}

class MemoryControllerRefuses : public testing::TestWithParam<Misplaced> {};

TEST_P(MemoryControllerRefuses, WhatDoesNotLieInOneBurstOfItsChannel) {
  DramSpec spec = one_channel(0, false);
  spec.map.channels = GetParam().channels;
  Rig rig(spec, {{{tlm::TLM_READ_COMMAND, GetParam().address, GetParam().bytes, Cycle{1}}}});
  try {
    run_dry();
    ADD_FAILURE() << "served";
  } catch (const sc_core::sc_report& report) {
    EXPECT_NE(std::string(report.what()).find("broken invariant"), std::string::npos) << report.what();
  }
}

INSTANTIATE_TEST_SUITE_P(, MemoryControllerRefuses,
                         testing::Values(Misplaced{0, 128, 1}, Misplaced{32, 64, 1}, Misplaced{256, 64, 6}));

}  // namespace
}  // namespace heddle::test
