// This file says which clusters of blocks the GPU can hold.

#include <algorithm>

#include "stimuli/capture/cudart/runtime.h"
#include "stimuli/capture/runtime/device_attributes.h"

namespace heddle::capture {

namespace {

constexpr std::uint32_t kMostPortable = 8;  // blocks of a cluster; CUDA C++ Programming Guide

// Returns the launch of the configuration, or none if there is no such kernel.
std::optional<ptx::Launch> launch_for(Runtime& runtime, const void* handle, const LaunchConfiguration& made,
                                      const LaunchSettings& settings) {
  auto launch = runtime.launch_of(handle);
  if (!launch) return std::nullopt;
  launch->grid = made.grid;
  launch->block = made.block;
  launch->shared = made.shared;
  if (settings.cluster) launch->cluster = settings.cluster;
  launch->parameters.resize(runtime.entry(*launch).parameter_bytes);
  return runtime.session().prepare(runtime.call_of(*launch));
}

// A thread that needs more registers spills when the capture is replayed.
BlockShape resident_shape(const ptx::Launch& launch, const SmLimits& limits) {
  BlockShape shape = ptx::shape_of(launch);
  shape.registers_per_thread = std::min(shape.registers_per_thread, limits.registers_per_thread);
  return shape;
}

}  // namespace

}  // namespace heddle::capture

using namespace heddle::capture;  // the functions below have C linkage
namespace ptx = heddle::ptx;

extern "C" {

int cudaOccupancyMaxActiveClusters(int* clusters, const void* handle, const LaunchConfiguration* made) {
  constexpr const char* kName = "cudaOccupancyMaxActiveClusters";
  const LaunchSettings settings = settings_of(kName, made->attributes, made->attribute_count);
  return guarded(kName, [&](Runtime& runtime) -> int {
    if (made->shared > ~std::uint32_t{0}) return kInvalidValue;
    const auto launch = launch_for(runtime, handle, *made, settings);
    if (!launch) return kInvalidDeviceFunction;
    if (!ptx::cluster_problem(*launch).empty()) return kInvalidClusterSize;
    const heddle::GpuSpec& spec = runtime.session().spec();
    *clusters = static_cast<int>(resident_clusters(spec, resident_shape(*launch, spec.sm.limits)));
    return kSuccess;
  });
}

int cudaOccupancyMaxPotentialClusterSize(int* blocks, const void* handle, const LaunchConfiguration* made) {
  return guarded("cudaOccupancyMaxPotentialClusterSize", [&](Runtime& runtime) -> int {
    if (made->shared > ~std::uint32_t{0}) return kInvalidValue;
    const auto launch = launch_for(runtime, handle, *made, {});
    if (!launch) return kInvalidDeviceFunction;
    const heddle::GpuSpec& spec = runtime.session().spec();
    heddle::BlockShape shape = resident_shape(*launch, spec.sm.limits);
    shape.cluster = launch->is_any_cluster_size ? heddle::BlockShape::kMostCluster : kMostPortable;
    while (shape.cluster > 1 && resident_clusters(spec, shape) == 0) --shape.cluster;
    *blocks = static_cast<int>(shape.cluster);
    return kSuccess;
  });
}
}
