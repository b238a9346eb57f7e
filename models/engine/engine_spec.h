#pragma once

#include <cstdint>

#include "models/core/base/gpc_map.h"

namespace heddle {

constexpr const char* kEngineName = "execution engine";  // in messages

// Block placement chooses the SM for a kernel's next block among the SMs that the kernel holds.
enum class BlockPlacement : std::uint8_t {
  kBreadth,  // round robin, one block per SM and turn
  kPacked,   // one SM is filled before the next one gets a block
};

// Of SMs that are equally free, a kernel gets the first one in this order.
enum class SmOrder : std::uint8_t {
  kLowest,  // by number
  kNext,    // from the SM after that of the last issued block on, in turn
};

struct EngineSpec {
  std::uint32_t contexts = 32;
  std::uint32_t ksrs = 0;                   // kernels that can be active at once
  std::uint64_t kernel_launch_latency = 1;  // core cycles from KSR load to active queue, 1 or more
  // Core cycles from the end of a kernel to the notice of it, behind which its stream goes on; beside those
  // of the message itself.
  std::uint64_t kernel_end_latency = 0;
  std::uint64_t sm_setup_latency = 2;  // core cycles, without the context registers; above the issue latency
  std::uint32_t context_register_bytes = 0;  // per SM, written at set-up (CUsched, III-B: 192)
  std::uint32_t setup_bytes_per_cycle = 8;   // context register bytes written in a core cycle
  std::uint64_t block_issue_latency =
      2;  // core cycles from a block's end to the start of the next, 2 or more
  // The least time between the issue of two blocks of the GPU, in thousandths of a core cycle; 0: in one
  // cycle each SM may get a block.
  std::uint64_t block_interval = 0;
  BlockPlacement block_placement = BlockPlacement::kBreadth;
  SmOrder sm_order = SmOrder::kLowest;

  GpcMap gpcs;  // of the SMs; it follows from the rest of the platform

  // Bytes that one SM stores in a core cycle to save blocks while all SMs do so; 0: SMs cannot save blocks.
  // It follows from the rest of the platform.
  double save_bytes_per_cycle = 0;

  // The core cycles from the decision to set an SM up to its first issue, at least block_issue_latency + 1.
  std::uint64_t set_up_cycles() const {
    return sm_setup_latency + (context_register_bytes + setup_bytes_per_cycle - 1) / setup_bytes_per_cycle;
  }
  // The part of set_up_cycles() on the SM. The issue latency is the time of the request and of the answer
  // between engine and SM.
  std::uint64_t set_up_cycles_on_sm() const { return set_up_cycles() - block_issue_latency; }
};

}  // namespace heddle
