// This file implements the driver's launches, and the attributes of its functions.

#include <cstring>

#include "stimuli/capture/cudart/calls.h"
#include "stimuli/capture/driver/driver.h"

namespace heddle::capture {

namespace {

struct DriverConfiguration {
  Dim3 grid;
  Dim3 block;
  unsigned shared;
  void* stream;
  const LaunchAttribute* attributes;
  unsigned attribute_count;
};

// Returns an attribute of a function that is about clusters.
int cluster_attribute(int attribute, const LaunchOperation& launch) {
  const ptx::Function& entry = Runtime::get().entry(launch);
  const Dim3 cluster = launch.cluster.value_or(Dim3{entry.cluster[0], entry.cluster[1], entry.cluster[2]});
  const std::uint32_t values[] = {cluster.x, cluster.y, cluster.z};
  if (attribute == kClusterNeededAttribute) return entry.explicit_cluster ? 1 : 0;
  if (attribute == kAnyClusterSizeAttribute) return launch.is_any_cluster_size ? 1 : 0;
  if (attribute < kClusterWidthAttribute || attribute > kClusterDepthAttribute) return 0;
  return static_cast<int>(values[attribute - kClusterWidthAttribute]);
}

// Returns the configuration as the runtime has it.
LaunchConfiguration for_runtime(const DriverConfiguration& made) {
  return {made.grid, made.block, made.shared, made.stream, made.attributes, made.attribute_count};
}

// Reads the parameters as one buffer, in the layout of the kernel. Returns an error if the list names another
// thing.
int read_extra(void** extra, std::vector<std::byte>& parameters) {
  const void* buffer = nullptr;
  const std::size_t* bytes = nullptr;
  for (; *extra != nullptr; extra += 2) {
    const auto key = reinterpret_cast<std::uintptr_t>(*extra);
    if (key == 1)
      buffer = extra[1];
    else if (key == 2)
      bytes = static_cast<const std::size_t*>(extra[1]);
    else
      return kInvalidValue;
  }
  if (buffer == nullptr || bytes == nullptr || *bytes > parameters.size()) return kInvalidValue;
  std::memcpy(parameters.data(), buffer, *bytes);
  return kSuccess;
}

int launch_kernel(const char* name, const void* function, const DriverConfiguration& made,
                  const LaunchSettings& settings, void** arguments, void** extra) {
  return in_context([&] {
    return guarded(name, [&](Runtime& runtime) -> int {
      auto launch = runtime.launch_of(function);
      if (!launch) return kDriverInvalidHandle;
      launch->grid = made.grid;
      launch->block = made.block;
      launch->shared = made.shared;
      launch->cooperative = settings.cooperative;
      launch->priority = settings.priority;
      if (settings.cluster) launch->cluster = settings.cluster;
      const ptx::Function& entry = runtime.entry(*launch);
      launch->parameters.resize(entry.parameter_bytes);
      if (arguments != nullptr && extra != nullptr) return kInvalidValue;
      if (extra != nullptr) {
        if (const int error = read_extra(extra, launch->parameters); error != kSuccess) return error;
      } else if (entry.parameter_bytes != 0) {
        if (arguments == nullptr) return kInvalidValue;
        launch->parameters = gather_parameters(entry, arguments);
      }
      return submit(runtime, made.stream, *launch);
    });
  });
}

}  // namespace

}  // namespace heddle::capture

using namespace heddle::capture;  // the functions below have C linkage

extern "C" {

int cuLaunchKernel(const void* function, unsigned grid_x, unsigned grid_y, unsigned grid_z, unsigned block_x,
                   unsigned block_y, unsigned block_z, unsigned shared, void* stream, void** arguments,
                   void** extra) {
  const DriverConfiguration made{
      {grid_x, grid_y, grid_z}, {block_x, block_y, block_z}, shared, stream, nullptr, 0};
  return launch_kernel("cuLaunchKernel", function, made, {}, arguments, extra);
}

int cuLaunchKernel_ptsz(const void* function, unsigned grid_x, unsigned grid_y, unsigned grid_z,
                        unsigned block_x, unsigned block_y, unsigned block_z, unsigned shared, void* stream,
                        void** arguments, void** extra) {
  return cuLaunchKernel(function, grid_x, grid_y, grid_z, block_x, block_y, block_z, shared,
                        or_thread_stream(stream), arguments, extra);
}

int cuLaunchCooperativeKernel(const void* function, unsigned grid_x, unsigned grid_y, unsigned grid_z,
                              unsigned block_x, unsigned block_y, unsigned block_z, unsigned shared,
                              void* stream, void** arguments) {
  const DriverConfiguration made{
      {grid_x, grid_y, grid_z}, {block_x, block_y, block_z}, shared, stream, nullptr, 0};
  LaunchSettings settings;
  settings.cooperative = true;
  return launch_kernel("cuLaunchCooperativeKernel", function, made, settings, arguments, nullptr);
}

int cuLaunchKernelEx(const DriverConfiguration* made, const void* function, void** arguments, void** extra) {
  const LaunchSettings settings = settings_of("cuLaunchKernelEx", made->attributes, made->attribute_count);
  return launch_kernel("cuLaunchKernelEx", function, *made, settings, arguments, extra);
}

int cuFuncGetAttribute(int* value, int attribute, const void* function) {
  return in_context([&]() -> int {
    FunctionAttributes known{};
    if (value == nullptr) return kInvalidValue;
    if (const int error = cudaFuncGetAttributes(&known, function); error != kSuccess) return error;
    const auto number = [](std::size_t bytes) { return static_cast<int>(bytes); };
    const int values[] = {known.threads_per_block,
                          number(known.shared_bytes),
                          number(known.constant_bytes),
                          number(known.local_bytes),
                          known.registers,
                          known.ptx_version,
                          known.binary_version,
                          known.cache_mode,
                          known.dynamic_shared_bytes,
                          known.carveout};
    if (attribute < 0 || attribute > kLastFunctionAttribute) return kInvalidValue;
    *value = static_cast<std::size_t>(attribute) < std::size(values)
                 ? values[attribute]
                 : cluster_attribute(attribute, *Runtime::get().launch_of(function));
    return kSuccess;
  });
}

int cuFuncSetAttribute(const void* function, int attribute, int value) {
  return in_context([&] { return cudaFuncSetAttribute(function, attribute, value); });
}

// These settings have no effect, because the platform states how the memory of an SM is split.
int cuFuncSetCacheConfig(const void* function, int /*preference*/) {
  return in_context(
      [&] { return Runtime::get().function(function) == nullptr ? kInvalidDeviceFunction : kSuccess; });
}

int cuFuncSetSharedMemConfig(const void* function, int /*banks*/) {
  return cuFuncSetCacheConfig(function, 0);
}

int cuOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(int* blocks, const void* function, int threads,
                                                         std::size_t shared, unsigned flags) {
  return in_context([&] {
    return cudaOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(blocks, function, threads, shared, flags);
  });
}

int cuOccupancyMaxActiveBlocksPerMultiprocessor(int* blocks, const void* function, int threads,
                                                std::size_t shared) {
  return cuOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(blocks, function, threads, shared, 0);
}

int cuOccupancyMaxActiveClusters(int* clusters, const void* function, const DriverConfiguration* made) {
  return in_context([&] {
    const LaunchConfiguration configuration = for_runtime(*made);
    return cudaOccupancyMaxActiveClusters(clusters, function, &configuration);
  });
}

int cuOccupancyMaxPotentialClusterSize(int* blocks, const void* function, const DriverConfiguration* made) {
  return in_context([&] {
    const LaunchConfiguration configuration = for_runtime(*made);
    return cudaOccupancyMaxPotentialClusterSize(blocks, function, &configuration);
  });
}
}
