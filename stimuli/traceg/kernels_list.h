#pragma once
// kernelslist.g: what a traced program asked of the GPU, one command a line.
//
//   MemcpyHtoD,0x<address>,<bytes>      MemcpyDtoH likewise
//   kernel-1.traceg                     a kernel's trace, beside the list; .traceg.xz is read through xz

#include <cstdint>
#include <string>
#include <vector>

#include "models/core/base/ids.h"

namespace heddle {

struct TraceCommand {
  enum class Kind : std::uint8_t { kCopyUp, kCopyDown, kKernel };

  Kind kind = Kind::kKernel;
  Address address = 0;      // of a copy
  std::uint64_t bytes = 0;  // of a copy, at least 1
  std::string file;         // of a kernel: where it lies; ".xz" added where only that one is there
  std::uint64_t line = 0;   // in the list, from 1
};

// Throws config::Error with one problem, "file:line: message"; a list without commands and a trace that is
// not there are errors.
std::vector<TraceCommand> read_kernels_list(const std::string& file);

}  // namespace heddle
