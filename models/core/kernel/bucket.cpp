#include "models/core/kernel/bucket.h"

namespace heddle {

const char* name_of(Bucket bucket) {
  static constexpr std::array<const char*, kBuckets> kNames{
      "active",         "pipeline_memory", "pipeline_alu", "scoreboard_memory",
      "scoreboard_alu", "buffer_empty",    "barrier",      "no_warp"};
  return kNames[static_cast<std::size_t>(bucket)];
}

}  // namespace heddle
