#include "models/engine/slice_control.h"

#include <algorithm>

#include "models/core/base/check.h"

namespace heddle {

SliceControl::SliceControl(const Deps& deps, bool by_warp, Group& stats) : deps_(deps), by_warp_(by_warp) {
  stats.add(set_ups_, "set_ups", "set-up", "SMs set up for a kernel");
}

void SliceControl::apply(Cycle now, SmId sm, const std::vector<Slice>& wanted) {
  const auto is_wanted = [&](const SliceEntry& entry) {
    return std::any_of(wanted.begin(), wanted.end(),
                       [&](const Slice& slice) { return slice.kernel == entry.slice.kernel; });
  };
  for (SliceEntry& entry : deps_.smsrs[sm.value].slices)
    if (entry.state != SliceState::kLeaving && !is_wanted(entry)) remove(now, sm, entry);
  for (const Slice& slice : wanted) add_or_keep(now, sm, slice);
  sort(sm, wanted);
  update(now, sm);
}

void SliceControl::remove(Cycle now, SmId sm, SliceEntry& entry) {
  const bool started = entry.state != SliceState::kWaiting;
  entry.state = SliceState::kLeaving;
  // A slice that never held the SM is dropped by update().
  if (started) deps_.handovers.begin(now, sm, entry);
}

void SliceControl::add_or_keep(Cycle now, SmId sm, const Slice& slice) {
  Smsr& smsr = deps_.smsrs[sm.value];
  SliceEntry* entry = smsr.find(slice.kernel);
  if (entry == nullptr) return add(now, sm, slice);
  const bool returned = entry->state == SliceState::kLeaving;
  const bool other_cap = entry->slice.capped != slice.capped;
  if (returned || other_cap || entry->slice.quota < slice.quota) deps_.placer.allow(sm);
  entry->slice = slice;
  if (other_cap && deps_.caps.active() && entry->state != SliceState::kWaiting && !entry->set_up_pending)
    deps_.caps.capping_changed(now, sm, smsr, *entry);
  if (!returned) return;
  entry->left_at = Cycle::never();
  entry->state = entry->set_up_pending ? SliceState::kSettingUp : SliceState::kRunning;
  notify(now, SliceEvent::kReturned, sm, slice.kernel);
}

void SliceControl::add(Cycle now, SmId sm, const Slice& slice) {
  const bool has_blocks = slice.kernel.value < deps_.ksrs.size() &&
                          deps_.ksrs[slice.kernel].state == Ksr::State::kActive &&
                          deps_.ksrs[slice.kernel].unissued() > 0;
  HEDDLE_CHECK(has_blocks, kEngineName, now, "SM {} was given to KSR {}, which has no block for it", sm.value,
               slice.kernel.value);
  Smsr& smsr = deps_.smsrs[sm.value];
  ++deps_.ksrs[slice.kernel].slices;
  smsr.slices.push_back({slice});
  if (smsr.leaving()) notify(now, SliceEvent::kReserved, sm, slice.kernel);
}

// Leaving slices come first, then the others in the order of the partition. The sort is stable and in place;
// std::stable_sort would allocate.
void SliceControl::sort(SmId sm, const std::vector<Slice>& wanted) {
  std::vector<SliceEntry>& slices = deps_.smsrs[sm.value].slices;
  const auto rank = [&](const SliceEntry& entry) {
    if (entry.state == SliceState::kLeaving) return std::ptrdiff_t{-1};
    return std::find_if(wanted.begin(), wanted.end(),
                        [&](const Slice& slice) { return slice.kernel == entry.slice.kernel; }) -
           wanted.begin();
  };
  for (auto at = slices.begin(); at != slices.end(); ++at) {
    const auto before = [&](std::ptrdiff_t value, const SliceEntry& other) { return value < rank(other); };
    const auto to = std::upper_bound(slices.begin(), at, rank(*at), before);
    // The block that those before it waited for no longer goes first.
    if (to != at && deps_.placer.order() == IssueOrder::kOneAfterAnother && at->state == SliceState::kRunning)
      deps_.placer.allow(sm);
    std::rotate(to, at, at + 1);
  }
}

bool SliceControl::is_over(const SliceEntry& entry) const {
  if (entry.running > 0 || entry.set_up_pending) return false;
  const Ksr& ksr = deps_.ksrs[entry.slice.kernel];
  return entry.state == SliceState::kLeaving || ksr.state == Ksr::State::kEnded || ksr.unissued() == 0;
}

void SliceControl::update(Cycle now, SmId sm) {
  Smsr& smsr = deps_.smsrs[sm.value];
  for (std::size_t i = 0; i < smsr.slices.size();) {
    if (!is_over(smsr.slices[i])) {
      ++i;
      continue;
    }
    const KsrId ksr = smsr.slices[i].slice.kernel;
    const bool ran_out = smsr.slices[i].state == SliceState::kRunning;
    if (smsr.slices[i].left_at != Cycle::never()) deps_.handovers.end(now, sm, smsr.slices[i]);
    smsr.slices.erase(smsr.slices.begin() + static_cast<std::ptrdiff_t>(i));
    --deps_.ksrs[ksr].slices;
    notify(now, SliceEvent::kFreed, sm, ksr);
    if (deps_.caps.active()) report_throttle(now, sm, ksr);
    deps_.ksrs.release_if_empty(ksr);
    if (ran_out || smsr.slices.empty()) deps_.partitioning.request();
  }
  if (!smsr.leaving()) start_waiting(now, sm);
}

void SliceControl::start_waiting(Cycle now, SmId sm) {
  for (SliceEntry& entry : deps_.smsrs[sm.value].slices) {
    if (entry.state != SliceState::kWaiting) continue;
    entry.state = SliceState::kSettingUp;
    entry.set_up_pending = true;
    entry.issued = 0;
    entry.room = by_warp_ ? 0 : SliceEntry::kNoLimit;
    ++set_ups_;
    notify(now, SliceEvent::kSetUp, sm, entry.slice.kernel);
    deps_.port.set_up(sm, entry.slice.kernel, deps_.ksrs[entry.slice.kernel].launch);
  }
}

void SliceControl::set_up(Cycle now, SmId sm, KsrId ksr) {
  SliceEntry* entry = deps_.smsrs[sm.value].find(ksr);
  HEDDLE_CHECK(entry != nullptr && entry->set_up_pending, kEngineName, now, "SM {} answered no set-up",
               sm.value);
  entry->set_up_pending = false;
  if (entry->state == SliceState::kSettingUp) {
    entry->state = SliceState::kRunning;
    notify(now, SliceEvent::kRunning, sm, ksr);
    deps_.placer.allow(sm);
    if (deps_.caps.active()) deps_.caps.started(now, sm, deps_.smsrs[sm.value], *entry);
  }
  update(now, sm);
}

void SliceControl::kernel_ended(Cycle now, SmId sm, KsrId ksr) {
  SliceEntry* entry = deps_.smsrs[sm.value].find(ksr);
  if (entry == nullptr) return;
  // A slice that is being set up leaves when the SM has answered.
  if (entry->set_up_pending && entry->state != SliceState::kLeaving) {
    entry->state = SliceState::kLeaving;
    notify(now, SliceEvent::kLeaving, sm, ksr);
  }
  update(now, sm);
}

void SliceControl::report_throttle(Cycle now, SmId sm, KsrId ksr) {
  const std::optional<ThrottleReport> report = deps_.caps.report(now, sm, ksr);
  deps_.caps.left(sm, ksr);
  if (report) deps_.observers.tell(&EngineObserver::slice_throttled, now, sm, ksr, *report);
}

}  // namespace heddle
