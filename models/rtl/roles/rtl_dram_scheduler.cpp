#include "models/rtl/roles/rtl_dram_scheduler.h"

#include <fmt/format.h>

#include <algorithm>

namespace heddle {

RtlDramScheduler::RtlDramScheduler(RtlBlock& block, const std::string& path, std::uint32_t banks,
                                   std::unique_ptr<DramScheduler> model)
    : choice_(block, path, banks, "bank"),
      model_(std::move(model)),
      columns_(choice_.signal("columns")),
      activates_(choice_.signal("activates")),
      precharges_(choice_.signal("precharges")),
      waiting_(choice_.signal("waiting")),
      ages_(choice_.signal("ages")) {
  by_age_.reserve(banks);
}

std::size_t RtlDramScheduler::choose(const CommandSlotView& slot) {
  choice_.begin(slot.now);
  show(slot);
  std::uint32_t taken = choice_.ask();
  const BankMask ready = slot.columns | slot.activates | slot.precharges;
  if (choice_.block().shadows()) {
    const std::size_t chosen = model_->choose(slot);
    const std::uint32_t model = chosen == kNone ? RtlChoice::kNone : static_cast<std::uint32_t>(chosen);
    choice_.compare(model, taken);
    taken = model;
  } else if (taken != RtlChoice::kNone && (taken >= 64 || (ready >> taken & 1) == 0)) {
    choice_.fail(taken, fmt::format("which has no legal command; banks that have: {:x}", ready));
  }
  choice_.finish(taken);
  return taken == RtlChoice::kNone ? kNone : taken;
}

void RtlDramScheduler::show(const CommandSlotView& slot) {
  RtlPort& port = choice_.port();
  port.set_mask(columns_, slot.columns);
  port.set_mask(activates_, slot.activates);
  port.set_mask(precharges_, slot.precharges);
  port.set_mask(waiting_, slot.waiting);
  if (!port.has(ages_)) return;
  by_age_.clear();
  for (BankMask rest = slot.waiting; rest != 0; rest &= rest - 1)
    by_age_.push_back(static_cast<std::uint32_t>(__builtin_ctzll(rest)));
  std::sort(by_age_.begin(), by_age_.end(),
            [&](std::uint32_t a, std::uint32_t b) { return slot.arrival[a] < slot.arrival[b]; });
  port.clear(ages_);
  for (std::uint32_t age = 0; age < by_age_.size(); ++age) port.set(ages_, by_age_[age], age);
}

void RtlDramScheduler::reset() {
  choice_.reset();
  model_->reset();
}

}  // namespace heddle
