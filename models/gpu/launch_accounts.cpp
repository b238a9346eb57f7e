#include "models/gpu/launch_accounts.h"

#include <algorithm>

namespace heddle {

LaunchAccounts::LaunchAccounts(const ClockDomain& core, ExecutionEngine& engine,
                               const std::vector<SmCore*>& sms, MemoryPath* memory)
    : core_(core), engine_(engine), sms_(sms), memory_(memory) {
  engine.observe(*this);
}

void LaunchAccounts::kernel_event(Cycle, KernelEvent event, KsrId, const KernelLaunch& launch) {
  if (event == KernelEvent::kLoaded) open_.push_back({launch, false});
  if (event != KernelEvent::kEnded) return;
  const auto ended = std::find_if(open_.begin(), open_.end(), [&launch](const Open& open) {
    return open.launch.account == launch.account;
  });
  ended->has_ended = true;
  core_.notify(launch_ended_);
}

void LaunchAccounts::engine_reset() {
  open_.clear();
  launch_ended_.cancel();
}

void LaunchAccounts::visit(const Take& take) const {
  for (const Open& open : open_) take(open.launch, counts(open.launch.account));
}

void LaunchAccounts::close_ended() {
  const auto is_over = [this](const Open& open) {
    if (!open.has_ended || is_left(open.launch.account)) return false;
    if (take_) take_(open.launch, counts(open.launch.account));
    close(open.launch.account);
    return true;
  };
  open_.erase(std::remove_if(open_.begin(), open_.end(), is_over), open_.end());
}

LaunchCounts LaunchAccounts::counts(AccountId account) const {
  LaunchCounts sum;
  for (const SmCore* sm : sms_) {
    sum.sm += sm->residence().work().of(account);
    if (sm->kernel_accounts().on()) sum.stalls += sm->kernel_accounts().stalls(account);
  }
  if (memory_ != nullptr) memory_->add_counts(account, sum);
  return sum;
}

bool LaunchAccounts::is_left(AccountId account) const {
  return std::any_of(sms_.begin(), sms_.end(), [account](const SmCore* sm) { return sm->holds(account); }) ||
         (memory_ != nullptr && memory_->holds(account));
}

void LaunchAccounts::close(AccountId account) {
  for (SmCore* sm : sms_) sm->close(account);
  if (memory_ != nullptr) memory_->close(account);
  engine_.close(account);
}

}  // namespace heddle
