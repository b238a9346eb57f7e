#pragma once
// Every SM is split evenly (Warped-Slicer, Section III, Figure 2c). With K kernels on an SM, each has the
// blocks that fit 1/K of every resource, even if another kernel cannot use its share.
//
//   - A share is rounded down in threads, warps, registers, bytes and block slots. The remainder is not used.
//   - K is the number of kernels with a slice on the SM. A kernel with unissued blocks gets a slice when
//     every share, reduced for the larger K, holds at least one block. Until then the kernel waits, and so do
//     kernels that arrived after it. The paper leaves such kernels out of its groups of three.
//   - No block is preempted. A kernel with more blocks than its new share keeps them until they end.
//   - With `reserve`, K also counts an open context that has no kernel at the moment, as long as every share
//     then holds a block.

#include <vector>

#include "policies/sm_partitioner/sharers.h"

namespace heddle {

class Even final : public SmPartitioner {
 public:
  explicit Even(const PolicyParameters& parameters) : sharers_(parameters[Sharers::kReserve] != 0) {}
  void partition(const MachineView& machine, Partition& partition) override;
  void reset() override { sharers_.reset(); }
  bool shares_sms() const override { return true; }

  // The number of blocks that fit the share of one of `kernels` kernels, which is 1 or more.
  static std::uint32_t quota(const BlockResources& block, const SmLimits& limits, std::size_t kernels);

 private:
  std::size_t reserved_shares(const MachineView& machine, const std::vector<Slice>& slices) const;
  static bool holds_all(const MachineView& machine, const std::vector<Slice>& slices, std::size_t kernels);

  Sharers sharers_;
};

}  // namespace heddle
