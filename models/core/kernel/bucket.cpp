#include "models/core/kernel/bucket.h"

namespace heddle {

namespace {

struct BucketText {
  const char* name;
  const char* description;
};

constexpr BucketText kBucketTexts[] = {
    {"active", "a warp issued"},
    {"pipeline_memory", "none issued; a warp was ready for the memory unit, which had no room"},
    {"pipeline_alu", "none issued; a warp was ready for another unit, which had no room"},
    {"scoreboard_memory", "none issued; a warp waited for a register of a load, or for its stores"},
    {"scoreboard_alu", "none issued; a warp waited for a register of another unit"},
    {"buffer_empty", "none issued; a warp waited for instructions"},
    {"barrier", "none issued; a warp waited at a barrier"},
    {"no_warp", "no warp had an instruction left, or those that had one were paused"},
};
static_assert(sizeof kBucketTexts / sizeof *kBucketTexts == kBuckets);

}  // namespace

const char* name_of(Bucket bucket) {
  return kBucketTexts[static_cast<std::size_t>(bucket)].name;
}

const char* description_of(Bucket bucket) {
  return kBucketTexts[static_cast<std::size_t>(bucket)].description;
}

}  // namespace heddle
