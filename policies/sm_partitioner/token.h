#pragma once
// The token scheduler (CUsched, Section III-C). The text says "incremented when an SM is assigned" and means
// the opposite a few lines on; what holds here:
//   - A context's count starts at its allotment, falls by one when an SM is assigned to one of its kernels
//     and rises by one when an SM is given up or its drain starts. So count + SMs held = allotment, always.
//     Counts may be negative, down to minus the number of SMs.
//   - Candidates are kernels with unissued blocks that no SM has been promised to. Of these the one whose
//     context has the highest count is served, arrival breaking ties: with an SM that nobody holds if there
//     is one (an idle one first), else with an SM of the context with the lowest count, which is drained for
//     it.
//   - That goes on until no candidate's count is more than `imbalance` above the lowest count of a context
//     that holds an SM: with the default of 1, moving one more SM would only swap the two.
//   - An SM is idle only when it has no block left; a kernel ends with its last block.

#include <vector>

#include "policies/sm_partitioner/i_sm_partitioner.h"

namespace heddle {

class Token final : public SmPartitioner {
 public:
  explicit Token(const PolicyParameters& parameters);
  void partition(const MachineView& machine, Partition& partition) override;
  void reset() override { counts_.clear(); }

  // By context, as the last partition left them.
  const std::vector<std::int32_t>& counts() const { return counts_; }

 private:
  const KernelView* candidate(const MachineView& machine, const Partition& partition) const;
  std::size_t victim(const MachineView& machine, const Partition& partition, std::int32_t below) const;
  std::int32_t count_of(const MachineView& machine, KsrId kernel) const;

  std::int32_t imbalance_;
  std::vector<std::int32_t> counts_;
};

}  // namespace heddle
