#include "models/rtl/roles/rtl_block_throttle.h"

namespace heddle {

RtlBlockThrottle::RtlBlockThrottle(RtlBlock& block, const std::string& path,
                                   std::unique_ptr<BlockThrottle> model)
    : choice_(block, path, 1, "cap"),
      model_(std::move(model)),
      sample_(choice_.signal("sample")),
      sample_after_(choice_.signal("sample_after")),
      settled_(choice_.signal("settled")) {}

bool RtlBlockThrottle::reads_stalls() const {
  const RtlPort& port = choice_.port();
  return port.has(choice_.signal("active")) || port.has(choice_.signal("stalled")) ||
         (model_ != nullptr && model_->reads_stalls());
}

void RtlBlockThrottle::set(const char* signal, std::uint64_t value) {
  choice_.port().set(choice_.signal(signal), value);
}

void RtlBlockThrottle::begin(const ThrottleView& slice, Event event) {
  choice_.begin(slice.now);
  choice_.port().clear_inputs();
  set("event", event);
  set("sm", slice.sm.value);
  set("kernel", slice.ksr.value);
  set("context", slice.context.value);
  set("most", slice.most);
  set("running", slice.running);
  set("unissued", slice.unissued);
  set("now", slice.now.value);
}

ThrottleAnswer RtlBlockThrottle::started(const ThrottleView& slice) {
  begin(slice, kStarted);
  if (model_ == nullptr) return answer(slice, nullptr);
  const ThrottleAnswer model = model_->started(slice);
  return answer(slice, &model);
}

ThrottleAnswer RtlBlockThrottle::block_done(const ThrottleView& slice, std::uint64_t cycles,
                                            const SmWork& work) {
  begin(slice, kBlockDone);
  set("cycles", cycles);
  set("instructions", work.warp_instructions);
  if (model_ == nullptr) return answer(slice, nullptr);
  const ThrottleAnswer model = model_->block_done(slice, cycles, work);
  return answer(slice, &model);
}

ThrottleAnswer RtlBlockThrottle::sampled(const ThrottleView& slice, const SliceTotals& totals) {
  begin(slice, kSampled);
  set("until", totals.until.value);
  set("instructions", totals.counts.warp_instructions);
  set("active", totals.stalls.active);
  set("stalled", totals.stalls.cycles() - totals.stalls.active);
  if (model_ == nullptr) return answer(slice, nullptr);
  const ThrottleAnswer model = model_->sampled(slice, totals);
  return answer(slice, &model);
}

ThrottleAnswer RtlBlockThrottle::answer(const ThrottleView& slice, const ThrottleAnswer* model) {
  RtlPort& port = choice_.port();
  const std::uint32_t cap = choice_.ask();
  if (cap == 0 && model == nullptr) choice_.fail(cap, "and a slice has at least one block");
  ThrottleAnswer own{cap, Cycle::never(), port.has(settled_) && port.flag(settled_)};
  if (port.has(sample_) && port.flag(sample_))
    own.sample_at = slice.now + (port.has(sample_after_) ? port.number(sample_after_) : 0);
  static_assert(ThrottleAnswer::kNoCap == RtlChoice::kNone);
  if (model != nullptr) choice_.compare(model->cap, cap);
  choice_.finish(RtlChoice::kNone);
  return model != nullptr ? *model : own;
}

void RtlBlockThrottle::reset() {
  choice_.reset();
  if (model_ != nullptr) model_->reset();
}

}  // namespace heddle
