#pragma once
// A FaultReporter knows which block executes at which time. It throws the faults of the block with their
// place: file and line, kernel, block, thread and program counter.

#include <cstdint>
#include <string>

#include "stimuli/ptx/execute/launch_state.h"
#include "stimuli/ptx/execute/warp_step.h"

namespace heddle::ptx {

class FaultReporter {
 public:
  explicit FaultReporter(const LaunchState& state) : state_(state) {}

  // Faults from now on are those of the block at this position of the grid.
  void start(const Dim3& block) { block_ = block; }
  std::uint64_t block_number() const {
    const Dim3& grid = state_.launch.grid;
    return (std::uint64_t{block_.z} * grid.y + block_.y) * grid.x + block_.x;
  }

  // The time of the instruction that is executed.
  void set_time(Cycle now) { now_ = now; }
  Cycle now() const { return now_; }

  // Throws Fault.
  [[noreturn]] void raise(const WarpStep& at, std::uint32_t lane, const std::string& problem) const;
  // Returns the message for a lane's access to device memory at `address` that lies in no single allocation.
  std::string outside(const WarpStep& at, std::uint32_t lane, Address address) const;
  // Returns the message of a fault of this lane.
  std::string message(const WarpStep& at, std::uint32_t lane, const std::string& problem) const;
  // Returns the place of a step, as "saxpy.ptx:31 (saxpy.cu:5), pc 0x48".
  std::string place_of(const FunctionCode& code, std::uint32_t step) const;
  std::string block() const;   // "block (0, 0, 0)"
  std::string kernel() const;  // "saxpy"

 private:
  std::string origin(const WarpStep& at, Address address) const;

  const LaunchState& state_;
  Dim3 block_;
  Cycle now_;
};

}  // namespace heddle::ptx
