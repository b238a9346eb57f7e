#pragma once
// The results of the instances of a split GPU as the result of one GPU, which has the SMs of all instances.

#include <cstddef>
#include <cstdint>
#include <vector>

#include "platforms/run/result/run_result.h"

namespace heddle {

struct InstanceResult {
  std::uint32_t sms = 0;
  std::vector<std::size_t> applications;  // the number in the experiment of each application of `result`
  RunResult result;
};

// Applications stand in the order of the experiment, and counts are sums. The cycles with a kernel resident
// are those of the instance that has most; ratios over them are shares of that time on all SMs. Decisions of
// partitioners are in order of time, and there are no quotas, because no instance decides over all
// applications. One or more instances, which have ended at the same time.
RunResult merge(std::vector<InstanceResult> instances);

}  // namespace heddle
