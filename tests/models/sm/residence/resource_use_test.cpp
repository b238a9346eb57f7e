// How many registers and bytes of shared memory are accessed within an epoch (Zorua, Figure 6).

#include <gtest/gtest.h>

#include "tests/support/sm/sm_rig.h"

namespace heddle::test {
namespace {

constexpr RegisterId kPredicate = kFirstPredicateName + 3;

CycleSmSpec with_epoch(std::uint64_t cycles) {
  CycleSmSpec spec = gtx480_sm();
  spec.use_epoch = cycles;
  return spec;
}

// Returns the addresses of 32 words, of which each follows the one before.
std::vector<Address> words_from(Address first) {
  std::vector<Address> addresses;
  for (std::uint32_t lane = 0; lane < kLanes; ++lane) addresses.push_back(first + 4 * lane);
  return addresses;
}

// Accesses registers 1 to 5, and 128 bytes of shared memory twice.
std::vector<ScriptedInstruction> warp() {
  ScriptedInstruction compare = alu(Operation::kMove, {}, {1, 4});
  compare.code.writes_predicate(kPredicate);
  ScriptedInstruction last = alu(Operation::kIntAdd, {5}, {5, 17});  // register 1 of 16
  return {alu(Operation::kIntAdd, {4}, {1, 2}), compare,
          memory(Operation::kLoad, MemorySpace::kShared, {3}, {4}, words_from(256)),
          memory(Operation::kStore, MemorySpace::kShared, {}, {4, 3}, words_from(256)), last};
}

TEST(ResourceUse, CountsEachRegisterOfAWarpAndEachWordOfABlockOnce) {
  SmRig rig(with_epoch(1'000'000));
  ScriptedProgram program({warp(), warp()});
  rig.launch(program, 2, 0, 3);
  rig.run();
  const ResourceUse& use = *rig.core().resource_use();
  EXPECT_EQ(use.registers().used().value(), 3u * 2 * 5 * kLanes);
  EXPECT_EQ(use.registers().offered().value(), gtx480_limits().registers);
  EXPECT_EQ(use.shared_memory().used().value(), 3u * 128);
  EXPECT_EQ(use.shared_memory().offered().value(), gtx480_limits().shared_bytes);
}

TEST(ResourceUse, CountsAnAccessOfSixteenBytesAsFourWords) {
  SmRig rig(with_epoch(1'000'000));
  ScriptedProgram program({{memory(Operation::kLoad, MemorySpace::kShared, {3}, {4}, {32}, 16)}});
  rig.launch(program, 1);
  rig.run();
  EXPECT_EQ(rig.core().resource_use()->shared_memory().used().value(), 16u);
}

// An epoch of one cycle has the registers of the instructions that issue in it.
TEST(ResourceUse, StartsAnewWithEachEpoch) {
  SmRig rig(with_epoch(1));
  ScriptedProgram program({warp()});
  rig.launch(program, 1);
  rig.run();
  const ResourceUse& use = *rig.core().resource_use();
  EXPECT_EQ(use.registers().used().value(), (3u + 2 + 2 + 2 + 2) * kLanes);
  EXPECT_EQ(use.registers().offered().value(), 5u * gtx480_limits().registers);
  EXPECT_EQ(use.shared_memory().used().value(), 2u * 128);
  EXPECT_EQ(use.shared_memory().offered().value(), 5u * gtx480_limits().shared_bytes);
}

// Cards name up to 255 registers of a thread. A platform may state more.
TEST(ResourceUse, KeepsTheRegistersOfTheLastWarpApartWhereAThreadHasMoreThan256) {
  SmLimits limits = gtx480_limits();
  limits.warps = 2;
  limits.registers_per_thread = 65536;
  Group stats("sm");
  ResourceUse use(1'000'000, limits, stats);
  const ScriptedInstruction add = alu(Operation::kIntAdd, {959}, {300, 44});
  IssuedInstruction issued;
  issued.code = &add.code;
  for (const std::uint32_t warp : {0u, 1u}) use.count(Cycle{1}, warp, 0, 1000, issued);
  EXPECT_EQ(use.registers().used().value(), 2u * 3 * kLanes);
}

TEST(ResourceUse, IsNotCountedUnlessAsked) {
  SmRig rig;
  EXPECT_EQ(rig.core().resource_use(), nullptr);
  EXPECT_EQ(rig.stats().find("sm.use.registers.used"), nullptr);
}

}  // namespace
}  // namespace heddle::test
