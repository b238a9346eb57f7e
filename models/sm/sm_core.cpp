#include "models/sm/sm_core.h"

#include <algorithm>
#include <numeric>

#include "models/core/kernel/address_spaces.h"

namespace heddle {

namespace {

void set_wait(WarpTable& table, std::uint32_t slot, Scoreboard::Wait wait, bool fenced) {
  const WarpMask me = bit(slot);
  table.wait_memory &= ~me;
  table.wait_alu &= ~me;
  if (wait.memory || fenced)
    table.wait_memory |= me;
  else if (wait.pending)
    table.wait_alu |= me;
}

}  // namespace

SmCore::SmCore(const char* name, const CycleSmSpec& spec, const SmLimits& limits, std::uint32_t sm,
               std::uint32_t sms, std::uint32_t ksrs, Deps deps, Group& stats)
    : name_(name),
      spec_(spec),
      limits_(limits),
      memory_(deps.memory),
      listener_(deps.listener),
      meter_(deps.meter),
      tally_(deps.meter.add_sm()),
      policies_(std::move(deps.schedulers)),
      manager_(std::move(deps.manager)),
      maps_(manager_ && manager_->maps()),
      watches_issue_(manager_ || spec.use_epoch > 0),
      inspector_(table_),
      first_scheduler_(warps_of_first(spec.schedulers)),
      kernels_(ksrs),
      front_end_(spec, counts_),
      collector_(spec, stats),
      alus_(spec),
      lsu_(spec, LocalLayout(sm, sms, limits.warps),
           kSwapAddresses + (maps_ ? sm * manager_->swap_bytes() : 0), counts_),
      accounts_(spec, ksrs, stats),
      stats_(spec, accounts_, stats) {
  if (maps_) {
    resource_stats_.declare(stats);
    uses_swap_ = true;
    epoch_end_ = Cycle{manager_->epoch()};
  }
  if (spec.use_epoch > 0) use_.emplace(spec.use_epoch, limits, stats);
  for (std::size_t i = 0; i < kOperations; ++i)
    units_[i] = is_memory(static_cast<Operation>(i)) ? UnitKind::kMemory : spec.operations[i].unit;
  table_.blocks.resize(limits.block_slots);
  ended_.reserve(limits.block_slots);
  for (std::size_t i = 0; i < policies_.size(); ++i) schedulers_[i] = policies_[i].get();
}

void SmCore::reset() {
  for (const auto& policy : policies_) policy->reset();
  if (manager_) manager_->reset();
  table_.reset();
  used_slots_ = schedulable_ = 0;
  tells_room_ = false;
  set_up_.clear();
  to_swap_.clear();
  if (maps_) epoch_end_ = Cycle{manager_->epoch()};
  used_ = {};
  resident_ = swapping_ = 0;
  uses_swap_ = maps_;
  set_ups_ = started_ = 0;
  std::fill(kernels_.begin(), kernels_.end(), Kernel{});
  counts_.reset();
  closed_ = {};
  front_end_.reset();
  collector_.reset();
  alus_.reset();
  lsu_.reset();
  accounts_.reset();
  if (use_) use_->reset();
  issued_ = {};
  instructions_issued_ = 0;
  written_banks_ = {};
  issued_any_ = takes_turns_ = waits_for_turn_ = false;
  ended_.clear();
}

void SmCore::answer(std::uint64_t number) {
  if (!LoadStoreUnit::is_mine(number)) return front_end_.answer(number);
  if (const std::optional<std::uint32_t> slot = lsu_.answer(number)) {
    --table_.warps[*slot].stores;
    look_again(*slot);
    retire_if_done(*slot);
  }
}

[[gnu::always_inline]] inline void SmCore::issue_and_fetch(Cycle now) {
  issue(now);
  if (front_end_.has_fetched(now)) decode(now);
  front_end_.fetch(table_, now);
  if (wants_to_send()) send();
  if (tells_room_) tell_room();
}

Cycle SmCore::tick(Cycle now) {
  const Cycle next = work(now);
  if (next != kFinishes) return next;
  finish(now);
  return next_tick(now);
}

Cycle SmCore::work(Cycle now) {
  if (accounts_.kernels().on()) accounts_.account_until(now);
  if (uses_swap_) step_swap(now);
  write_back(now);
  execute(now);
  if (collector_.has_work()) collector_.step(written_banks_);
  const WarpMask takes_turns = table_.takes_turns & table_.ready();
  waits_for_turn_ = takes_turns != 0 && (takes_turns & open()) != 0;
  if (!waits_for_turn_) issue_and_fetch(now);
  const bool finishes = waits_for_turn_ || !ended_.empty() || (meter_.has_targets() && !tally_.empty());
  return finishes ? kFinishes : next_tick(now);
}

void SmCore::finish(Cycle now) {
  if (waits_for_turn_) issue_and_fetch(now);
  waits_for_turn_ = false;
  if (meter_.has_targets()) meter_.take(tally_);
  give_back_ended_blocks();
}

Cycle SmCore::next_tick(Cycle now) {
  const Cycle next = next_wake(now);
  if (next > now + 1) accounts_.choose_later(table_, now);
  return next;
}

void SmCore::write_back(Cycle now) {
  written_banks_ = {};
  if (alus_.has_result(now))
    written_banks_ = alus_.write_back(collector_, now, [this](const InFlight& instruction) {
      retire(instruction.warp, *instruction.code);
    });
  if (lsu_.quiet()) return;
  LoadStoreUnit::Retired retired;
  if (lsu_.take_loaded(now, retired)) {
    written_banks_.merge(collector_.banks_written(*retired.code, retired.warp));
    if (retired.code->asynchronous) table_.warps[retired.warp].copies.remove(retired.copy_group);
    if (retired.code->space == MemorySpace::kSwap)
      swap_load_done(retired.warp);
    else
      retire(retired.warp, *retired.code);
  }
  while (lsu_.take_stored(retired))
    if (retired.code->space != MemorySpace::kSwap) retire(retired.warp, *retired.code);
}

void SmCore::execute(Cycle now) {
  if (!lsu_.quiet()) access_memory(now);
  if (collector_.ready_kinds() == 0) return;
  alus_.dispatch(collector_, now);
  const UnitSpec& memory = spec_.units[static_cast<std::size_t>(UnitKind::kMemory)];
  for (std::uint32_t i = 0; i < memory.ports; ++i) {
    if (!collector_.has_ready(UnitKind::kMemory) || !lsu_.has_room()) break;
    lsu_.enter(collector_.ready(UnitKind::kMemory).entry, now);
    collector_.leave(UnitKind::kMemory);
  }
}

void SmCore::access_memory(Cycle now) {
  lsu_.step(now);
  for (const std::uint32_t slot : lsu_.stores_sent()) ++table_.warps[slot].stores;
  lsu_.stores_sent().clear();
}

void SmCore::issue(Cycle now) {
  std::uint32_t issued = 0;
  std::array<std::uint8_t, kMostSchedulers> slots;  // by scheduler that issued: the slot of the warp
  if (WarpMask ready = table_.ready(); ready != 0) {
    for (std::size_t i = 0; i < spec_.schedulers; ++i) {
      const WarpMask candidates = ready & (first_scheduler_ << i) & open();
      if (candidates == 0) continue;
      const std::uint32_t slot = issue_from(i, candidates, now);
      if (slot == WarpScheduler::kDecline) continue;
      issued |= 1u << i;
      slots[i] = static_cast<std::uint8_t>(slot);
      if (manager_) ready &= ~table_.pending;  // the instruction may have taken resources from a ready warp
    }
  }
  issued_any_ = issued != 0;
  if (accounts_.kernels().on())
    accounts_.account_kernels(table_, issued, slots, now);
  else
    accounts_.account(table_, issued, now);
}

std::uint32_t SmCore::issue_from(std::size_t scheduler, WarpMask candidates, Cycle now) {
  const WarpMask mine = first_scheduler_ << scheduler;
  const std::uint32_t slot =
      schedulers_[scheduler]->pick({candidates, table_.live & ~table_.pending & mine,
                                    (table_.wait_memory | table_.held) & mine, &inspector_, now});
  if (slot == WarpScheduler::kDecline) return slot;
  const UnitKind first = issue_one(slot, now);
  for (std::uint32_t i = 1; i < spec_.issue_width; ++i) {
    if ((table_.ready() & bit(slot)) == 0) break;
    const UnitKind next = unit_of(*table_.warps[slot].buffer[0]);
    if (next == first || !has_room(next)) break;
    issue_one(slot, now);
  }
  return slot;
}

UnitKind SmCore::issue_one(std::uint32_t slot, Cycle now) {
  Warp& warp = table_.warps[slot];
  ResidentBlock& block = table_.blocks[warp.block];
  const Instruction& code = *warp.buffer[0];
  issued_.now = now;
  issued_.code = &code;
  issued_.redirected = false;
  warp.stream->issue(warp.number, issued_);
  --warp.buffered;
  for (std::size_t i = 0; i < warp.buffered; ++i) warp.buffer[i] = warp.buffer[i + 1];
  if (issued_.redirected) warp.buffered = 0;

  const auto lanes = static_cast<std::uint32_t>(__builtin_popcount(issued_.mask));
  tally_.issued(block.context);
  const UnitKind unit = unit_of(code);
  ++instructions_issued_;
  BlockIssues& issues = block.issues;
  ++issues.instructions[static_cast<std::size_t>(unit)];
  issues.lanes[static_cast<std::size_t>(unit)] += lanes;
  issues.register_reads += code.register_reads;
  issues.register_writes += code.register_writes;
  InFlight instruction{&code, 0, static_cast<std::uint16_t>(slot), unit, code.operation};
  if (unit == UnitKind::kMemory) {
    issues.spills += code.spills ? 1 : 0;
    instruction.code = issued_.code;  // the addresses of a generic access decide its space
    MemoryOwner owner{slot, block.context, block.account};
    if (code.asynchronous) owner.copy_group = warp.copies.add();
    std::uint32_t swapped = 0;
    if (maps_ && issued_.code->space == MemorySpace::kShared) {
      swapped = manager_->access_shared(slot, issued_.mask, issued_.addresses);
      move_to_swap();
    }
    instruction.entry = lsu_.prepare(issued_, owner, now, swapped);
  }
  collector_.issue(instruction);
  ++warp.in_flight;
  warp.scoreboard.reserve(code, unit == UnitKind::kMemory);
  if (code.operation == Operation::kCopyCommit && issued_.mask != 0) warp.copies.commit();
  if (watches_issue_) watch_issue(slot, code, now);
  if (issued_.ended) {
    warp.buffered = 0;
    end_warp(slot);
  } else {
    look_at_next(slot);
    if (issued_.code->operation == Operation::kBarrier) reach_barrier(slot, *issued_.code);
  }
  return unit;
}

void SmCore::decode(Cycle now) {
  for_each_slot(front_end_.decode(table_, now), [this](std::uint32_t slot) { look_at_next(slot); });
}

// Sends at most one request a cycle. Requests for instructions come first.
void SmCore::send() {
  if (!memory_.can_send()) return;
  if (front_end_.has_request()) {
    memory_.send(front_end_.request());
    front_end_.pop_request();
  } else {
    memory_.send(lsu_.request());
    lsu_.pop_request();
  }
}

Cycle SmCore::next_wake(Cycle now) const {
  if (issued_any_ || (table_.ready() & open()) != 0 || collector_.reading() || collector_.port_waits())
    return now + 1;
  if (collector_.has_ready(UnitKind::kMemory) && lsu_.has_room()) return now + 1;
  Cycle next = std::min(front_end_.next_wake(table_, now), lsu_.next_wake(now));
  if (uses_swap_) next = std::min(next, next_swap(now));
  return std::min({next, alus_.next_dispatch(collector_, now), alus_.next_result(now + 1)});
}

bool SmCore::idle() const {
  return resident_ == 0 && to_swap_.empty() && front_end_.idle() && lsu_.idle();
}

SmWork SmCore::work_of(const ResidentBlock& block) {
  const BlockIssues& issues = block.issues;
  return {std::accumulate(issues.instructions.begin(), issues.instructions.end(), std::uint64_t{0}),
          std::accumulate(issues.lanes.begin(), issues.lanes.end(), std::uint64_t{0}), 0};
}

void SmCore::add_work(KernelCounts& counts, const ResidentBlock& block) {
  using Field = std::uint64_t KernelCounts::*;
  constexpr std::array<Field, kUnitKinds> kInstructions{
      &KernelCounts::sp_instructions,     &KernelCounts::int_instructions,
      &KernelCounts::dp_instructions,     &KernelCounts::sfu_instructions,
      &KernelCounts::tensor_instructions, &KernelCounts::memory_instructions};
  constexpr std::array<Field, kUnitKinds> kLanesOf{&KernelCounts::sp_lanes,     &KernelCounts::int_lanes,
                                                   &KernelCounts::dp_lanes,     &KernelCounts::sfu_lanes,
                                                   &KernelCounts::tensor_lanes, &KernelCounts::memory_lanes};
  const SmWork work = work_of(block);
  counts.warp_instructions += work.warp_instructions;
  counts.thread_instructions += work.thread_instructions;
  for (std::size_t i = 0; i < kUnitKinds; ++i) {
    counts.*kInstructions[i] += block.issues.instructions[i];
    counts.*kLanesOf[i] += block.issues.lanes[i];
  }
  counts.register_reads += block.issues.register_reads;
  counts.register_writes += block.issues.register_writes;
  counts.spill_instructions += block.issues.spills;
}

KernelCounts SmCore::counts(KsrId ksr) const {
  const Kernel& kernel = kernels_[ksr.value];
  KernelCounts sum = kernel.earlier;
  if (kernel.program != nullptr) sum += counts(kernel.launch.account);
  return sum;
}

KernelCounts SmCore::counts(AccountId account) const {
  KernelCounts sum = counts_.at(account);
  for (const ResidentBlock& block : table_.blocks)
    if (block.stream != nullptr && block.account == account) add_work(sum, block);
  return sum;
}

bool SmCore::holds(AccountId account) const {
  const KernelCounts counts = counts_.at(account);
  return counts.answers != counts.loads + counts.stores + counts.fetch_misses || lsu_.holds(account) ||
         std::any_of(to_swap_.begin(), to_swap_.end(),
                     [account](const SwapAccess& access) { return access.owner.account == account; });
}

void SmCore::close(AccountId account) {
  const KernelCounts counts = counts_.at(account);
  closed_ += counts;
  counts_.clear(account);
  for (Kernel& kernel : kernels_) {
    if (kernel.launch.account != account) continue;
    kernel.earlier += counts;
    kernel.launch.account = AccountId::none();
  }
  if (accounts_.kernels().on()) accounts_.kernels().close(account);
}

void SmCore::update_stats(Cycle now) {
  account_until(now);
  for (std::size_t i = 0; i < kUnitKinds; ++i) {
    const auto unit = static_cast<UnitKind>(i);
    stats_.set_busy_cycles(unit, busy_cycles(unit, now));
  }
  KernelCounts total = closed_;
  for (const KernelCounts& counts : counts_) total += counts;
  for (const ResidentBlock& block : table_.blocks)
    if (block.stream != nullptr) add_work(total, block);
  stats_.set_totals(total);
  if (maps_) resource_stats_.set(*manager_);
}

WarpMask SmCore::open() const {
  std::uint32_t closed = collector_.full_kinds();
  if (!lsu_.has_entry()) closed |= 1u << static_cast<std::uint32_t>(UnitKind::kMemory);
  WarpMask shut = 0;
  for (; closed != 0; closed &= closed - 1)
    shut |= table_.next_on[static_cast<std::size_t>(__builtin_ctz(closed))];
  return ~shut;
}

bool SmCore::has_room(UnitKind unit) const {
  return collector_.has_room(unit) && (unit != UnitKind::kMemory || lsu_.has_entry());
}

// Updates the masks after the warp's next instruction has changed.
void SmCore::look_at_next(std::uint32_t slot) {
  const WarpMask me = bit(slot);
  Warp& warp = table_.warps[slot];
  if (warp.buffered == 0) {
    table_.next_on[warp.next_on] &= ~me;
    table_.buffered &= ~me;
    table_.wait_alu &= ~me;
    table_.wait_memory &= ~me;
    table_.takes_turns &= ~me;
    return;
  }
  table_.buffered |= me;
  if (takes_turns_) look_at_turn(slot);
  const auto unit = static_cast<std::uint8_t>(unit_of(*warp.buffer[0]));
  if (unit != warp.next_on) {
    table_.next_on[warp.next_on] &= ~me;
    warp.next_on = unit;
  }
  table_.next_on[unit] |= me;
  look_at_wait(slot);
}

void SmCore::look_at_turn(std::uint32_t slot) {
  const WarpMask me = bit(slot);
  const Warp& warp = table_.warps[slot];
  table_.takes_turns &= ~me;
  for (std::uint32_t i = 0; i < std::min<std::uint32_t>(spec_.issue_width, warp.buffered); ++i)
    if (warp.buffer[i]->takes_turns) table_.takes_turns |= me;
}

// Updates the masks that say whether the warp's next instruction must wait. The warp must have a buffered
// instruction.
void SmCore::look_at_wait(std::uint32_t slot) {
  const Warp& warp = table_.warps[slot];
  const Instruction& code = *warp.buffer[0];
  if (manager_ || code.operation == Operation::kFence || code.operation == Operation::kCopyWait)
    return look_at_special_wait(slot);
  set_wait(table_, slot, warp.scoreboard.wait(code), false);
}

void SmCore::look_at_special_wait(std::uint32_t slot) {
  const Warp& warp = table_.warps[slot];
  const Instruction& code = *warp.buffer[0];
  const Scoreboard::Wait wait = warp.scoreboard.wait(code);
  const bool fenced = (code.operation == Operation::kFence && (warp.stores > 0 || warp.in_flight > 0)) ||
                      (code.operation == Operation::kCopyWait && warp.copies.waits(code.copy_groups));
  set_wait(table_, slot, wait, fenced);
  if (manager_) manage_wait(slot, wait.pending, fenced);
}

void SmCore::retire(std::uint32_t slot, const Instruction& code) {
  Warp& warp = table_.warps[slot];
  --warp.in_flight;
  warp.scoreboard.release(code);
  if (maps_) write_destinations(slot, code);
  look_again(slot);
  if (warp.in_flight == 0 && ((table_.live & bit(slot)) == 0 || swapping_ > 0)) retire_if_done(slot);
}

}  // namespace heddle
