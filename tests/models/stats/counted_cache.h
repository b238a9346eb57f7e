#pragma once
// A cache with two counters and a formula over them, for tests of statistics.

#include <string>

#include "models/stats/group.h"

namespace heddle::test {

struct CountedCache {
  explicit CountedCache(const std::string& name) : group(name) {
    group.add(hits, "hits", "accesses", "Accesses that found their line");
    group.add(misses, "misses", "accesses", "Accesses that fetched their line");
    group.add_formula("hit_rate", "%", "Share of hits", {hits}, {hits, misses}, 100);
  }
  Group group;
  Counter hits, misses;
};

}  // namespace heddle::test
