#pragma once
// The sixteen barriers of a thread block (PTX ISA, bar): which warps arrive, which wait, and what bar.red
// computes over the threads that arrive.

#include <array>
#include <cstdint>
#include <vector>

#include "models/core/kernel/barrier.h"
#include "models/core/kernel/instruction.h"
#include "stimuli/ptx/execute/fault_reporter.h"
#include "stimuli/ptx/execute/warp_step.h"

namespace heddle::ptx {

class BlockBarriers {
 public:
  // The warps are those of a block of `threads` threads; they outlive the barriers.
  BlockBarriers(std::vector<Warp>& warps, std::uint32_t threads, const FaultReporter& faults)
      : warps_(warps), threads_(threads), faults_(faults) {}

  // All warps run and no one has arrived.
  void start();

  // A warp arrives by bar.sync, bar.arrive or bar.red. `issued.code` becomes the instruction with the numbers
  // of the barrier and of the warps, which registers may hold; it is a no-operation where no lane is active.
  // The SM holds the warp back. Throws Fault where the numbers are out of range.
  void arrive(const WarpStep& at, IssuedInstruction& issued);

  // A warp that has ended is not waited for.
  void end_warp(std::uint32_t number);

 private:
  struct Arrival {
    std::uint32_t warp;
    std::uint32_t lanes;
    const Step* step;
  };
  // A barrier, and the reduction over those that have arrived.
  struct Reduction {
    Barrier barrier;
    std::uint32_t holding = 0;  // threads whose predicate holds
    std::uint32_t threads = 0;  // threads that have arrived by bar.red
    std::vector<Arrival> arrivals;
  };

  Instruction resolve(const WarpStep& at, const Instruction& issued) const;
  void open();
  void write_result(const Reduction& reduction, const Arrival& arrival);

  std::vector<Warp>& warps_;
  std::uint32_t threads_;
  const FaultReporter& faults_;
  std::uint64_t running_ = 0;  // warps that have not ended
  std::array<Reduction, kBarriers> barriers_;
};

}  // namespace heddle::ptx
