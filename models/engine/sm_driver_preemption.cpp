// How an SmDriver hands an SM over: blocks of the slice end there, are saved to swap space and go on later,
// or are flushed and start over later.

#include <algorithm>

#include "models/core/base/check.h"
#include "models/engine/sm_driver.h"

namespace heddle {

namespace {

HandoverWay way_of(Handover answer) {
  return static_cast<HandoverWay>(answer);
}
static_assert(static_cast<int>(Handover::kDrain) == static_cast<int>(HandoverWay::kDrain));
static_assert(static_cast<int>(Handover::kSwitch) == static_cast<int>(HandoverWay::kSwitch));
static_assert(static_cast<int>(Handover::kFlush) == static_cast<int>(HandoverWay::kFlush));

}  // namespace

void SmDriver::preempt(Cycle now, SmId sm, SliceEntry& entry) {
  const bool started = entry.state != SliceState::kWaiting;
  entry.state = SliceState::kLeaving;
  if (!started) return;  // the slice never held the SM, so update_slices() drops it
  const KsrId ksr = entry.slice.kernel;
  const Ksr& kernel = ksrs_[ksr];
  leaving_.clear();
  for (SmResources::Held& held : smsrs_[sm.value].resources.held())
    if (held.ksr == ksr && !held.leaves) leaving_.push_back(&held);
  std::sort(leaving_.begin(), leaving_.end(),
            [](const SmResources::Held* a, const SmResources::Held* b) { return a->block < b->block; });
  handover_.assign(leaving_.size(), Handover::kDrain);
  preemption_.decide({sm, ksr, static_cast<std::uint32_t>(leaving_.size()), &costs_,
                      kernel.launch.restartable, spec_.save_bytes_per_cycle},
                     handover_);
  HEDDLE_CHECK(handover_.size() == leaving_.size(), "execution engine", now, "{} answers for {} blocks",
               handover_.size(), leaving_.size());
  entry.left_at = now;
  entry.way = let_go(sm, kernel);
  switch (entry.way) {
    case HandoverWay::kDrain:
      ++drains_;
      break;
    case HandoverWay::kSwitch:
      ++switches_;
      break;
    case HandoverWay::kFlush:
      ++flushes_;
      break;
    case HandoverWay::kMixed:
      ++mixed_;
      break;
  }
  notify(now, SliceEvent::kLeaving, sm, ksr);
}

// Lets the blocks of `leaving_` go as `handover_` says. A slice without a block drains. The partition may
// give the slice its SM back while blocks are being saved or flushed. They leave all the same, and come back
// before blocks of their kernel that have not started, on that SM or on another one.
HandoverWay SmDriver::let_go(SmId sm, const Ksr& kernel) {
  HandoverWay way = HandoverWay::kDrain;
  for (std::size_t i = 0; i < leaving_.size(); ++i) {
    SmResources::Held& held = *leaving_[i];
    Handover answer = handover_[i];
    if (answer == Handover::kFlush && !kernel.launch.restartable) {
      ++blocks_not_restartable_;
      answer = Handover::kDrain;
    }
    way = i == 0 || way == way_of(answer) ? way_of(answer) : HandoverWay::kMixed;
    if (answer == Handover::kDrain) continue;
    held.leaves = true;
    if (shares_ != nullptr) shares_->remove_block(sm, held.ksr);
    if (answer == Handover::kSwitch)
      save_block(sm, held);
    else
      port_.flush(sm, held.ksr, held.block);
  }
  return way;
}

void SmDriver::save_block(SmId sm, SmResources::Held& held) {
  if (held.saved == nullptr)
    held.saved = &ksrs_[held.ksr].saved.take(held.ksr.value, static_cast<std::uint32_t>(ksrs_.size()));
  if (shares_ != nullptr) shares_->begin_transfer(sm);
  port_.save(sm, held.ksr, held.block, *held.saved);
}

void SmDriver::block_saved(Cycle now, SmId sm, KsrId ksr, BlockId block) {
  const SmResources::Held held = take_back(now, sm, ksr, block);
  ++blocks_saved_;
  for (EngineObserver* observer : observers_) observer->block_saved(now, sm, ksr, block);
  wait_again(now, sm, ksr, {block, held.saved, now - held.since});
}

void SmDriver::block_flushed(Cycle now, SmId sm, KsrId ksr, BlockId block, const SmWork& work) {
  const SmResources::Held held = take_back(now, sm, ksr, block);
  if (held.saved != nullptr) ksrs_[ksr].saved.give_back(*held.saved);
  ++blocks_flushed_;
  lost_cycles_ += now - held.since;
  for (EngineObserver* observer : observers_)
    observer->block_flushed(now, sm, ksr, block, work, now - held.since);
  wait_again(now, sm, ksr, {block, nullptr, 0});
}

// Returns what the block held on the SM that it has left.
SmResources::Held SmDriver::take_back(Cycle now, SmId sm, KsrId ksr, BlockId block) {
  Smsr& smsr = smsrs_[sm.value];
  SliceEntry* entry = smsr.find(ksr);
  const auto held = entry == nullptr ? std::nullopt : smsr.resources.give_back(ksr, block, ksrs_[ksr].need);
  HEDDLE_CHECK(held && held->leaves && entry->running > 0, "execution engine", now,
               "block {} left SM {}, where it never was", block.value, sm.value);
  --entry->running;
  entry->restoring -= held->restoring ? 1 : 0;
  return *held;
}

void SmDriver::block_restored(SmId sm, KsrId ksr, BlockId block) {
  for (SmResources::Held& held : smsrs_[sm.value].resources.held()) {
    if (held.ksr != ksr || held.block != block) continue;
    held.restoring = false;
    --smsrs_[sm.value].find(ksr)->restoring;
    scheduling_point_ = scheduling_point_ || asked_at_start_;
  }
}

// A kernel that had issued all its blocks has one to issue again, which other SMs may take.
void SmDriver::wait_again(Cycle now, SmId sm, KsrId ksr, const SavedBlocks::Waiting& block) {
  Ksr& kernel = ksrs_[ksr];
  allow_issue(sm);
  if (halted_[kernel.launch.context.value]) {
    drop_block(now, ksr, block);
  } else {
    kernel.saved.push(block);
    if (kernel.unissued() == 1) {
      scheduling_point_ = true;
      for (std::uint32_t other = 0; other < smsrs_.size(); ++other) allow_issue(SmId{other});
    }
  }
  const bool over_now = is_over(*smsrs_[sm.value].find(ksr));
  if (kernel.done == kernel.launch.blocks) end_kernel(now, ksr);
  if (over_now) update_slices(now, sm);
}

// The block ends on no SM, because its context is halted. What a flushed block did is already lost.
void SmDriver::drop_block(Cycle now, KsrId ksr, const SavedBlocks::Waiting& block) {
  ++ksrs_[ksr].done;
  ++blocks_dropped_;
  SmWork work = block.contents != nullptr ? block.contents->work : SmWork{};
  work.blocks = 1;
  for (EngineObserver* observer : observers_) observer->block_dropped(now, ksr, block.block, work);
}

void SmDriver::report_handover(Cycle now, SmId sm, const SliceEntry& entry) {
  const std::uint64_t cycles = now - entry.left_at;
  handovers_.record(entry.way, cycles);
  for (EngineObserver* observer : observers_)
    observer->handed_over(now, sm, entry.slice.kernel, entry.way, cycles);
}

}  // namespace heddle
