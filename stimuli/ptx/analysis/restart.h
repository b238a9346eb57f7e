#pragma once
// Whether a block of an entry may start over after it has run in part, so that the results are those of one
// undisturbed run. It may if the entry reads nothing in global memory that it may write, and does nothing
// that must be done once: atomics and reductions in global memory, surface stores, printing, allocating. It
// must not read what differs from one run of a block to the next either, such as clocks and the number of the
// SM.
//
// Accesses are told apart by where their addresses come from: parameters of the entry and variables of the
// module. The analysis follows values through registers, whatever the order of statements. A 64-bit value
// that is loaded from memory may be any address. Whether two parameters point to the same memory is not known
// before a launch (stimuli/ptx/execute/launch.h, restart_problem).

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "stimuli/ptx/statements/module.h"

namespace heddle::ptx {

// Where the address of an access in global memory comes from.
struct AccessBases {
  std::vector<std::uint32_t> parameters;  // offsets of 8 bytes in the parameter area, ascending
  std::vector<std::uint32_t> variables;   // indices in Module::variables, ascending
  bool unknown = false;                   // it may also be any other address
  std::uint32_t line = 0;                 // of the first such access

  bool none() const { return parameters.empty() && variables.empty() && !unknown; }
};

struct RestartObstacle {
  std::uint32_t line = 0;  // of the statement
  std::string what;        // "an atomic in global memory"
};

struct RestartAnalysis {
  // Why no launch may restart, in the order of the text; empty: the accesses decide.
  std::vector<RestartObstacle> obstacles;
  // The accesses of global memory, each set of bases once, in order of their first lines.
  std::vector<AccessBases> reads;
  std::vector<AccessBases> writes;
  std::map<std::uint32_t, AccessBases> by_line;  // all of them together, by the line of the text
  std::uint32_t texture_line = 0;  // of the first read of a texture or surface; 0: there is none
};

RestartAnalysis analyse_restart(const Module& module, const Function& entry);

// Returns why no launch may restart, whatever its arguments; empty: a launch may.
std::string restart_refusal(const Module& module, const Function& entry, const RestartAnalysis& analysis);

// What is known of an entry before its launch.
struct RestartVerdict {
  enum class Kind : std::uint8_t {
    kAlways,       // every launch may restart
    kByArguments,  // a launch may if none of the reasons holds, which its arguments decide
    kNever,        // no launch may
  };
  Kind kind = Kind::kAlways;
  std::vector<RestartObstacle> reasons;  // all of them, in the order of the text; none for kAlways
};

RestartVerdict restart_verdict(const Module& module, const Function& entry);
const char* name_of(RestartVerdict::Kind kind);  // "yes", "by arguments", "no"

// Returns the names of the bases: "'in' and 'table'", or "an unknown address".
std::string describe(const Module& module, const Function& entry, const AccessBases& bases);
// Returns the name of the parameter at an offset in the parameter area: "'in'", or "'in' + 8".
std::string name_of_parameter(const Function& entry, std::uint32_t offset);

}  // namespace heddle::ptx
