#include "models/sm/kernel_stats.h"

namespace heddle {

KernelStats::KernelStats(Group& group) {
  for (std::size_t i = 0; i < counters_.size(); ++i) {
    const KernelCounts::Field& field = KernelCounts::fields()[i];
    group.add(counters_[i], field.name, field.unit, field.description);
  }
  group.add_formula("l1_hit_rate", "1", "hits per access of L1", {counter(&KernelCounts::l1_hits)},
                    {counter(&KernelCounts::l1_accesses)});
  group.add_formula("mean_load_latency", "cycle", "core cycles from a load's issue to its write back",
                    {counter(&KernelCounts::load_latency)}, {counter(&KernelCounts::load_instructions)});
  group.add_formula("lanes_per_instruction", "lane", "lanes that take part in an instruction",
                    {counter(&KernelCounts::thread_instructions)},
                    {counter(&KernelCounts::warp_instructions)});
}

void KernelStats::set(const KernelCounts& counts) {
  for (std::size_t i = 0; i < counters_.size(); ++i)
    counters_[i].set(counts.*KernelCounts::fields()[i].value);
}

const Counter& KernelStats::counter(std::uint64_t KernelCounts::*value) const {
  std::size_t i = 0;
  while (KernelCounts::fields()[i].value != value) ++i;
  return counters_[i];
}

}  // namespace heddle
