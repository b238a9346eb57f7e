#include "models/sm/kernel_counts.h"

namespace heddle {

namespace {

struct Field {
  std::uint64_t KernelCounts::*value;
  const char* name;
  const char* unit;
  const char* description;
};

constexpr std::array<Field, 15> kFields{{
    {&KernelCounts::blocks, "blocks", "block", "thread blocks that ran to their end"},
    {&KernelCounts::warp_instructions, "warp_instructions", "instruction", "instructions issued for a warp"},
    {&KernelCounts::thread_instructions, "thread_instructions", "instruction",
     "lanes that took part in issued instructions"},
    {&KernelCounts::shared_passes, "shared_passes", "cycle", "passes over the banks of shared memory"},
    {&KernelCounts::shared_conflicts, "shared_conflicts", "cycle",
     "passes beyond an instruction's first: bank conflicts"},
    {&KernelCounts::l1_accesses, "l1_accesses", "access", "lines that loads looked for in L1"},
    {&KernelCounts::l1_hits, "l1_hits", "access", "lines that were there"},
    {&KernelCounts::l1_merges, "l1_merges", "access", "lines that were on their way"},
    {&KernelCounts::l1_misses, "l1_misses", "access", "lines that were asked for at L2"},
    {&KernelCounts::constant_misses, "constant_misses", "access", "lines the constant cache asked for at L2"},
    {&KernelCounts::loads, "loads", "request",
     "reads and atomics sent to L2, fetches of instructions left out"},
    {&KernelCounts::stores, "stores", "request", "writes sent to L2"},
    {&KernelCounts::atomics, "atomics", "request", "of the reads, the atomics"},
    {&KernelCounts::load_instructions, "load_instructions", "instruction",
     "loads and atomics of global, local and constant memory written back"},
    {&KernelCounts::load_latency, "load_latency", "cycle", "core cycles of those from issue to write back"},
}};

}  // namespace

KernelCounts& KernelCounts::operator+=(const KernelCounts& other) {
  for (const Field& field : kFields) this->*field.value += other.*field.value;
  return *this;
}

KernelStats::KernelStats(Group& group) {
  for (const Field& field : kFields) {
    counters_.push_back(std::make_unique<Counter>());
    group.add(*counters_.back(), field.name, field.unit, field.description);
  }
  const auto counter = [&](std::uint64_t KernelCounts::*value) -> const Counter& {
    std::size_t i = 0;
    while (kFields[i].value != value) ++i;
    return *counters_[i];
  };
  group.add_formula("l1_hit_rate", "1", "hits per access of L1", {counter(&KernelCounts::l1_hits)},
                    {counter(&KernelCounts::l1_accesses)});
  group.add_formula("mean_load_latency", "cycle", "core cycles from a load's issue to its write back",
                    {counter(&KernelCounts::load_latency)}, {counter(&KernelCounts::load_instructions)});
  group.add_formula("lanes_per_instruction", "lane", "lanes that take part in an instruction",
                    {counter(&KernelCounts::thread_instructions)},
                    {counter(&KernelCounts::warp_instructions)});
}

void KernelStats::set(const KernelCounts& counts) {
  for (std::size_t i = 0; i < kFields.size(); ++i) {
    *counters_[i] = Counter{};
    *counters_[i] += counts.*kFields[i].value;
  }
}

const Counter& KernelStats::warp_instructions() const {
  return *counters_[1];
}

}  // namespace heddle
