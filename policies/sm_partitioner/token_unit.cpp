#include "policies/sm_partitioner/token_unit.h"

#include <tuple>

namespace heddle {

void TokenUnit::begin(const std::vector<std::int32_t>& counts, Cycle) {
  counts_ = counts;
}

void TokenUnit::add(ContextId context, std::int32_t amount) {
  counts_[context.value] += amount;
}

std::size_t TokenUnit::candidate(const std::vector<ContextId>& contexts) {
  std::size_t best = 0;
  for (std::size_t i = 1; i < contexts.size(); ++i)
    if (counts_[contexts[i].value] > counts_[contexts[best].value]) best = i;
  return best;
}

std::optional<std::size_t> TokenUnit::victim(const std::vector<HeldSm>& sms, std::int32_t below) {
  const auto cost = [&](const HeldSm& sm) {
    return std::make_tuple(counts_[sm.context.value], !sm.preempted, sm.running);
  };
  std::optional<std::size_t> best;
  for (std::size_t i = 0; i < sms.size(); ++i)
    if (counts_[sms[i].context.value] < below && (!best || cost(sms[i]) < cost(sms[*best]))) best = i;
  return best;
}

}  // namespace heddle
