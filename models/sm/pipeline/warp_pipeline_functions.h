#pragma once
// The functions of WarpPipeline, for the sources that instantiate it.

#include <algorithm>
#include <optional>
#include <utility>

#include "models/sm/pipeline/warp_pipeline.h"

namespace heddle {

template <class FrontEnd, class Units>
WarpPipeline<FrontEnd, Units>::WarpPipeline(const CycleSmSpec& spec, const LocalLayout& local, Address swap,
                                            WarpPipelineDeps deps, Group& stats)
    : spec_(spec),
      residence_(deps.residence),
      resident_(deps.residence.table()),
      accounts_(deps.accounts),
      tally_(deps.tally),
      watch_(deps.residence, deps.use),
      is_watched_(watch_.is_needed()),
      units_(spec, stats),
      waits_(spec, table_, watch_.managed(), units_.reads()),
      schedulers_(spec, table_, resident_, std::move(deps.schedulers)),
      front_end_(spec, table_, resident_, deps.residence.work().counts()),
      memory_(spec, local, swap, deps.memory, watch_.mapped(), table_, deps.residence.work().counts()) {}

template <class FrontEnd, class Units>
void WarpPipeline<FrontEnd, Units>::reset() {
  schedulers_.reset();
  table_ = {};
  waits_.reset();
  front_end_.reset();
  units_.reset();
  memory_.reset();
  issued_ = {};
  instructions_issued_ = 0;
  issued_any_ = wants_to_send_ = false;
}

template <class FrontEnd, class Units>
void WarpPipeline<FrontEnd, Units>::trace(WarpTracer& tracer) {
  tracer_ = &tracer;
  is_watched_ = true;
  front_end_.trace(tracer);
  units_.trace(tracer);
  memory_.trace(tracer);
}

template <class FrontEnd, class Units>
void WarpPipeline<FrontEnd, Units>::set_kernel(const KernelLaunch& launch, const KernelProgram& program) {
  if (program.takes_turns()) waits_.find_turns();
  memory_.invalidate(launch.context);
  if (spec_.code_is_dropped) front_end_.invalidate(launch.context);
  if constexpr (Units::kFollowsControlBits) units_.constants().drop(launch.account);
}

template <class FrontEnd, class Units>
void WarpPipeline<FrontEnd, Units>::start_warp(std::uint32_t slot, BlockStream& stream) {
  table_.warps[slot].start(stream, resident_.warps[slot]);
  if constexpr (Units::kFollowsControlBits) {
    waits_.end_stall(slot);
    units_.constants().start(slot);
  }
  schedulers_.start(slot);
  if (tracer_ != nullptr) tracer_->start(slot, resident_);
}

template <class FrontEnd, class Units>
void WarpPipeline<FrontEnd, Units>::stop_warp(std::uint32_t slot) {
  front_end_.drop(slot);
  table_.warps[slot].buffered = 0;
  waits_.set_next(slot);
  schedulers_.end(slot);
}

template <class FrontEnd, class Units>
void WarpPipeline<FrontEnd, Units>::resume(WarpMask warps) {
  for_each_slot(warps & table_.next.buffered, [this](std::uint32_t slot) { waits_.find_wait(slot); });
}

template <class FrontEnd, class Units>
void WarpPipeline<FrontEnd, Units>::answer(std::uint64_t number, Cycle now) {
  const RequestNumber request = RequestNumber::of(number);
  if (request.answers == RequestNumber::Answers::kFetch) return front_end_.answer(request.index, now);
  const std::optional<std::uint32_t> slot = memory_.answer(request);
  if (!slot) return;
  if (request.answers == RequestNumber::Answers::kBulkCopy) {
    const ResidentBlock& block = resident_.block_of(*slot);
    memory_.outbox().completed(block);
    waits_.find_waits_for_phases(block.running);
  }
  complete(*slot, now);
}

template <class FrontEnd, class Units>
[[gnu::always_inline]] inline void WarpPipeline<FrontEnd, Units>::retire(std::uint32_t slot,
                                                                         const Instruction& code, Cycle now) {
  IssueWarp& warp = table_.warps[slot];
  --warp.in_flight;
  warp.scoreboard.release(code);
  if constexpr (Units::kFollowsControlBits)
    if (code.control.is_known) IssueWaits::end(warp, code);
  if (is_watched_) {
    watch_.write_back(slot, code);
    if (tracer_ != nullptr) tracer_->write_back(slot, code, now);
  }
  complete(slot, now);
}

template <class FrontEnd, class Units>
Cycle WarpPipeline<FrontEnd, Units>::advance(Cycle now) {
  // Transfers go before the instructions that have their operands.
  if (memory_.can_step_swap()) memory_.step_swap(now);
  units_.advance(now);
  if constexpr (Units::kFollowsControlBits) waits_.advance(now);
  if (units_.has_result(now))
    units_.write_back(now, [this, now](std::uint32_t slot, const Instruction& code, std::uint32_t group) {
      if (code.operation == Operation::kTensorGroup)
        table_.warps[slot].groups.products.remove(static_cast<std::uint8_t>(group));
      retire(slot, code, now);
    });
  if (!memory_.is_quiet())
    memory_.access(
        units_, now, [this, now](std::uint32_t slot, const Instruction& code) { retire(slot, code, now); },
        [this, now](std::uint32_t slot) { complete(slot, now); });
  if (units_.has_memory(now)) memory_.enter(units_, now);
  end_reads(now);
  memory_.step_copies(now);
  units_.step(now);
  if (const WarpMask warps = table_.next.takes_turns & ready(); warps != 0 && (warps & open(now)) != 0) {
    wants_to_send_ = has_request();
    return kWaitsForTurn;
  }
  return issue_and_fetch(now);
}

template <class FrontEnd, class Units>
[[gnu::always_inline]] inline Cycle WarpPipeline<FrontEnd, Units>::issue_and_fetch(Cycle now) {
  issue_from_schedulers(now);
  if (front_end_.has_fetched(now))
    for_each_slot(front_end_.decode(now), [this, now](std::uint32_t slot) {
      if (tracer_ != nullptr) tracer_->decode(table_, slot, now);
      waits_.set_next(slot);
    });
  front_end_.fetch(now);
  if (has_request())
    if (const std::optional<std::uint32_t> slot = memory_.send(front_end_, now)) complete(*slot, now);
  wants_to_send_ = has_request();
  return issued_any_ ? now + 1 : next_wake(now);
}

template <class FrontEnd, class Units>
[[gnu::always_inline]] inline void WarpPipeline<FrontEnd, Units>::end_reads([[maybe_unused]] Cycle now) {
  if constexpr (Units::kFollowsControlBits)
    if (units_.has_read(now))
      units_.take_read(now, [this, now](std::uint32_t slot, const Instruction& code) {
        --table_.warps[slot].in_flight;
        IssueWaits::read(table_.warps[slot], code);
        complete(slot, now);
      });
}

template <class FrontEnd, class Units>
[[gnu::noinline]] std::uint32_t WarpPipeline<FrontEnd, Units>::issue_to_memory(std::size_t scheduler,
                                                                               std::uint32_t slot,
                                                                               const ResidentBlock& block,
                                                                               Cycle now) {
  const Operation operation = issued_.code->operation;
  const std::uint32_t entry = memory_.prepare(issued_, {slot, block.context, block.account}, now);
  // The code is that of `issued_`, because the addresses of a generic access decide its space.
  const auto warp = static_cast<std::uint16_t>(slot);
  units_.issue(scheduler, {issued_.code, entry, warp, UnitKind::kMemory, operation}, now);
  return entry;
}

template <class FrontEnd, class Units>
[[gnu::always_inline]] inline UnitKind WarpPipeline<FrontEnd, Units>::issue_one(std::size_t scheduler,
                                                                                std::uint32_t slot,
                                                                                Cycle now) {
  IssueWarp& warp = table_.warps[slot];
  ResidentBlock& block = residence_.block(warp.block);
  const Instruction& code = *warp.buffer[0];
  issued_.now = now;
  warp.stream->issue(warp.number, issued_);
  if (issued_.redirected || issued_.ended) {
    warp.buffered = 0;
    if (issued_.redirected) front_end_.redirect(slot, now);
  } else {
    front_end_.issued(slot, warp, now);
  }

  const IssueWaits::Kind kind = waits_.kind_of(code);
  const UnitKind unit = kind.unit();
  tally_.issued(block.context);
  block.issues.count(unit, code, static_cast<std::uint32_t>(__builtin_popcount(issued_.mask)));
  std::uint32_t entry = 0;  // of the UnitInstruction
  if (unit == UnitKind::kMemory) {
    entry = issue_to_memory(scheduler, slot, block, now);
  } else {
    if (kind.is_special() && code.operation == Operation::kTensorGroup) entry = warp.groups.products.add();
    units_.issue(scheduler, {&code, entry, static_cast<std::uint16_t>(slot), unit, code.operation}, now);
  }
  // A memory instruction of a sub-core counts once more until it has read its registers.
  warp.in_flight = static_cast<std::uint16_t>(
      warp.in_flight + (Units::kFollowsControlBits && unit == UnitKind::kMemory ? 2 : 1));
  warp.scoreboard.reserve(code, unit == UnitKind::kMemory);
  if constexpr (Units::kFollowsControlBits)
    if (code.control.is_known) waits_.follow(slot, code.control, now);
  if (kind.is_special() && issued_.mask != 0) {
    warp.groups.commit(code.operation);
    if (code.operation == Operation::kBulkCopy)
      memory_.start_copies({slot, block.context, block.account}, now);
  }
  if (code.reaches_cluster) memory_.outbox().issued(slot, block, code, entry);
  if (is_watched_) {
    watch_.issue(slot, warp, code, issued_, now);
    if (tracer_ != nullptr) tracer_->issue(slot, issued_, unit, now);
  }
  if (issued_.ended) {
    front_end_.ended(slot);
    waits_.set_next(slot);
    schedulers_.end(slot);
    residence_.end_warp(slot, now);
  } else {
    waits_.issued(slot, warp);
    if (kind.is_special() && code.operation == Operation::kBarrier) residence_.arrive(slot, *issued_.code);
  }
  if (code.signals) waits_.find_waits_for_phases(block.running);
  return unit;
}

template <class FrontEnd, class Units>
[[gnu::always_inline]] inline std::uint32_t WarpPipeline<FrontEnd, Units>::issue_from(std::size_t scheduler,
                                                                                      WarpMask candidates,
                                                                                      Cycle now) {
  const std::uint32_t slot = schedulers_.pick(scheduler, candidates, now);
  if (slot == WarpScheduler::kDecline) return slot;
  if constexpr (Units::kFollowsControlBits)
    if (const Instruction& code = *table_.warps[slot].buffer[0]; code.has_constants()) {
      const AccountId launch = resident_.block_of(slot).account;
      if (waits_.stall_until(slot, units_.fetch_constants(scheduler, slot, launch, code, now), now))
        return WarpScheduler::kDecline;
    }
  [[maybe_unused]] const UnitKind first = issue_one(scheduler, slot, now);
  if constexpr (Units::kIssuesSeveral)
    if (spec_.issue_width > 1) issue_more(scheduler, slot, first, now);
  return slot;
}

template <class FrontEnd, class Units>
[[gnu::noinline]] void WarpPipeline<FrontEnd, Units>::issue_more(std::size_t scheduler, std::uint32_t slot,
                                                                 UnitKind last, Cycle now) {
  for (std::uint32_t i = 1; i < spec_.issue_width; ++i) {
    const WarpMask open = with_entry(bit(slot) & units_.open(scheduler, table_, now));
    if ((ready() & open) == 0 || waits_.unit_of(*table_.warps[slot].buffer[0]) == last) return;
    ++instructions_issued_;
    last = issue_one(scheduler, slot, now);
  }
}

template <class FrontEnd, class Units>
[[gnu::always_inline]] inline void WarpPipeline<FrontEnd, Units>::issue_from_schedulers(Cycle now) {
  std::uint32_t issued = 0;
  CycleAccounts::Slots slots;  // of the warps that issue
  if (WarpMask may_issue = ready(); may_issue != 0) {
    std::size_t i = schedulers_.first();
    do {
      WarpMask candidates = may_issue & schedulers_.warps_of(i);
      if (candidates != 0) candidates = with_entry(candidates & units_.open(i, table_, now));
      if (candidates == 0) continue;
      const std::uint32_t slot = issue_from(i, candidates, now);
      if (slot == WarpScheduler::kDecline) continue;
      issued |= 1u << i;
      slots[i] = static_cast<std::uint8_t>(slot);
      // The instruction may have taken resources from a ready warp.
      if (watch_.managed() != nullptr) may_issue &= ~resident_.pending;
    } while ((i = schedulers_.after(i)) != schedulers_.first());
    if (issued != 0) schedulers_.end_turns();
  }
  issued_any_ = issued != 0;
  instructions_issued_ += static_cast<std::uint32_t>(__builtin_popcount(issued));
  if (tracer_ != nullptr) tracer_->wait(resident_, table_, open(now), now);
  accounts_.account(resident_, table_.next, issued, slots, now);
}

template <class FrontEnd, class Units>
Cycle WarpPipeline<FrontEnd, Units>::next_wake(Cycle now) const {
  const WarpMask warps = ready();
  if (memory_.can_step_swap() || (warps != 0 && (warps & open(now + 1)) != 0)) return now + 1;
  const Cycle next = std::min({front_end_.next_wake(now), memory_.next_wake(now),
                               units_.next_wake(warps, table_, memory_.has_room(), now), waits_.next_wake()});
  if (tracer_ != nullptr && next > now + 1) tracer_->later(resident_, table_, open(now + 1), now);
  return next;
}

}  // namespace heddle
