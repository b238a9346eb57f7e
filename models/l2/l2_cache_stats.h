#pragma once
// The counters of an L2Cache.

#include "models/core/base/counter.h"
#include "models/l2/l2_spec.h"
#include "models/stats/group.h"

namespace heddle {

struct L2CacheStats {
  L2CacheStats(const L2Spec& spec, Group& group);  // adds the counters to the group

  Counter requests, accesses, hits, misses, lines_missed;
  Counter line_misses, sector_misses, pending_hits;
  Counter merges, fills, fill_bytes_moved, write_backs, write_back_bytes, partial_write_backs, atomics;
  Counter swap_requests, swap_misses, swap_fills, swap_write_backs;
  Counter copied_lines, copy_evictions;
};

}  // namespace heddle
