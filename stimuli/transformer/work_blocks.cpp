#include "stimuli/transformer/work_blocks.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

namespace heddle {

namespace {

constexpr double kSectorSize = 32;
constexpr double kLoadBytes = 16;            // of one load of a thread
constexpr double kSumBytes = 4;              // of a partial sum
constexpr std::uint64_t kBlocksOfSm = 2;     // of a pass over rows, for each SM
constexpr std::uint32_t kStages = 4;         // of a tile's operands in shared memory
constexpr std::uint32_t kStageDepth = 32;    // numbers of the depth in one stage
constexpr double kLeastDepth = 512;          // of a block of a tile that is split
constexpr std::uint32_t kRegisters = 96;     // of a thread of a product beside its sums
constexpr std::uint32_t kLargeTile = 32768;  // numbers of the result from which on a block has 256 threads
constexpr std::uint32_t kAttentionRegisters = 64;
constexpr std::uint32_t kPassRegisters = 32;

constexpr double kGain = 0.9;  // of the time with a larger tile: with less a smaller one is chosen

struct Size {
  std::uint32_t rows;
  std::uint32_t columns;
};
constexpr std::array<Size, 10> kTiles{{{256, 128},
                                       {128, 256},
                                       {128, 128},
                                       {128, 64},
                                       {64, 128},
                                       {64, 64},
                                       {32, 128},
                                       {32, 64},
                                       {16, 128},
                                       {16, 64}}};
constexpr std::array<std::uint32_t, 6> kSplits{1, 2, 3, 4, 6, 8};

// What a block has to do.
struct BlockWork {
  double flops = 0;
  double dram = 0;  // bytes
  double l2 = 0;
  double loads = 0;  // one after the other
};

std::uint32_t sectors_of(double bytes) {
  if (bytes <= 0) return 0;
  return static_cast<std::uint32_t>(
      std::clamp(std::round(bytes / kSectorSize), 1.0, double{std::numeric_limits<std::uint32_t>::max()}));
}

std::uint16_t share_of(double part, double residence, std::uint32_t whole) {
  if (part <= 0) return 0;
  return static_cast<std::uint16_t>(
      std::clamp(std::floor(part / residence * whole), 1.0, static_cast<double>(whole)));
}

BlockTraffic traffic_of(const BlockWork& work, const LanguageModel& model, const GpuSpec& gpu) {
  const ArithmeticSpec& arithmetic = gpu.arithmetic;
  const BandwidthSpec& bandwidth = gpu.bandwidth;
  const double products = work.flops / (arithmetic.flops_of(model.arithmetic) * arithmetic.efficiency);
  const auto drawn = [&](double bytes, double of_sm) { return of_sm == 0 ? 0 : bytes / of_sm * gpu.core_hz; };
  const double busy = std::max({products, drawn(work.dram, bandwidth.sm_dram_bytes_per_second),
                                drawn(work.l2, bandwidth.sm_l2_bytes_per_second)});
  const double residence =
      std::max(1.0, std::round(static_cast<double>(arithmetic.block_latency) +
                               std::max(busy, work.loads * static_cast<double>(arithmetic.load_latency))));
  BlockTraffic block;
  block.block_cycles = static_cast<std::uint64_t>(residence);
  block.dram_sectors = sectors_of(work.dram / arithmetic.dram_efficiency);
  block.l2_sectors = sectors_of(work.l2);
  block.port_load = share_of(busy, residence, kFullPort);
  block.product_load = share_of(products, residence, kFullProducts);
  return block;
}

BlockShape shape_of(Size tile, double operand_bytes) {
  const std::uint32_t numbers = tile.rows * tile.columns;
  BlockShape shape;
  shape.threads = numbers >= kLargeTile ? 256 : 128;
  shape.registers_per_thread = numbers / shape.threads + kRegisters;
  shape.shared_bytes =
      static_cast<std::uint32_t>(kStages * kStageDepth * (tile.rows + tile.columns) * operand_bytes);
  return shape;
}

WorkBlocks tiled(const KernelWork& work, const LanguageModel& model, const GpuSpec& gpu, Tiles tiles) {
  WorkBlocks result;
  result.tiles = tiles;
  result.blocks = static_cast<std::uint64_t>(std::ceil(work.rows / tiles.rows) *
                                             std::ceil(work.columns / tiles.columns)) *
                  tiles.splits;
  result.shape = shape_of({tiles.rows, tiles.columns}, model.activation_bytes);
  const double depth = work.depth / tiles.splits;
  const double rows = std::min<double>(tiles.rows, work.rows);
  const double numbers = rows * tiles.columns;
  BlockWork block;
  block.flops = 2.0 * tiles.rows * tiles.columns * depth;
  block.dram = work.dram_bytes / static_cast<double>(result.blocks);
  block.l2 = depth * (rows * model.activation_bytes + tiles.columns * model.weight_bytes) +
             numbers * (tiles.splits > 1 ? 2 * kSumBytes : model.activation_bytes);
  result.block = traffic_of(block, model, gpu);
  return result;
}

WorkBlocks product(const KernelWork& work, const LanguageModel& model, const GpuSpec& gpu) {
  WorkBlocks best;
  double least = std::numeric_limits<double>::max();
  for (const Size& tile : kTiles) {
    if (tile.rows > 16 && tile.rows >= 2 * work.rows) continue;
    if (residency_of(shape_of(tile, model.activation_bytes), gpu.sm.limits).blocks == 0) continue;
    for (const std::uint32_t splits : kSplits) {
      if (splits > 1 && work.depth / splits < kLeastDepth) continue;
      const WorkBlocks found = tiled(work, model, gpu, {tile.rows, tile.columns, splits});
      if (splits > 1 && found.blocks > gpu.sm.count) continue;
      const double cycles = cycles_of(found, gpu);
      if (cycles >= least * kGain) continue;
      least = cycles;
      best = found;
    }
  }
  return best;
}

WorkBlocks pieces(const KernelWork& work, const LanguageModel& model, const GpuSpec& gpu) {
  WorkBlocks result;
  result.blocks = work.is_attention ? work.pieces : std::min(work.pieces, kBlocksOfSm * gpu.sm.count);
  result.shape.threads = work.threads;
  result.shape.registers_per_thread = work.is_attention ? kAttentionRegisters : kPassRegisters;
  const auto blocks = static_cast<double>(result.blocks);
  BlockWork block{work.flops / blocks, work.dram_bytes / blocks, work.l2_bytes / blocks, 0};
  block.loads = std::ceil(block.dram / (work.threads * kLoadBytes));
  result.block = traffic_of(block, model, gpu);
  return result;
}

}  // namespace

WorkBlocks blocks_of_work(const KernelWork& work, const LanguageModel& model, const GpuSpec& gpu) {
  return work.is_product ? product(work, model, gpu) : pieces(work, model, gpu);
}

double cycles_of(const WorkBlocks& blocks, const GpuSpec& gpu) {
  const std::uint64_t full = std::uint64_t{gpu.sm.count} * residency_of(blocks.shape, gpu.sm.limits).blocks;
  if (full == 0) return 0;
  const auto wave = [&](std::uint64_t count) {
    return static_cast<double>(gpu.engine.block_issue_latency) +
           wave_cycles(blocks.block, count, gpu.sm.count, gpu.bandwidth, gpu.core_hz);
  };
  double cycles = 0;
  const std::uint64_t full_waves = blocks.blocks / full;
  if (full_waves > 0) cycles += static_cast<double>(full_waves) * wave(full);
  if (blocks.blocks % full != 0) cycles += wave(blocks.blocks % full);
  return cycles;
}

}  // namespace heddle
