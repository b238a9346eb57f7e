#pragma once
// What a platform's GPU answers to the questions of cudaDeviceGetAttribute.

#include <optional>

#include "models/gpu/gpu_spec.h"

namespace heddle::capture {

// By NVIDIA's numbers (driver_types.h); nothing: no such attribute. What the platform does not describe, and
// what the simulated GPU cannot do, is 0.
std::optional<int> device_attribute(const GpuSpec& spec, int attribute);

std::uint64_t l2_bytes(const GpuSpec& spec);  // 0: the platform has none described

constexpr std::uint64_t kConstantBytes = 65536;
constexpr int kMostGrid[] = {0x7fffffff, 65535, 65535};
constexpr int kMostBlock[] = {1024, 1024, 64};
constexpr int kTextureAlignment = 512;
constexpr int kTexturePitchAlignment = 32;
constexpr int kMostTexels = 65536;  // of one side of a texture

}  // namespace heddle::capture
