#pragma once
// PhaseBarriers executes the instructions of mbarrier. Their barrier objects lie in shared memory, and
// threads and copies in bulk arrive at them (PTX ISA, "mbarrier"). The state that mbarrier.arrive returns is
// the word of the barrier object before the arrival.

#include <cstdint>
#include <string>

#include "models/core/kernel/instruction.h"
#include "stimuli/ptx/execute/block_memory.h"
#include "stimuli/ptx/execute/cluster_member.h"
#include "stimuli/ptx/execute/fault_reporter.h"
#include "stimuli/ptx/execute/launch_state.h"
#include "stimuli/ptx/execute/warp_step.h"
#include "stimuli/ptx/lanes/phase_word.h"

namespace heddle::ptx {

class PhaseBarriers {
 public:
  PhaseBarriers(const LaunchState& state, BlockMemory& memory, const FaultReporter& faults)
      : state_(state), memory_(memory), faults_(faults) {}

  // Executes the step for each active lane, one after another, and writes the addresses of the barriers to
  // `issued`. Arrivals at a barrier object of another block of the cluster are messages to it. Throws Fault
  // where an address is misaligned or outside of the shared memory, where there is no barrier, and where a
  // number of arrivals or bytes is out of its range.
  void execute(const WarpStep& at, IssuedInstruction& issued);

  // Returns whether the phase that a mbarrier.try_wait awaits is complete for one of its lanes, or whether no
  // lane executes it.
  bool is_complete(const WarpStep& at);

  // Throws Fault if there is no barrier object at this address of shared memory.
  void check(const WarpStep& at, std::uint32_t lane, std::uint32_t address) { word_at(at, lane, address); }
  // So many bytes of a copy have arrived at the barrier object. Throws Fault if there is none any more, or if
  // the bytes are more than it can count.
  void receive(std::uint32_t address, std::uint32_t bytes);
  // Applies a signal from another block to the barrier object of this block at the address that the signal
  // names. Throws Fault if there is no barrier object, or if it would count more arrivals or bytes than a
  // barrier object can.
  void receive(const ClusterMessage& signal);

 private:
  // Returns the address of the barrier object that the lane accesses, which may be one of another block.
  std::uint32_t address_of(const WarpStep& at, std::uint32_t lane) const;
  PhaseWord word_at(const WarpStep& at, std::uint32_t lane, std::uint32_t address);
  void store(const WarpStep& at, std::uint32_t lane, std::uint32_t address, PhaseWord word);
  void initialise(const WarpStep& at, std::uint32_t lane, std::uint32_t address);
  void arrive(const WarpStep& at, std::uint32_t lane, std::uint32_t address);
  void signal(const WarpStep& at, std::uint32_t lane, ClusterPlace place);
  // Returns where the barrier object is that the lane accesses.
  ClusterPlace place_of(const WarpStep& at, std::uint32_t lane) const;
  std::uint32_t own_rank() const;
  bool is_complete(const WarpStep& at, std::uint32_t lane, PhaseWord word) const;

  const LaunchState& state_;
  BlockMemory& memory_;
  const FaultReporter& faults_;
};

}  // namespace heddle::ptx
