#pragma once
// One GPU as a platform describes it: the specs of its blocks. Plain data, validated by the loader.

#include <map>
#include <optional>
#include <string>

#include "models/dram/dram_spec.h"
#include "models/engine/engine_spec.h"
#include "models/host/host_spec.h"
#include "models/l2/l2_spec.h"
#include "models/noc/noc_spec.h"
#include "models/sm/sm_spec.h"
#include "policies/registry.h"

namespace heddle {

// What lies between cycle SMs and the DRAM.
struct MemoryPathSpec {
  NocSpec noc;
  L2Spec l2;
  DramSpec dram;
  std::uint64_t page_bytes = 0;
  double icnt_hz = 0;
  double l2_hz = 0;
  double dram_hz = 0;  // of the command clock

  std::uint32_t slices() const { return dram.map.channels * l2.slices_per_channel; }
  // Of all channels; 0 while `dram` is not valid.
  double peak_bytes_per_second() const {
    return dram.timing.burst() == 0
               ? 0
               : dram.map.channels * dram.map.burst_bytes * dram_hz / dram.timing.burst();
  }
};

struct GpuSpec {
  std::string name;
  std::uint32_t compute_capability = 0;  // 35 of 3.5, which programs ask for; 0: not said
  double core_hz = 0;
  double pcie_hz = 0;
  HostSpec host;
  QueueSpec queues;
  PcieSpec pcie;
  DmaSpec dma;
  EngineSpec engine;
  SmSpec sm;
  std::uint64_t device_bytes = 0;                // device memory
  std::uint64_t stall_limit = 200000;            // core cycles in which nothing moves: a deadlock; 1 or more
  std::optional<MemoryPathSpec> memory;          // where the platform describes it; cycle SMs need it
  std::map<std::string, PolicyChoice> policies;  // by decision, one for each
};

}  // namespace heddle
