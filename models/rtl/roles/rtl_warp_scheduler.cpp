#include "models/rtl/roles/rtl_warp_scheduler.h"

#include <fmt/format.h>

namespace heddle {

namespace {

std::uint64_t bit(std::uint32_t slot) {
  return std::uint64_t{1} << slot;
}

}  // namespace

RtlWarpScheduler::RtlWarpScheduler(RtlBlock& block, const std::string& path, std::uint32_t warps,
                                   std::unique_ptr<WarpScheduler> model)
    : choice_(block, path, warps, "pick"),
      model_(std::move(model)),
      candidates_(choice_.signal("candidates")),
      live_(choice_.signal("live")),
      wait_long_(choice_.signal("wait_long")),
      started_(choice_.signal("started")),
      ended_(choice_.signal("ended")),
      ages_(choice_.signal("ages")),
      kernels_(choice_.signal("kernels")),
      contexts_(choice_.signal("contexts")),
      operations_(choice_.signal("operations")),
      shows_warps_(choice_.port().has(kernels_) || choice_.port().has(contexts_) ||
                   choice_.port().has(operations_)) {}

std::uint32_t RtlWarpScheduler::pick(const IssueView& view) {
  choice_.begin(view.now);
  show(view);
  const std::uint32_t rtl = choice_.ask();
  std::uint32_t taken = rtl;
  if (model_ != nullptr) {
    taken = model_->pick(view);
    if (!choice_.compare(taken, rtl) && choice_.block().spec().resync && rtl < 64 &&
        (view.candidates & bit(rtl)) != 0)
      model_->follow(rtl);
  } else if (rtl != kDecline && (rtl >= 64 || (view.candidates & bit(rtl)) == 0)) {
    choice_.fail(rtl, fmt::format("which is not among the candidates {:x}", view.candidates));
  }
  choice_.finish(taken);
  return taken;
}

void RtlWarpScheduler::show(const IssueView& view) {
  RtlPort& port = choice_.port();
  port.set_mask(candidates_, view.candidates);
  port.set_mask(live_, view.live);
  port.set_mask(wait_long_, view.wait_long);
  port.set_mask(started_, new_);
  port.set_mask(ended_, gone_);
  if (order_changed_ && port.has(ages_)) show_ages();
  if (shows_warps_) show_warps(view);
  known_ = here_;
  new_ = gone_ = 0;
  order_changed_ = false;
}

void RtlWarpScheduler::show_ages() {
  choice_.port().clear(ages_);
  std::uint64_t age = 0;
  for (const std::uint32_t slot : order_.slots()) choice_.port().set(ages_, slot, age++);
}

void RtlWarpScheduler::show_warps(const IssueView& view) {
  RtlPort& port = choice_.port();
  for (const RtlSignalId signal : {kernels_, contexts_, operations_}) port.clear(signal);
  for (std::uint64_t rest = view.live; rest != 0; rest &= rest - 1) {
    const auto slot = static_cast<std::uint32_t>(__builtin_ctzll(rest));
    const WarpView warp = view.warps->warp(slot);
    port.set(kernels_, slot, warp.kernel.value);
    port.set(contexts_, slot, warp.context.value);
    port.set(operations_, slot, static_cast<std::uint64_t>(warp.next));
  }
}

void RtlWarpScheduler::started(std::uint32_t slot, const WarpView& warp) {
  if (model_ != nullptr) model_->started(slot, warp);
  order_.started(slot);
  order_changed_ = true;
  here_ |= bit(slot);
  new_ |= bit(slot);
}

void RtlWarpScheduler::ended(std::uint32_t slot) {
  if (model_ != nullptr) model_->ended(slot);
  order_.ended(slot);
  order_changed_ = true;
  here_ &= ~bit(slot);
  new_ &= ~bit(slot);
  if ((known_ & bit(slot)) != 0) gone_ |= bit(slot);
}

void RtlWarpScheduler::follow(std::uint32_t slot) {
  if (model_ != nullptr) model_->follow(slot);
}

void RtlWarpScheduler::reset() {
  choice_.reset();
  if (model_ != nullptr) model_->reset();
  order_.clear();
  order_changed_ = true;
  known_ = here_ = new_ = gone_ = 0;
}

}  // namespace heddle
