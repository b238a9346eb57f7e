#pragma once
// A RunLimit stops a run that may never end. The run stops at the first of the limits that it reaches.

#include <cstdint>

namespace heddle {

struct RunLimit {
  std::uint64_t cycles = 0;             // of the core clock; 0: no limit, as for the others
  std::uint64_t warp_instructions = 0;  // of all kernels
  double seconds = 0;                   // of the host

  bool any() const { return cycles != 0 || warp_instructions != 0 || seconds > 0; }
};

}  // namespace heddle
