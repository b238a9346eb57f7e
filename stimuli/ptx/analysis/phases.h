#pragma once
// The phases of an entry. A phase is a stretch of code that needs about the same registers and shared memory
// (Zorua, section 5.7). A phase specifier stands in the code where a warp enters another phase.

#include <cstddef>
#include <cstdint>
#include <vector>

#include "models/core/base/phase_rule.h"
#include "stimuli/ptx/statements/module.h"

namespace heddle::ptx {

// What a launch gives to a thread and to a block.
struct PhaseLimits {
  std::uint32_t registers = 0;       // of 32 bits; no phase needs more
  std::uint64_t dynamic_shared = 0;  // bytes of the extern shared array
};

struct Phase {
  enum class Start : std::uint8_t {
    kEntry,
    kChange,   // live resources change as PhaseRule states
    kMeeting,  // paths from phases with other needs join here
  };

  std::uint32_t first = 0;  // statement at the boundary
  Start start = Start::kEntry;
  std::uint32_t instructions = 0;  // statements of the phase
  std::uint32_t waits = 0;         // barriers and fences among them
  std::uint32_t registers = 0;     // of 32 bits; most that a thread holds in the phase
  std::uint64_t shared_bytes = 0;  // most that are live in the phase
};

struct PhaseMap {
  // The first one starts at the entry, without a specifier. Each of the others starts with a specifier before
  // its first statement. They are in text order, and kMostPhases at most.
  std::vector<Phase> phases;
  // By statement. Where several phases reach a statement, it is one of them. Their needs differ by less than
  // PhaseRule::live_change, unless lanes may diverge or threads end there.
  std::vector<std::uint32_t> phase_of;
  std::vector<std::uint32_t> live_registers;     // by statement, as held_registers() counts them
  std::vector<std::uint64_t> live_shared_bytes;  // by statement
  std::vector<bool> divergent;  // by statement: its lanes may diverge, and no phase starts there
};

// On every path to a statement, the last specifier's phase needs at least what is live at the statement.
// Barriers and fences are boundaries for the hardware; they have no specifier, because needs do not change
// there (section 5.7). No phase starts at a statement that only ends the thread.
//
// The paper leaves points open. Here a boundary is a change of what is live since the last boundary on a path
// from the entry. Where lanes may diverge behind a statement, what is live in that region counts at the
// statement, because no boundary can stand in the region. Needs of a phase are the most on any path from its
// boundary to the next ones. A boundary at which needs change less than the rule states is then dropped, and
// one is added where paths from phases join whose needs differ by more. An entry with more than kMostPhases
// phases has those of a rule with more instructions between boundaries.
PhaseMap find_phases(const Module& module, const Function& entry, PhaseRule rule, const PhaseLimits& limits);

// Returns whether the statement is a barrier or a fence.
bool is_wait(const Statement& statement);

}  // namespace heddle::ptx
