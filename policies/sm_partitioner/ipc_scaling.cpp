#include "policies/sm_partitioner/ipc_scaling.h"

namespace heddle {

double bandwidth_change(const MemoryTraffic& sampled, const MemoryTraffic& scaled) {
  return scaled.bandwidth * sampled.misses_per_kilo / (sampled.bandwidth * scaled.misses_per_kilo) - 1;
}

double bandwidth_change(BandwidthReading reading, double blocks, double average_blocks) {
  if (reading == BandwidthReading::kNone) return 0;
  return reading == BandwidthReading::kPrinted ? blocks / average_blocks - 1 : average_blocks / blocks - 1;
}

double scaled_ipc(double sampled_ipc, double memory_stalls, double bandwidth_change) {
  return sampled_ipc * (1 + memory_stalls * bandwidth_change);
}

}  // namespace heddle
