// Blocks in RTL beside an L2 slice of the model. Verilator makes their libraries.

#include "models/rtl/interfaces/rtl_memory_shadow.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/support/rtl/memory_block_rig.h"
#include "tests/support/rtl/unit_mutants.h"
#include "tests/support/test_size.h"

namespace heddle::test {
namespace {

// A slice of the model with an RTL slice beside it.
struct ShadowRig {
  ShadowRig(const RtlSpec& spec, const L2Spec& l2, const Requests& traffic, const std::string& suffix = "",
            std::size_t responses = TrafficSource::kOutstanding)
      : clock(("clock" + suffix).c_str(), kHertz),
        rig("rig" + suffix, clock, traffic, {4, 1, 40, 64, 0, 1}, responses),
        block(spec, periods()) {
    auto model = std::make_unique<L2Slice>(("model" + suffix).c_str(), l2, L2Slice::Deps{clock, {}});
    shadow = std::make_unique<RtlMemoryShadow>(("shadow" + suffix).c_str(), block, place_in(clock, 8),
                                               std::move(model), "l2_0");
    rig.bind(*shadow);
  }
  ClockDomain clock;
  Rig rig;
  RtlBlock block;
  std::unique_ptr<RtlMemoryShadow> shadow;
};

RtlSpec beside(RtlSpec spec) {
  spec.mode = RtlMode::kShadow;
  spec.stop_on_divergence = false;
  spec.interface.memory_latency = 1;
  return spec;
}

L2Spec whole_slices() {
  L2Spec spec = gtx480_l2();
  spec.request_latency = 0;
  spec.hash = false;
  return spec;
}

// 64 sets of 8 ways, of which the least recently used is replaced, on both sides.
TEST_F(RtlMemoryBlockTest, TheSameCacheBesideTheModelHasTheSameHits) {
  ShadowRig rig(beside(own("l2_tags")), whole_slices(), whole_lines(11, 20'000, 1500, 8));
  run_dry();
  EXPECT_EQ(rig.block.choices.value(), 20'000u);
  EXPECT_EQ(rig.block.differences.value(), 0u);
  EXPECT_GT(rig.shadow->lines_missed().value(), 5000u);
}

// A mutant may stop for ever, so the simulation has an end.
TEST_F(RtlMemoryBlockTest, MutantsBesideTheModelAreTold) {
  Random random(17);
  Requests traffic = whole_lines(13, 20'000, 1500, 0);
  Cycle from{10};
  for (TrafficSource::Request& one : traffic) one.not_before = from = from + 1 + random.below(12);
  std::vector<std::unique_ptr<ShadowRig>> rigs;
  const std::vector<UnitMutant> mutants = build_mutants({"l2_tags", {"l2_tags.sv"}, {}});
  for (const UnitMutant& mutant : mutants) {
    RtlSpec spec = beside(load_rtl_block("l2_tags"));
    spec.source.library = mutant.library;
    spec.latency = 2000;
    rigs.push_back(std::make_unique<ShadowRig>(spec, whole_slices(), traffic, std::to_string(mutant.number)));
  }
  sc_core::sc_start(sc_core::sc_time(200'000 * 1429.0, sc_core::SC_PS));
  std::size_t told = 0;
  for (std::size_t i = 0; i < mutants.size(); ++i) {
    const auto& divergences = rigs[i]->block.divergences();
    EXPECT_FALSE(mutants[i].equivalent && !divergences.empty()) << "mutant " << mutants[i].number;
    if (!divergences.empty()) ++told;
    if (std::getenv("HEDDLE_PRINT_TABLE") != nullptr)
      fmt::print("l2_tags {}: {}\n", mutants[i].number,
                 divergences.empty() ? "not told"
                                     : fmt::format("told in cycle {}", divergences.front().cycle.value));
  }
  EXPECT_EQ(told, full_size() ? 24u : 2u) << "of the others tests/RESULTS.md says why";
}

TEST_F(RtlMemoryBlockTest, ASmallerCacheBesideTheModelDiffersFirstWhereItMisses) {
  RtlSpec spec = own("l2_tags");
  spec.source.library.clear();
  spec.source.parameters["WAYS"] = "4";
  spec.source.library = build_rtl_library(spec);
  // Five lines of one set: the model still has the first of them.
  Requests traffic;
  for (std::uint64_t i = 0; i < 6; ++i)
    traffic.push_back(request(tlm::TLM_READ_COMMAND, i % 5 * 64 * 128, 128, Cycle{100 + i * 200}));
  ShadowRig rig(beside(spec), whole_slices(), traffic);
  run_dry();
  EXPECT_EQ(rig.block.choices.value(), 6u);
  ASSERT_EQ(rig.block.differences.value(), 1u);
  const RtlDivergence& first = rig.block.divergences().front();
  EXPECT_EQ(first.instance, "l2_0");
  EXPECT_EQ(first.output, "the answer to the read of 128 B at 'h0, on the pins from cycle 1101 on");
  EXPECT_EQ(first.model, "a hit");
  EXPECT_EQ(first.rtl, "a miss");
  ASSERT_EQ(first.events.size(), 6u);
  EXPECT_EQ(first.events[5].address, 0u);
  EXPECT_NE(first.text().find("'h0: RTL 0, model 1  <- differs"), std::string::npos) << first.text();
}

TEST_F(RtlMemoryBlockTest, RtlThatIsSlowerThanItsLatencyDiffers) {
  RtlSpec spec = beside(own("l2_tags"));
  spec.latency = 100;
  spec.interface.memory_latency = 300;
  ShadowRig rig(spec, whole_slices(), whole_lines(11, 5, 1000, 1000));
  run_dry();
  EXPECT_EQ(rig.block.differences.value(), 5u);
  EXPECT_EQ(rig.block.divergences().front().rtl, "not there 100 cycles after the request");
  EXPECT_EQ(rig.block.divergences().front().followed, 4u);
  EXPECT_EQ(rig.block.choices.value(), 5u) << "they are compared when they come";
}

// The RTL answers after a cycle and the model after its latency, so that a number is free for the next
// request as soon as the model has answered. The source gives END_RESP after the cycle of each response.
TEST_F(RtlMemoryBlockTest, RtlThatIsFasterThanTheModelSeesEachRequestOnce) {
  const Requests traffic = whole_lines(11, 5000, 300, 3);
  std::array<std::uint64_t, 2> requests{}, lines{};  // reads, writes
  for (const TrafficSource::Request& one : traffic) {
    ++requests[one.command == tlm::TLM_WRITE_COMMAND];
    lines[one.command == tlm::TLM_WRITE_COMMAND] += one.address / 128;
  }
  ShadowRig rig(beside(of_tests("forwarding_slice")), whole_slices(), traffic, "", 0);
  run_dry();
  EXPECT_EQ(rig.rig.source.done().size(), traffic.size());
  EXPECT_EQ(rig.block.requests.value(), traffic.size());
  EXPECT_EQ(rig.block.choices.value(), traffic.size());
  EXPECT_EQ(rig.block.differences.value(), 0u);
  const auto counted = [&rig](const std::string& name) {
    const Counter* counter = rig.block.stats().find(rig.block.spec().name + ".l2_0." + name);
    EXPECT_NE(counter, nullptr) << name;
    return counter == nullptr ? 0 : counter->value();
  };
  EXPECT_EQ(counted("reads"), requests[0]);
  EXPECT_EQ(counted("writes"), requests[1]);
  EXPECT_EQ(counted("read_lines"), lines[0]);
  EXPECT_EQ(counted("write_lines"), lines[1]);
}

TEST_F(RtlMemoryBlockTest, RequestsThatTheRtlHasNotAnsweredAtTheEndAreCounted) {
  RtlSpec spec = beside(own("l2_tags"));
  spec.interface.memory_latency = 100'000;  // 143 us
  ShadowRig rig(spec, whole_slices(), whole_lines(11, 5, 1000, 1000));
  sc_core::sc_start(sc_core::sc_time(50, sc_core::SC_US));
  EXPECT_EQ(rig.rig.source.done().size(), 5u) << "the model's answers";
  EXPECT_EQ(rig.block.requests.value(), 5u);
  EXPECT_EQ(rig.block.choices.value() + rig.block.differences.value(), 0u);
}

TEST_F(RtlMemoryBlockTest, TheModelAnswersAsWithoutRtlBesideIt) {
  const Requests traffic = random_requests(5, 2000, 1000);
  ClockDomain clock("lone_clock", kHertz);
  Rig lone("lone", clock, traffic, {4, 1, 40, 64, 0, 1});
  L2Slice slice("slice", whole_slices(), {clock, {}});
  lone.bind(slice);
  ShadowRig rig(beside(own("l2_tags_axi4")), whole_slices(), traffic);
  run_dry();
  EXPECT_EQ(rig.rig.times(), lone.times());
}

}  // namespace
}  // namespace heddle::test
