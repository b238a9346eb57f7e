#pragma once
// The attributes of a platform's GPU that cudaDeviceGetAttribute returns.

#include <cstdint>
#include <optional>

#include "models/core/base/launch_limits.h"
#include "models/gpu/gpu_spec.h"

namespace heddle::capture {

// Returns the value of an attribute, numbered as in NVIDIA's driver_types.h, or none if there is no such
// attribute. An attribute is 0 if the platform does not describe it or the simulated GPU cannot do it.
std::optional<int> device_attribute(const GpuSpec& spec, int attribute);

bool has_clusters(const GpuSpec& spec);  // whether the blocks of a cluster reach each other's shared memory
// Returns how many clusters of blocks of this shape the GPU holds at once, each within a GPC and each block
// of a cluster on an SM of its own.
std::uint64_t resident_clusters(const GpuSpec& spec, const BlockShape& shape);

std::uint64_t l2_bytes(const GpuSpec& spec);  // 0 if the platform describes no L2

constexpr std::uint64_t kConstantBytes = 65536;
constexpr int kMostGrid[] = {kMostBlocksInX, kMostBlocksInYz, kMostBlocksInYz};
constexpr int kMostBlock[] = {kMostThreadsOfBlock, kMostThreadsOfBlock, 64};
constexpr int kTextureAlignment = 512;
constexpr int kTexturePitchAlignment = 32;
constexpr int kMostTexels = 65536;  // on one side of a texture

}  // namespace heddle::capture
