#pragma once
// What the tests of blocks in RTL in the memory path share: the libraries of blocks, a source of requests and
// memory around a block, and random requests.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>
#include <cstdlib>
#include <string>
#include <vector>

#include "models/core/base/random.h"
#include "models/l2/l2_slice.h"
#include "models/rtl/child_process.h"
#include "models/rtl/interfaces/rtl_memory_block.h"
#include "platforms/load/read_rtl.h"
#include "platforms/rtl/rtl_build.h"
#include "tests/support/machine/gtx480_memory.h"
#include "tests/support/machine/memory_sink.h"
#include "tests/support/machine/protocol_checker.h"
#include "tests/support/machine/traffic_source.h"
#include "tests/support/paths.h"
#include "tests/support/rig.h"

namespace heddle::test {

using Requests = std::vector<TrafficSource::Request>;

constexpr double kHertz = 700e6;

// Of the domains that these blocks have clocks of.
inline RtlPeriods periods() {
  constexpr std::uint64_t kPeriod = 1429;  // ps: 700 MHz
  return {{"l2", kPeriod}, {"dram", kPeriod}};
}

inline MemoryPlace place_in(ClockDomain& clock, std::size_t queue) {
  const auto same = [](Address address) { return address; };
  return {clock, 1, queue, L2Spec::kMostBurstBytes, 1, 1, same, same, [](Address) { return true; }};
}

// A block between a source and a sink, with checkers of the base protocol. The source gives END_RESP at once
// for so many `responses` that wait.
struct Rig {
  Rig(const std::string& name, ClockDomain& clock, const Requests& traffic, const MemorySink::Options& memory,
      std::size_t responses = TrafficSource::kOutstanding)
      : source((name + "_source").c_str(), clock, traffic, SmId{0}, responses),
        sink((name + "_sink").c_str(), clock, memory),
        above((name + "_above").c_str()),
        below((name + "_below").c_str()) {
    source.memory().bind(above.target);
    below.initiator.bind(sink.socket());
  }
  void bind(L2Block& block) {
    above.initiator.bind(block.port(0));
    block.dram().bind(below.target);
  }
  void expect_clean() const {
    for (const ProtocolChecker* checker : {&above, &below}) {
      EXPECT_TRUE(checker->idle());
      EXPECT_EQ(checker->requests(), checker->responses());
    }
  }
  // When each request was sent and answered.
  std::vector<std::array<std::uint64_t, 3>> times() const {
    std::vector<std::array<std::uint64_t, 3>> all;
    for (const auto& done : source.done()) all.push_back({done.number, done.sent.value, done.answered.value});
    return all;
  }

  TrafficSource source;
  MemorySink sink;
  ProtocolChecker above, below;
};

class RtlMemoryBlockTest : public testing::Test {
 protected:
  void SetUp() override {
    if (!run_tool({"verilator", "--version"}).started) GTEST_SKIP() << "Verilator is not installed";
    ::setenv("HEDDLE_CACHE", (rtl_directory() + "/cache").c_str(), 1);
  }
  static RtlSpec load(const std::string& file) {
    RtlSpec spec = load_rtl_block(file);
    spec.source.library = build_rtl_library(spec);
    return spec;
  }
  static RtlSpec own(const std::string& name) {
    return load(source_directory() + "/stimuli/rtl/" + name + ".yaml");
  }
  static RtlSpec of_tests(const std::string& name) {
    return load(source_directory() + "/tests/data/rtl/" + name + ".yaml");
  }
};

inline TrafficSource::Request request(tlm::tlm_command command, Address address, std::uint32_t bytes,
                                      Cycle from) {
  return {command, address, bytes, from};
}

// Reads, writes and atomics of one to four sectors in `lines` lines.
inline Requests random_requests(std::uint64_t seed, std::size_t count, std::uint64_t lines) {
  Random random(seed);
  Requests traffic;
  Cycle from{10};
  for (std::size_t i = 0; i < count; ++i) {
    if (random.below(20) == 0) from = from + random.below(300);
    const std::uint64_t first = random.below(4), sectors = 1 + random.below(4 - first);
    const auto command = random.below(3) == 0 ? tlm::TLM_WRITE_COMMAND : tlm::TLM_READ_COMMAND;
    TrafficSource::Request one = request(command, random.below(lines) * 128 + first * 32,
                                         static_cast<std::uint32_t>(sectors * 32), from);
    if (command == tlm::TLM_READ_COMMAND && random.below(10) == 0) {
      one.kind = RequestKind::kAtomic;
      one.lanes = 4;
    }
    traffic.push_back(one);
  }
  return traffic;
}

inline Requests whole_lines(std::uint64_t seed, std::size_t count, std::uint64_t lines, std::uint64_t apart) {
  Random random(seed);
  Requests traffic;
  for (std::size_t i = 0; i < count; ++i)
    traffic.push_back(request(random.below(3) == 0 ? tlm::TLM_WRITE_COMMAND : tlm::TLM_READ_COMMAND,
                              random.below(lines) * 128, 128, Cycle{10 + i * apart}));
  return traffic;
}

}  // namespace heddle::test
