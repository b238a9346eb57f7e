#include "models/gpu/host_threads.h"

#include <fmt/format.h>

#include "policies/warp_scheduler/i_warp_scheduler.h"

namespace heddle {

std::string why_one_thread(const GpuSpec& spec) {
  if (!spec.sm.executes())
    return fmt::format("the SMs of {} are timed, and what is left of a run is little", spec.name);
  if (spec.sm.count < kFewestShared)
    return fmt::format("{} has {} SMs, and fewer than {} are not worth a second thread", spec.name,
                       spec.sm.count, kFewestShared);
  const auto scheduler = spec.policies.find(WarpScheduler::kDecision);
  if (scheduler != spec.policies.end() && !rtl_block_of(scheduler->second.name).empty())
    return "the warp schedulers are in RTL, whose library may serve one thread only";
  return "";
}

}  // namespace heddle
