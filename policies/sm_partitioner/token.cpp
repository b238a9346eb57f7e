#include "policies/sm_partitioner/token.h"

#include "policies/sm_partitioner/demand.h"

namespace heddle {

Token::Token(const PolicyParameters& parameters, std::unique_ptr<TokenUnit> unit)
    : imbalance_(static_cast<std::int32_t>(parameters["imbalance"])), unit_(std::move(unit)) {}

void Token::partition(const MachineView& machine, Partition& partition) {
  const auto context_of = [&](std::size_t sm) { return machine.kernel(partition.holder(sm)).context; };
  allotments_.clear();
  for (const ContextView& context : machine.contexts) allotments_.push_back(context.tokens);
  unit_->begin(allotments_, machine.now);
  for (std::size_t sm = 0; sm < partition.sms(); ++sm)
    if (partition.holder(sm).valid()) unit_->add(context_of(sm), -1);

  while (const KernelView* kernel = candidate(machine, partition)) {
    std::size_t sm = free_sm(machine, partition, kernel->ksr);
    if (sm == partition.sms()) {
      sm = victim(machine, partition, unit_->counts()[kernel->context.value] - imbalance_);
      if (sm == partition.sms()) return;
      unit_->add(context_of(sm), 1);
    }
    partition.give(sm, kernel->ksr);
    unit_->add(kernel->context, -1);
  }
}

const KernelView* Token::candidate(const MachineView& machine, const Partition& partition) {
  kernels_.clear();
  contexts_.clear();
  for (const KernelView& kernel : machine.kernels) {
    if (!wants_sm(machine, partition, kernel)) continue;
    kernels_.push_back(&kernel);
    contexts_.push_back(kernel.context);
  }
  return kernels_.empty() ? nullptr : kernels_[unit_->candidate(contexts_)];
}

// An SM of the context with the lowest count, if that count is less than `below`; else partition.sms().
std::size_t Token::victim(const MachineView& machine, const Partition& partition, std::int32_t below) {
  held_.clear();
  views_.clear();
  for (std::size_t sm = 0; sm < partition.sms(); ++sm) {
    if (!partition.holder(sm).valid()) continue;
    const SmView& view = machine.sms[sm];
    held_.push_back(sm);
    views_.push_back({machine.kernel(partition.holder(sm)).context, view.reserved(), view.running()});
  }
  if (held_.empty()) return partition.sms();
  const std::optional<std::size_t> found = unit_->victim(views_, below);
  return found ? held_[*found] : partition.sms();
}

HEDDLE_POLICY(SmPartitioner, Token, "token",
              "dynamic spatial sharing by token counts, draining SMs to keep them even",
              "CUsched, Section III-C",
              {{"imbalance", "tokens", 1, 1, 1024, "largest difference of counts left standing", true}});

}  // namespace heddle
