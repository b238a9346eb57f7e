#include "models/sm/cycle_spec.h"

namespace heddle {

const char* name_of(UnitKind unit) {
  static constexpr std::array<const char*, kUnitKinds> kNames{"sp", "int", "dp", "sfu", "tensor", "memory"};
  return kNames[static_cast<std::size_t>(unit)];
}

const char* name_of(Bucket bucket) {
  static constexpr std::array<const char*, kBuckets> kNames{
      "active",         "pipeline_memory", "pipeline_alu", "scoreboard_memory",
      "scoreboard_alu", "buffer_empty",    "barrier",      "no_warp"};
  return kNames[static_cast<std::size_t>(bucket)];
}

}  // namespace heddle
