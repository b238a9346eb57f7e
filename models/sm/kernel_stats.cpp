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

KernelStallStats::KernelStallStats(const std::vector<Bucket>& order, Group& group) : order_(order) {
  group.add(cycles_, "cycles", "cycle",
            "cycles of each SM with a block of a launch of the kernel, summed over the launches");
  group.add(active_, name_of(Bucket::kActive), "cycle", "of those, a warp of the kernel issued");
  Group& some = group.child("some");
  Group& all = group.child("all");
  for (std::size_t i = 0; i < order_.size(); ++i) {
    some.add(some_[i], name_of(order_[i]), "cycle",
             "of the cycles, no warp of the kernel issued, and this is the first reason in stall order for "
             "which one waited");
    all.add(all_[i], name_of(order_[i]), "cycle",
            "of the cycles, no warp of the kernel issued, and all waited for this reason");
  }
  all.add(mixed_, "mixed", "cycle",
          "of the cycles, no warp of the kernel issued, and not all waited for one reason");
  group.add(no_warp_, name_of(Bucket::kNoWarp), "cycle",
            "of the cycles, every warp of the kernel had ended or was paused");
}

void KernelStallStats::set(const KernelStalls& stalls) {
  cycles_.set(stalls.cycles());
  active_.set(stalls.active);
  no_warp_.set(stalls.waiting[0]);
  WaitReasons before = 0;  // reasons that the stall order names first
  std::uint64_t one_reason = 0;
  for (std::size_t i = 0; i < order_.size(); ++i) {
    const WaitReasons mine = reason(order_[i]);
    some_[i].set(stalls.any_of(before | mine) - stalls.any_of(before));
    all_[i].set(stalls.waiting[mine]);
    before |= mine;
    one_reason += stalls.waiting[mine];
  }
  mixed_.set(stalls.any_of(before) - one_reason);
}

}  // namespace heddle
