#pragma once
// This file reads kernelslist.g, the commands of a traced program to the GPU. Each line has one command:
//
//   MemcpyHtoD,0x<address>,<bytes>      MemcpyDtoH,0x<address>,<bytes>
//   kernel-1.traceg                     a launch: the name of its trace (.traceg, .traceg.xz or .tracez), in
//                                       the folder of the list

#include <cstdint>
#include <string>
#include <vector>

#include "models/core/base/ids.h"

namespace heddle {

struct TraceCommand {
  enum class Kind : std::uint8_t { kCopyUp, kCopyDown, kKernel };

  Kind kind = Kind::kKernel;
  Address address = 0;      // copies: in the memory of the GPU
  std::uint64_t bytes = 0;  // copies: at least 1
  std::string file;         // kernels: path of the trace, with ".xz" if only that file exists
  std::uint64_t line = 0;   // in the list, counted from 1
};

// Returns the commands in the order of the list. Throws config::Error with one problem, "file:line: message".
// A list without commands is an error, and so is a trace that does not exist.
std::vector<TraceCommand> read_kernels_list(const std::string& file);

}  // namespace heddle
