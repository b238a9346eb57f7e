#pragma once
// How a machine asks for the code of a kernel.

#include <cstdint>

namespace heddle {

// The order and the number of the instructions of an executed PTX kernel.
enum class CodeSchedule : std::uint8_t {
  kNone,         // one instruction for each statement, in the order of the text
  kPtxasLike,    // as ptxas would emit them: folded, expanded, with loops repeated, scheduled
  kPtxasLike90,  // the same for compute capability 9.0 and later, where instructions load constants
};

struct CodeOptions {
  bool with_phases = false;  // the code has phase specifiers
  CodeSchedule schedule = CodeSchedule::kNone;
};

}  // namespace heddle
