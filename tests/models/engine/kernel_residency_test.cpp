// Residency compared with examples that were calculated by hand with the rules of the CUDA occupancy
// calculator.

#include <gtest/gtest.h>

#include "tests/support/k20.h"

namespace heddle {
namespace {

using test::k20_limits;

struct Example {
  const char* why;
  BlockShape shape;
  std::uint32_t blocks;
  Resource bound;
};

void expect(const Example& example, const SmLimits& limits) {
  const Residency residency = residency_of(example.shape, limits);
  EXPECT_EQ(residency.blocks, example.blocks) << example.why;
  EXPECT_EQ(residency.bound, example.bound) << example.why << ": bound by " << name_of(residency.bound);
}

TEST(KernelResidency, ComputeCapability35) {
  const Example examples[] = {
      {"2048 / 256 threads = 64 / 8 warps = 65536 / (8 * 1024) registers = 8: the first of them",
       {256, 32, 0},
       8,
       Resource::kThreads},
      {"20 registers a thread: 640 a warp, rounded up to 768; 42 blocks; 16 slots",
       {64, 20, 1000},
       16,
       Resource::kBlockSlots},
      {"63 registers: 2016 a warp, rounded up to 2048, 12288 a block: 65536 / 12288 = 5.3",
       {192, 63, 0},
       5,
       Resource::kRegisters},
      {"100 threads are 4 warps; 33 registers: 1056 a warp, rounded up to 1280, 5120 a block: 12.8",
       {100, 33, 0},
       12,
       Resource::kRegisters},
      {"12288 B of shared memory: exactly a quarter", {256, 16, 12288}, 4, Resource::kSharedMemory},
      {"12289 B: rounded up to 12544, 49152 / 12544 = 3.9", {256, 16, 12289}, 3, Resource::kSharedMemory},
      {"64 registers for 1024 threads: all 65536", {1024, 64, 0}, 1, Resource::kRegisters},
      {"65 registers: 2080 a warp, rounded up to 2304, 73728 a block",
       {1024, 65, 0},
       0,
       Resource::kRegisters},
      {"one thread is one warp; 16 slots", {1, 1, 0}, 16, Resource::kBlockSlots},
      {"all of the shared memory", {32, 8, 49152}, 1, Resource::kSharedMemory},
  };
  for (const Example& example : examples) expect(example, k20_limits());
}

TEST(KernelResidency, ComputeCapability20) {
  SmLimits fermi;
  fermi.threads = 1536;
  fermi.warps = 48;
  fermi.registers = 32768;
  fermi.register_granularity = 64;
  fermi.shared_bytes = 48 * 1024;
  fermi.shared_granularity = 128;
  fermi.block_slots = 8;
  fermi.threads_per_block = 1024;
  fermi.registers_per_thread = 63;
  expect({"21 registers: 672 a warp, rounded up to 704, 4224 a block: 7.7",
          {192, 21, 0},
          7,
          Resource::kRegisters},
         fermi);
  expect({"20 registers: 640 a warp, 3840 a block: 8.5; 1536 / 192 = 8 threads first",
          {192, 20, 0},
          8,
          Resource::kThreads},
         fermi);
}

TEST(KernelResidency, WarpsAreABoundOfTheirOwn) {
  SmLimits limits = k20_limits();
  limits.block_slots = 64;
  expect({"33 threads are 2 warps: 64 / 2 = 32, where 2048 / 33 = 62", {33, 8, 0}, 32, Resource::kWarps},
         limits);
}

TEST(KernelResidency, WhatNeverFits) {
  const SmLimits limits = k20_limits();
  expect({"no threads", {0, 8, 0}, 0, Resource::kThreads}, limits);
  expect({"more threads than a block may have", {1025, 8, 0}, 0, Resource::kThreads}, limits);
  expect({"more registers than a thread may have", {32, 256, 0}, 0, Resource::kRegisters}, limits);
  expect({"more shared memory than there is", {32, 8, 49153}, 0, Resource::kSharedMemory}, limits);
  expect({"the largest numbers", {~0u, ~0u, ~0u}, 0, Resource::kThreads}, limits);
  expect({"the largest shared memory", {32, 8, ~0u}, 0, Resource::kSharedMemory}, limits);
}

SmLimits compute_capability_90() {
  SmLimits limits = k20_limits();
  limits.shared_bytes = 228 << 10;
  limits.shared_granularity = 128;
  limits.shared_reserved = 1 << 10;
  limits.block_slots = 32;
  return limits;
}

SmLimits with_carve_outs() {
  SmLimits limits = compute_capability_90();
  limits.carve_outs = {0, 8 << 10, 16 << 10, 32 << 10, 64 << 10, 228 << 10};
  return limits;
}

TEST(KernelResidency, ABlockHoldsReservedSharedMemory) {
  const SmLimits limits = compute_capability_90();
  expect({"227 KiB and 1 KiB", {32, 8, 227 << 10}, 1, Resource::kSharedMemory}, limits);
  expect({"one byte more", {32, 8, (227 << 10) + 1}, 0, Resource::kSharedMemory}, limits);
  expect({"56 KiB and 1 KiB: a quarter", {32, 8, 56 << 10}, 4, Resource::kSharedMemory}, limits);
  expect({"nothing but what is reserved", {64, 8, 0}, 32, Resource::kThreads}, limits);
}

TEST(KernelResidency, SharedMemoryIsTheSmallestSizeThatHoldsTheResidentBlocks) {
  const SmLimits limits = with_carve_outs();
  EXPECT_EQ(carve_out_of({256, 8, 0}, limits), 8u << 10) << "eight blocks of 1 KiB";
  EXPECT_EQ(carve_out_of({1024, 8, 1024}, limits), 8u << 10) << "two blocks of 2 KiB";
  EXPECT_EQ(carve_out_of({256, 8, 1024}, limits), 16u << 10) << "eight blocks of 2 KiB";
  EXPECT_EQ(carve_out_of({256, 8, 4096}, limits), 64u << 10) << "eight blocks of 5 KiB";
  EXPECT_EQ(carve_out_of({256, 8, 16384}, limits), 228u << 10) << "eight blocks of 17 KiB";
  SmLimits by_warp = limits;
  by_warp.by_warp = true;
  EXPECT_EQ(carve_out_of({256, 8, 0}, by_warp), 228u << 10) << "what warps will hold is not known";
}

// A percent of the largest size is 2334.72 B.
TEST(KernelResidency, APreferredCarveOutIsTheNextSizeThatHoldsABlock) {
  const SmLimits limits = with_carve_outs();
  const auto of = [&](std::int32_t percent, std::uint32_t shared_bytes) {
    return carve_out_of({256, 8, shared_bytes, percent}, limits) >> 10;
  };
  EXPECT_EQ(of(0, 0), 8u) << "one block holds 1 KiB, which is reserved";
  EXPECT_EQ(of(3, 0), 8u) << "7004.16 B";
  EXPECT_EQ(of(4, 0), 16u) << "9338.88 B";
  EXPECT_EQ(of(7, 0), 16u) << "16343.04 B of 16384";
  EXPECT_EQ(of(8, 0), 32u) << "18677.76 B";
  EXPECT_EQ(of(29, 0), 228u) << "67706.88 B";
  EXPECT_EQ(of(100, 0), 228u);
  EXPECT_EQ(of(0, 7 << 10), 8u) << "a block holds 8 KiB";
  EXPECT_EQ(of(0, (7 << 10) + 1), 16u);
  EXPECT_EQ(of(0, 227 << 10), 228u);
  EXPECT_EQ(of(4, 40 << 10), 64u) << "a block needs more than the preferred share";
  SmLimits without_reserved = limits;
  without_reserved.shared_reserved = 0;
  EXPECT_EQ(carve_out_of({256, 8, 0, 0}, without_reserved), 0u);
}

TEST(KernelResidency, APreferredCarveOutLimitsTheBlocks) {
  const SmLimits limits = with_carve_outs();
  expect({"eight by threads", {256, 8, 3072, BlockShape::kAnyCarveOut}, 8, Resource::kThreads}, limits);
  expect({"two of 4 KiB in 8", {256, 8, 3072, 0}, 2, Resource::kSharedMemory}, limits);
  expect({"four in 16", {256, 8, 3072, 7}, 4, Resource::kSharedMemory}, limits);
  expect({"eight in 32", {256, 8, 3072, 8}, 8, Resource::kThreads}, limits);
  expect({"one that needs 41 KiB of 64", {256, 8, 40 << 10, 0}, 1, Resource::kSharedMemory}, limits);
  expect({"one byte too many", {32, 8, (227 << 10) + 1, 0}, 0, Resource::kSharedMemory}, limits);
  EXPECT_EQ(blocks_of_carve_out({256, 8, 3072, 0}, limits), 2u);
  EXPECT_EQ(blocks_of_carve_out({256, 8, 3072}, limits), kAnyBlocks);
}

TEST(KernelResidency, APreferredCarveOutHasNoEffectWhereNoneCanBeChosen) {
  expect({"shared memory of its own", {256, 8, 3072, 0}, 8, Resource::kThreads}, compute_capability_90());
  SmLimits by_warp = with_carve_outs();
  by_warp.by_warp = true;
  expect({"what warps will hold is not known", {256, 8, 3072, 0}, 8, Resource::kThreads}, by_warp);
  EXPECT_EQ(carve_out_of({256, 8, 3072, 0}, by_warp), 228u << 10);
}

TEST(KernelResidency, BesideOtherBlocks) {
  const SmLimits limits = k20_limits();
  const BlockResources need = resources_of({256, 16, 8192}, limits);
  EXPECT_EQ(residency_of(need, limits).blocks, 6u);
  BlockResources held;
  for (std::uint32_t left = 6; left-- > 0;) {
    held += need;
    EXPECT_EQ(residency_of(need, limits, held).blocks, left);
  }
}

TEST(KernelResidency, OneBlocksResources) {
  const BlockResources need = resources_of({100, 33, 1000}, k20_limits());
  EXPECT_EQ(need.threads, 100u);
  EXPECT_EQ(need.warps, 4u);
  EXPECT_EQ(need.registers, 5120u);
  EXPECT_EQ(need.shared_bytes, 1024u);
  EXPECT_EQ(need.blocks, 1u);
}

TEST(KernelResidency, ABlockThatFitsNoSmHasItsNumbersTold) {
  const SmLimits limits = k20_limits();
  EXPECT_EQ(shortage_of({1025, 16, 0}, limits), "it needs 1025 threads, and a block may have 1024");
  EXPECT_EQ(shortage_of({256, 256, 0}, limits), "it needs 256 registers a thread, and a thread may have 255");
  EXPECT_EQ(shortage_of({1024, 65, 0}, limits), "it needs 73728 registers, and the SM has 65536");
  EXPECT_EQ(shortage_of({32, 8, 49153}, limits), "it needs 49408 B of shared memory, and the SM has 49152");
}

// The number of blocks that fit at the same time equals the residency.
TEST(KernelResidency, FitsAgreesWithResidency) {
  const SmLimits limits = k20_limits();
  for (const BlockShape& shape : {BlockShape{256, 32, 0}, {64, 20, 1000}, {192, 63, 0}, {256, 16, 12289}}) {
    const BlockResources need = resources_of(shape, limits);
    BlockResources used;
    for (std::uint32_t i = 0; i < residency_of(shape, limits).blocks; ++i) {
      ASSERT_TRUE(fits(used, need, limits)) << i;
      used += need;
    }
    EXPECT_FALSE(fits(used, need, limits));
    used -= need;
    EXPECT_TRUE(fits(used, need, limits));
  }
}

}  // namespace
}  // namespace heddle
