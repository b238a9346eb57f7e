#include "policies/block_throttle/i_block_throttle.h"

namespace heddle {

HEDDLE_DECISION_TABLE(BlockThrottle)

std::string needs_cycle_sms(const char* name, const GpuDescription& gpu) {
  if (gpu.has_cycle_sms) return "";
  return std::string(name) + " reads instructions and stalls, which timed SMs do not have";
}

}  // namespace heddle
