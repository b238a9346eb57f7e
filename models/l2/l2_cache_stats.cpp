#include "models/l2/l2_cache_stats.h"

namespace heddle {

namespace {

constexpr const char* kLinesMissed =
    "requests that asked DRAM for their line, none of it being on its way, or wrote to a line that was "
    "absent";

}  // namespace

L2CacheStats::L2CacheStats(const L2Spec& spec, Group& group) {
  group.add(requests, "requests", "request", "requests that accessed the tags");
  group.add(accesses, "accesses", "sector", "sectors accessed");
  group.add(hits, "hits", "sector", "accesses that were served at once");
  group.add(misses, "misses", "sector", "accesses that were not hits");
  group.add(line_misses, "line_misses", "sector", "misses whose line was absent");
  group.add(sector_misses, "sector_misses", "sector", "misses whose line was there without the sector");
  group.add(lines_missed, "lines_missed", "line", kLinesMissed);
  group.add(pending_hits, "pending_hits", "sector", "misses whose sector was on its way already");
  group.add(merges, "mshr_merges", "request", "requests that joined a fill in flight");
  group.add(fills, "fills", "request", "fills that came from DRAM");
  group.add(fill_bytes_moved, "fill_bytes", "byte", "data of fills");
  group.add(write_backs, "write_backs", "request", "write-backs to DRAM");
  group.add(write_back_bytes, "write_back_bytes", "byte", "data of write-backs");
  group.add(partial_write_backs, "partial_write_backs", "request", "write-backs with bytes left out");
  group.add(atomics, "atomics", "request", "atomics performed");
  group.add(swap_requests, "swap_requests", "request", "of the requests, those of swap space");
  group.add(swap_misses, "swap_misses", "sector", "of the misses, those of swap space");
  group.add(swap_fills, "swap_fills", "request", "fills of swap space that DRAM was asked for");
  group.add(swap_write_backs, "swap_write_backs", "request", "of the write-backs, those of swap space");
  if (spec.copies_stay) {
    group.add(copied_lines, "copied_lines", "line", "lines that copies and fills have left here");
    group.add(copy_evictions, "copy_evictions", "line", "dirty lines that gave way to them");
  }
  group.add_formula("hit_rate", "1", "hits per access", {hits}, {accesses});
}

}  // namespace heddle
