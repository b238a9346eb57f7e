#pragma once
// The Multi-Process Service (NVIDIA MPS documentation, "Volta MPS Execution Resource Provisioning"). Clients
// are contexts, and their kernels share the GPU as under `left-over`. A client may have a percentage of
// active threads (CUDA_MPS_ACTIVE_THREAD_PERCENTAGE), which limits it and reserves nothing for it. The
// documentation says that the limit is of "available threads", is rounded up to what the hardware supports,
// and that kernels of several clients may still be on the same SM. It does not say how the limit acts, so
// that `acts_on` does:
//
//   sms      The client's kernels run on so many SMs: the percentage of all SMs, rounded up to a multiple of
//            `granularity`, at most all. With `sets: apart` the SMs of a client follow those of the client
//            before it, in a circle, so that clients overlap only where their percentages are more than 100
//            in sum. With `sets: same` every client begins at SM 0. A client without a percentage has every
//            SM.
//   threads  The client's kernels run on every SM, where its blocks never have more threads than the
//            percentage of the SM's threads. A client without a block on an SM may have one there even if
//            that block has more. Its kernels take this share in order of arrival: while an older one has
//            blocks to issue, a younger one gets what the older cannot use.

#include <vector>

#include "policies/sm_partitioner/i_sm_partitioner.h"

namespace heddle {

class Mps final : public SmPartitioner {
 public:
  explicit Mps(const PolicyParameters& parameters);
  void partition(const MachineView& machine, Partition& partition) override;
  IssueOrder issue_order() const override { return IssueOrder::kOneAfterAnother; }
  bool shares_sms() const override { return true; }
  bool honours_sm_sets() const override { return true; }
  bool may_hold(const MachineView& machine, ContextId context, std::size_t sm) const override;

  // The percentages are one list, with an entry above 0 for each of the first applications.
  static std::string misfit(const GpuDescription& gpu, const PolicyParameters& parameters);

 private:
  std::size_t sms_of(std::size_t client, std::size_t sms) const;
  void share_by_threads(const MachineView& machine, std::size_t sm, const std::vector<Slice>& had);
  std::uint32_t quota(const MachineView& machine, std::size_t sm, const KernelView& kernel) const;
  static std::uint32_t running(const SmView& sm, KsrId kernel);

  std::vector<std::int64_t> percents_;  // by application; those without an entry have 100
  const bool by_threads_;
  const bool apart_;
  const std::size_t granularity_;
  std::vector<Slice> slices_;  // the new slices of one SM
};

}  // namespace heddle
