#pragma once
// The phases of a traced kernel. They are approximate: a register counts as live from its first write to its
// last read in the order of the PCs of the first thread block, without regard to branches.

#include <cstdint>
#include <string>
#include <vector>

#include "models/core/kernel/instruction.h"

namespace heddle {

struct TraceLimits;

// A phase is a range of PCs. A warp starts a phase when its trace enters the range.
struct TracePhases {
  std::vector<std::uint32_t> starts;  // by phase: its first PC; the first phase starts at 0
  std::vector<PhaseNeeds> needs;      // by phase; empty if the trace names no register

  std::uint8_t phase_of(std::uint32_t pc) const;
};

// Reads the first thread block of the trace. No phase starts at an instruction that some warp executes
// without all its lanes. Every phase needs the shared memory of the launch, because a trace does not say what
// becomes of the contents. Errors are config::Error, "file:line: message". `cache` is that of TraceProgram.
TracePhases find_trace_phases(const std::string& file, const TraceLimits& limits,
                              const std::string& cache = "");

}  // namespace heddle
