// Tiles, residence and bytes of the blocks that do the work of a kernel, in closed form on a round GPU.

#include "stimuli/transformer/work_blocks.h"

#include <gtest/gtest.h>

#include <cmath>

#include "models/core/config/data_path.h"
#include "platforms/load/platform_loader.h"

namespace heddle {
namespace {

// Returns an A100 of 100 SMs at 1 GHz: products of 1000 FLOPs a cycle and SM, 10 bytes a cycle for an SM and
// 400 for all.
GpuSpec round_gpu() {
  GpuSpec gpu = load_platform("a100-timed");
  gpu.core_hz = 1e9;
  gpu.sm.count = 100;
  gpu.bandwidth = {400e9, 0, true};
  gpu.bandwidth.sm_dram_bytes_per_second = 10e9;
  gpu.engine.block_issue_latency = 0;
  gpu.arithmetic.flops[static_cast<std::size_t>(NumberType::kFp16)] = 2000;
  gpu.arithmetic.efficiency = 0.5;
  gpu.arithmetic.block_latency = 1000;
  gpu.arithmetic.load_latency = 500;
  return gpu;
}

LanguageModel half_precision() {
  LanguageModel model;
  model.arithmetic = NumberType::kFp16;
  return model;
}

KernelWork product(double rows, double columns, double depth) {
  KernelWork work;
  work.is_product = true;
  work.rows = rows;
  work.columns = columns;
  work.depth = depth;
  work.flops = 2 * rows * columns * depth;
  work.dram_bytes = 2 * (rows * depth + columns * depth + rows * columns);
  return work;
}

WorkBlocks blocks_of(const KernelWork& work) {
  return blocks_of_work(work, half_precision(), round_gpu());
}

TEST(WorkBlocks, ALargeProductHasLargeTilesAndLastsAsLongAsItsFlops) {
  const WorkBlocks found = blocks_of(product(8192, 8192, 4096));
  EXPECT_EQ(found.tiles.rows * found.tiles.columns, 32768u);
  EXPECT_EQ(found.tiles.splits, 1u);
  EXPECT_EQ(found.blocks, 8192u * 8192 / 32768);
  EXPECT_EQ(found.block.block_cycles, 1000u + 2 * 32768 * 4096 / 1000);
  EXPECT_NEAR(found.block.product_load / double{kFullProducts}, 1, 0.01);
  // The tiles do all of the work, and move all of the bytes.
  EXPECT_NEAR(static_cast<double>(found.blocks * found.block.dram_sectors) * 32,
              product(8192, 8192, 4096).dram_bytes, 1e-3 * product(8192, 8192, 4096).dram_bytes);
}

TEST(WorkBlocks, FewRowsHaveFlatTilesAndWaitForTheirBytes) {
  const KernelWork work = product(1, 25600, 4096);
  const WorkBlocks found = blocks_of(work);
  EXPECT_EQ(found.tiles.rows, 16u);
  EXPECT_LT(found.block.product_load, kFullProducts / 4);
  const double of_block = work.dram_bytes / static_cast<double>(found.blocks);
  EXPECT_NEAR(static_cast<double>(found.block.block_cycles), 1000 + of_block / 10, 1);
  // All SMs together ask for more than there is, so that the memory decides.
  EXPECT_NEAR(cycles_of(found, round_gpu()) * 400, work.dram_bytes, 0.02 * work.dram_bytes);
}

TEST(WorkBlocks, SplitsTheDepthOnlyWhereTilesAreFewerThanSms) {
  const WorkBlocks few = blocks_of(product(128, 1024, 8192));
  EXPECT_GT(few.tiles.splits, 1u);
  EXPECT_LE(few.blocks, 100u);
  for (const double rows : {1.0, 16.0, 100.0, 512.0, 4096.0})
    for (const double columns : {1024.0, 4096.0, 32000.0}) {
      const WorkBlocks found = blocks_of(product(rows, columns, 4096));
      EXPECT_TRUE(found.tiles.splits == 1 || found.blocks <= 100) << rows << " x " << columns;
      EXPECT_GE(4096 / found.tiles.splits, 512u);
      EXPECT_TRUE(found.tiles.rows == 16 || found.tiles.rows < 2 * rows) << rows << " x " << columns;
      EXPECT_GE(
          static_cast<double>(found.blocks / found.tiles.splits) * found.tiles.rows * found.tiles.columns,
          rows * columns);
    }
}

TEST(WorkBlocks, BlocksOnOneSmShareItsUnits) {
  GpuSpec gpu = round_gpu();
  gpu.bandwidth.dram_bytes_per_second = 1e15;
  gpu.bandwidth.sm_dram_bytes_per_second = 1e15;
  const auto cycles = [&](double rows) {
    return cycles_of(blocks_of_work(product(rows, 64, 65536), half_precision(), gpu), gpu);
  };
  // 16 rows and 64 columns are one small tile, and several blocks of such tiles fit an SM.
  ASSERT_GT(
      residency_of(blocks_of_work(product(16, 64, 512), half_precision(), gpu).shape, gpu.sm.limits).blocks,
      1u);
  EXPECT_NEAR(cycles(100 * 128 * 2) / cycles(100 * 128), 2, 0.02);
  EXPECT_NEAR(cycles(100 * 128), 2.0 * 128 * 64 * 65536 / 1000, 0.01 * cycles(100 * 128));
}

TEST(WorkBlocks, TakesMoreOfTheMemoryWhereItReachesLessOfIt) {
  GpuSpec gpu = round_gpu();
  const WorkBlocks all = blocks_of_work(product(1, 25600, 4096), half_precision(), gpu);
  gpu.arithmetic.dram_efficiency = 0.5;
  const WorkBlocks half = blocks_of_work(product(1, 25600, 4096), half_precision(), gpu);
  EXPECT_EQ(half.block.block_cycles, all.block.block_cycles);
  EXPECT_NEAR(cycles_of(half, gpu) / cycles_of(all, gpu), 2, 0.01);
}

TEST(WorkBlocks, APassOverRowsHasAFewBlocksForAnSmAndLoadsOneAfterTheOther) {
  KernelWork work;
  work.rows = 2;
  work.pieces = 2;
  work.threads = 256;
  work.dram_bytes = 2 * 4096 * 3;  // each thread loads three times
  EXPECT_EQ(blocks_of(work).blocks, 2u);
  EXPECT_EQ(blocks_of(work).block.block_cycles, 1000u + 3 * 500);
  work.rows = 100000;
  work.pieces = 100000;
  EXPECT_EQ(blocks_of(work).blocks, 200u);
  work.is_attention = true;
  EXPECT_EQ(blocks_of(work).blocks, 100000u);
}

TEST(WorkBlocks, ThereAreNoneWhereNoTileFitsAnSm) {
  GpuSpec gpu = round_gpu();
  gpu.sm.limits.shared_bytes = 1024;
  EXPECT_EQ(blocks_of_work(product(64, 64, 512), half_precision(), gpu).blocks, 0u);
}

}  // namespace
}  // namespace heddle
