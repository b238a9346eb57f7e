#pragma once

#include <cstdint>
#include <optional>

#include "models/host/api_program.h"
#include "models/host/requests/hand_over.h"
#include "models/host/requests/request_spec.h"

namespace heddle {

struct HostProcessSpec {
  std::uint32_t number = 0;  // of the process; its context has the same number
  ApiProgram program;
  std::int32_t priority = 0;
  std::int32_t tokens = 0;
  std::uint64_t start_ps = 0;
  std::uint64_t seed = 0;        // of the jitter of its blocks
  bool copies = true;            // false: copies take no time and do not reach the GPU
  bool cpu_phases = true;        // false: CPU phases take no time
  bool replay = false;           // the program starts over until the run ends
  bool starts_together = false;  // its first launch waits for those of all others of which this is true
  bool is_halted = false;  // the process ends when its context is halted, however often its program has ended
  std::uint64_t target_instructions =
      0;                             // warp instructions at which its context is halted; 0: no such target
  std::int32_t replay_priority = 0;  // of the executions after the first
  std::int32_t replay_tokens = 0;
  // Set: the process is a server. It opens its context and does its setup once, and each request is a pass of
  // the program. `replay` and the two above have no meaning then.
  std::optional<RequestSpec> requests;
  // Set: another server hands the requests over, and their arrivals in `requests` do not hold.
  std::optional<HandOverSpec> takes_over;

  std::uint64_t blocks_per_execution() const;  // of all its launches; 0 if a script makes them
};

}  // namespace heddle
