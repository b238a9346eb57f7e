#pragma once
// Executes ldmatrix, stmatrix, wmma and mma: loads and stores of the fragments of matrices, and their
// products.

#include <cstdint>

#include "models/core/kernel/instruction.h"
#include "stimuli/ptx/execute/block_memory.h"
#include "stimuli/ptx/execute/fault_reporter.h"
#include "stimuli/ptx/execute/launch_state.h"
#include "stimuli/ptx/execute/warp_step.h"

namespace heddle::ptx {

class MatrixUnit {
 public:
  MatrixUnit(const LaunchState& state, BlockMemory& memory, const FaultReporter& faults)
      : state_(state), memory_(memory), faults_(faults) {}

  // Both write the addresses of the lanes' accesses to `issued`. They throw Fault where a lane of the warp is
  // not active and where an address is misaligned or outside of its memory.
  void load(const WarpStep& at, IssuedInstruction& issued) const;
  void store(const WarpStep& at, IssuedInstruction& issued) const;
  void multiply(const WarpStep& at) const;

 private:
  struct Bases {
    Space space = Space::kGlobal;
    std::array<Address, kLanes> addresses{};  // by lane: the operand of the statement
    std::array<std::uint64_t, kLanes> strides{};
  };

  void check_all_active(const WarpStep& at) const;
  Bases bases_of(const WarpStep& at, const MatrixStep& matrix, IssuedInstruction& issued) const;
  // Execute ldmatrix and stmatrix.
  void load_rows(const WarpStep& at, const MatrixStep& matrix, const Bases& bases,
                 IssuedInstruction& issued) const;
  void store_rows(const WarpStep& at, const MatrixStep& matrix, const Bases& bases,
                  IssuedInstruction& issued) const;
  template <typename Visit>
  void visit_rows(const WarpStep& at, const MatrixStep& matrix, const Bases& bases, IssuedInstruction& issued,
                  Visit half) const;
  static void set_addresses(const WarpStep& at, const MatrixStep& matrix, const Bases& bases,
                            IssuedInstruction& issued);
  template <typename Visit>
  void visit_elements(const WarpStep& at, const MatrixStep& matrix, const Bases& bases, Visit element) const;

  const LaunchState& state_;
  BlockMemory& memory_;
  const FaultReporter& faults_;
};

}  // namespace heddle::ptx
