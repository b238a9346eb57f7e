#pragma once
// Green contexts (CUDA driver API, cuDevSmResourceSplitByCount and cuGreenCtxCreate). Each application has a
// set of SMs, which no other one has:
//
//   - A size that is asked for is raised to the `minimum`, and rounded up to a `multiple`. The driver's
//     manual (CUDA 12.6) states for compute capability 6.x a minimum of 1 and no multiple, for 7.x 2 and
//     2, for 8.x 4 and 2, from 9.0 on 8 and 8.
//   - The sets follow each other from SM 0 on, in the order of the applications. Which SMs the driver
//     chooses is not documented.
//   - What the sets leave is the remainder. Applications without a size run there. With `remainder:
//     shared`, so may all others, beside their own sets.
//   - Within a set, and in a remainder that several applications use, kernels share SMs as under
//     `left-over`.
//
// SMs are all that is set apart: L2 and DRAM are shared by all.

#include <vector>

#include "policies/sm_partitioner/tenants/allowed_sms.h"

namespace heddle {

class GreenContext final : public AllowedSms {
 public:
  explicit GreenContext(const PolicyParameters& parameters);
  bool may_hold(const MachineView&, ContextId context, std::size_t sm) const override;

  // The sets must fit the GPU, and every application needs an SM.
  static std::string misfit(const GpuDescription& gpu, const PolicyParameters& parameters);

 private:
  struct Set {
    std::size_t first = 0;  // SM
    std::size_t size = 0;   // SMs; 0: the application has no size
  };
  // The sets of the applications that the parameters name.
  static std::vector<Set> sets_of(const PolicyParameters& parameters);

  const std::vector<Set> sets_;  // by application
  const bool shares_remainder_;
  std::size_t remainder_;  // its first SM
};

}  // namespace heddle
