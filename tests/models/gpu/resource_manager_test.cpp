// What a kernel gains where warps, and not blocks, hold registers and slots.

#include <gtest/gtest.h>

#include "tests/support/machine/cycle_machine.h"

namespace heddle::test {
namespace {

const std::string kWlm = "policies.resource_manager=wlm";

// Chains of loads, so that time goes down with warps.
ApiProgram chases(const std::string& end, const KernelSize& size) {
  return synthetic(
      "[{loop: 20, body: [{load: global, pattern: random, region: 64KiB, lines: 1}, " + end + "]}]", size);
}

double ratio(const ApiProgram& program, const std::string& setting) {
  const CycleRun by_block = run(gtx480({"sm.count=2"}), program);
  const CycleRun by_warp = run(gtx480({"sm.count=2", setting}), program);
  EXPECT_EQ(by_block.failure + by_warp.failure, "");
  return static_cast<double>(by_block.cycles()) / static_cast<double>(by_warp.cycles());
}

// A block has 24 warps of 32 registers, of which 32 warps fit.
TEST(ResourceManager, WarpsOfAFurtherBlockUseRegistersThatAreTooFewForAllOfIt) {
  const KernelSize size{40, 768, 32, 0};
  EXPECT_GT(ratio(chases("{op: float_fma}", size), kWlm), 1.2);
}

TEST(ResourceManager, ABarrierMakesThemWaitForTheRestOfTheirBlock) {
  const KernelSize size{40, 768, 32, 0};
  const double without = ratio(chases("{op: float_fma}", size), kWlm);
  const double with = ratio(chases("{barrier: 0}", size), kWlm);
  EXPECT_LT(with, without);
}

TEST(ResourceManager, AllGiveTheSameCountersWhereAllBlocksFitAtOnce) {
  const ApiProgram program = chases("{op: float_fma}", {8, 256, 16, 1024});
  const std::vector<std::string> roomy{"sm.count=2", "sm.warps=64", "sm.threads=2048", "sm.registers=65536"};
  std::vector<std::string> by_warp = roomy;
  by_warp.push_back(kWlm);
  const CycleRun first = run(gtx480(roomy), program);
  const CycleRun second = run(gtx480(by_warp), program);
  EXPECT_EQ(first.failure + second.failure, "");
  EXPECT_EQ(first.cycles(), second.cycles());
  EXPECT_EQ(first.sum("gpu.sm*.cycles.*"), second.sum("gpu.sm*.cycles.*"));
  EXPECT_EQ(first.sum("gpu.sm*.shared_cycles"), second.sum("gpu.sm*.shared_cycles"));
}

}  // namespace
}  // namespace heddle::test
