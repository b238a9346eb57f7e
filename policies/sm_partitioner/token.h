#pragma once
// The token scheduler (CUsched, Section III-C). The text says that a count is "incremented when an SM is
// assigned", and a few lines later it means the opposite. This policy follows these rules:
//   - The count of a context starts at its allotment. It falls by one when an SM is assigned to a kernel of
//     the context and rises by one when the SM is released or its preemption starts. The count plus the SMs
//     held is always the allotment. Counts may be negative, down to minus the number of SMs.
//   - Candidates are kernels with unissued blocks that can use one more SM. The candidate whose context has
//     the highest count is served first, and ties break by arrival. It gets an SM that no kernel holds, an
//     idle one if possible, or else an SM of the context with the lowest count, which is preempted.
//   - The policy stops when no candidate's count is more than `imbalance` above the lowest count of a context
//     that holds an SM. With the default of 1, one more SM would only exchange the two counts.
//   - An SM is idle only when it has no block left, and a kernel ends with its last block.

#include <memory>
#include <vector>

#include "policies/sm_partitioner/i_sm_partitioner.h"
#include "policies/sm_partitioner/token_unit.h"

namespace heddle {

class Token final : public SmPartitioner {
 public:
  explicit Token(const PolicyParameters& parameters) : Token(parameters, std::make_unique<TokenUnit>()) {}
  Token(const PolicyParameters& parameters, std::unique_ptr<TokenUnit> unit);
  void partition(const MachineView& machine, Partition& partition) override;
  void reset() override { unit_->reset(); }
  bool follows_tokens() const override { return true; }

  const std::vector<std::int32_t>* tokens() const override { return &unit_->counts(); }

 private:
  const KernelView* candidate(const MachineView& machine, const Partition& partition);
  std::size_t victim(const MachineView& machine, const Partition& partition, std::int32_t below);

  std::int32_t imbalance_;
  std::unique_ptr<TokenUnit> unit_;
  std::vector<std::int32_t> allotments_;  // by context; this and what follows is valid within a call only
  std::vector<const KernelView*> kernels_;
  std::vector<ContextId> contexts_;  // of kernels_
  std::vector<std::size_t> held_;    // SMs
  std::vector<HeldSm> views_;        // of held_
};

}  // namespace heddle
