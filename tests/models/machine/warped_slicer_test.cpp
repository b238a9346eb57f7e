// Warped-Slicer on a whole machine with cycle SMs.

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "models/gpu/gpu.h"
#include "tests/support/machine/cycle_checks.h"
#include "tests/support/machine/cycle_machine.h"

namespace heddle::test {
namespace {

using Json = nlohmann::json;

// One kernel waits for DRAM and the other for its units. Both fill the block slots of an SM.
std::vector<HostProcessSpec> pair(std::uint64_t blocks) {
  return {
      process_of(synthetic("[{loop: 8, body: [{load: global, pattern: random, region: 64MiB, lines: 8, "
                           "to: x}, {op: int_add, from: x}]}]",
                           {blocks, 64})),
      process_of(synthetic("[{loop: 10, body: [{load: global, pattern: working_set, region: 2KiB, to: x}, "
                           "{op: float_fma, count: 12, from: x}]}]",
                           {5 * blocks, 64}))};
}

CycleRun sliced(const std::vector<HostProcessSpec>& processes, double loss, Build build = Build::kPlain,
                double reserve = 1) {
  GpuSpec gpu = shared_gtx480("fcfs-m", {"sm.count=4"});
  gpu.policies["sm_partitioner"] = {"warped-slicer",
                                    {{"sample", 500.0},
                                     {"warm_up", 5000.0},
                                     {"profile", 2000.0},
                                     {"loss", loss},
                                     {"remember", 1.0},
                                     {"reserve", reserve}}};
  return run(gpu, processes, build, [](Gpu& machine) {
    Json decisions = Json::array();
    for (const PartitionDecision& decision : machine.partitioner().decisions()) {
      Json shares = Json::array();
      for (const PartitionDecision::Share& share : decision.shares)
        shares.push_back(
            {{"context", share.context.value}, {"blocks", share.blocks}, {"performance", share.performance}});
      decisions.push_back({{"kind", name_of(decision.kind)},
                           {"at", decision.at.value},
                           {"loss", decision.loss},
                           {"shares", shares}});
    }
    return decisions.dump();
  });
}

TEST(WarpedSlicerMachine, TwoKernelsAreProfiledAndShareEverySmToTheirEnd) {
  for (const double loss : {9.0, 0.0}) {
    const CycleRun plain = sliced(pair(400), loss);
    EXPECT_EQ(plain.failure, "");
    expect_closed(plain);
    EXPECT_EQ(plain.sum("applications.*.*.blocks_done"), 400u + 2000u);
    const Json decisions = Json::parse(plain.note);
    ASSERT_EQ(decisions.size(), 2u);
    EXPECT_EQ(decisions[0]["kind"], "profile");
    EXPECT_EQ(decisions[1]["kind"], loss > 0 ? "quotas" : "spatial");
    // The profile takes 5000 to 10000 cycles of warm-up and four phases of 2000 cycles.
    EXPECT_GE(decisions[1]["at"], decisions[0]["at"].get<std::uint64_t>() + 13'000);
    EXPECT_LE(decisions[1]["at"], decisions[0]["at"].get<std::uint64_t>() + 18'500);
    for (const Json& share : decisions[1]["shares"]) {
      EXPECT_EQ(share["performance"].size(), 8u);
      EXPECT_LT(share["performance"][0], share["performance"][3]);
      EXPECT_GE(share["blocks"], loss > 0 ? 1 : 0);
    }
    EXPECT_EQ(sliced(pair(400), loss).stats, plain.stats);
    expect_same(plain, sliced(pair(400), loss, Build::kReversed), true);
  }
}

// One process launches short kernels one after another beside a long kernel of the other process.
TEST(WarpedSlicerMachine, ShortKernelsKeepTheirPlaceWhileTheirProcessRuns) {
  std::vector<HostProcessSpec> processes = pair(400);
  std::vector<ApiCall>& calls = processes[1].program.calls;
  processes[1].program.kernels[0].blocks = 200;
  const ApiCall launch = calls.back();
  calls.insert(calls.end(), 9, launch);
  const CycleRun kept = sliced(processes, 9, Build::kPlain, 1);
  expect_closed(kept);
  EXPECT_EQ(kept.sum("applications.*.*.blocks_done"), 400u + 2000u);
  EXPECT_EQ(Json::parse(kept.note).size(), 2u) << kept.note;
  const CycleRun lost = sliced(processes, 9, Build::kPlain, 0);
  expect_closed(lost);
  EXPECT_GT(Json::parse(lost.note).size(), 4u) << lost.note;
}

}  // namespace
}  // namespace heddle::test
