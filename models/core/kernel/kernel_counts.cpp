#include "models/core/kernel/kernel_counts.h"

#include <algorithm>

namespace heddle {

static_assert(sizeof(KernelCounts) == KernelCounts::kFields * sizeof(std::uint64_t), "a field is missing");

const std::array<KernelCounts::Field, KernelCounts::kFields>& KernelCounts::fields() {
  static constexpr std::array<Field, kFields> kTable{{
      {&KernelCounts::blocks, "blocks", "block", "thread blocks that ran to their end"},
      {&KernelCounts::warp_instructions, "warp_instructions", "instruction",
       "instructions issued for a warp"},
      {&KernelCounts::thread_instructions, "thread_instructions", "instruction",
       "lanes that took part in issued instructions"},
      {&KernelCounts::shared_passes, "shared_passes", "cycle", "passes over the banks of shared memory"},
      {&KernelCounts::shared_conflicts, "shared_conflicts", "cycle",
       "passes beyond an instruction's first: bank conflicts"},
      {&KernelCounts::l1_accesses, "l1_accesses", "access", "lines that loads looked for in L1"},
      {&KernelCounts::l1_hits, "l1_hits", "access", "lines that were there"},
      {&KernelCounts::l1_merges, "l1_merges", "access", "lines that were on their way"},
      {&KernelCounts::l1_misses, "l1_misses", "access", "lines that were asked for at L2"},
      {&KernelCounts::constant_misses, "constant_misses", "access",
       "lines the constant cache asked for at L2"},
      {&KernelCounts::loads, "loads", "request",
       "reads and atomics sent to L2, fetches of instructions left out"},
      {&KernelCounts::stores, "stores", "request", "writes sent to L2"},
      {&KernelCounts::atomics, "atomics", "request", "of the reads, the atomics"},
      {&KernelCounts::load_instructions, "load_instructions", "instruction",
       "loads and atomics of global, local and constant memory written back"},
      {&KernelCounts::load_latency, "load_latency", "cycle", "core cycles of those from issue to write back"},
  }};
  return kTable;
}

KernelCounts& KernelCounts::operator+=(const KernelCounts& other) {
  for (const Field& field : fields()) this->*field.value += other.*field.value;
  return *this;
}

KernelCounts& KernelCounts::operator-=(const KernelCounts& other) {
  for (const Field& field : fields()) this->*field.value -= other.*field.value;
  return *this;
}

bool operator==(const KernelCounts& a, const KernelCounts& b) {
  const auto& fields = KernelCounts::fields();
  return std::all_of(fields.begin(), fields.end(),
                     [&](const KernelCounts::Field& field) { return a.*field.value == b.*field.value; });
}

}  // namespace heddle
