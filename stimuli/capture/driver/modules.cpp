// This file implements the driver's modules: they are loaded from PTX and fat binaries.

#include <fmt/format.h>

#include <cstdio>
#include <cstring>
#include <filesystem>

#include "models/core/config/config.h"
#include "models/core/config/input_file.h"
#include "stimuli/capture/driver/driver.h"
#include "stimuli/capture/format/elf_reader.h"
#include "stimuli/capture/format/fat_binary.h"

namespace heddle::capture {

namespace {

std::uint32_t magic_of(std::string_view bytes) {
  std::uint32_t magic = 0;
  if (bytes.size() >= sizeof magic) std::memcpy(&magic, bytes.data(), sizeof magic);
  return magic;
}

// Returns the bytes of an image in memory: a fat binary, its wrapper, or PTX, which ends with a zero.
std::string_view image_bytes(const void* image, const std::string& name) {
  const auto* const bytes = static_cast<const char*>(image);
  std::uint32_t magic = 0;
  std::memcpy(&magic, bytes, sizeof magic);
  if (magic == kWrapperMagic) {
    const char* container = nullptr;
    std::memcpy(&container, bytes + 8, sizeof container);
    return image_bytes(container, name);
  }
  if (magic == kFatBinaryMagic) return {bytes, fat_binary_bytes({bytes, kFatBinaryHeaderBytes}, name)};
  if (ElfReader::accepts({bytes, EI_NIDENT})) return {bytes, EI_NIDENT};
  return {bytes, std::strlen(bytes)};
}

// Loads a module. An image that cannot be read is named on standard error.
int load_module(Runtime& runtime, void** handle, std::string_view bytes, const std::string& name) {
  if (ElfReader::accepts(bytes)) {
    std::fputs(fmt::format("heddle: {}: machine code alone is not supported; load PTX\n", name).c_str(),
               stderr);
    return kDriverNoBinary;
  }
  auto module = std::make_unique<LoadedModule>();
  module->name = name;
  try {
    if (magic_of(bytes) == kFatBinaryMagic)
      runtime.load_containers(*module, {bytes});
    else
      module->module = runtime.session().load(std::string(bytes), name);
  } catch (const config::Error& error) {
    std::fputs(fmt::format("heddle: {}\n", error.what()).c_str(), stderr);
    return kDriverInvalidPtx;
  }
  *handle = module.get();
  runtime.modules.emplace(*handle, std::move(module));
  return kSuccess;
}

std::string next_name(Runtime& runtime) {
  return fmt::format("module {} that the program loads", runtime.loads++);
}

int load_data(void** handle, const void* image) {
  return in_context([&] {
    return guarded("cuModuleLoadData", [&](Runtime& runtime) -> int {
      if (handle == nullptr || image == nullptr) return kInvalidValue;
      const std::string name = next_name(runtime);
      return load_module(runtime, handle, image_bytes(image, name), name);
    });
  });
}

// Calls act(runtime, module) if there is such a module.
template <typename Act>
int with_module(const char* name, const void* handle, const Act& act) {
  return in_context([&] {
    return guarded(name, [&](Runtime& runtime) -> int {
      const auto found = runtime.modules.find(handle);
      return found == runtime.modules.end() ? static_cast<int>(kDriverInvalidHandle)
                                            : act(runtime, *found->second);
    });
  });
}

}  // namespace

}  // namespace heddle::capture

using namespace heddle::capture;  // the functions below have C linkage

extern "C" {

int cuModuleLoad(void** handle, const char* file) {
  return in_context([&] {
    return guarded("cuModuleLoad", [&](Runtime& runtime) -> int {
      if (handle == nullptr || file == nullptr) return kInvalidValue;
      if (!std::filesystem::is_regular_file(file)) return kDriverFileNotFound;
      return load_module(runtime, handle, heddle::config::read_file(file), file);
    });
  });
}

int cuModuleLoadData(void** handle, const void* image) {
  return load_data(handle, image);
}

// The options tune a compiler that there is not.
int cuModuleLoadDataEx(void** handle, const void* image, unsigned /*count*/, const int* /*options*/,
                       void* const* /*values*/) {
  return load_data(handle, image);
}

int cuModuleLoadFatBinary(void** handle, const void* image) {
  return load_data(handle, image);
}

int cuModuleUnload(const void* handle) {
  return with_module("cuModuleUnload", handle, [&](Runtime& runtime, LoadedModule& module) -> int {
    runtime.unload(module);
    runtime.modules.erase(handle);
    return kSuccess;
  });
}

int cuModuleGetLoadingMode(int* mode) {
  constexpr int kLazy = 2;
  *mode = kLazy;
  return kSuccess;
}

int cuModuleGetFunction(const void** function, const void* handle, const char* name) {
  return with_module("cuModuleGetFunction", handle, [&](Runtime& runtime, LoadedModule& module) -> int {
    if (function == nullptr || name == nullptr) return kInvalidValue;
    if (runtime.session().image(*module.module).module->entry(name) == nullptr) return kDriverNotFound;
    *function = &module.functions[name];
    runtime.functions.try_emplace(*function, Kernel{{&module, name}});
    return kSuccess;
  });
}

int cuModuleGetGlobal_v2(heddle::Address* address, std::size_t* bytes, const void* handle, const char* name) {
  return with_module("cuModuleGetGlobal", handle, [&](Runtime& runtime, LoadedModule& module) -> int {
    if (name == nullptr || (address == nullptr && bytes == nullptr)) return kInvalidValue;
    const auto rows = runtime.variable_of(module, name);
    if (!rows) return kDriverNotFound;
    if (address != nullptr) *address = rows->address;
    if (bytes != nullptr) *bytes = rows->bytes;
    return kSuccess;
  });
}
}
