#pragma once
// A GpcMap says to which TPC, CPC and GPC and to which half of L2 an SM belongs. The SMs of a TPC have
// consecutive numbers. The TPCs belong to the GPCs in turn, those of a GPC to its CPCs in turn, and the GPCs
// to the halves of L2 in turn. So consecutive blocks go to TPCs of all GPCs in turn, as they do on an H100
// (tests/data/hardware/placement_h100.csv).

#include <cstdint>

#include "models/core/base/ids.h"

namespace heddle {

struct GpcMap {
  std::uint32_t tpc_sms = 1;   // SMs of a TPC
  std::uint32_t gpcs = 1024;   // GPCs of the GPU; no fewer than SMs where each SM is a GPC of its own
  std::uint32_t gpc_cpcs = 1;  // CPCs of a GPC

  std::uint32_t tpc_of(SmId sm) const { return sm.value / tpc_sms; }
  std::uint32_t gpc_of(SmId sm) const { return tpc_of(sm) % gpcs; }
  std::uint32_t cpc_of(SmId sm) const { return gpc_of(sm) * gpc_cpcs + tpc_of(sm) / gpcs % gpc_cpcs; }
  std::uint32_t half_of(SmId sm) const { return gpc_of(sm) % 2; }
};

}  // namespace heddle
