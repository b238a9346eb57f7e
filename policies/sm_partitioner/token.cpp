#include "policies/sm_partitioner/token.h"

#include "policies/sm_partitioner/demand.h"

namespace heddle {

Token::Token(const PolicyParameters& parameters) : imbalance_(static_cast<std::int32_t>(parameters["imbalance"])) {}

void Token::partition(const MachineView& machine, Partition& partition) {
  counts_.resize(machine.contexts.size());
  for (std::size_t context = 0; context < counts_.size(); ++context)
    counts_[context] = machine.contexts[context].tokens;
  for (std::size_t sm = 0; sm < partition.sms(); ++sm)
    if (partition.holder(sm).valid()) --counts_[machine.kernel(partition.holder(sm)).context.value];

  while (const KernelView* kernel = candidate(machine, partition)) {
    std::int32_t& count = counts_[kernel->context.value];
    std::size_t sm = idle_sm(machine, partition);
    if (sm == partition.sms()) {
      sm = victim(machine, partition, count - imbalance_);
      if (sm == partition.sms()) return;
      ++counts_[machine.kernel(partition.holder(sm)).context.value];
    }
    partition.give(sm, kernel->ksr);
    --count;
  }
}

const KernelView* Token::candidate(const MachineView& machine, const Partition& partition) const {
  const KernelView* best = nullptr;
  for (const KernelView& kernel : machine.kernels)
    if (wants_sm(machine, partition, kernel) &&
        (best == nullptr || counts_[kernel.context.value] > counts_[best->context.value]))
      best = &kernel;
  return best;
}

// An SM of the context with the lowest count, if that is under `below`: one that is being drained already,
// else the one with the fewest blocks to wait for.
std::size_t Token::victim(const MachineView& machine, const Partition& partition, std::int32_t below) const {
  std::size_t best = partition.sms();
  std::int32_t best_count = below;
  for (std::size_t sm = 0; sm < partition.sms(); ++sm) {
    if (!partition.holder(sm).valid()) continue;
    const std::int32_t count = counts_[machine.kernel(partition.holder(sm)).context.value];
    if (count > best_count || (count == best_count && best == partition.sms())) continue;
    const bool quicker = best != partition.sms() && count == best_count &&
                         machine.sms[sm].running() < machine.sms[best].running();
    if (count < best_count || quicker) {
      best = sm;
      best_count = count;
    }
  }
  return best;
}

HEDDLE_POLICY(SmPartitioner, Token, "token", "dynamic spatial sharing by token counts, draining SMs to keep them even",
              "CUsched, Section III-C",
              {{"imbalance", "tokens", 1, 1, 1024, "largest difference of counts left standing"}});

}  // namespace heddle
