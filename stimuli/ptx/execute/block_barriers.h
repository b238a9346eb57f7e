#pragma once
// The sixteen barriers of a thread block (PTX ISA, bar): which warps arrive, which wait, and what bar.red
// computes over the threads that arrive.

#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "models/core/kernel/barrier.h"
#include "models/core/kernel/instruction.h"
#include "stimuli/ptx/execute/fault_reporter.h"
#include "stimuli/ptx/execute/warp_step.h"

namespace heddle::ptx {

class BlockBarriers {
 public:
  // The warps are those of a block of `threads` threads; they outlive the barriers.
  BlockBarriers(LaunchState& state, std::vector<Warp>& warps, const FaultReporter& faults)
      : state_(state),
        warps_(warps),
        threads_(static_cast<std::uint32_t>(state.launch.block.count())),
        faults_(faults),
        arrived_(warps.size()) {}

  // All warps run and no one has arrived.
  void start();

  // A warp arrives by bar.sync, bar.arrive or bar.red. `issued.code` becomes the instruction with the numbers
  // of the barrier and of the warps, which registers may hold; it is a no-operation where no lane is active.
  // The SM holds the warp back. Throws Fault where the numbers are out of range.
  void arrive(const WarpStep& at, IssuedInstruction& issued);

  // A warp that has ended is not waited for.
  void end_warp(std::uint32_t number);

  bool holds(std::uint32_t number) const { return (held_ >> number & 1U) != 0; }  // whether the warp waits
  // Returns where a warp waits, as "waits at barrier 0, saxpy.ptx:31, pc 0x48".
  std::string place_of(std::uint32_t number) const;

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

  void note_divergence(const WarpStep& at, std::uint32_t barrier);

  LaunchState& state_;
  std::vector<Warp>& warps_;
  std::uint32_t threads_;
  const FaultReporter& faults_;
  std::uint64_t running_ = 0;  // warps that have not ended
  std::uint64_t held_ = 0;     // warps that wait
  struct Place {
    const FunctionCode* code = nullptr;
    std::uint32_t step = 0;
    std::uint8_t barrier = 0;
  };
  std::vector<Place> arrived_;  // of the last arrival, by warp
  std::array<Reduction, kBarriers> barriers_;
};

}  // namespace heddle::ptx
