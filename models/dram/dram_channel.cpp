#include "models/dram/dram_channel.h"

namespace heddle {

namespace {

std::string name_of_first(const std::string& name, const DramSpec& spec) {
  return spec.map.pseudo_channels() == 1 ? name : name + "_0";
}

}  // namespace

DramChannel::DramChannel(const std::string& name, const DramSpec& spec, const MakePolicies& make_policies)
    : buses_(spec.timing.standard()),
      first_(name_of_first(name, spec), spec, buses_, make_policies(name_of_first(name, spec))) {
  if (spec.map.pseudo_channels() == 1) return;
  const std::string second = name + "_1";
  second_ = std::make_unique<DramController>(second, spec, buses_, make_policies(second));
}

void DramChannel::reset() {
  buses_.reset();
  first_.reset();
  if (second_ != nullptr) second_->reset();
  second_goes_first_ = false;
}

// A controller without requests is woken for its refreshes as long as the other one has requests, so that
// both use the buses in the order of time.
Cycle DramChannel::next_wake_of_both() const {
  return idle() ? Cycle::never() : next_step();
}

void DramChannel::accept_part(const DramRequest& request, Cycle now) {
  if (idle()) catch_up(now);
  part(map().pseudo_channel(request.local)).accept(request, now);
}

std::optional<DramCompletion> DramChannel::tick_both(Cycle now) {
  if (idle()) catch_up(now);
  return step_both(now);
}

std::optional<DramCompletion> DramChannel::step_both(Cycle now) {
  DramController& first = second_goes_first_ ? *second_ : first_;
  DramController& second = second_goes_first_ ? first_ : *second_;
  const Cycle row_bus_free = buses_.free(CommandBus::kRow);
  const std::optional<DramCompletion> done = first.tick(now);
  const bool row_issued = buses_.free(CommandBus::kRow) != row_bus_free;
  const std::optional<DramCompletion> other = second.tick(now);
  if (row_issued) second_goes_first_ = !second_goes_first_;
  return done ? done : other;
}

// Without requests the controllers issue refreshes only. They issue them in the order of time.
void DramChannel::catch_up(Cycle now) {
  for (Cycle step = next_step(); step < now; step = next_step()) step_both(step);
}

void DramChannel::observe(DramObserver& observer) {
  first_.observe(observer, 0);
  if (second_ != nullptr) second_->observe(observer, map().groups());
}

void DramChannel::account_until(Cycle now) {
  if (second_ != nullptr && idle()) catch_up(now);
  first_.account_until(now);
  if (second_ != nullptr) second_->account_until(now);
}

DramCounts DramChannel::counts(AccountId account) const {
  DramCounts counts = first_.stats().counts(account);
  if (second_ != nullptr) counts += second_->stats().counts(account);
  return counts;
}

bool DramChannel::holds(AccountId account) const {
  return first_.stats().holds(account) || (second_ != nullptr && second_->stats().holds(account));
}

void DramChannel::close(AccountId account) {
  first_.stats().close(account);
  if (second_ != nullptr) second_->stats().close(account);
}

}  // namespace heddle
