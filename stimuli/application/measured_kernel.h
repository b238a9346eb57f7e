#pragma once
// This file has what the measured time of a kernel says about its blocks on timed SMs: how long a block stays
// resident, and how much of the bandwidths it takes. Pure arithmetic.
//
// A time was measured on some SMs of a GPU, with all of the GPU's bandwidth. Its waves of blocks took
//   kernel time - launch and set-up latency - waves x issue latency,
//   waves = ceil(blocks / blocks resident on those SMs).
// Without bytes, and where the bytes over that time stay below BandwidthSpec::bound of the bandwidth, the
// blocks decided the time. Their residence is then the one with which the waves take it.
// Otherwise the bandwidth decided the time, and the blocks may have waited for it. Their residence is then
// what one SM can draw (BandwidthSpec::sm_dram_bytes_per_second), at most an equal part of the time, and
// their bytes are scaled so that together they fill the bandwidth for the measured time. Either way the
// kernel alone takes its measured time on the SMs on which it was measured.

#include <cstdint>
#include <string>

#include "models/core/kernel/bandwidth.h"
#include "models/gpu/gpu_spec.h"
#include "models/host/api_program.h"

namespace heddle {

// What a block moves as its application states it, in sectors of 32 bytes; 0: not stated.
struct BlockBytes {
  std::uint32_t dram = 0;
  std::uint32_t l2 = 0;
};

// What decided the measured time of a kernel.
enum class TimeBound : std::uint8_t { kBlocks, kDram, kL2 };

struct MeasuredKernel {
  BlockShape shape;
  std::uint64_t blocks = 0;
  std::uint64_t time_ps = 0;
  std::uint32_t sms = 0;  // on which it was measured; 0: on all SMs of the GPU
  BlockBytes bytes;
};

struct MeasuredBlocks {
  // Of a block on the GPU that runs it. `block_cycles` is 0 if no time is left for the blocks beside the
  // latencies, and if no block fits an SM.
  BlockTraffic block;
  TimeBound bound = TimeBound::kBlocks;
  std::string problem;  // the bytes cannot have been moved in the time; empty: they can
};

// Returns the blocks of a kernel that was measured on the GPU `measured` and runs on the GPU `runs_on`. Where
// the blocks decided the time, they keep their cycles of the core clock; where a bandwidth decided it, they
// follow what one SM of the other GPU draws.
MeasuredBlocks blocks_of(const MeasuredKernel& kernel, const GpuSpec& measured, const GpuSpec& runs_on);

// Returns the residence of a block in core cycles of `measured` if the blocks decided the time, which was
// measured on all SMs: (kernel time - launch and set-up latency - waves x issue latency) / waves. With this
// residence a kernel that runs alone on that GPU takes its measured time (CUsched, Table II). The result is 0
// if it is below one cycle, because the measured time is too short for the latencies of this GPU, or if no
// block fits an SM.
std::uint64_t residence_cycles(const ApiKernel& kernel, std::uint64_t kernel_time_ps,
                               const GpuSpec& measured);

// Returns the core cycles that a timed kernel takes alone on all SMs of the GPU, with launch and set-up.
double cycles_alone(const ApiKernel& kernel, const GpuSpec& gpu);

}  // namespace heddle
