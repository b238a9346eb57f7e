#pragma once
// Every SM split evenly (Warped-Slicer, Section III, Figure 2c): with K kernels on it, each has the blocks
// that fit 1/K of every resource, whether the others can use the rest or not.
//
//   - What does not divide is left: a share is rounded down, in threads, warps, registers, bytes and slots.
//   - K counts the kernels that have a slice on the SM. One with unissued blocks gets a slice as soon as
//     everybody's share, made that much smaller, holds at least a block; until then it waits, and so do those
//     that arrived after it. (The paper leaves such kernels out of its groups of three.)
//   - Nothing is preempted: who has more blocks than the new share lets them end.
//   - With `reserve` K counts an open context between its kernels as well, as if it still had a slice, as far
//     as everybody's share then holds a block.

#include <vector>

#include "policies/sm_partitioner/sharers.h"

namespace heddle {

class Even final : public SmPartitioner {
 public:
  explicit Even(const PolicyParameters& parameters) : sharers_(parameters[Sharers::kReserve] != 0) {}
  void partition(const MachineView& machine, Partition& partition) override;
  void reset() override { sharers_.reset(); }
  bool shares_sms() const override { return true; }

  // Blocks that fit the share of one of `kernels` kernels (1 or more).
  static std::uint32_t quota(const BlockResources& block, const SmLimits& limits, std::size_t kernels);

 private:
  std::size_t kept(const MachineView& machine, const std::vector<Slice>& slices) const;
  static bool holds_all(const MachineView& machine, const std::vector<Slice>& slices, std::size_t kernels);

  Sharers sharers_;
};

}  // namespace heddle
