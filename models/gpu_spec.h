#pragma once
// One GPU as a platform describes it: the specs of its blocks. Plain data, validated by the loader.

#include <map>
#include <optional>
#include <string>

#include "models/dram/dram_spec.h"
#include "models/engine/engine_spec.h"
#include "models/host/host_spec.h"
#include "models/sm/sm_spec.h"
#include "policies/registry.h"

namespace heddle {

struct GpuSpec {
  std::string name;
  double core_hz = 0;
  double pcie_hz = 0;
  HostSpec host;
  QueueSpec queues;
  PcieSpec pcie;
  DmaSpec dma;
  EngineSpec engine;
  SmSpec sm;
  std::uint64_t device_bytes = 0;                // device memory
  std::optional<DramSpec> dram;                  // and its channels, where the platform describes them
  double dram_hz = 0;                            // of the command clock
  std::map<std::string, PolicyChoice> policies;  // by decision, one for each
};

}  // namespace heddle
