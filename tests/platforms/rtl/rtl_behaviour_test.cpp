// Instances of a block that Verilator makes: errors of the RTL, seeds, waveforms and what an evaluation
// costs.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/support/allocation_counter.h"
#include "tests/support/rtl/verilated.h"
#include "tests/support/rtl/waves.h"

namespace heddle::test {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;

class RtlBehaviour : public VerilatedTest {
 protected:
  // Returns the error that the block reports when a test asks it for a fault.
  std::string error_of(Arbiter& arbiter, std::uint64_t fault) const {
    arbiter.set("req_i", 5);
    arbiter.set("fault_i", fault);
    try {
      arbiter.cycle();
    } catch (const RtlError& error) {
      return error.what();
    }
    return "";
  }
};

TEST_F(RtlBehaviour, EveryEndOfTheRtlIsAnErrorOfTheEvaluation) {
  const auto made = unchanged_library();
  Arbiter fatal(*made);
  EXPECT_THAT(error_of(fatal, 1), AllOf(HasSubstr(line_of("$fatal")), HasSubstr("fault of port 5")));
  Arbiter finish(*made);
  EXPECT_THAT(error_of(finish, 2), AllOf(HasSubstr(line_of("$finish")), HasSubstr("the RTL calls $finish")));
  Arbiter stop(*made);
  EXPECT_THAT(error_of(stop, 3), AllOf(HasSubstr(line_of("$stop")), HasSubstr("the RTL calls $stop")));
  Arbiter loop(*made);
  EXPECT_THAT(error_of(loop, 4), AllOf(HasSubstr("arbiter.sv:"), HasSubstr("did not converge")));
  Arbiter error(*made);
  EXPECT_THAT(error_of(error, 6), AllOf(HasSubstr(line_of("$error")), HasSubstr("an error that counts")));
  Arbiter good(*made);
  EXPECT_EQ(error_of(good, 0), "");
}

TEST_F(RtlBehaviour, AnErrorOfOneInstanceLeavesTheOthersAlone) {
  const auto made = unchanged_library();
  Arbiter good(*made);
  {
    Arbiter bad(*made);
    EXPECT_NE(error_of(bad, 2), "");
  }
  good.set("req_i", 2);
  good.cycle();
  EXPECT_EQ(good.get("grants.count"), 1u);
}

TEST_F(RtlBehaviour, WhatTheRtlPrintsGoesToTheStandardError) {
  Arbiter arbiter(*unchanged_library());
  testing::internal::CaptureStdout();
  testing::internal::CaptureStderr();
  EXPECT_EQ(error_of(arbiter, 7), "");
  EXPECT_EQ(testing::internal::GetCapturedStderr(), "said by the block\n");
  EXPECT_EQ(testing::internal::GetCapturedStdout(), "");
}

TEST_F(RtlBehaviour, InstancesShareNothing) {
  const auto made = unchanged_library();
  Arbiter one(*made);
  Arbiter other(*made);
  one.set("req_i", 63);
  for (int i = 0; i < 5; ++i) {
    one.cycle();
    other.cycle();
  }
  EXPECT_EQ(one.get("grants.count"), 5u);
  EXPECT_EQ(other.get("grants.count"), 0u);
}

TEST_F(RtlBehaviour, WhatIsNotResetDependsOnTheSeedAlone) {
  const auto made = unchanged_library();
  const auto start = [&](std::uint64_t seed) {
    return Arbiter(*made, seed).block->find("grants.history")->hex();
  };
  const std::string one = start(1);
  EXPECT_NE(start(2), one);
  EXPECT_NE(start(std::uint64_t{1} << 40), one);
  EXPECT_NE(start(0), one);
  EXPECT_EQ(start(1), one);
  EXPECT_EQ(start(0), start(0));
}

TEST_F(RtlBehaviour, EvaluationsAllocateNothing) {
  Arbiter arbiter(*unchanged_library());
  arm_allocation_counter();
  for (std::uint64_t i = 0; i < 200; ++i) {
    arbiter.block->signals()[2].set(i & 63);
    arbiter.block->signals()[0].set(0);
    arbiter.eval();
    arbiter.block->signals()[0].set(1);
    arbiter.eval();
  }
  EXPECT_EQ(disarm_allocation_counter(), 0u);
  EXPECT_EQ(arbiter.get("grants.count"), 196u);  // 200 cycles, of which four had no request
}

TEST_F(RtlBehaviour, AWaveformHasPinsAndVariablesAtTheirTimes) {
  edit("arbiter.yaml", "clocks:", "waves: true\nclocks:");
  const auto made = library();
  Arbiter arbiter(*made);
  EXPECT_THROW(made->create(1)->trace_open(file("wave.fst")), RtlError);
  EXPECT_THROW(made->create(1)->trace_open(file("no/such/folder/wave.vcd")), RtlError);
  arbiter.block->trace_open(file("wave.vcd"));
  arbiter.set("req_i", 0b11);
  for (std::uint64_t cycle = 0; cycle < 3; ++cycle) {
    arbiter.set("clk", 0);
    arbiter.eval();
    arbiter.block->trace_dump(cycle * 1000);
    arbiter.set("clk", 1);
    arbiter.eval();
    arbiter.block->trace_dump(cycle * 1000 + 500);
  }
  arbiter.block->trace_close();
  EXPECT_THAT(read("wave.vcd"), HasSubstr("$timescale"));
  const Waves waves = read_waves(file("wave.vcd"));
  EXPECT_EQ(waves.end, 2500u);
  // A net has one path for each module that it enters, and the changes stand under one of them.
  const auto signal = [&](const std::string& ending) {
    for (const auto& [path, found] : waves.signals)
      if (!found.changes.empty() && path.size() > ending.size() &&
          path.substr(path.size() - ending.size()) == ending)
        return found;
    return WaveSignal{};
  };
  using Changes = std::vector<std::pair<std::uint64_t, std::string>>;
  EXPECT_EQ(signal("grants.count").changes, (Changes{{0, "0"}, {500, "1"}, {1500, "10"}, {2500, "11"}}));
  EXPECT_EQ(signal(".clk").changes,
            (Changes{{0, "0"}, {500, "1"}, {1000, "0"}, {1500, "1"}, {2000, "0"}, {2500, "1"}}));
}

TEST_F(RtlBehaviour, ABlockMadeWithoutWavesRefusesThem) {
  EXPECT_THROW(unchanged_library()->create(1)->trace_open(file("wave.vcd")), RtlError);
}

}  // namespace
}  // namespace heddle::test
