// How an SmDriver hands an SM over: the slice's blocks end there, or are saved to swap space and go on later.

#include "models/core/base/check.h"
#include "models/engine/sm_driver.h"

namespace heddle {

void SmDriver::preempt(Cycle now, SmId sm, SliceEntry& entry) {
  const bool started = entry.state != SliceState::kWaiting;
  entry.state = SliceState::kLeaving;
  if (!started) return;  // the slice never held the SM, so update_slices() drops it
  switch (preemption_.decide({sm, entry.slice.kernel, entry.running, &costs_})) {
    case Handover::kDrain:
      ++drains_;
      break;
    case Handover::kSwitch:
      ++switches_;
      save_blocks(sm, entry.slice.kernel);
      break;
  }
  notify(now, SliceEvent::kLeaving, sm, entry.slice.kernel);
}

// The partition may give the slice its SM back while its blocks are being saved. They leave all the same, and
// go on before blocks of their kernel that have not started, on that SM or on another one.
void SmDriver::save_blocks(SmId sm, KsrId ksr) {
  for (SmResources::Held& held : smsrs_[sm.value].resources.held()) {
    if (held.ksr != ksr || held.leaves) continue;
    held.leaves = true;
    if (held.saved == nullptr)
      held.saved = &ksrs_[ksr].saved.take(ksr.value, static_cast<std::uint32_t>(ksrs_.size()));
    port_.save(sm, ksr, held.block, *held.saved);
  }
}

// A kernel that had issued all its blocks has one to issue again, which other SMs may take.
void SmDriver::block_saved(Cycle now, SmId sm, KsrId ksr, BlockId block) {
  Smsr& smsr = smsrs_[sm.value];
  SliceEntry* entry = smsr.find(ksr);
  const auto held = entry == nullptr ? std::nullopt : smsr.resources.give_back(ksr, block, ksrs_[ksr].need);
  HEDDLE_CHECK(held && held->leaves && entry->running > 0, "execution engine", now,
               "SM {} saved block {} it never had", sm.value, block.value);
  ++blocks_saved_;
  --entry->running;
  Ksr& kernel = ksrs_[ksr];
  for (EngineObserver* observer : observers_) observer->block_saved(now, sm, ksr, block);
  allow_issue(sm);
  const SavedBlocks::Waiting saved{block, held->saved, now - held->since};
  if (halted_[kernel.launch.context.value]) {
    drop_block(now, ksr, saved);
  } else {
    kernel.saved.push(saved);
    if (kernel.unissued() == 1) {
      scheduling_point_ = true;
      for (std::uint32_t other = 0; other < smsrs_.size(); ++other) allow_issue(SmId{other});
    }
  }
  const bool over_now = is_over(*entry);
  if (kernel.done == kernel.launch.blocks) end_kernel(now, ksr);
  if (over_now) update_slices(now, sm);
}

// The block ends in swap space, because its context is halted.
void SmDriver::drop_block(Cycle now, KsrId ksr, const SavedBlocks::Waiting& saved) {
  ++ksrs_[ksr].done;
  ++blocks_dropped_;
  SmWork work = saved.contents->work;
  work.blocks = 1;
  for (EngineObserver* observer : observers_) observer->block_dropped(now, ksr, saved.block, work);
}

}  // namespace heddle
