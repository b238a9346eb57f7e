#pragma once
// Limits of CUDA that are the same for all GPUs since compute capability 3.5 (CUDA C++ Programming Guide,
// "Technical Specifications"). SmLimits (models/core/kernel/kernel.h) has what the SMs of a platform have.

#include <cstdint>

namespace heddle {

constexpr std::uint32_t kMostThreadsOfBlock = 1024;
constexpr std::uint32_t kMostRegistersOfThread = 255;
constexpr std::uint32_t kRegistersOfSm = 65536;  // of 32 bits; compute capability 3.7 alone has twice as many
constexpr std::uint32_t kMostBlocksInX = 0x7fffffff;  // of a grid
constexpr std::uint32_t kMostBlocksInYz = 0xffff;     // of a grid, in y and in z
constexpr std::uint32_t kMostPortableCluster = 8;     // blocks of a cluster, unless a launch allows more

}  // namespace heddle
