#pragma once
// The lines at the top of a kernel's trace, "-key = value", up to the line "#traces format".

#include <cstdint>
#include <string>

#include "models/core/kernel/kernel.h"
#include "stimuli/traceg/opcodes.h"
#include "stimuli/traceg/text_source.h"

namespace heddle {

struct TraceHeader {
  std::string kernel_name;
  std::uint64_t blocks = 0;     // product of the grid's dimensions, at most 2^48
  std::uint64_t grid[3] = {};   // x, y, z
  BlockShape shape;             // 1 .. 1024 threads
  SassGeneration generation{};  // from the binary version
  std::uint64_t stream = 0;     // CUDA's stream id
  std::uint64_t tracer = 0;     // version, 1 .. 5
  bool line_numbers = false;    // each instruction starts with the number of its source line
  Address shared_base = 0;      // of the window in the generic address space; 0: not told
  Address local_base = 0;

  std::uint32_t warps() const { return (shape.threads + 31) / 32; }
  // Layout of an instruction's line.
  bool has_ids() const { return tracer < 3; }         // block and warp stand first
  bool has_immediate() const { return tracer >= 5; }  // an immediate stands last
};

// Reads up to and including the line "#traces format". Throws config::Error with one problem. Unknown and
// duplicate keys are errors; kernel id, nvbit version, enable lineinfo and the base addresses may lack.
TraceHeader read_trace_header(TextSource& source);

}  // namespace heddle
