#pragma once
// How much of the cycle SMs' units, registers and shared memory a GPU's kernels used, and how often L1
// missed.

#include <array>
#include <optional>
#include <vector>

#include "models/gpu/gpu_spec.h"
#include "models/gpu/ratio.h"
#include "models/sm/cycle_sm.h"
#include "models/stats/group.h"

namespace heddle {

struct SmRatios {
  std::array<std::optional<CounterRatio>, kUnitKinds> units;  // none where the SMs have no such unit
  CounterRatio registers;
  CounterRatio shared_memory;
  CounterRatio l1_miss_rate;
};

// Adds to `gpu`, the group of the whole GPU: for every unit that the SMs have, `registers` and
// `shared_memory` the share in use over `active`, the cycles with a kernel resident; and `l1_miss_rate`.
SmRatios add_utilisation(const SmSpec& spec, const std::vector<CycleSm*>& sms, const Counter& active,
                         Group& gpu);

}  // namespace heddle
