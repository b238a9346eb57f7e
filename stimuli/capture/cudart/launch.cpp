// This file implements launches, the attributes of kernels, and which clusters of blocks the GPU can hold.

#include <fmt/format.h>

#include <algorithm>

#include "stimuli/capture/cudart/runtime.h"
#include "stimuli/capture/runtime/device_attributes.h"

namespace heddle::capture {

namespace {

struct Configuration {
  Dim3 grid;
  Dim3 block;
  std::size_t shared = 0;
  void* stream = nullptr;
  bool cooperative = false;
  std::optional<int> priority{};  // none: the stream's
  std::optional<Dim3> cluster{};  // none: that of the kernel
};

thread_local std::vector<Configuration> configurations;

int launch(const char* name, const void* handle, const Configuration& made, void** arguments) {
  return guarded(name, [&](Runtime& runtime) -> int {
    auto operation = runtime.launch_of(handle);
    if (!operation) return kInvalidDeviceFunction;
    operation->grid = made.grid;
    operation->block = made.block;
    operation->shared = made.shared;
    operation->cooperative = made.cooperative;
    operation->priority = made.priority;
    if (made.cluster) operation->cluster = made.cluster;
    operation->parameters = gather_parameters(runtime.entry(*operation), arguments);
    return submit(runtime, made.stream, *operation);
  });
}

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

LaunchSettings settings_of(const char* call, const LaunchAttribute* attributes, unsigned count) {
  LaunchSettings settings;
  for (unsigned i = 0; i < count; ++i) {
    const LaunchAttribute& attribute = attributes[i];
    switch (attribute.kind) {
      case kIgnoredAttribute:
      case kClusterPolicyAttribute:
        break;
      case kCooperativeAttribute:
        settings.cooperative = attribute.number != 0;
        break;
      case kPriorityAttribute:
        settings.priority = clamped_priority(attribute.number);
        break;
      case kClusterAttribute:
        settings.cluster = Dim3{attribute.numbers[0], attribute.numbers[1], attribute.numbers[2]};
        break;
      default:
        stop(fmt::format("{}: launch attribute {} is not supported", call, attribute.kind));
    }
  }
  return settings;
}

}  // namespace heddle::capture

using heddle::Residency;
using heddle::residency_of;
using namespace heddle::capture;  // the functions below have C linkage
namespace ptx = heddle::ptx;

extern "C" {

unsigned __cudaPushCallConfiguration(Dim3 grid, Dim3 block, std::size_t shared, void* stream) {
  configurations.push_back({grid, block, shared, stream});
  return 0;
}

int __cudaPopCallConfiguration(Dim3* grid, Dim3* block, std::size_t* shared, void** stream) {
  if (configurations.empty()) return remember(kMissingConfiguration);
  const Configuration made = configurations.back();
  configurations.pop_back();
  *grid = made.grid;
  *block = made.block;
  *shared = made.shared;
  *stream = made.stream;
  return kSuccess;
}

// The handle of a kernel is the function pointer by which the program calls it.
int __cudaGetKernel(const void** kernel, const void* function) {
  return guarded("cudaGetKernel", [&](Runtime& runtime) -> int {
    if (runtime.function(function) == nullptr) return kInvalidDeviceFunction;
    *kernel = function;
    return kSuccess;
  });
}

int cudaGetKernel(const void** kernel, const void* function) {
  return __cudaGetKernel(kernel, function);
}

int cudaGetFuncBySymbol(const void** kernel, const void* function) {
  return __cudaGetKernel(kernel, function);
}

int cudaLaunchKernel(const void* function, Dim3 grid, Dim3 block, void** arguments, std::size_t shared,
                     void* stream) {
  return launch("cudaLaunchKernel", function, {grid, block, shared, stream}, arguments);
}

int cudaLaunchKernel_ptsz(const void* function, Dim3 grid, Dim3 block, void** arguments, std::size_t shared,
                          void* stream) {
  return cudaLaunchKernel(function, grid, block, arguments, shared, or_thread_stream(stream));
}

int __cudaLaunchKernel(const void* kernel, Dim3 grid, Dim3 block, void** arguments, std::size_t shared,
                       void* stream) {
  return launch("cudaLaunchKernel", kernel, {grid, block, shared, stream}, arguments);
}

int __cudaLaunchKernel_ptsz(const void* kernel, Dim3 grid, Dim3 block, void** arguments, std::size_t shared,
                            void* stream) {
  return cudaLaunchKernel(kernel, grid, block, arguments, shared, or_thread_stream(stream));
}

int cudaLaunchKernelExC(const LaunchConfiguration* made, const void* function, void** arguments) {
  const LaunchSettings settings = settings_of("cudaLaunchKernelExC", made->attributes, made->attribute_count);
  return launch("cudaLaunchKernelExC", function,
                {made->grid, made->block, made->shared, made->stream, settings.cooperative, settings.priority,
                 settings.cluster},
                arguments);
}

int cudaLaunchKernelExC_ptsz(const LaunchConfiguration* made, const void* function, void** arguments) {
  LaunchConfiguration own = *made;
  own.stream = or_thread_stream(own.stream);
  return cudaLaunchKernelExC(&own, function, arguments);
}

int cudaLaunchCooperativeKernel(const void* function, Dim3 grid, Dim3 block, void** arguments,
                                std::size_t shared, void* stream) {
  return launch("cudaLaunchCooperativeKernel", function, {grid, block, shared, stream, true}, arguments);
}

int cudaLaunchCooperativeKernel_ptsz(const void* function, Dim3 grid, Dim3 block, void** arguments,
                                     std::size_t shared, void* stream) {
  return cudaLaunchCooperativeKernel(function, grid, block, arguments, shared, or_thread_stream(stream));
}

int cudaFuncGetAttributes(FunctionAttributes* attributes, const void* handle) {
  return guarded("cudaFuncGetAttributes", [&](Runtime& runtime) -> int {
    auto launch = runtime.launch_of(handle);
    if (!launch) return kInvalidDeviceFunction;
    const ptx::Module& module = *runtime.session().image(launch->module).module;
    const ptx::Function& entry = runtime.entry(*launch);
    launch->parameters.resize(entry.parameter_bytes);
    const heddle::SmLimits& limits = runtime.session().spec().sm.limits;
    *attributes = {};
    attributes->shared_bytes = entry.static_shared_bytes;
    attributes->local_bytes = entry.local_bytes;
    attributes->threads_per_block = static_cast<int>(limits.threads_per_block);
    attributes->registers = static_cast<int>(
        ptx::shape_of(runtime.session().prepare(runtime.call_of(*launch))).registers_per_thread);
    attributes->ptx_version = static_cast<int>(module.target);
    attributes->binary_version = static_cast<int>(runtime.session().spec().compute_capability);
    attributes->dynamic_shared_bytes =
        static_cast<int>(limits.shared_bytes - limits.shared_reserved - entry.static_shared_bytes);
    attributes->carveout = launch->carve_out;
    return kSuccess;
  });
}

int cudaOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(int* blocks, const void* handle, int threads,
                                                           std::size_t shared, unsigned /*flags*/) {
  return guarded("cudaOccupancyMaxActiveBlocksPerMultiprocessor", [&](Runtime& runtime) -> int {
    auto launch = runtime.launch_of(handle);
    if (!launch) return kInvalidDeviceFunction;
    if (threads <= 0 || shared > ~std::uint32_t{0}) return kInvalidValue;
    launch->block = {static_cast<std::uint32_t>(threads), 1, 1};
    launch->shared = shared;
    launch->parameters.resize(runtime.entry(*launch).parameter_bytes);
    const Residency residency =
        residency_of(ptx::shape_of(runtime.session().prepare(runtime.call_of(*launch))),
                     runtime.session().spec().sm.limits);
    *blocks = static_cast<int>(residency.blocks);
    return kSuccess;
  });
}

int cudaOccupancyMaxActiveBlocksPerMultiprocessor(int* blocks, const void* function, int threads,
                                                  std::size_t shared) {
  return cudaOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(blocks, function, threads, shared, 0);
}

// Cache hints have no effect, because the platform states how the memory of an SM is split.
int cudaFuncSetCacheConfig(const void* /*function*/, int /*preference*/) {
  return kSuccess;
}

int cudaFuncSetSharedMemConfig(const void* /*function*/, int /*banks*/) {
  return kSuccess;
}

// The later launches of a kernel prefer its carve-out and have its clusters. The other attributes have no
// effect, because the platform states the limits of a block.
int cudaFuncSetAttribute(const void* handle, int attribute, int value) {
  return guarded("cudaFuncSetAttribute", [&](Runtime& runtime) -> int {
    Kernel* const kernel = runtime.function(handle);
    if (kernel == nullptr) return kInvalidDeviceFunction;
    if (attribute < kDynamicSharedAttribute || attribute > kLastFunctionAttribute) return kInvalidValue;
    if (attribute != kCarveOutAttribute && value < 0) return kInvalidValue;
    if (attribute >= kClusterWidthAttribute && attribute <= kClusterDepthAttribute) {
      if (runtime.entry(*runtime.launch_of(handle)).cluster[0] != 0) return kNotPermitted;
      kernel->cluster[static_cast<std::size_t>(attribute - kClusterWidthAttribute)] = value;
    }
    if (attribute == kAnyClusterSizeAttribute) kernel->is_any_cluster_size = value != 0;
    if (attribute != kCarveOutAttribute) return kSuccess;
    if (value < kDefaultCarveOut || value > kMostCarveOut) return kInvalidValue;
    kernel->carve_out = value;
    return kSuccess;
  });
}
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
    shape.cluster =
        launch->is_any_cluster_size ? heddle::BlockShape::kMostCluster : heddle::kMostPortableCluster;
    while (shape.cluster > 1 && resident_clusters(spec, shape) == 0) --shape.cluster;
    *blocks = static_cast<int>(shape.cluster);
    return kSuccess;
  });
}
}
