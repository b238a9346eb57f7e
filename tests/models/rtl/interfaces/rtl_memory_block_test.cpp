// Blocks in RTL in the place of an L2 slice or a channel. Verilator makes their libraries.

#include "models/rtl/interfaces/rtl_memory_block.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "models/l2/l2_slice.h"
#include "tests/support/allocation_counter.h"
#include "tests/support/rtl/memory_block_rig.h"

namespace heddle::test {
namespace {

// Returns the slice of sector_slice.sv.
L2Spec sector_slices() {
  L2Spec spec = gtx480_l2();
  spec.sets = 16;
  spec.ways = 1;
  spec.hash = false;
  spec.merges = 1;
  spec.fill_bytes = 32;
  spec.request_latency = 0;
  spec.hit_latency = 10;
  spec.reply_queue = 8;
  spec.dram_queue = 8;
  return spec;
}

// Reads of one sector among 64 lines for 16 sets, in bursts with pauses.
Requests random_sectors(std::uint64_t seed, std::size_t count) {
  Random random(seed);
  Requests traffic;
  Cycle from{10};
  for (std::size_t i = 0; i < count; ++i) {
    if (random.below(20) == 0) from = from + random.below(300);
    traffic.push_back(request(tlm::TLM_READ_COMMAND, random.below(64 * 4) * 32, 32, from));
  }
  return traffic;
}

// The adapter adds no cycle: the RTL takes and gives in the cycles in which the model does.
TEST_F(RtlMemoryBlockTest, RtlThatDoesWhatTheModelDoesAnswersInTheSameCycles) {
  const RtlSpec rtl_spec = of_tests("sector_slice");
  const L2Spec l2 = sector_slices();
  const MemorySink::Options memory{4, 1, 40, 64, 0, 1};
  const Requests traffic = random_sectors(7, 5000);
  ClockDomain clock("clock", kHertz);
  Rig of_model("model", clock, traffic, memory);
  Rig of_rtl("rtl", clock, traffic, memory);
  L2Slice slice("slice", l2, {clock, {}});
  RtlBlock block(rtl_spec, periods());
  RtlMemoryBlock in_rtl("in_rtl", block, place_in(clock, l2.request_queue));
  of_model.bind(slice);
  of_rtl.bind(in_rtl);
  run_dry();
  ASSERT_EQ(of_model.source.done().size(), traffic.size());
  EXPECT_EQ(of_rtl.times(), of_model.times());
  EXPECT_EQ(of_rtl.sink.seen.size(), of_model.sink.seen.size());
  for (std::size_t i = 0; i < std::min(of_rtl.sink.seen.size(), of_model.sink.seen.size()); ++i)
    ASSERT_EQ(of_rtl.sink.seen[i].taken, of_model.sink.seen[i].taken) << i;
  EXPECT_TRUE(in_rtl.idle() && slice.idle());
  of_rtl.expect_clean();
}

class OwnSlice : public RtlMemoryBlockTest, public testing::WithParamInterface<const char*> {};

// The data that come back are checked to be those of their addresses.
TEST_P(OwnSlice, AnswersRandomRequests) {
  const RtlSpec spec = own(GetParam());
  const Requests traffic = random_requests(3, 4000, 2000);
  ClockDomain clock("clock", kHertz);
  Rig rig("rig", clock, traffic, {2, 1, 30, 16, 20, 5});
  RtlBlock block(spec, periods());
  RtlMemoryBlock slice("slice", block, place_in(clock, 8));
  rig.bind(slice);
  run_dry();
  EXPECT_EQ(rig.source.done().size(), traffic.size());
  EXPECT_TRUE(slice.idle());
  rig.expect_clean();
  const auto count = [&](const std::string& path) { return slice.stats().find("slice." + path)->value(); };
  EXPECT_EQ(count("requests"), traffic.size());
  EXPECT_EQ(count("hits") + count("misses"), count("accesses"));
  EXPECT_GT(count("atomics"), 100u);
  EXPECT_GT(count("write_backs"), 100u);
  EXPECT_GT(count("lines_missed"), 1000u);
  EXPECT_EQ(block.choices.value(), traffic.size());
}

INSTANTIATE_TEST_SUITE_P(, OwnSlice, testing::Values("l2_tags", "l2_tags_axi4"),
                         [](const auto& one) { return std::string(one.param); });

// Gives the block requests and plays the memory behind it for some ticks. Returns the number of answers.
std::uint64_t exchange(RtlInterface& rtl, Random& random, Cycle& now, std::uint64_t ticks) {
  std::uint64_t answers = 0;
  for (const Cycle end = now + ticks; now < end; now = now + 1) {
    if (rtl.requests().can_give()) {
      RtlRequest request;
      request.address = random.below(1 << 14) * 128;
      request.bytes = 128;
      request.write = random.below(2) == 0;
      request.enables = {~std::uint64_t{0}, ~std::uint64_t{0}};
      rtl.requests().give(request);
    }
    rtl.tick(now, true, true);
    for (; !rtl.memory()->bursts().empty(); rtl.memory()->bursts().pop())
      rtl.memory()->answered(rtl.memory()->bursts().front().request);
    for (; !rtl.requests().answers().empty(); rtl.requests().answers().pop()) ++answers;
  }
  return answers;
}

TEST_F(RtlMemoryBlockTest, TicksAllocateNothing) {
  for (const char* name : {"l2_tags", "l2_tags_axi4"}) {
    RtlBlock block(own(name), periods());
    RtlInterface rtl(block, "l2_0", L2Spec::kMostBurstBytes,
                     [](auto&&...) { FAIL() << "no fault is expected"; });
    rtl.reset();
    Random random(9);
    Cycle now{1};
    exchange(rtl, random, now, 5000);
    arm_allocation_counter();
    const std::uint64_t answers = exchange(rtl, random, now, 20'000);
    EXPECT_EQ(disarm_allocation_counter(), 0u) << name;
    EXPECT_GT(answers, 500u) << name;
  }
}

TEST_F(RtlMemoryBlockTest, AClockThatTheMachineLacksIsRefused) {
  const RtlSpec spec = of_tests("two_clocks");
  try {
    RtlBlock block(spec, {{"l2", 1429}});
    FAIL() << "no error";
  } catch (const RtlError& error) {
    EXPECT_EQ(std::string(error.what()), spec.place + ": rtl.two_clocks: the machine has no clock dram");
  }
}

TEST_F(RtlMemoryBlockTest, TheFixedWayBeforeThePinsIsKept) {
  RtlSpec spec = own("l2_tags");
  const Requests traffic = whole_lines(1, 2, 1, 1000);
  ClockDomain clock("clock", kHertz);
  Rig near("near", clock, traffic, {4, 1, 40, 64, 0, 1});
  Rig far("far", clock, traffic, {4, 1, 40, 64, 0, 1});
  RtlBlock near_block(spec, periods());
  spec.interface.before = 120;
  RtlBlock far_block(spec, periods());
  RtlMemoryBlock near_slice("near_slice", near_block, place_in(clock, 8));
  RtlMemoryBlock far_slice("far_slice", far_block, place_in(clock, 8));
  near.bind(near_slice);
  far.bind(far_slice);
  run_dry();
  for (std::size_t i = 0; i < 2; ++i) EXPECT_EQ(far.times().at(i)[2], near.times().at(i)[2] + 120) << i;
}

// The block ticks for as long as something is outstanding, and 16 cycles more.
TEST_F(RtlMemoryBlockTest, CyclesWithNothingOutstandingAreGatedAndCounted) {
  RtlSpec spec = own("l2_tags");
  const Requests traffic = whole_lines(1, 2, 1, 10'000);
  ClockDomain clock("clock", kHertz);
  Rig gated("gated", clock, traffic, {4, 1, 40, 64, 0, 1});
  Rig ticking("ticking", clock, traffic, {4, 1, 40, 64, 0, 1});
  RtlBlock gated_block(spec, periods());
  spec.gated = false;
  RtlBlock ticking_block(spec, periods());
  RtlMemoryBlock gated_slice("gated_slice", gated_block, place_in(clock, 8));
  RtlMemoryBlock ticking_slice("ticking_slice", ticking_block, place_in(clock, 8));
  gated.bind(gated_slice);
  ticking.bind(ticking_slice);
  run_dry();
  EXPECT_EQ(gated.times(), ticking.times());
  EXPECT_GT(gated_block.gated_cycles.value(), 9800u);
  EXPECT_LT(gated_block.gated_cycles.value(), 9999u);
  EXPECT_EQ(ticking_block.gated_cycles.value(), 0u);
  EXPECT_LT(clock.activity().ticks.value(), 1000u) << "the kernel sleeps where the blocks do";
}

TEST_F(RtlMemoryBlockTest, OutputsThatMeanSomethingDoNotDependOnTheSeed) {
  for (const char* name : {"l2_tags"}) {
    RtlSpec spec = own(name);
    spec.second_seed = 77;
    ClockDomain clock("clock", kHertz);
    Rig rig("rig", clock, random_requests(3, 500, 600), {2, 1, 30, 16, 20, 5});
    RtlBlock block(spec, periods());
    RtlMemoryBlock slice("slice", block, place_in(clock, 8));
    rig.bind(slice);
    run_dry();
    EXPECT_EQ(rig.source.done().size(), 500u);
  }
}

// Two counters with a clock each: l2 with a period of 3 ps, dram with one of 2 ps. Every sixth picosecond
// both rise together, and the register of one takes what the other had before.
TEST_F(RtlMemoryBlockTest, ClocksOfSeveralDomainsRiseInTheOrderOfTime) {
  RtlSpec spec = of_tests("two_clocks");
  const RtlBlock block(spec, {{"l2", 3}, {"dram", 2}});
  RtlPort port(block.spec(), block.library(), block.role(), 1, "l2_0");
  const auto value = [&](const char* name) { return port.instance().find(name)->get(); };
  const std::uint64_t slow = value("slow_count"), fast = value("fast_count");
  for (std::uint64_t cycle = 1; cycle <= 10; ++cycle) {
    port.at(Cycle{cycle});
    port.settle();
    port.rise();
    EXPECT_EQ(value("slow_count") - slow, cycle);
    EXPECT_EQ(value("fast_count") - fast, 3 * cycle / 2) << "edges up to " << 3 * cycle << " ps";
    EXPECT_EQ(value("seen") - fast, (3 * cycle - 1) / 2) << "what was there just before";
  }
}

// ---- a channel over AXI4, which errs from its tenth read on

class ErringChannel : public RtlMemoryBlockTest {
 protected:
  // Returns the message with which the run ends, or "".
  static std::string end_of_run(const std::string& fault) {
    RtlSpec spec = of_tests("axi4_channel");
    spec.source.library.clear();
    spec.source.parameters["FAULT"] = fault;
    spec.source.library = build_rtl_library(spec);
    spec.latency = 500;
    ClockDomain clock("dram", kHertz);
    TrafficSource source("source", clock, random_requests(3, 60, 1000));
    RtlBlock block(spec, periods());
    RtlMemoryBlock channel("dram0", block, place_in(clock, 8));
    source.memory().bind(channel.port(0));
    try {
      run_dry();
    } catch (const std::exception& error) {
      return error.what();
    }
    EXPECT_EQ(source.done().size(), 60u);
    EXPECT_EQ(channel.stats().find("dram0.reads")->value() + channel.stats().find("dram0.writes")->value(),
              60u);
    return "";
  }
};

TEST_F(ErringChannel, WithoutAnErrorAnswersAll) {
  EXPECT_EQ(end_of_run("0"), "");
}

TEST_F(ErringChannel, WithDataOfAnotherAddressEndsTheRun) {
  EXPECT_THAT(end_of_run("1"),
              testing::ContainsRegex("rtl.axi4_channel at dram0: dram cycle [0-9]+: r_data at "
                                     "'h[0-9a-f]+ of request [0-9]+ is 'h[0-9a-f]+; it "
                                     "should be 'h[0-9a-f]+"));
}

TEST_F(ErringChannel, WithAnUnknownNumberEndsTheRun) {
  EXPECT_THAT(end_of_run("2"), testing::HasSubstr("response number is"));
}

TEST_F(ErringChannel, WithoutAnAnswerEndsTheRun) {
  EXPECT_THAT(end_of_run("3"),
              testing::ContainsRegex("the answer to the request of 'h[0-9a-f]+ is not there; it "
                                     "should be there within 500 cycles"));
}

TEST_F(ErringChannel, WithoutALastBeatEndsTheRun) {
  EXPECT_THAT(end_of_run("4"),
              testing::ContainsRegex("r_last of beat [0-9]+ of [0-9]+ of request [0-9]+ is 0"));
}

TEST_F(ErringChannel, WithAnErrorResponseEndsTheRun) {
  EXPECT_THAT(end_of_run("5"), testing::HasSubstr("is an error; it should be no error"));
}

}  // namespace
}  // namespace heddle::test
