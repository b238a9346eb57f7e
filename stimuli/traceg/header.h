#pragma once
// This file reads the header of a kernel's trace: the lines "-key = value" up to the line "#traces format".

#include <cstddef>
#include <cstdint>
#include <string>

#include "models/core/kernel/kernel.h"
#include "stimuli/traceg/opcodes.h"
#include "stimuli/traceg/text_source.h"

namespace heddle {

constexpr std::size_t kMostName = 120;  // characters of a kernel's name in a message

struct TraceHeader {
  std::string kernel_name;
  std::uint64_t blocks = 0;        // product of the grid's dimensions, at most 2^48
  std::uint64_t grid[3] = {};      // x, y, z
  BlockShape shape;                // 1 .. 1024 threads
  std::uint32_t architecture = 0;  // the binary version, such as 90 for sm_90
  SassGeneration generation{};     // follows from the architecture
  std::uint64_t stream = 0;        // stream id of CUDA
  std::uint64_t tracer = 0;        // version of the tracer, 1 .. 6
  bool line_numbers = false;       // each instruction starts with the number of its source line
  Address shared_base = 0;         // base of the window in the generic address space; 0 if unknown
  Address local_base = 0;

  std::uint32_t warps() const { return (shape.threads + 31) / 32; }
  // The lines of instructions start with block and warp before version 3, and end in an immediate from
  // version 5 on.
  bool has_ids() const { return tracer < 3; }
  bool has_immediate() const { return tracer >= 5; }
  // Version 6 names uniform registers and predicates, may have a second immediate and the values of registers
  // at the end of a line, and states the cluster of a thread block.
  bool has_values() const { return tracer >= 6; }
};

// Reads up to and including the line "#traces format". Throws config::Error with one problem. Unknown,
// duplicate and missing keys are errors; optional keys are kernel id, nvbit version, enable lineinfo and the
// base addresses.
TraceHeader read_trace_header(TextSource& source);

}  // namespace heddle
