#pragma once
// Executes wgmma.mma_async and its groups. Each of the four warps of a warpgroup multiplies its own 16 rows
// of a with b when it issues the instruction, although the tensor units read shared memory and the registers
// of a later, and write those of d later still. Programs cannot tell the difference: until wgmma.wait_group
// they must neither change what the product reads nor read d, and what they wrote to shared memory before
// must be made visible by fence.proxy.async and a barrier.

#include <array>
#include <cstdint>
#include <vector>

#include "models/core/kernel/copy_groups.h"
#include "stimuli/ptx/execute/block_memory.h"
#include "stimuli/ptx/execute/fault_reporter.h"
#include "stimuli/ptx/execute/launch_state.h"
#include "stimuli/ptx/execute/warp_step.h"
#include "stimuli/ptx/lanes/matrix_descriptor.h"

namespace heddle::ptx {

class GroupUnit {
 public:
  GroupUnit(const LaunchState& state, BlockMemory& memory, const FaultReporter& faults, std::size_t warps)
      : state_(state), memory_(memory), faults_(faults), progress_(warps) {}
  // A block starts.
  void start() { progress_.assign(progress_.size(), {}); }

  // Throws Fault where a lane of the warp is not active, where the block has no four warps for the warpgroup,
  // and where a matrix does not lie in shared memory.
  void multiply(const WarpStep& at);
  // Executes wgmma.commit_group.
  void commit(std::uint32_t warp);
  // Returns whether a wgmma.wait_group must wait because a product of the groups that it waits for has not
  // been issued by all warps of the warpgroup: a product is one operation of the four.
  bool waits(const WarpStep& at) const;

 private:
  // Counts what a warp has issued since its block started.
  struct Progress {
    std::uint64_t products = 0;
    std::uint64_t groups = 0;  // that are closed
    // For each of the newest groups, by its number mod kGroups: how many products the warp had issued when it
    // closed the group.
    std::array<std::uint64_t, CopyGroups::kGroups> ends{};
  };

  // The lines `first` to `first` + `count` - 1 of a matrix in shared memory: rows of a or columns of b, of 32
  // bytes each. `count` is a multiple of 8.
  struct Lines {
    MatrixDescriptor matrix;
    bool is_k_major = true;
    std::uint32_t first = 0;
    std::uint32_t count = 0;
    std::uint32_t bytes = 2;  // of an element
  };

  // Calls visit(line, place along k, bits) for each element. The lines count from 0.
  template <typename Visit>
  void read_lines(const WarpStep& at, const Lines& lines, Visit visit);
  void read_a(const WarpStep& at, const GroupStep& group);
  void read_b(const WarpStep& at, const GroupStep& group);

  const LaunchState& state_;
  BlockMemory& memory_;
  const FaultReporter& faults_;
  GroupElements elements_;          // of the product that is computed
  std::vector<Progress> progress_;  // by warp
};

}  // namespace heddle::ptx
