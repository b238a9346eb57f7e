#pragma once

#include <cstdint>
#include <optional>

#include "models/core/kernel/kernel.h"
#include "models/sm/cycle_spec.h"

namespace heddle {

struct SmSpec {
  std::uint32_t count = 0;
  SmLimits limits;
  std::optional<CycleSmSpec> cycle;  // empty: the SM is a timed SM
  SmFaults faults{};
  bool may_flush = false;  // blocks may be flushed, which has a statistic then
};

}  // namespace heddle
