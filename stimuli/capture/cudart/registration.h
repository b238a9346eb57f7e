#pragma once
// What a program registers: its code for the GPU, and the kernels and variables in it.

#include <array>
#include <cstdint>
#include <map>
#include <optional>
#include <string>

#include "stimuli/capture/cudart/types.h"

namespace heddle::capture {

struct FatBinary {
  const void* wrapper = nullptr;
  std::string name;                     // "saxpy: module 0"
  std::optional<std::uint32_t> module;  // has a value once the program uses the binary
};

// A module that the program loads by the driver's interface.
struct LoadedModule : FatBinary {
  std::map<std::string, char> functions;  // the addresses of the values are the handles of the kernels
};

struct Symbol {
  FatBinary* binary = nullptr;
  std::string name;
};

struct Kernel : Symbol {
  int carve_out = kDefaultCarveOut;  // that the program prefers for its launches
  // The blocks of a cluster that the program requires of its launches; zeros: it requires none.
  std::array<int, 3> cluster{};
  bool is_any_cluster_size = false;  // clusters may have sizes that are not portable
};

struct ManagedVariable {
  Symbol symbol;
  void** pointer = nullptr;  // by which the program's host code accesses the variable
};

}  // namespace heddle::capture
