#pragma once
// The phases of an entry. A phase is a stretch of code that needs about the same registers and shared memory
// (Zorua, section 5.7).

#include <cstdint>
#include <vector>

#include "stimuli/ptx/text/module.h"

namespace heddle::ptx {

struct PhaseRule {
  double live_change = 0.25;  // relative change of live registers or shared memory since the last boundary
  std::uint32_t minimum_instructions = 10;  // since the last boundary, in text order
};

struct Phase {
  enum class Start : std::uint8_t {
    kEntry,
    kChange,   // live resources change as PhaseRule states
    kBarrier,  // the statement before it is a barrier or a fence
    kMeeting,  // paths from different phases join here
  };

  std::uint32_t first = 0;  // statement at the boundary
  Start start = Start::kEntry;
  std::uint32_t instructions = 0;  // statements of the phase
  std::uint32_t registers = 0;     // of 32 bits; most that are live in the phase
  std::uint64_t shared_bytes = 0;  // most that are live in the phase
};

struct PhaseMap {
  std::vector<Phase> phases;                     // in text order
  std::vector<std::uint32_t> phase_of;           // by statement
  std::vector<std::uint32_t> live_registers;     // by statement, registers of 32 bits
  std::vector<std::uint64_t> live_shared_bytes;  // by statement
  std::vector<bool> divergent;  // by statement; no phase starts by kChange at a divergent one
};

// On every path to a statement, the boundary of its phase is the last boundary. The paper leaves two points
// open. Here a change is relative to the live resources at the last boundary, and a phase starts where paths
// from several phases join.
PhaseMap find_phases(const Module& module, const Function& entry, const PhaseRule& rule,
                     std::uint64_t dynamic_shared);

}  // namespace heddle::ptx
