#pragma once
// Shares of every SM that stay as they are given: the hand-made partitions that Warped-Slicer is measured
// against (its Oracle tries every combination of block counts).
//
//   - An application is a context: 0, 1, ... in the order of the experiment. Each SM has a list of quotas by
//     application; SM i has list i modulo the number of lists. Lower-numbered applications issue first.
//   - On an SM an application has one slice at a time, with its quota, and so never more blocks than that. It
//     goes to the oldest of its kernels with unissued blocks; the next one has it when that kernel has
//     neither blocks there nor any left to issue.
//   - Quota 0, or no entry, is nothing there. No list at all is no limit, for every application on every SM.
//   - What has a slice keeps it whoever comes: nothing is preempted.

#include <vector>

#include "policies/sm_partitioner/i_sm_partitioner.h"

namespace heddle {

class Fixed final : public SmPartitioner {
 public:
  static constexpr const char* kQuotas = "quotas";  // its parameter

  explicit Fixed(const PolicyParameters& parameters) : quotas_(parameters.lists(kQuotas)) {}
  void partition(const MachineView& machine, Partition& partition) override;
  bool shares_sms() const override { return true; }

  // Most blocks of an application on an SM; Slice::kUnlimited where nothing limits them.
  static std::uint32_t quota(const IntegerLists& quotas, std::size_t sm, std::size_t application);

  // There may be no more lists than SMs, and each application needs a quota on some SM.
  static std::string misfit(const GpuDescription& gpu, const PolicyParameters& parameters);

 private:
  const KernelView* holder(const MachineView& machine, const std::vector<Slice>& slices,
                           std::size_t application) const;

  const IntegerLists quotas_;
  std::vector<const KernelView*> next_;  // by application: its oldest kernel with unissued blocks, or null
  std::vector<Slice> slices_;            // of the SM at hand
};

}  // namespace heddle
