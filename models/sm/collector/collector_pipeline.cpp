#include "models/sm/collector/collector_pipeline.h"

#include <algorithm>

namespace heddle {

CollectorPipeline::CollectorPipeline(const CycleSmSpec& spec, const LocalLayout& local, Address swap,
                                     Deps deps, Group& stats)
    : spec_(spec),
      residence_(deps.residence),
      resident_(deps.residence.table()),
      accounts_(deps.accounts),
      memory_(deps.memory),
      tally_(deps.tally),
      use_(deps.use),
      managed_(deps.residence.managed()),
      mapped_(managed_ != nullptr && managed_->maps() ? managed_ : nullptr),
      watches_issue_(use_ != nullptr || managed_ != nullptr),
      waits_(spec, table_, managed_),
      schedulers_(spec, table_, resident_, std::move(deps.schedulers)),
      memory_ports_(spec.unit(UnitKind::kMemory).ports),
      front_end_(spec, table_, resident_, deps.residence.work().counts()),
      units_(spec, stats),
      collector_(spec, units_),
      lsu_(spec, local, swap, deps.residence.work().counts()),
      to_swap_(lsu_) {}

void CollectorPipeline::reset() {
  schedulers_.reset();
  table_ = {};
  waits_.reset();
  front_end_.reset();
  units_.reset();
  collector_.reset();
  lsu_.reset();
  to_swap_.reset();
  issued_ = {};
  instructions_issued_ = 0;
  issued_any_ = wants_to_send_ = false;
}

void CollectorPipeline::trace(WarpTracer& tracer) {
  tracer_ = &tracer;
  front_end_.trace(tracer);
  collector_.trace(tracer);
  units_.trace(tracer);
  lsu_.trace(tracer);
}

void CollectorPipeline::set_kernel(const KernelLaunch& launch, const KernelProgram& program) {
  if (program.takes_turns()) waits_.find_turns();
  lsu_.invalidate(launch.context);
  if (spec_.code_is_dropped) front_end_.invalidate(launch.context);
}

void CollectorPipeline::start_warp(std::uint32_t slot, BlockStream& stream) {
  IssueWarp& warp = table_.warps[slot];
  warp = IssueWarp{};
  warp.stream = &stream;
  warp.number = resident_.warps[slot].number;
  warp.block = resident_.warps[slot].block;
  schedulers_.start(slot);
  if (tracer_ != nullptr) tracer_->start(slot, resident_);
}

void CollectorPipeline::stop_warp(std::uint32_t slot) {
  front_end_.drop(slot);
  table_.warps[slot].buffered = 0;
  waits_.set_next(slot);
  schedulers_.end(slot);
}

void CollectorPipeline::resume(WarpMask warps) {
  for_each_slot(warps & table_.next.buffered, [this](std::uint32_t slot) { waits_.find_wait(slot); });
}

void CollectorPipeline::move(const SwapAccess& access) {
  to_swap_.push(access);
  const std::uint32_t slot = access.owner.warp;
  IssueWarp& warp = table_.warps[slot];
  if (access.is_saved) {
    ++warp.in_flight;
  } else if (access.transfer.is_load) {
    ++warp.swap_loads;
    ++warp.in_flight;
    if ((table_.next.buffered & bit(slot)) != 0) table_.next.wait_memory |= bit(slot);
  }
}

void CollectorPipeline::answer(std::uint64_t number, Cycle now) {
  const RequestNumber request = RequestNumber::of(number);
  if (request.answers == RequestNumber::Answers::kFetch) return front_end_.answer(request.index);
  if (const std::optional<std::uint32_t> slot = lsu_.answer(request)) {
    --table_.warps[*slot].stores;
    complete(*slot, now);
  }
}

[[gnu::always_inline]] inline void CollectorPipeline::retire(std::uint32_t slot, const Instruction& code,
                                                             Cycle now) {
  IssueWarp& warp = table_.warps[slot];
  --warp.in_flight;
  warp.scoreboard.release(code);
  if (mapped_ != nullptr) mapped_->write_registers(slot, code);
  if (tracer_ != nullptr) tracer_->write_back(slot, code, now);
  complete(slot, now);
}

Cycle CollectorPipeline::advance(Cycle now) {
  // Transfers go before the instructions that have their operands.
  if (to_swap_.can_step()) to_swap_.step(now);
  units_.advance(now);
  if (units_.has_result(now))
    units_.write_back(now, [this, now](const UnitInstruction& instruction) {
      retire(instruction.warp, *instruction.code, now);
    });
  if (!lsu_.quiet()) access_memory(now);
  enter_memory(now);
  collector_.step(now);
  const WarpMask takes_turns = table_.next.takes_turns & ready();
  if (takes_turns != 0 && (takes_turns & open()) != 0) {
    wants_to_send_ = has_request();
    return kWaitsForTurn;
  }
  return issue_and_fetch(now);
}

Cycle CollectorPipeline::issue(Cycle now) {
  return issue_and_fetch(now);
}

[[gnu::always_inline]] inline Cycle CollectorPipeline::issue_and_fetch(Cycle now) {
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

// The load/store unit writes the registers of one load a cycle, when their banks are free.
void CollectorPipeline::access_memory(Cycle now) {
  if (const AddressUnit::Entry* const loaded = lsu_.loaded(now);
      loaded != nullptr && units_.write_load(*loaded->code, loaded->owner.warp, now))
    load_done(lsu_.take_loaded(now), now);
  for (LoadStoreUnit::Retired retired; lsu_.take_stored(retired);)
    if (retired.code->space != MemorySpace::kSwap) retire(retired.warp, *retired.code, now);
  lsu_.step(now);
  for (const std::uint32_t slot : lsu_.stores_sent()) ++table_.warps[slot].stores;
  lsu_.stores_sent().clear();
}

void CollectorPipeline::load_done(const LoadStoreUnit::Retired& load, Cycle now) {
  if (load.code->asynchronous) table_.warps[load.warp].copies.remove(load.copy_group);
  if (load.code->space == MemorySpace::kSwap)
    swap_load_done(load.warp, now);
  else
    retire(load.warp, *load.code, now);
}

void CollectorPipeline::enter_memory(Cycle now) {
  for (std::uint32_t left = memory_ports_; left > 0 && collector_.has_memory(now) && lsu_.has_room();
       --left) {
    lsu_.enter(collector_.memory().entry, now);
    collector_.leave_memory(now);
  }
}

[[gnu::always_inline]] inline UnitKind CollectorPipeline::issue_one(std::uint32_t slot, Cycle now) {
  IssueWarp& warp = table_.warps[slot];
  ResidentBlock& block = residence_.block(warp.block);
  const Instruction& code = *warp.buffer[0];
  issued_.now = now;
  issued_.code = &code;
  issued_.redirected = false;
  warp.stream->issue(warp.number, issued_);
  --warp.buffered;
  for (std::size_t i = 0; i < warp.buffered; ++i) warp.buffer[i] = warp.buffer[i + 1];
  if (issued_.redirected) {
    warp.buffered = 0;
    front_end_.redirect(slot, now);
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
  collector_.issue(instruction, now);
  ++warp.in_flight;
  warp.scoreboard.reserve(code, unit == UnitKind::kMemory);
  if (code.operation == Operation::kCopyCommit && issued_.mask != 0) warp.copies.commit();
  if (watches_issue_) watch_issue(slot, block, code, now);
  if (tracer_ != nullptr) tracer_->issue(slot, issued_, unit, now);
  if (issued_.ended) {
    warp.buffered = 0;
    waits_.set_next(slot);
    schedulers_.end(slot);
    residence_.end_warp(slot, now);
  } else {
    waits_.set_next(slot);
    if (issued_.code->operation == Operation::kBarrier) residence_.arrive(slot, *issued_.code);
  }
  return unit;
}

[[gnu::always_inline]] inline std::uint32_t CollectorPipeline::issue_from(std::size_t scheduler,
                                                                          WarpMask candidates, Cycle now) {
  const std::uint32_t slot = schedulers_.pick(scheduler, candidates, now);
  if (slot == WarpScheduler::kDecline) return slot;
  UnitKind first{};
  for (std::uint32_t i = 0; i < spec_.issue_width; ++i) {
    if (i > 0) {
      if ((ready() & bit(slot)) == 0) break;
      const UnitKind next = waits_.unit_of(*table_.warps[slot].buffer[0]);
      if (next == first || !has_room(next)) break;
    }
    first = issue_one(slot, now);
  }
  return slot;
}

void CollectorPipeline::issue_from_schedulers(Cycle now) {
  std::uint32_t issued = 0;
  CycleAccounts::Slots slots;  // of the warps that issue
  if (WarpMask may_issue = ready(); may_issue != 0) {
    std::size_t i = schedulers_.first();
    do {
      const WarpMask candidates = may_issue & schedulers_.warps_of(i) & open();
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
  if (tracer_ != nullptr) tracer_->wait(resident_, table_, open(), now);
  if (accounts_.kernels().on())
    accounts_.account_kernels(resident_, table_.next, issued, slots, now);
  else
    accounts_.account(resident_, table_.next, issued, now);
}

std::uint32_t CollectorPipeline::prepare_memory(IssueWarp& warp, const ResidentBlock& block,
                                                std::uint32_t slot, Cycle now) {
  MemoryOwner owner{slot, block.context, block.account};
  if (issued_.code->asynchronous) owner.copy_group = warp.copies.add();
  std::uint32_t swapped = 0;
  if (mapped_ != nullptr && issued_.code->space == MemorySpace::kShared)
    swapped = mapped_->access_shared(slot, issued_.mask, issued_.addresses);
  return lsu_.addresses().prepare(issued_, owner, now, swapped);
}

void CollectorPipeline::watch_issue(std::uint32_t slot, const ResidentBlock& block, const Instruction& code,
                                    Cycle now) {
  IssueWarp& warp = table_.warps[slot];
  if (use_ != nullptr)
    use_->count(now, slot, warp.block, residence_.launch(block.ksr).shape.registers_per_thread, issued_);
  if (managed_ == nullptr) return;
  warp.sources_read = false;
  if (code.operation == Operation::kPhase) managed_->start_phase(slot, code.phase);
}

// Sends at most one request a cycle. Requests for instructions come first.
void CollectorPipeline::send(Cycle now) {
  if (!memory_.can_send(now)) return;
  const bool is_fetch = front_end_.has_request();
  const MemoryRequest& request = is_fetch ? front_end_.request() : lsu_.request();
  if (tracer_ != nullptr) tracer_->pass(TraceStage::kSend, request.trace, now);
  memory_.send(request, now);
  is_fetch ? front_end_.pop_request() : lsu_.pop_request();
}

Cycle CollectorPipeline::next_wake(Cycle now) const {
  if (issued_any_ || (ready() & open()) != 0 || to_swap_.can_step()) return now + 1;
  const Cycle next = std::min({front_end_.next_wake(now), lsu_.next_wake(now),
                               collector_.next_wake(lsu_.has_room(), now), units_.next_wake(now)});
  if (tracer_ != nullptr && next > now + 1) tracer_->later(resident_, table_, open(), now);
  return next;
}

bool CollectorPipeline::holds(AccountId account) const {
  return lsu_.addresses().holds(account) || to_swap_.holds(account);
}

WarpMask CollectorPipeline::open() const {
  std::uint32_t closed = collector_.full_kinds();
  if (!lsu_.addresses().has_entry()) closed |= 1u << static_cast<std::uint32_t>(UnitKind::kMemory);
  return ~table_.with_next_on(closed);
}

void CollectorPipeline::swap_load_done(std::uint32_t slot, Cycle now) {
  IssueWarp& warp = table_.warps[slot];
  --warp.swap_loads;
  --warp.in_flight;
  complete(slot, now);
}

}  // namespace heddle
