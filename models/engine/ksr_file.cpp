#include "models/engine/ksr_file.h"

#include <algorithm>

namespace heddle {

std::optional<KsrId> KsrFile::free() const {
  for (std::uint32_t i = 0; i < registers_.size(); ++i)
    if (registers_[i].state == Ksr::State::kFree) return KsrId{i};
  return std::nullopt;
}

KsrId KsrFile::load(const KernelLaunch& launch, const SmLimits& limits, Cycle active_at) {
  const KsrId id = free().value();
  Ksr& ksr = (*this)[id];
  ksr = Ksr{};
  ksr.state = Ksr::State::kLaunching;
  ksr.launch = launch;
  ksr.launch.account = take_account();
  ksr.need = resources_of(launch.shape, limits);
  ksr.residency = residency_of(launch.shape, limits).blocks;
  ksr.most = blocks_of_carve_out(launch.shape, limits);
  ksr.active_at = active_at;
  launching_.push(id);
  ++busy_;
  return id;
}

AccountId KsrFile::take_account() {
  if (free_accounts_.empty()) return AccountId{accounts_++};
  const AccountId account = free_accounts_.back();
  free_accounts_.pop_back();
  return account;
}

std::optional<KsrId> KsrFile::activate(Cycle now) {
  if (launching_.empty() || (*this)[launching_.front()].active_at > now) return std::nullopt;
  const KsrId id = launching_.front();
  launching_.pop();
  (*this)[id].state = Ksr::State::kActive;
  (*this)[id].arrival = arrivals_++;
  active_.push_back(id);
  return id;
}

Cycle KsrFile::next_activation() const {
  return launching_.empty() ? Cycle::never() : (*this)[launching_.front()].active_at;
}

void KsrFile::end(KsrId id) {
  (*this)[id].state = Ksr::State::kEnded;
  active_.erase(std::find(active_.begin(), active_.end(), id));
  --busy_;
}

void KsrFile::release_if_empty(KsrId id) {
  Ksr& ksr = (*this)[id];
  if (ksr.state == Ksr::State::kEnded && ksr.slices == 0) ksr.state = Ksr::State::kFree;
}

void KsrFile::reset() {
  for (Ksr& ksr : registers_) ksr = Ksr{};
  launching_.clear();
  active_.clear();
  arrivals_ = 0;
  busy_ = 0;
  accounts_ = 0;
  free_accounts_.clear();
}

bool KsrFile::empty() const {
  return busy_ == 0;
}

}  // namespace heddle
