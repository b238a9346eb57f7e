#include "models/sm/residence/kernel_accounts.h"

#include <algorithm>

namespace heddle {

KernelAccounts::KernelAccounts(const CycleSmSpec& spec, std::uint32_t ksrs) : on_(spec.kernel_stalls) {
  if (!on_) return;
  ksrs_.resize(ksrs);
  resident_.reserve(ksrs);
  chosen_.reserve(ksrs);
  later_.reserve(ksrs);
}

void KernelAccounts::reset() {
  std::fill(ksrs_.begin(), ksrs_.end(), Ksr{});
  resident_.clear();
  chosen_.clear();
  later_.clear();
  earlier_.reset();
}

void KernelAccounts::set_kernel(KsrId id, const KernelLaunch& launch) {
  Ksr& ksr = ksrs_[id.value];
  if (ksr.account == launch.account) return;
  if (ksr.account.valid()) earlier_[ksr.account] += grown(ksr);
  ksr.before = ksr.counted;
  ksr.account = launch.account;
}

KernelAccounts::Resident& KernelAccounts::find(KsrId ksr) {
  return *std::find_if(resident_.begin(), resident_.end(),
                       [ksr](const Resident& kernel) { return kernel.ksr == ksr.value; });
}

void KernelAccounts::start(KsrId ksr) {
  const bool is_here = std::any_of(resident_.begin(), resident_.end(),
                                   [ksr](const Resident& kernel) { return kernel.ksr == ksr.value; });
  if (!is_here) resident_.push_back({0, &ksrs_[ksr.value].counted, ksr.value, 0});
  ++find(ksr).blocks;
}

void KernelAccounts::end(KsrId ksr) {
  Resident& kernel = find(ksr);
  if (--kernel.blocks > 0) return;
  kernel = resident_.back();
  resident_.pop_back();
}

void KernelAccounts::choose(const Reasons& reasons, WarpMask issued, Counters& counters) const {
  counters.clear();
  for (const Resident& kernel : resident_)
    counters.push_back((kernel.warps & issued) != 0
                           ? &kernel.counted->active
                           : &kernel.counted->waiting[set_of(reasons, kernel.warps)]);
}

KernelStalls KernelAccounts::grown(const Ksr& ksr) {
  KernelStalls grown = ksr.counted;
  grown -= ksr.before;
  return grown;
}

KernelStalls KernelAccounts::stalls(KsrId ksr) const {
  return ksrs_[ksr.value].counted;
}

KernelStalls KernelAccounts::stalls(AccountId account) const {
  KernelStalls sum = earlier_.at(account);
  for (const Ksr& ksr : ksrs_)
    if (ksr.account == account) sum += grown(ksr);
  return sum;
}

void KernelAccounts::close(AccountId account) {
  earlier_.clear(account);
  for (Ksr& ksr : ksrs_) {
    if (ksr.account != account) continue;
    ksr.before = ksr.counted;
    ksr.account = AccountId::none();
  }
}

}  // namespace heddle
