#pragma once

#include <cstdint>

namespace heddle {

// Which SM of those a kernel holds gets its next block.
enum class BlockPlacement : std::uint8_t {
  kBreadth,  // round robin, one block per SM and turn
  kPacked,   // an SM is filled before the next gets one
};

struct EngineSpec {
  std::uint32_t contexts = 32;
  std::uint32_t ksrs = 0;                   // kernels that can be active at once
  std::uint64_t kernel_launch_latency = 1;  // core cycles from KSR load to active queue, 1 or more
  std::uint64_t sm_setup_latency = 2;  // core cycles, beside the context registers; above the issue latency
  std::uint32_t context_register_bytes = 0;  // per SM, written at set-up (CUsched, III-B: 192)
  std::uint32_t setup_bytes_per_cycle = 8;   // of those
  std::uint64_t block_issue_latency =
      2;  // core cycles from a block's end to the start of the next, 2 or more
  BlockPlacement block_placement = BlockPlacement::kBreadth;

  // From the decision to set an SM up to its first issue; at least block_issue_latency + 1.
  std::uint64_t set_up_cycles() const {
    return sm_setup_latency + (context_register_bytes + setup_bytes_per_cycle - 1) / setup_bytes_per_cycle;
  }
  // Of those, spent on the SM: the request's way there and the answer's way back are the issue latency.
  std::uint64_t set_up_cycles_on_sm() const { return set_up_cycles() - block_issue_latency; }
};

}  // namespace heddle
