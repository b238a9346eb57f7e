#include "policies/sm_partitioner/token.h"

#include <tuple>

#include "policies/sm_partitioner/demand.h"

namespace heddle {

Token::Token(const PolicyParameters& parameters)
    : imbalance_(static_cast<std::int32_t>(parameters["imbalance"])) {}

void Token::partition(const MachineView& machine, Partition& partition) {
  counts_.resize(machine.contexts.size());
  for (std::size_t context = 0; context < counts_.size(); ++context)
    counts_[context] = machine.contexts[context].tokens;
  for (std::size_t sm = 0; sm < partition.sms(); ++sm)
    if (partition.holder(sm).valid()) --counts_[machine.kernel(partition.holder(sm)).context.value];

  while (const KernelView* kernel = candidate(machine, partition)) {
    std::int32_t& count = counts_[kernel->context.value];
    std::size_t sm = free_sm(machine, partition, kernel->ksr);
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

// An SM of the context with the lowest count, if that count is less than `below`; else partition.sms(). An SM
// that is already preempted is preferred, and then the one with the fewest running blocks.
std::size_t Token::victim(const MachineView& machine, const Partition& partition, std::int32_t below) const {
  const auto cost = [&](std::size_t sm) {
    const SmView& view = machine.sms[sm];
    return std::make_tuple(count_of(machine, partition.holder(sm)), !view.reserved(), view.running());
  };
  std::size_t best = partition.sms();
  for (std::size_t sm = 0; sm < partition.sms(); ++sm)
    if (partition.holder(sm).valid() && count_of(machine, partition.holder(sm)) < below &&
        (best == partition.sms() || cost(sm) < cost(best)))
      best = sm;
  return best;
}

std::int32_t Token::count_of(const MachineView& machine, KsrId kernel) const {
  return counts_[machine.kernel(kernel).context.value];
}

HEDDLE_POLICY(SmPartitioner, Token, "token",
              "dynamic spatial sharing by token counts, draining SMs to keep them even",
              "CUsched, Section III-C",
              {{"imbalance", "tokens", 1, 1, 1024, "largest difference of counts left standing", true}});

}  // namespace heddle
