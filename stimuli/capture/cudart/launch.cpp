// This file implements the registration of a program's kernels and variables, and launches.

#include <fmt/format.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <stdexcept>

#include "stimuli/capture/cudart/runtime.h"
#include "stimuli/capture/format/environment.h"
#include "stimuli/ptx/text/kernel_name.h"

namespace heddle::capture {

namespace {

struct Configuration {
  Dim3 grid;
  Dim3 block;
  std::size_t shared = 0;
  void* stream = nullptr;
  bool cooperative = false;
};

thread_local std::vector<Configuration> configurations;

FatBinary* binary_of(void** handle) {
  return reinterpret_cast<FatBinary*>(handle);
}

// Returns the parameters in the layout of the kernel. The PTX gives their sizes and offsets.
std::vector<std::byte> gather(const ptx::Function& entry, void** arguments) {
  std::vector<std::byte> bytes(entry.parameter_bytes);
  for (std::size_t i = 0; i < entry.parameters.size(); ++i)
    std::memcpy(bytes.data() + entry.parameters[i].offset, arguments[i], entry.parameters[i].bytes);
  return bytes;
}

Call call_of(Runtime& runtime, const Symbol& function) {
  Call call;
  call.module = runtime.module_of(*function.binary);
  call.entry = runtime.entry_of(function, call.module);
  for (const auto& [host, reference] : runtime.references) {
    const auto texture = runtime.bound.find(host);
    if (reference.symbol.binary == function.binary && texture != runtime.bound.end())
      call.textures.push_back(texture->second);
  }
  std::sort(call.textures.begin(), call.textures.end(),
            [](const BoundTexture& a, const BoundTexture& b) { return a.variable < b.variable; });
  return call;
}

int launch(const char* name, const void* handle, const Configuration& made, void** arguments) {
  return guarded(name, [&](Runtime& runtime) -> int {
    const Symbol* function = runtime.function(handle);
    if (function == nullptr) return kInvalidDeviceFunction;
    const auto stream = runtime.stream(made.stream);
    if (!stream) return kInvalidResourceHandle;
    Call call = call_of(runtime, *function);
    call.grid = made.grid;
    call.block = made.block;
    if (made.shared > ~std::uint32_t{0}) return kInvalidValue;
    call.shared = static_cast<std::uint32_t>(made.shared);
    Session& session = runtime.session();
    call.parameters = gather(session.image(call.module).module->functions[call.entry], arguments);
    const ptx::Launch prepared = session.prepare(call);
    if (const std::string problem = ptx::launch_problem(prepared); !problem.empty()) {
      std::fputs(fmt::format("heddle: {}: {}\n", ptx::kernel_name(function->name), problem).c_str(), stderr);
      return kInvalidConfiguration;
    }
    const SmLimits& limits = session.spec().sm.limits;
    BlockShape shape = ptx::shape_of(prepared);
    // A thread that needs more registers spills when the capture is replayed.
    shape.registers_per_thread = std::min(shape.registers_per_thread, limits.registers_per_thread);
    const std::uint64_t resident = residency_of(shape, limits).blocks;
    if (resident == 0)
      return made.block.count() > limits.threads_per_block ? kInvalidConfiguration : kLaunchOutOfResources;
    if (made.cooperative) {
      if (made.grid.count() > resident * session.spec().sm.count) return kCooperativeLaunchTooLarge;
      call.workspace = runtime.workspace();
      if (call.workspace == 0) return kMemoryAllocation;
    }
    runtime.managed.upload(session, *stream);
    session.launch(call, *stream);
    runtime.managed.take_changes(session);
    return kSuccess;
  });
}

}  // namespace

}  // namespace heddle::capture

using heddle::Residency;
using heddle::residency_of;
using namespace heddle::capture;  // the functions below have C linkage
namespace ptx = heddle::ptx;

extern "C" {

void** __cudaRegisterFatBinary(void* wrapper) {
  const std::lock_guard<std::recursive_mutex> lock(runtime_lock());
  Runtime& runtime = Runtime::get();
  const char* program = std::getenv(kProgramVariable);
  auto binary = std::make_unique<FatBinary>();
  binary->wrapper = wrapper;
  binary->name = fmt::format("{}: module {}", program == nullptr ? "" : program, runtime.binaries.size());
  runtime.binaries.push_back(std::move(binary));
  return reinterpret_cast<void**>(runtime.binaries.back().get());
}

void __cudaRegisterFatBinaryEnd(void** /*binary*/) {}

// A program calls this function when it exits. The capture keeps the module.
void __cudaUnregisterFatBinary(void** /*binary*/) {}

char __cudaInitModule(void** /*binary*/) {
  return 1;
}

void __cudaRegisterFunction(void** binary, const void* host, char* /*device*/, const char* name,
                            int /*thread_limit*/, void*, void*, void*, void*, int*) {
  const std::lock_guard<std::recursive_mutex> lock(runtime_lock());
  Runtime::get().functions[host] = {binary_of(binary), name};
}

void __cudaRegisterVar(void** binary, const void* host, char* /*device*/, const char* name, int /*external*/,
                       std::size_t /*bytes*/, int /*constant*/, int /*global*/) {
  const std::lock_guard<std::recursive_mutex> lock(runtime_lock());
  Runtime::get().variables[host] = {binary_of(binary), name};
}

void __cudaRegisterTexture(void** binary, const void* host, const void** /*device*/, const char* name,
                           int /*dimensions*/, int normalized_values, int /*external*/) {
  const std::lock_guard<std::recursive_mutex> lock(runtime_lock());
  if (std::strncmp(name, "::", 2) == 0) name += 2;  // nvcc's host code names references so, its PTX does not
  Runtime::get().references[host] = {{binary_of(binary), name}, normalized_values != 0};
}

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

int __cudaLaunchKernel(const void* kernel, Dim3 grid, Dim3 block, void** arguments, std::size_t shared,
                       void* stream) {
  return launch("cudaLaunchKernel", kernel, {grid, block, shared, stream}, arguments);
}

int cudaLaunchKernelExC(const LaunchConfiguration* made, const void* function, void** arguments) {
  bool cooperative = false;
  for (unsigned i = 0; i < made->attribute_count; ++i) {
    const LaunchAttribute& attribute = made->attributes[i];
    if (attribute.kind == kCooperativeAttribute)
      cooperative = attribute.number != 0;
    else if (attribute.kind != kIgnoredAttribute && attribute.kind != kPriorityAttribute)
      stop(fmt::format("cudaLaunchKernelExC: launch attribute {} is not supported", attribute.kind));
  }
  return launch("cudaLaunchKernelExC", function,
                {made->grid, made->block, made->shared, made->stream, cooperative}, arguments);
}

int cudaLaunchCooperativeKernel(const void* function, Dim3 grid, Dim3 block, void** arguments,
                                std::size_t shared, void* stream) {
  return launch("cudaLaunchCooperativeKernel", function, {grid, block, shared, stream, true}, arguments);
}

int cudaFuncGetAttributes(FunctionAttributes* attributes, const void* handle) {
  return guarded("cudaFuncGetAttributes", [&](Runtime& runtime) -> int {
    const Symbol* function = runtime.function(handle);
    if (function == nullptr) return kInvalidDeviceFunction;
    Call call = call_of(runtime, *function);
    const ptx::Module& module = *runtime.session().image(call.module).module;
    const ptx::Function& entry = module.functions[call.entry];
    call.parameters.resize(entry.parameter_bytes);
    const heddle::SmLimits& limits = runtime.session().spec().sm.limits;
    *attributes = {};
    attributes->shared_bytes = entry.static_shared_bytes;
    attributes->local_bytes = entry.local_bytes;
    attributes->threads_per_block = static_cast<int>(limits.threads_per_block);
    attributes->registers =
        static_cast<int>(ptx::shape_of(runtime.session().prepare(call)).registers_per_thread);
    attributes->ptx_version = static_cast<int>(module.target);
    attributes->binary_version = static_cast<int>(runtime.session().spec().compute_capability);
    attributes->dynamic_shared_bytes = static_cast<int>(limits.shared_bytes - entry.static_shared_bytes);
    return kSuccess;
  });
}

int cudaOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(int* blocks, const void* handle, int threads,
                                                           std::size_t shared, unsigned /*flags*/) {
  return guarded("cudaOccupancyMaxActiveBlocksPerMultiprocessor", [&](Runtime& runtime) -> int {
    const Symbol* function = runtime.function(handle);
    if (function == nullptr) return kInvalidDeviceFunction;
    if (threads <= 0 || shared > ~std::uint32_t{0}) return kInvalidValue;
    Call call = call_of(runtime, *function);
    call.block = {static_cast<std::uint32_t>(threads), 1, 1};
    call.shared = static_cast<std::uint32_t>(shared);
    const ptx::Module& module = *runtime.session().image(call.module).module;
    call.parameters.resize(module.functions[call.entry].parameter_bytes);
    const Residency residency =
        residency_of(ptx::shape_of(runtime.session().prepare(call)), runtime.session().spec().sm.limits);
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

// The attribute has no effect, because the platform states the limits of a block.
int cudaFuncSetAttribute(const void* handle, int /*attribute*/, int value) {
  return guarded("cudaFuncSetAttribute", [&](Runtime& runtime) -> int {
    if (runtime.function(handle) == nullptr) return kInvalidDeviceFunction;
    return value < 0 ? kInvalidValue : kSuccess;
  });
}
}
