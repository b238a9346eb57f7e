#pragma once
// Partitioning asks the SM partitioner at scheduling points. It has the view of the machine that the policy
// sees, the partition, and when the policy is asked next.

#include "models/engine/context_file.h"
#include "models/engine/ksr_file.h"
#include "models/engine/smsr_file.h"
#include "policies/sm_partitioner/i_sm_partitioner.h"

namespace heddle {

class Partitioning {
 public:
  // `most_kernels` is the most kernels on the engine. All references must stay valid.
  Partitioning(SmPartitioner& partitioner, const SmLimits& limits, std::uint32_t sms, std::uint32_t gpcs,
               std::uint32_t most_kernels, const HandoverCosts& costs);

  void reset();  // the policy is its owner's to reset

  void set_core_hz(double hz) { view_.core_hz = hz; }
  void set_time(Cycle now) { view_.now = now; }

  // A scheduling point: the policy is asked in this cycle.
  void request() { is_requested_ = true; }
  void block_started() { is_requested_ = is_requested_ || asked_at_start_; }
  bool is_requested() const { return is_requested_; }
  bool is_due(Cycle now) const { return is_requested_ || due_ <= now; }
  Cycle due() const { return due_; }  // the cycle in which the policy wants to be asked

  // The view of the present state. `first_sm` is MachineView::first_sm.
  const MachineView& view(const KsrFile& ksrs, const SmsrFile& smsrs, const ContextFile& contexts,
                          std::size_t first_sm);
  SmSample& sample(SmId sm) { return view_.sms[sm.value].sample; }  // that the policy sees

  // Asks the policy, and returns its partition.
  const Partition& decide(Cycle now, const KsrFile& ksrs, const SmsrFile& smsrs, const ContextFile& contexts,
                          std::size_t first_sm);

 private:
  SmPartitioner& partitioner_;
  const std::uint32_t gpcs_;
  MachineView view_;
  Partition partition_;
  bool is_requested_ = false;
  Cycle due_ = Cycle::never();
  bool asked_at_start_ = false;  // the policy wants to be asked when a block begins
};

}  // namespace heddle
