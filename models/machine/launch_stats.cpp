#include "models/machine/launch_stats.h"

namespace heddle {

LaunchStats::LaunchStats(const ExecutionSpec& spec, Group& group)
    : sm_(group.child("sm")),
      crossbar_(group.child("crossbar")),
      l2_(group.child("l2")),
      dram_(group.child("dram")) {
  group.child("l2").add_formula("hit_rate", "1", "hits per access", {l2_.counter(&L2Counts::hits)},
                                {l2_.counter(&L2Counts::accesses)});
  group.child("dram").add_formula("row_hit_rate", "1", "requests that found their row open per request",
                                  {dram_.counter(&DramCounts::row_hits)},
                                  {dram_.counter(&DramCounts::reads), dram_.counter(&DramCounts::writes)});
  if (spec.kernel_stalls)
    stalls_ = std::make_unique<KernelStallStats>(spec.stall_order, group.child("stalls"));
}

void LaunchStats::set(const LaunchCounts& counts) {
  sm_.set(counts.sm);
  crossbar_.set(counts.crossbar);
  l2_.set(counts.l2);
  dram_.set(counts.dram);
  if (stalls_) stalls_->set(counts.stalls);
}

}  // namespace heddle
