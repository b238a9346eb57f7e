#include "models/engine/handovers.h"

#include <algorithm>

#include "models/core/base/check.h"

namespace heddle {

namespace {

HandoverWay way_of(Handover answer) {
  return static_cast<HandoverWay>(answer);
}
static_assert(static_cast<int>(Handover::kDrain) == static_cast<int>(HandoverWay::kDrain));
static_assert(static_cast<int>(Handover::kSwitch) == static_cast<int>(HandoverWay::kSwitch));
static_assert(static_cast<int>(Handover::kFlush) == static_cast<int>(HandoverWay::kFlush));

}  // namespace

Handovers::Handovers(const EngineSpec& spec, const SmLimits& limits, Preemption& preemption, const Deps& deps,
                     Group& stats)
    : save_bytes_per_cycle_(spec.save_bytes_per_cycle),
      preemption_(preemption),
      deps_(deps),
      costs_(deps.ksrs, deps.smsrs),
      latencies_(preemption, stats) {
  leaving_.reserve(limits.block_slots);
  answers_.reserve(limits.block_slots);
  add_counters(stats, preemption.answers(Handover::kFlush), preemption.saves_live_registers());
}

void Handovers::add_counters(Group& stats, bool may_flush, bool saves_live_registers) {
  stats.add(drains_, "drains", "drain", "slices whose blocks were drained for another kernel");
  stats.add(switches_, "switches", "switch",
            "slices whose blocks were saved to swap space for another kernel");
  stats.add(blocks_saved_, "blocks_saved", "block", "thread blocks reported saved by SMs");
  stats.add(blocks_dropped_, "blocks_dropped", "block",
            "thread blocks that ended in swap space, with their context");
  if (saves_live_registers) {
    stats.add(saved_bytes_, "saved_bytes", "byte",
              "registers, states of warps and shared memory of blocks that cycle SMs saved");
    stats.add(dead_bytes_, "dead_bytes", "byte",
              "registers of these blocks that were not saved, because no instruction reads them again");
    stats.add(whole_warps_, "whole_warps", "warp",
              "warps of these blocks that saved all their registers, because the live ones are not known");
  }
  if (!may_flush) return;
  stats.add(flushes_, "flushes", "flush", "slices whose blocks were flushed for another kernel");
  stats.add(mixed_, "mixed_handovers", "hand-over", "slices whose blocks left in more than one way");
  stats.add(blocks_flushed_, "blocks_flushed", "block",
            "thread blocks reported flushed by SMs, which start over");
  stats.add(blocks_not_restartable_, "blocks_not_restartable", "block",
            "thread blocks drained in place of flushed, because their kernel may not be restarted");
  stats.add(lost_cycles_, "lost_cycles", "block*cycle",
            "core cycles from the issue of flushed blocks on, without those in swap space");
}

void Handovers::reset() {
  costs_.reset();
  latencies_.reset();
}

void Handovers::begin(Cycle now, SmId sm, SliceEntry& entry) {
  const KsrId ksr = entry.slice.kernel;
  decide(now, sm, ksr);
  entry.left_at = now;
  entry.way = let_go(sm, deps_.ksrs[ksr]);
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
  deps_.observers.tell(&EngineObserver::slice_event, now, SliceEvent::kLeaving, sm, ksr);
}

// Lists the blocks of the slice in `leaving_`, and asks the policy for `answers_`.
void Handovers::decide(Cycle now, SmId sm, KsrId ksr) {
  leaving_.clear();
  for (SmResources::Held& held : deps_.smsrs[sm.value].resources.held())
    if (held.ksr == ksr && !held.leaves) leaving_.push_back(&held);
  std::sort(leaving_.begin(), leaving_.end(),
            [](const SmResources::Held* a, const SmResources::Held* b) { return a->block < b->block; });
  answers_.assign(leaving_.size(), Handover::kDrain);
  preemption_.decide({sm, ksr, static_cast<std::uint32_t>(leaving_.size()), &costs_,
                      deps_.ksrs[ksr].launch.restartable, save_bytes_per_cycle_},
                     answers_);
  HEDDLE_CHECK(answers_.size() == leaving_.size(), kEngineName, now, "{} answers for {} blocks",
               answers_.size(), leaving_.size());
}

// Lets the blocks of `leaving_` go as `answers_` says. A slice without a block drains.
HandoverWay Handovers::let_go(SmId sm, const Ksr& kernel) {
  HandoverWay way = HandoverWay::kDrain;
  for (std::size_t i = 0; i < leaving_.size(); ++i) {
    SmResources::Held& held = *leaving_[i];
    Handover answer = answers_[i];
    if (answer == Handover::kFlush && !kernel.launch.restartable) {
      ++blocks_not_restartable_;
      answer = Handover::kDrain;
    }
    if (kernel.launch.shape.cluster > 1) answer = Handover::kDrain;  // the others of its cluster wait for it
    way = i == 0 || way == way_of(answer) ? way_of(answer) : HandoverWay::kMixed;
    if (answer == Handover::kDrain) continue;
    held.leaves = true;
    deps_.shares.block_left(sm, held.ksr);
    if (answer == Handover::kSwitch)
      save(sm, held);
    else
      deps_.port.flush(sm, held.ksr, held.block);
  }
  return way;
}

void Handovers::save(SmId sm, SmResources::Held& held) {
  if (!held.area)
    held.area =
        deps_.ksrs[held.ksr].saved.take_area(held.ksr.value, static_cast<std::uint32_t>(deps_.ksrs.size()));
  deps_.shares.state_leaves(sm);
  deps_.port.save(sm, held.ksr, held.block, *held.area);
}

void Handovers::end(Cycle now, SmId sm, const SliceEntry& entry) {
  const std::uint64_t cycles = now - entry.left_at;
  latencies_.record(entry.way, cycles);
  deps_.observers.tell(&EngineObserver::handed_over, now, sm, entry.slice.kernel, entry.way, cycles);
}

SavedBlocks::Waiting Handovers::saved(Cycle now, SmId sm, KsrId ksr, BlockId block,
                                      const std::shared_ptr<const SavedBlock>& contents) {
  const SmResources::Held held = take_back(now, sm, ksr, block);
  ++blocks_saved_;
  saved_bytes_ += contents->saved_bytes;
  dead_bytes_ += contents->dead_bytes;
  whole_warps_ += contents->whole_warps;
  deps_.observers.tell(&EngineObserver::block_saved, now, sm, ksr, block);
  return {block, contents, now - held.since};
}

SavedBlocks::Waiting Handovers::flushed(Cycle now, SmId sm, KsrId ksr, BlockId block, const SmWork& work) {
  const SmResources::Held held = take_back(now, sm, ksr, block);
  if (held.area) deps_.ksrs[ksr].saved.give_back_area(*held.area);
  ++blocks_flushed_;
  lost_cycles_ += now - held.since;
  deps_.observers.tell(&EngineObserver::block_flushed, now, sm, ksr, block, work, now - held.since);
  return {block, nullptr, 0};
}

// Returns what the block held on the SM that it has left.
SmResources::Held Handovers::take_back(Cycle now, SmId sm, KsrId ksr, BlockId block) {
  Smsr& smsr = deps_.smsrs[sm.value];
  SliceEntry* entry = smsr.find(ksr);
  const auto held =
      entry == nullptr ? std::nullopt : smsr.resources.give_back(ksr, block, deps_.ksrs[ksr].need);
  HEDDLE_CHECK(held && held->leaves && entry->running > 0, kEngineName, now,
               "block {} left SM {}, where it never was", block.value, sm.value);
  --entry->running;
  entry->restoring -= held->restoring ? 1 : 0;
  return *held;
}

bool Handovers::restored(SmId sm, KsrId ksr, BlockId block) {
  for (SmResources::Held& held : deps_.smsrs[sm.value].resources.held()) {
    if (held.ksr != ksr || held.block != block) continue;
    held.restoring = false;
    --deps_.smsrs[sm.value].find(ksr)->restoring;
    return true;
  }
  return false;
}

void Handovers::halt(Cycle now, KsrId id) {
  Ksr& ksr = deps_.ksrs[id];
  deps_.observers.tell(&EngineObserver::kernel_event, now, KernelEvent::kHalted, id, ksr.launch);
  ksr.launch.blocks = ksr.issued;
  while (ksr.saved.size() > 0) drop(now, id, ksr.saved.pop());
  for (std::uint32_t sm = 0; sm < deps_.smsrs.size(); ++sm)
    if (const SliceEntry* entry = deps_.smsrs[sm].find(id); entry != nullptr && entry->running > 0)
      deps_.port.halt(SmId{sm}, id);
}

void Handovers::drop(Cycle now, KsrId ksr, const SavedBlocks::Waiting& block) {
  ++deps_.ksrs[ksr].done;
  ++blocks_dropped_;
  SmWork work = block.contents != nullptr ? block.contents->work : SmWork{};
  work.blocks = 1;
  deps_.observers.tell(&EngineObserver::block_dropped, now, ksr, block.block, work);
}

}  // namespace heddle
