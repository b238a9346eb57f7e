#include "policies/dram_scheduler/ranked_scheduler.h"

#include <tuple>

namespace heddle {

std::size_t RankedScheduler::choose(const CommandSlotView& slot) {
  if (slot.priority == nullptr) return first_ready(slot);
  const auto key = [&slot](std::size_t bank) {
    const RequestPriority& priority = slot.priority[bank];
    const bool is_column = (slot.columns >> bank & 1) != 0;
    return std::make_tuple(priority.level, !is_column, priority.rank, slot.arrival[bank]);
  };
  BankMask rest = slot.columns | slot.activates | slot.precharges;
  auto best = static_cast<std::size_t>(__builtin_ctzll(rest));
  for (rest &= rest - 1; rest != 0; rest &= rest - 1) {
    const auto bank = static_cast<std::size_t>(__builtin_ctzll(rest));
    if (key(bank) < key(best)) best = bank;
  }
  return best;
}

void RankedScheduler::arrived(const QueuedRequest& request) {
  if (request.entry >= requests_.size()) requests_.resize(request.entry + std::size_t{1});
  requests_[request.entry] = {request, true};
  add(request);
}

void RankedScheduler::served(std::uint32_t entry, Cycle now) {
  remove(requests_[entry].request, now);
  requests_[entry].waits = false;
}

}  // namespace heddle
