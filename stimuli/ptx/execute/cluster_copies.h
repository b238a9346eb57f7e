#pragma once
// ClusterCopies executes st.async, red.async and cp.async.bulk from shared memory to that of a block of the
// cluster. It transfers the bytes at once. They arrive at a barrier object beside their destination: this is
// a message to the block, and its SM knows when it comes.

#include <cstdint>

#include "models/core/kernel/instruction.h"
#include "stimuli/ptx/execute/block_memory.h"
#include "stimuli/ptx/execute/fault_reporter.h"
#include "stimuli/ptx/execute/launch_state.h"
#include "stimuli/ptx/execute/phase_barriers.h"
#include "stimuli/ptx/execute/warp_step.h"

namespace heddle::ptx {

class ClusterCopies {
 public:
  ClusterCopies(LaunchState& state, BlockMemory& memory, PhaseBarriers& barriers, const FaultReporter& faults)
      : state_(state), memory_(memory), barriers_(barriers), faults_(faults) {}

  // Executes st.async and red.async for each active lane, and writes the addresses of the lanes in the shared
  // memory of their blocks to `issued`. Throws Fault where an address is misaligned or outside of the memory,
  // and where the barrier object lies in another block than the destination.
  void store(const WarpStep& at, IssuedInstruction& issued);
  // Executes a copy in bulk in the same way.
  void copy(const WarpStep& at, IssuedInstruction& issued);

 private:
  // Where bytes go, and the barrier object at which they arrive.
  struct Target {
    BlockMemory* memory = nullptr;
    std::uint32_t rank = 0;
    std::uint32_t offset = 0;
    std::uint32_t barrier = 0;
  };

  Target target_of(const WarpStep& at, std::uint32_t lane, std::uint32_t address, std::uint32_t barrier,
                   std::uint32_t bytes, std::uint32_t alignment);
  void arrive(const Target& target, std::uint32_t bytes);

  LaunchState& state_;
  BlockMemory& memory_;
  PhaseBarriers& barriers_;
  const FaultReporter& faults_;
};

}  // namespace heddle::ptx
