#pragma once
// The phases of an entry: stretches of code that need about the same registers and shared memory (Zorua,
// section 5.7).

#include <cstdint>
#include <vector>

#include "stimuli/ptx/text/module.h"

namespace heddle::ptx {

struct PhaseRule {
  double live_change = 0.25;  // of live registers or live shared memory, since the last boundary
  std::uint32_t minimum_instructions = 10;  // since the last boundary, in the order of the text
};

struct Phase {
  enum class Start : std::uint8_t {
    kEntry,
    kChange,   // by the rule
    kBarrier,  // the instruction before it is a barrier or a fence
    kMeeting,  // ways that come from different phases meet here
  };

  std::uint32_t first = 0;  // instruction: the boundary
  Start start = Start::kEntry;
  std::uint32_t instructions = 0;  // that belong to it
  std::uint32_t registers = 0;     // of 32 bits, the most that are live in it
  std::uint64_t shared_bytes = 0;  // the most that are live in it
};

struct PhaseMap {
  std::vector<Phase> phases;                     // in the order of the text
  std::vector<std::uint32_t> phase_of;           // by instruction
  std::vector<std::uint32_t> live_registers;     // by instruction, of 32 bits
  std::vector<std::uint64_t> live_shared_bytes;  // by instruction
  std::vector<bool> divergent;                   // by instruction: lanes may be apart; no change starts here
};

// Every way to an instruction leads through the boundary of its phase last. What the paper leaves open: a
// change is measured against what was live at the last boundary, and where ways from several phases meet, a
// phase starts.
PhaseMap find_phases(const Module& module, const Function& entry, const PhaseRule& rule,
                     std::uint64_t dynamic_shared);

}  // namespace heddle::ptx
