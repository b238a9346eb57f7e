#include "models/engine/block_caps.h"

#include <algorithm>

namespace heddle {

BlockCaps::BlockCaps(BlockThrottle& throttle, const KsrFile& ksrs, const SmLimits& limits, std::uint32_t sms,
                     Changed changed)
    : throttle_(throttle),
      ksrs_(ksrs),
      limits_(limits),
      active_(throttle.caps()),
      pauses_(throttle.pauses()),
      changed_(std::move(changed)) {
  if (active_) places_.resize(sms * ksrs.size());
}

void BlockCaps::reset() {
  std::fill(places_.begin(), places_.end(), Place{});
  wanted_ = {};
}

void BlockCaps::started(Cycle now, SmId sm, const Smsr& smsr, SliceEntry& entry) {
  Place& own = place(sm, entry.slice.kernel);
  own = {};
  own.kernel = ksrs_[entry.slice.kernel].launch.kernel;
  own.started = now;
  if (entry.slice.capped) start(now, sm, entry, view(now, sm, smsr, entry));
}

void BlockCaps::capping_changed(Cycle now, SmId sm, const Smsr& smsr, SliceEntry& entry) {
  if (entry.slice.capped) return start(now, sm, entry, view(now, sm, smsr, entry));
  Place& own = place(sm, entry.slice.kernel);
  own.wished = own.wanted = own.asked = Cycle::never();
  set_cap(sm, entry, ThrottleAnswer::kNoCap);
}

void BlockCaps::start(Cycle now, SmId sm, SliceEntry& entry, const ThrottleView& slice) {
  Place& own = place(sm, entry.slice.kernel);
  own.report.most = slice.most;
  own.report.settled = false;
  own.wished = own.wanted = own.asked = Cycle::never();
  take(now, sm, entry, throttle_.started(slice));
}

void BlockCaps::block_done(Cycle now, SmId sm, const Smsr& smsr, SliceEntry& entry, std::uint64_t cycles,
                           const SmWork& work) {
  if (!entry.slice.capped) return;
  const ThrottleView slice = view(now, sm, smsr, entry);
  if (slice.most != place(sm, entry.slice.kernel).report.most) start(now, sm, entry, slice);
  take(now, sm, entry, throttle_.block_done(slice, cycles, work));
}

void BlockCaps::sampled(Cycle now, SmId sm, Smsr& smsr, const SmSample& sample, Cycle asked) {
  for (const KernelSample& kernel : sample.kernels) {
    Place& own = place(sm, kernel.ksr);
    if (own.kernel != kernel.kernel) continue;  // another launch has the KSR now
    own.totals.counts += kernel.counts;
    own.totals.stalls += kernel.stalls;
  }
  for (SliceEntry& entry : smsr.slices) {
    Place& own = place(sm, entry.slice.kernel);
    if (own.asked != asked) continue;
    own.asked = own.wanted = own.wished = Cycle::never();
    own.totals.until = sample.until;
    ++own.report.samples;
    const ThrottleView slice = view(now, sm, smsr, entry);
    if (slice.most != own.report.most)
      start(now, sm, entry, slice);
    else
      take(now, sm, entry, throttle_.sampled(slice, own.totals));
  }
}

std::optional<SmId> BlockCaps::ask(Cycle now) {
  while (!wanted_.empty() && wanted_.top().at <= now) {
    const Wanted next = wanted_.top();
    wanted_.pop();
    Place& own = place(next.sm, next.ksr);
    if (own.wanted != next.at || own.asked != Cycle::never()) continue;  // the policy has changed its mind
    own.asked = now;
    return next.sm;
  }
  return std::nullopt;
}

std::optional<ThrottleReport> BlockCaps::report(Cycle now, SmId sm, KsrId ksr) const {
  const Place& own = place(sm, ksr);
  if (!own.kernel.valid() || own.report.most == 0) return std::nullopt;
  ThrottleReport report = own.report;
  report.cycles = now - own.started;
  if (!report.settled) report.cycles_to_settle = report.cycles;
  return report;
}

ThrottleView BlockCaps::view(Cycle now, SmId sm, const Smsr& smsr, const SliceEntry& entry) const {
  const Ksr& ksr = ksrs_[entry.slice.kernel];
  ThrottleView slice;
  slice.sm = sm;
  slice.ksr = entry.slice.kernel;
  slice.kernel = ksr.launch.kernel;
  slice.context = ksr.launch.context;
  slice.tag = ksr.launch.tag;
  slice.most = most_blocks(smsr, entry);
  slice.running = entry.running;
  slice.unissued = ksr.unissued();
  slice.now = now;
  return slice;
}

// See ThrottleView::most.
std::uint32_t BlockCaps::most_blocks(const Smsr& smsr, const SliceEntry& entry) const {
  BlockResources held;
  for (const SliceEntry& other : smsr.slices) {
    if (&other == &entry) break;
    const Ksr& ksr = ksrs_[other.slice.kernel];
    const bool grows = other.state != SliceState::kLeaving && ksr.unissued() > 0;
    const std::uint32_t may_have = std::min(residency_of(ksr.need, limits_, held).blocks, ksr.most);
    const std::uint32_t blocks = grows ? std::max(other.running, other.limit()) : other.running;
    for (std::uint32_t i = 0; i < std::min(blocks, may_have); ++i) held += ksr.need;
  }
  const Ksr& own = ksrs_[entry.slice.kernel];
  const std::uint32_t fit = residency_of(own.need, limits_, held).blocks;
  return std::max(std::min({fit, own.most, entry.slice.quota}), 1U);
}

void BlockCaps::set_cap(SmId sm, SliceEntry& entry, std::uint32_t cap) {
  if (entry.cap == cap) return;
  entry.cap = cap;
  changed_(sm, entry);
}

void BlockCaps::take(Cycle now, SmId sm, SliceEntry& entry, const ThrottleAnswer& answer) {
  Place& own = place(sm, entry.slice.kernel);
  own.report.cap = std::min(answer.cap, own.report.most);
  if (answer.settled && !own.report.settled) {
    own.report.settled = true;
    own.report.cycles_to_settle = now - own.started;
  }
  set_cap(sm, entry, answer.cap);
  const Cycle at = answer.sample_at == Cycle::never() ? Cycle::never() : std::max(answer.sample_at, now);
  if (answer.sample_at == own.wished) return;
  own.wished = answer.sample_at;
  own.wanted = at;
  own.asked = Cycle::never();
  if (at != Cycle::never()) wanted_.push({at, sm, entry.slice.kernel});
}

}  // namespace heddle
