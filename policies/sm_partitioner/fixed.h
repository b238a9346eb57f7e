#pragma once
// Quotas that the user fixes for every SM. Warped-Slicer is compared with such partitions: its Oracle tries
// every combination of block counts.
//
//   - An application is a context: 0, 1, ... in the order of the experiment. Each SM has a list of quotas by
//     application; SM i has list i modulo the number of lists. Lower-numbered applications issue first.
//   - An application has one slice at a time on an SM, and never more blocks there than its quota. The slice
//     belongs to its oldest kernel with unissued blocks. The next kernel gets the slice when that kernel has
//     no block on the SM and none left to issue.
//   - With quota 0 or without an entry in the list, an application has no slice on the SM. Without any list,
//     there is no limit for any application on any SM.
//   - No slice is preempted.

#include <vector>

#include "policies/sm_partitioner/i_sm_partitioner.h"

namespace heddle {

class Fixed final : public SmPartitioner {
 public:
  static constexpr const char* kQuotas = "quotas";  // the name of its parameter

  explicit Fixed(const PolicyParameters& parameters) : quotas_(parameters.lists(kQuotas)) {}
  void partition(const MachineView& machine, Partition& partition) override;
  bool shares_sms() const override { return true; }

  // Returns the most blocks of an application on an SM, or Slice::kUnlimited.
  static std::uint32_t quota(const IntegerLists& quotas, std::size_t sm, std::size_t application);

  // There may be no more lists than SMs, and each application needs a quota on some SM.
  static std::string misfit(const GpuDescription& gpu, const PolicyParameters& parameters);

 private:
  const KernelView* holder(const MachineView& machine, const std::vector<Slice>& slices,
                           std::size_t application) const;

  const IntegerLists quotas_;
  std::vector<const KernelView*> next_;  // by application: its oldest kernel with unissued blocks, or null
  std::vector<Slice> slices_;            // the new slices of one SM
};

}  // namespace heddle
