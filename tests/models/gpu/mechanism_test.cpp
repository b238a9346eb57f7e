// A change of a part of the machine changes the time of those kernels that this part limits, and of no
// others. Synthetic kernels provide instructions, registers and addresses only.

#include <gtest/gtest.h>

#include <cmath>

#include "tests/support/machine/cycle_machine.h"
#include "tests/support/test_size.h"

namespace heddle::test {
namespace {

std::string times(const char* key, std::uint64_t rounds) {
  return std::string(key) + "=" + std::to_string(full_size() ? 4 * rounds : rounds);
}

// Returns a kernel of chains of FMAs.
ApiProgram compute_bound() {
  return shipped("compute-heavy", {"kernels.fma.blocks=90", times("kernels.fma.code[2].loop", 24)});
}
// Returns a kernel with four blocks on an SM, each of which reads 24 KiB cyclically eight times.
ApiProgram cache_bound() {
  return shipped("cache-bound", {"kernels.walk.blocks=60", times("kernels.walk.code[0].loop", 96)});
}
// Returns a kernel of three streams with 24 warps on an SM. Two lines in flight per warp do not fill the sets
// of L1, whose lines are reserved from the miss on.
ApiProgram bandwidth_bound() {
  return shipped("bandwidth-bound", {"kernels.triad.blocks=45", times("kernels.triad.code[0].loop", 8)});
}
ApiProgram latency_bound() {
  return shipped("latency-bound", {times("kernels.chase.code[0].loop", 8)});
}
ApiProgram shared_bound(int conflicts) {
  return shipped("shared-bound",
                 {"kernels.transpose.blocks=60", times("kernels.transpose.code[4].loop", 8),
                  "kernels.transpose.code[4].body[0].conflicts=" + std::to_string(conflicts)});
}

double cycles(const ApiProgram& program, const std::vector<std::string>& settings = {}) {
  const CycleRun result = run(gtx480(settings), program);
  EXPECT_EQ(result.failure, "");
  return static_cast<double>(result.cycles());
}

// Returns the cycles with the settings divided by the cycles without them.
double change(const ApiProgram& program, const std::vector<std::string>& settings) {
  return cycles(program, settings) / cycles(program);
}

TEST(Mechanism, TwiceTheL1SpeedsUpWhatNearlyFitsIt) {
  const std::vector<std::string> twice{"caches.l1.size=32KiB"};
  EXPECT_LT(change(cache_bound(), twice), 0.87);
  EXPECT_NEAR(change(bandwidth_bound(), twice), 1, 0.03);
  EXPECT_NEAR(change(compute_bound(), twice), 1, 0.01);
  EXPECT_NEAR(change(latency_bound(), twice), 1, 0.01);
}

TEST(Mechanism, TwiceTheL2KeepsAWholeMebibyteOffDram) {
  // Two SMs read 1 MiB cyclically four times. The L2 cache of the GTX 480 has 768 KiB.
  const ApiProgram walk = synthetic(
      "[{loop: 2048, body: [{load: global, pattern: working_set, region: 1MiB, lines: 8}]}]", {2, 64, 16, 0});
  const CycleRun base = run(gtx480(), walk);
  const CycleRun twice = run(gtx480({"l2.sets=128"}), walk);
  const std::uint64_t bursts = (1u << 20) / 64;
  const std::uint64_t code = 2 * base.sum("gpu.sm*.fetch_misses");
  EXPECT_GE(base.sum("gpu.dram*.reads"), 4 * bursts * 9 / 10);
  EXPECT_GE(twice.sum("gpu.dram*.reads"), bursts);
  EXPECT_LE(twice.sum("gpu.dram*.reads"), bursts + code);
  EXPECT_LT(static_cast<double>(twice.cycles()) / static_cast<double>(base.cycles()), 0.82);
}

TEST(Mechanism, HalfTheChannelsSlowDownStreams) {
  const std::vector<std::string> half{"dram.channels=3"};
  const double streams = change(bandwidth_bound(), half);
  EXPECT_GT(streams, 1.6);
  EXPECT_LT(streams, 2.1);
  EXPECT_NEAR(change(compute_bound(), half), 1, 0.03);
  EXPECT_NEAR(change(shared_bound(8), half), 1, 0.03);
}

TEST(Mechanism, MissesInFlightFollowTheMshrsUntilTheReplyPortIsFull) {
  // There are 32 warps on each of two SMs and eight lines in each load, so that the number of MSHRs is the
  // limit.
  const ApiProgram misses = synthetic(
      "[{loop: 8, body: [{load: global, pattern: random, region: 64MiB, lines: 8}]}]", {2, 1024, 16, 0});
  const auto with = [&](const char* mshrs) {  // in a small L1, lines in flight would fill the sets
    return cycles(misses, {"caches.l1.size=128KiB", std::string("caches.l1.mshrs=") + mshrs});
  };
  const double lines = 32 * 8 * 8;  // per SM
  EXPECT_NEAR(with("16"), lines / 16 * 320, 0.1 * lines / 16 * 320);
  EXPECT_GT(with("16") / with("32"), 1.8);
  EXPECT_GT(with("32") / with("64"), 1.7);
  EXPECT_GT(with("128"), 4 * lines);  // the reply with a line has four flits
  EXPECT_LT(with("128"), 1.3 * 4 * lines);
  EXPECT_NEAR(change(latency_bound(), {"caches.l1.mshrs=16"}), 1, 0.01);
  EXPECT_NEAR(change(compute_bound(), {"caches.l1.mshrs=16"}), 1, 0.03);
}

TEST(Mechanism, BankConflictsAreTheCyclesOfWhatSharedMemoryBounds) {
  const double instructions = 4 * 8 * (full_size() ? 32 : 8) * 2;  // per SM, with conflicts
  const double four = cycles(shared_bound(4));
  for (const int conflicts : {8, 16, 32})
    EXPECT_NEAR((cycles(shared_bound(conflicts)) - four) / instructions, conflicts - 4, 0.1 * conflicts);
  // An access of 32 lanes without conflicts takes two passes of 16 banks.
  const double banks = cycles(shared_bound(8), {"shared_memory.banks=16"}) - cycles(shared_bound(8));
  EXPECT_NEAR(banks, instructions / 2, 0.2 * instructions);
}

TEST(Mechanism, TheWarpSchedulerMattersWhereWarpsCompeteToIssue) {
  EXPECT_GT(std::abs(change(compute_bound(), {"policies.warp_scheduler=lrr"}) - 1), 0.05);
  EXPECT_NEAR(change(latency_bound(), {"policies.warp_scheduler=lrr"}), 1, 0.005);
  EXPECT_NEAR(change(shared_bound(8), {"policies.warp_scheduler=lrr"}), 1, 0.02);
}

TEST(Mechanism, FirstReadyFirstComeIsWorthItsQueueWhereStreamsMeetInBanks) {
  const std::vector<std::string> fcfs{"policies.dram_scheduler=fcfs"};
  EXPECT_GT(change(bandwidth_bound(), fcfs), 1.1);
  EXPECT_NEAR(change(compute_bound(), fcfs), 1, 0.01);
  EXPECT_NEAR(change(shared_bound(8), fcfs), 1, 0.01);
}

}  // namespace
}  // namespace heddle::test
