#pragma once
// The blocks that do the work of a kernel on timed SMs: how many there are, how long each stays resident, and
// what it moves. Pure arithmetic over a platform's section `arithmetic` and its bandwidths.
//
// A block stays for ArithmeticSpec::block_latency and the longest of
//   FLOPs   over those of an SM times ArithmeticSpec::efficiency,
//   bytes   of DRAM, and of L2, over what one SM draws of each,
//   loads   one after the other, each of 16 bytes a thread, in ArithmeticSpec::load_latency; this is not so
//           for a product, whose copies to shared memory run ahead.
// The first two are resources of the SM: the blocks on one SM share them (KernelLaunch::port_load). Of the
// bandwidth of DRAM a block takes its bytes over ArithmeticSpec::dram_efficiency.
//
// A product is made of tiles of the result, one a block. Of the tiles that fit an SM, the ones are chosen
// with which the product alone is fastest on all SMs of the GPU. A smaller tile must gain a tenth, because
// ArithmeticSpec::efficiency is that of large ones. Candidates have 16 to 256 rows and 64 to 256 columns, as
// those of cuBLAS and CUTLASS for tensor cores; from 32 rows on, less than half of the rows of a tile are
// empty. Where tiles are fewer than SMs, several blocks may share a tile's depth, at least 512 each, and add
// partial sums of 4 bytes in L2.
//
// Every other kernel is a pass over rows, of at most two blocks for an SM, or attention.

#include <cstdint>

#include "models/core/kernel/bandwidth.h"
#include "models/core/kernel/kernel.h"
#include "models/gpu/gpu_spec.h"
#include "stimuli/transformer/forward.h"

namespace heddle {

struct Tiles {
  std::uint32_t rows = 0;
  std::uint32_t columns = 0;
  std::uint32_t splits = 1;  // blocks for a tile
};

struct WorkBlocks {
  std::uint64_t blocks = 0;
  BlockShape shape;
  BlockTraffic block;
  Tiles tiles;  // of a product
};

// Returns the blocks of the work, which is not none. The platform states `arithmetic` with FLOPs of the
// model's type. The result has no blocks if no tile fits an SM.
WorkBlocks blocks_of_work(const KernelWork& work, const LanguageModel& model, const GpuSpec& gpu);

// Returns the core cycles that the blocks take alone on all SMs, without the launch.
double cycles_of(const WorkBlocks& blocks, const GpuSpec& gpu);

}  // namespace heddle
