#pragma once
// The functions of WarpPipeline, for the sources that instantiate it.

#include <algorithm>
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
      memory_(deps.memory),
      tally_(deps.tally),
      use_(deps.use),
      managed_(deps.residence.managed()),
      mapped_(managed_ != nullptr && managed_->maps() ? managed_ : nullptr),
      is_watched_(use_ != nullptr || managed_ != nullptr),
      units_(spec, stats),
      waits_(spec, table_, managed_, units_.reads()),
      schedulers_(spec, table_, resident_, std::move(deps.schedulers)),
      front_end_(spec, table_, resident_, deps.residence.work().counts()),
      lsu_(spec, local, swap, deps.residence.work().counts()),
      to_swap_(lsu_, table_),
      bulk_(spec.copy_unit, table_, deps.residence.work().counts()),
      outbox_(lsu_, table_, deps.residence.work().counts()) {}

template <class FrontEnd, class Units>
void WarpPipeline<FrontEnd, Units>::reset() {
  schedulers_.reset();
  table_ = {};
  waits_.reset();
  front_end_.reset();
  units_.reset();
  lsu_.reset();
  to_swap_.reset();
  bulk_.reset();
  outbox_.reset();
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
  lsu_.trace(tracer);
  bulk_.trace(tracer);
}

template <class FrontEnd, class Units>
void WarpPipeline<FrontEnd, Units>::set_kernel(const KernelLaunch& launch, const KernelProgram& program) {
  if (program.takes_turns()) waits_.find_turns();
  lsu_.invalidate(launch.context);
  if (spec_.code_is_dropped) front_end_.invalidate(launch.context);
}

template <class FrontEnd, class Units>
void WarpPipeline<FrontEnd, Units>::start_warp(std::uint32_t slot, BlockStream& stream) {
  table_.warps[slot].start(stream, resident_.warps[slot]);
  if constexpr (Units::kFollowsControlBits) waits_.end_stall(slot);
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
  const bool is_copy = request.answers == RequestNumber::Answers::kBulkCopy;
  const std::optional<std::uint32_t> slot = is_copy ? bulk_.answer(request.index) : lsu_.answer(request);
  if (!slot) return;
  if (is_copy) {
    const ResidentBlock& block = resident_.block_of(*slot);
    outbox_.completed(block);
    waits_.find_waits_for_phases(block.running);
  } else {
    --table_.warps[*slot].stores;
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
    if (mapped_ != nullptr) mapped_->write_registers(slot, code);
    if (tracer_ != nullptr) tracer_->write_back(slot, code, now);
  }
  complete(slot, now);
}

template <class FrontEnd, class Units>
Cycle WarpPipeline<FrontEnd, Units>::advance(Cycle now) {
  // Transfers go before the instructions that have their operands.
  if (to_swap_.can_step()) to_swap_.step(now);
  units_.advance(now);
  if constexpr (Units::kFollowsControlBits) waits_.advance(now);
  if (units_.has_result(now))
    units_.write_back(now, [this, now](std::uint32_t slot, const Instruction& code, std::uint32_t group) {
      if (code.operation == Operation::kTensorGroup)
        table_.warps[slot].products.remove(static_cast<std::uint8_t>(group));
      retire(slot, code, now);
    });
  if (!lsu_.quiet()) access_memory(now);
  enter_memory(now);
  bulk_.step(now);
  units_.step(now);
  const WarpMask takes_turns = table_.next.takes_turns & ready();
  if (takes_turns != 0 && (takes_turns & open(now)) != 0) {
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
  if (has_request()) send(now);
  wants_to_send_ = has_request();
  return next_wake(now);
}

// The load/store unit gives one load a cycle, when the units can take its data to the registers.
template <class FrontEnd, class Units>
void WarpPipeline<FrontEnd, Units>::access_memory(Cycle now) {
  if (const AddressUnit::Entry* const loaded = lsu_.loaded(now); loaded != nullptr) {
    const LoadWrite write = units_.write_load(*loaded->code, loaded->owner.warp, now);
    if (write != LoadWrite::kWaits) {
      const LoadStoreUnit::Retired load = lsu_.take_loaded(now);
      if (write == LoadWrite::kDone) load_done(load, now);
    }
  }
  for (LoadStoreUnit::Retired retired; lsu_.take_stored(retired);)
    if (retired.code->space != MemorySpace::kSwap) retire(retired.warp, *retired.code, now);
  lsu_.step(now);
  for (const std::uint32_t slot : lsu_.stores_sent()) ++table_.warps[slot].stores;
  lsu_.stores_sent().clear();
}

template <class FrontEnd, class Units>
void WarpPipeline<FrontEnd, Units>::load_done(const LoadStoreUnit::Retired& load, Cycle now) {
  IssueWarp& warp = table_.warps[load.warp];
  if (load.code->asynchronous) warp.copies.remove(load.copy_group);
  if (load.code->space != MemorySpace::kSwap) return retire(load.warp, *load.code, now);
  --warp.swap_loads;
  --warp.in_flight;
  complete(load.warp, now);
}

template <class FrontEnd, class Units>
void WarpPipeline<FrontEnd, Units>::enter_memory(Cycle now) {
  for (std::uint32_t left = units_.memory_ports(); left > 0 && units_.has_memory(now) && lsu_.has_room();
       --left) {
    const UnitInstruction instruction = units_.take_memory(now);
    lsu_.enter(instruction.entry, now);
    if constexpr (Units::kFollowsControlBits) waits_.read(instruction.warp, *instruction.code);
  }
}

template <class FrontEnd, class Units>
[[gnu::always_inline]] inline UnitKind WarpPipeline<FrontEnd, Units>::issue_one(std::size_t scheduler,
                                                                                std::uint32_t slot,
                                                                                Cycle now) {
  IssueWarp& warp = table_.warps[slot];
  ResidentBlock& block = residence_.block(warp.block);
  const Instruction& code = *warp.buffer[0];
  issued_.now = now;
  issued_.code = &code;
  issued_.redirected = false;
  warp.stream->issue(warp.number, issued_);
  warp.pop();
  if (issued_.redirected) {
    warp.buffered = 0;
    front_end_.redirect(slot, now);
  } else if (!issued_.ended) {
    front_end_.issued(slot, warp, now);
  }

  const UnitKind unit = waits_.unit_of(code);
  tally_.issued(block.context);
  ++instructions_issued_;
  block.issues.count(unit, code, static_cast<std::uint32_t>(__builtin_popcount(issued_.mask)));
  UnitInstruction instruction{&code, 0, static_cast<std::uint16_t>(slot), unit, code.operation};
  if (unit == UnitKind::kMemory) {
    instruction.code = issued_.code;  // the addresses of a generic access decide its space
    instruction.entry = prepare_memory(warp, block, slot, now);
  }
  const bool is_special = waits_.is_special(code.operation);
  if (is_special && code.operation == Operation::kTensorGroup) instruction.entry = warp.products.add();
  units_.issue(scheduler, instruction, now);
  ++warp.in_flight;
  warp.scoreboard.reserve(code, unit == UnitKind::kMemory);
  if constexpr (Units::kFollowsControlBits)
    if (code.control.is_known) waits_.follow(slot, code.control, now);
  if (is_special && issued_.mask != 0) {
    if (code.operation == Operation::kCopyCommit) warp.copies.commit();
    if (code.operation == Operation::kProductCommit) warp.products.commit();
    if (BulkCopyUnit::has_part_in(code.operation))
      bulk_.issued(code.operation, {slot, block.context, block.account}, now);
  }
  if (code.reaches_cluster) outbox_.issued(slot, block, code, instruction.entry);
  if (is_watched_) {
    watch_issue(slot, block, code, now);
    if (tracer_ != nullptr) tracer_->issue(slot, issued_, unit, now);
  }
  if (issued_.ended) {
    warp.buffered = 0;
    front_end_.ended(slot);
    waits_.set_next(slot);
    schedulers_.end(slot);
    residence_.end_warp(slot, now);
  } else {
    waits_.issued(slot, warp);
    if (is_special && code.operation == Operation::kBarrier) residence_.arrive(slot, *issued_.code);
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
  const UnitKind first = issue_one(scheduler, slot, now);
  if (spec_.issue_width > 1) issue_more(scheduler, slot, first, now);
  return slot;
}

template <class FrontEnd, class Units>
[[gnu::noinline]] void WarpPipeline<FrontEnd, Units>::issue_more(std::size_t scheduler, std::uint32_t slot,
                                                                 UnitKind last, Cycle now) {
  for (std::uint32_t i = 1; i < spec_.issue_width; ++i) {
    if ((ready() & open(scheduler, now) & bit(slot)) == 0) return;
    if (waits_.unit_of(*table_.warps[slot].buffer[0]) == last) return;
    last = issue_one(scheduler, slot, now);
  }
}

template <class FrontEnd, class Units>
void WarpPipeline<FrontEnd, Units>::issue_from_schedulers(Cycle now) {
  std::uint32_t issued = 0;
  CycleAccounts::Slots slots;  // of the warps that issue
  if (WarpMask may_issue = ready(); may_issue != 0) {
    std::size_t i = schedulers_.first();
    do {
      WarpMask candidates = may_issue & schedulers_.warps_of(i);
      if (candidates != 0) candidates &= open(i, now);
      if (candidates == 0) continue;
      const std::uint32_t slot = issue_from(i, candidates, now);
      if (slot == WarpScheduler::kDecline) continue;
      issued |= 1u << i;
      slots[i] = static_cast<std::uint8_t>(slot);
      // The instruction may have taken resources from a ready warp.
      if (managed_ != nullptr) may_issue &= ~resident_.pending;
    } while ((i = schedulers_.after(i)) != schedulers_.first());
    if (issued != 0) schedulers_.end_turns();
  }
  issued_any_ = issued != 0;
  if (tracer_ != nullptr) tracer_->wait(resident_, table_, open(now), now);
  accounts_.account(resident_, table_.next, issued, slots, now);
}

template <class FrontEnd, class Units>
std::uint32_t WarpPipeline<FrontEnd, Units>::prepare_memory(IssueWarp& warp, const ResidentBlock& block,
                                                            std::uint32_t slot, Cycle now) {
  MemoryOwner owner{slot, block.context, block.account};
  if (issued_.code->asynchronous) owner.copy_group = warp.copies.add();
  std::uint32_t swapped = 0;
  if (mapped_ != nullptr && issued_.code->space == MemorySpace::kShared)
    swapped = mapped_->access_shared(slot, issued_.mask, issued_.addresses);
  return lsu_.addresses().prepare(issued_, owner, now, swapped);
}

template <class FrontEnd, class Units>
void WarpPipeline<FrontEnd, Units>::watch_issue(std::uint32_t slot, const ResidentBlock& block,
                                                const Instruction& code, Cycle now) {
  IssueWarp& warp = table_.warps[slot];
  if (use_ != nullptr)
    use_->count(now, slot, warp.block, residence_.launch(block.ksr).shape.registers_per_thread, issued_);
  if (managed_ == nullptr) return;
  warp.sources_read = false;
  if (code.operation == Operation::kPhase) managed_->start_phase(slot, code.phase);
}

// Sends at most one request in a cycle. A request for instructions comes first. If both the load/store unit
// and the copy unit have a request, the two units take turns.
template <class FrontEnd, class Units>
void WarpPipeline<FrontEnd, Units>::send(Cycle now) {
  if (!memory_.can_send(now)) return;
  const bool is_fetch = front_end_.has_request();
  const bool is_copy = !is_fetch && bulk_.has_turn(lsu_.has_request());
  const MemoryRequest& request = is_fetch ? front_end_.request() : is_copy ? bulk_.request() : lsu_.request();
  if (tracer_ != nullptr) tracer_->pass(TraceStage::kSend, request.trace, now);
  memory_.send(request, now);
  if (is_fetch) return front_end_.pop_request();
  if (!is_copy) return lsu_.pop_request();
  if (const std::optional<std::uint32_t> slot = bulk_.pop_request()) complete(*slot, now);
}

template <class FrontEnd, class Units>
Cycle WarpPipeline<FrontEnd, Units>::next_wake(Cycle now) const {
  const WarpMask warps = ready();
  if (issued_any_ || to_swap_.can_step() || (warps != 0 && (warps & open(now + 1)) != 0)) return now + 1;
  const Cycle next = std::min({front_end_.next_wake(now), lsu_.next_wake(now), bulk_.next_wake(now),
                               units_.next_wake(warps, table_, lsu_.has_room(), now), waits_.next_wake()});
  if (tracer_ != nullptr && next > now + 1) tracer_->later(resident_, table_, open(now + 1), now);
  return next;
}

}  // namespace heddle
