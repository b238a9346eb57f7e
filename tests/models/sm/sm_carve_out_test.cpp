// The memory that L1 and shared memory of an SM have in common.

#include <gtest/gtest.h>

#include "tests/support/machine/sm_memory_scripts.h"

namespace heddle::test {

namespace {

// A warp that reads 16 KiB twice, which is what L1 and shared memory have in common, or fewer lines.
Script reads_twice(Address lines = 128) {
  Script warp;
  for (Address i = 0; i < 2 * lines; ++i)
    warp.push_back(load(MemorySpace::kGlobal, {i % lines * kLineBytes}));
  return warp;
}

SmLimits limits_with_carve_outs() {
  SmLimits limits = gtx480_limits();
  limits.carve_outs = {0, 4 << 10, 12 << 10};
  return limits;
}

// Returns the lines that such a warp loads, if its block has so much shared memory and its program prefers
// this carve-out.
std::size_t lines_beside_shared_memory(std::uint32_t shared_bytes, Address lines = 128,
                                       std::int32_t carve_out = BlockShape::kAnyCarveOut) {
  ScriptedProgram program({reads_twice(lines)});
  SmRig rig(without_instruction_cache(), limits_with_carve_outs());
  rig.shared_bytes = shared_bytes;
  rig.carve_out = carve_out;
  rig.launch(program, 1);
  rig.run();
  return rig.requests.size();
}

TEST(SmCarveOut, L1HasWhatTheSharedMemoryOfTheResidentBlocksLeaves) {
  EXPECT_EQ(lines_beside_shared_memory(0), 128u);
  EXPECT_EQ(lines_beside_shared_memory(1024), 256u) << "eight blocks hold 8 KiB, and L1 has 4 KiB";
}

TEST(SmCarveOut, L1HasWhatThePreferredCarveOutLeaves) {
  constexpr Address kLines = 64;  // 8 KiB: half of the four ways
  EXPECT_EQ(lines_beside_shared_memory(0, kLines, 0), kLines);
  EXPECT_EQ(lines_beside_shared_memory(0, kLines, 33), kLines) << "a carve-out of 4 KiB leaves three ways";
  EXPECT_EQ(lines_beside_shared_memory(0, kLines, 34), 2 * kLines) << "one of 12 KiB leaves one way";
  EXPECT_EQ(lines_beside_shared_memory(1024, kLines), 2 * kLines) << "eight blocks hold 8 KiB";
  EXPECT_EQ(lines_beside_shared_memory(1024, kLines, 0), kLines) << "4 KiB hold one block";
}

TEST(SmCarveOut, SharedMemoryOnlyGrowsBesideOtherBlocks) {
  ScriptedProgram holder({Script(10000, alu(Operation::kFloatAdd, {1}, {1}))});
  ScriptedProgram reader({reads_twice()}), second({reads_twice()});
  SmRig rig(without_instruction_cache(), limits_with_carve_outs());
  rig.shared_bytes = 1024;
  rig.launch(holder, 1, 1);
  rig.shared_bytes = 0;
  rig.launch(reader, 1);
  rig.run();
  EXPECT_EQ(rig.requests.size(), 256u);
  rig.launch(second, 1);
  rig.run();
  EXPECT_EQ(rig.requests.size(), 256u + 128u) << "the SM was empty";
}

// Each of two kernels prefers 4 KiB, which one block of it fills.
TEST(SmCarveOut, SharedMemoryHoldsTheBlocksOfAllKernels) {
  constexpr Address kLines = 64;
  ScriptedProgram holder({Script(10000, alu(Operation::kFloatAdd, {1}, {1}))});
  ScriptedProgram reader({reads_twice(kLines)});
  SmRig rig(without_instruction_cache(), limits_with_carve_outs());
  rig.shared_bytes = 4 << 10;
  rig.carve_out = 0;
  rig.launch(holder, 1, 1);
  rig.launch(reader, 1);
  rig.run();
  EXPECT_EQ(rig.requests.size(), 2 * kLines) << "12 KiB, which leave L1 one way";
}

}  // namespace
}  // namespace heddle::test
