// This file implements the registration of a program's kernels and variables.

#include "stimuli/capture/cudart/registration.h"

#include <fmt/format.h>

#include <cstdlib>
#include <cstring>

#include "stimuli/capture/cudart/runtime.h"
#include "stimuli/capture/format/environment.h"

namespace heddle::capture {

namespace {

FatBinary* binary_of(void** handle) {
  return reinterpret_cast<FatBinary*>(handle);
}

}  // namespace

}  // namespace heddle::capture

using namespace heddle::capture;  // the functions below have C linkage

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

char __cudaInitModule(void** binary) {
  guarded("__cudaInitModule", [&](Runtime& runtime) -> int {
    runtime.module_of(*binary_of(binary));
    return kSuccess;
  });
  return 1;
}

void __cudaRegisterFunction(void** binary, const void* host, char* /*device*/, const char* name,
                            int /*thread_limit*/, void*, void*, void*, void*, int*) {
  const std::lock_guard<std::recursive_mutex> lock(runtime_lock());
  Runtime::get().functions[host] = {{binary_of(binary), name}};
}

void __cudaRegisterVar(void** binary, const void* host, char* /*device*/, const char* name, int /*external*/,
                       std::size_t /*bytes*/, int /*constant*/, int /*global*/) {
  const std::lock_guard<std::recursive_mutex> lock(runtime_lock());
  Runtime::get().variables[host] = {binary_of(binary), name};
}

// The pointer by which the host accesses the variable is set when the module is loaded, at the latest when
// the program calls __cudaInitModule before its first access.
void __cudaRegisterManagedVar(void** binary, void** pointer, char* /*device*/, const char* name,
                              int /*external*/, std::size_t /*bytes*/, int /*constant*/, int /*global*/) {
  const std::lock_guard<std::recursive_mutex> lock(runtime_lock());
  const Symbol symbol{binary_of(binary), name};
  Runtime::get().variables[pointer] = symbol;
  Runtime::get().managed_variables.push_back({symbol, pointer});
}

void __cudaRegisterSurface(void** binary, const void* host, const void** /*device*/, const char* name,
                           int /*dimensions*/, int /*external*/) {
  const std::lock_guard<std::recursive_mutex> lock(runtime_lock());
  if (std::strncmp(name, "::", 2) == 0) name += 2;
  Runtime::get().references.add(host, {{binary_of(binary), name}, false});
}

void __cudaRegisterTexture(void** binary, const void* host, const void** /*device*/, const char* name,
                           int /*dimensions*/, int normalized_values, int /*external*/) {
  const std::lock_guard<std::recursive_mutex> lock(runtime_lock());
  if (std::strncmp(name, "::", 2) == 0) name += 2;  // nvcc's host code names references so, its PTX does not
  Runtime::get().references.add(host, {{binary_of(binary), name}, normalized_values != 0});
}
}
