// This file implements the texts of errors, and the look-up of functions by name.

#include <dlfcn.h>
#include <elf.h>
#include <link.h>

#include <cctype>
#include <map>
#include <string>

#include "stimuli/capture/cudart/calls.h"
#include "stimuli/capture/driver/driver.h"

extern "C" int cuInit(unsigned flags);

namespace heddle::capture {

namespace {

// The driver has "CUDA_ERROR_INVALID_VALUE" for the runtime's "cudaErrorInvalidValue".
std::string driver_name(const std::string& runtime_name) {
  constexpr std::size_t kPrefix = sizeof "cudaError" - 1;
  std::string name = "CUDA_ERROR";
  for (std::size_t i = kPrefix; i < runtime_name.size(); ++i) {
    const auto letter = static_cast<unsigned char>(runtime_name[i]);
    if (std::isupper(letter) != 0 && std::isupper(static_cast<unsigned char>(runtime_name[i - 1])) == 0)
      name += '_';
    name += static_cast<char>(std::toupper(letter));
  }
  return name;
}

// Errors that have other names than the runtime's.
const char* own_name(int error) {
  switch (error) {
    case kSuccess:
      return "CUDA_SUCCESS";
    case kMemoryAllocation:
      return "CUDA_ERROR_OUT_OF_MEMORY";
    case kDriverNotInitialised:
      return "CUDA_ERROR_NOT_INITIALIZED";
    case 4:
      return "CUDA_ERROR_DEINITIALIZED";
    case kDriverInvalidContext:
      return "CUDA_ERROR_INVALID_CONTEXT";
    case kDriverNoBinary:
      return "CUDA_ERROR_NO_BINARY_FOR_GPU";
    case kDriverInvalidHandle:
      return "CUDA_ERROR_INVALID_HANDLE";
    case kDriverNotFound:
      return "CUDA_ERROR_NOT_FOUND";
    case 719:
      return "CUDA_ERROR_LAUNCH_FAILED";
    default:
      return nullptr;
  }
}

bool is_error(int error) {
  return own_name(error) != nullptr || std::string(cudaGetErrorName(error)).rfind("cudaError", 0) == 0;
}

// Whether a call of the function is refused: it is then a weak symbol.
bool is_refused(const void* function) {
  Dl_info where{};
  const ElfW(Sym)* symbol = nullptr;
  void* found = nullptr;
  if (::dladdr1(function, &where, &found, RTLD_DL_SYMENT) == 0 || found == nullptr) return false;
  symbol = static_cast<const ElfW(Sym)*>(found);
  return ELF64_ST_BIND(symbol->st_info) == STB_WEAK;
}

// The versions of CUDA that brought a function with other parameters than those of the one before.
int introduced(const std::string& name) {
  static const std::map<std::string, int> versions{
      {"cuCtxGetDevice_v2", 13000}, {"cuCtxSynchronize_v2", 13000}, {"cuStreamGetCtx_v2", 12050}};
  const auto found = versions.find(name);
  return found == versions.end() ? 0 : found->second;
}

// Returns a function of this library by its name in the manual, as of a version of CUDA: the newest version
// of it that is supported, else the newest one, or null.
void* find_function(const char* name, int cuda, bool per_thread) {
  static void* const library = [] {
    Dl_info here{};
    ::dladdr(reinterpret_cast<const void*>(&cuInit), &here);
    return ::dlopen(here.dli_fname, RTLD_NOW | RTLD_NOLOAD);
  }();
  const std::string plain = name;
  if (plain.rfind("cu", 0) != 0) return nullptr;
  void* refused = nullptr;
  for (const char* thread : {"_ptsz", "_ptds", ""}) {
    if (*thread != '\0' && !per_thread) continue;
    for (const char* version : {"_v3", "_v2", ""}) {
      if (introduced(plain + version) > cuda) continue;
      void* const found = ::dlsym(library, (plain + version + thread).c_str());
      if (found != nullptr && !is_refused(found)) return found;
      if (refused == nullptr) refused = found;
    }
  }
  return refused;
}

}  // namespace

int find_entry_point(const char* name, void** function, int version, std::uint64_t flags, int* status) {
  constexpr std::uint64_t kPerThread = 2;
  constexpr int kNotFound = 1;
  if (name == nullptr || function == nullptr) return kInvalidValue;
  *function = find_function(name, version, (flags & kPerThread) != 0);
  if (status != nullptr) *status = *function == nullptr ? kNotFound : 0;
  return *function == nullptr ? static_cast<int>(kDriverNotFound) : static_cast<int>(kSuccess);
}

}  // namespace heddle::capture

using namespace heddle::capture;  // the functions below have C linkage

extern "C" {

int cuGetErrorName(int error, const char** name) {
  if (name == nullptr) return kInvalidValue;
  *name = nullptr;
  if (!is_error(error)) return kInvalidValue;
  static auto& names = *new std::map<int, std::string>;  // outlives every exit handler
  const std::lock_guard<std::recursive_mutex> lock(runtime_lock());
  std::string& text = names[error];
  if (text.empty())
    text = own_name(error) != nullptr ? own_name(error) : driver_name(cudaGetErrorName(error));
  *name = text.c_str();
  return kSuccess;
}

int cuGetErrorString(int error, const char** text) {
  if (text == nullptr) return kInvalidValue;
  *text = is_error(error) ? cudaGetErrorString(error) : nullptr;
  return *text == nullptr ? kInvalidValue : kSuccess;
}

int cuGetProcAddress(const char* name, void** function, int version, std::uint64_t flags) {
  return find_entry_point(name, function, version, flags, nullptr);
}

int cuGetProcAddress_v2(const char* name, void** function, int version, std::uint64_t flags, int* status) {
  return find_entry_point(name, function, version, flags, status);
}

// The runtime gives the driver's functions, and tells by `status` that there is none.
int cudaGetDriverEntryPointByVersion(const char* name, void** function, unsigned version, std::uint64_t flags,
                                     int* status) {
  const int error = find_entry_point(name, function, static_cast<int>(version), flags, status);
  return remember(error == kDriverNotFound ? static_cast<int>(kSuccess) : error);
}

// A program that states no version was compiled for CUDA 12 or before.
int cudaGetDriverEntryPoint(const char* name, void** function, std::uint64_t flags, int* status) {
  constexpr unsigned kTwelve = 12000;
  return cudaGetDriverEntryPointByVersion(name, function, kTwelve, flags, status);
}

int cudaGetDriverEntryPoint_ptsz(const char* name, void** function, std::uint64_t flags, int* status) {
  constexpr std::uint64_t kPerThread = 2;
  return cudaGetDriverEntryPoint(name, function, flags == 0 ? kPerThread : flags, status);
}

int cudaGetDriverEntryPointByVersion_ptsz(const char* name, void** function, unsigned version,
                                          std::uint64_t flags, int* status) {
  constexpr std::uint64_t kPerThread = 2;
  return cudaGetDriverEntryPointByVersion(name, function, version, flags == 0 ? kPerThread : flags, status);
}
}
