#include "models/sm/cycle_accounts.h"

#include <string>

namespace heddle {

CycleAccounts::CycleAccounts(const CycleSmSpec& spec, std::uint32_t ksrs, Group& stats)
    : scheduler_count_(spec.schedulers),
      first_scheduler_(warps_of_first(spec.schedulers)),
      kernels_(spec, ksrs) {
  for (std::size_t set = 0; set < first_.size(); ++set) {
    first_[set] = Bucket::kNoWarp;
    for (std::size_t i = spec.stall_order.size(); i-- > 0;)
      if ((set & reason(spec.stall_order[i])) != 0) first_[set] = spec.stall_order[i];
  }
  const auto declare = [&stats](const std::string& name, Buckets& buckets) {
    Group& group = stats.child(name);
    for (std::size_t b = 0; b < kBuckets; ++b) {
      const auto bucket = static_cast<Bucket>(b);
      group.add(buckets[b], name_of(bucket), "cycle", description_of(bucket));
    }
  };
  declare("cycles", sm_);
  for (std::size_t i = 0; i < scheduler_count_; ++i) declare("scheduler" + std::to_string(i), schedulers_[i]);
  stats.add(memory_slots_, "memory_slots", "scheduler*cycle",
            "cycles of each scheduler in which it issued nothing and one of its warps waited for memory, "
            "whatever the stall order");
  stats.add(schedulable_, "schedulable_warps", "warp*cycle",
            "warps that the schedulers could choose from, those at a barrier left out, summed over cycles");
  reset();
}

void CycleAccounts::reset() {
  standing_.fill(Bucket::kNoWarp);
  standing_memory_slots_ = standing_schedulable_ = 0;
  standing_masks_ = {};
  next_ = Cycle{0};
  kernels_.reset();
}

std::uint64_t CycleAccounts::slots(Bucket bucket) const {
  std::uint64_t slots = 0;
  for (std::size_t i = 0; i < scheduler_count_; ++i)
    slots += schedulers_[i][static_cast<std::size_t>(bucket)].value();
  return slots;
}

CycleTotals CycleAccounts::totals() const {
  CycleTotals totals;
  for (std::size_t b = 0; b < kBuckets; ++b) totals.buckets[b] = sm_[b].value();
  totals.issue_slots = scheduler_count_ * next_.value;
  totals.memory_slots = memory_slots_.value();
  return totals;
}

void CycleAccounts::account(const WarpTable& table, std::uint32_t issued, Cycle now) {
  if (issued == 0) return choose_buckets(table, now);
  account_until(now);
  account_cycle<false>(table, issued, 0, now);
}

void CycleAccounts::account_kernels(const WarpTable& table, std::uint32_t issued, const Slots& slots,
                                    Cycle now) {
  WarpMask issued_warps = 0;
  for (std::uint32_t left = issued; left != 0; left &= left - 1) issued_warps |= bit(slots[lowest(left)]);
  account_cycle<true>(table, issued, issued_warps, now);
}

template <bool kAccountsKernels>
void CycleAccounts::account_cycle(const WarpTable& table, std::uint32_t issued, WarpMask issued_warps,
                                  Cycle now) {
  next_ = now + 1;
  schedulable_ += table.schedulable;
  if (issued + 1 == 1u << scheduler_count_) {  // all schedulers issued
    for (std::size_t i = 0; i < scheduler_count_; ++i)
      ++schedulers_[i][static_cast<std::size_t>(Bucket::kActive)];
    ++sm_[static_cast<std::size_t>(Bucket::kActive)];
    if (kAccountsKernels) kernels_.account(issued_warps, [&] { return reasons(table); });
    return;
  }
  const Reasons why = reasons(table);
  if (kAccountsKernels) kernels_.account(issued_warps, [&]() -> const Reasons& { return why; });
  std::size_t all = 0;
  std::uint64_t memory_slots = 0;
  for (std::size_t i = 0; i < scheduler_count_; ++i) {
    if ((issued >> i & 1) != 0) {
      ++schedulers_[i][static_cast<std::size_t>(Bucket::kActive)];
      continue;
    }
    const std::size_t set = KernelAccounts::set_of(why, first_scheduler_ << i);
    all |= set;
    ++schedulers_[i][static_cast<std::size_t>(first_[set])];
    memory_slots += (set & reason(Bucket::kScoreboardMemory)) != 0 ? 1 : 0;
  }
  memory_slots_ += memory_slots;
  ++sm_[static_cast<std::size_t>(issued != 0 ? Bucket::kActive : first_[all])];
}

void CycleAccounts::choose_buckets(const WarpTable& table, Cycle from) {
  const Masks masks{table.awake,       table.at_barrier,
                    table.buffered,    table.wait_alu,
                    table.wait_memory, table.next_on[static_cast<std::size_t>(UnitKind::kMemory)]};
  if (masks == standing_masks_ && !kernels_.on()) return;
  account_until(from);
  standing_masks_ = masks;
  const Reasons why = reasons(table);
  std::size_t all = 0;
  standing_memory_slots_ = 0;
  for (std::size_t i = 0; i < scheduler_count_; ++i) {
    const std::size_t set = KernelAccounts::set_of(why, first_scheduler_ << i);
    all |= set;
    standing_[i] = first_[set];
    standing_memory_slots_ += (set & reason(Bucket::kScoreboardMemory)) != 0 ? 1 : 0;
  }
  standing_[kMostSchedulers] = first_[all];
  standing_schedulable_ = table.schedulable;
  if (kernels_.on()) kernels_.choose(why);
}

void CycleAccounts::add(std::uint64_t cycles) {
  for (std::size_t i = 0; i < scheduler_count_; ++i)
    schedulers_[i][static_cast<std::size_t>(standing_[i])] += cycles;
  sm_[static_cast<std::size_t>(standing_[kMostSchedulers])] += cycles;
  memory_slots_ += cycles * standing_memory_slots_;
  schedulable_ += cycles * standing_schedulable_;
  kernels_.add(cycles);
}

// Every live warp belongs to one scheduler, so that a reason holds for the SM if it holds for a scheduler.
CycleAccounts::Reasons CycleAccounts::reasons(const WarpTable& table) {
  const WarpMask at_work = table.awake & ~table.at_barrier;
  const WarpMask waiting = at_work & table.buffered;
  const WarpMask ready = waiting & ~(table.wait_alu | table.wait_memory);
  const WarpMask memory = table.next_on[static_cast<std::size_t>(UnitKind::kMemory)];
  const auto place = [](Bucket bucket) { return static_cast<std::size_t>(bucket) - 1; };
  Reasons result;
  result[place(Bucket::kPipelineMemory)] = ready & memory;
  result[place(Bucket::kPipelineAlu)] = ready & ~memory;
  result[place(Bucket::kScoreboardMemory)] = waiting & table.wait_memory;
  result[place(Bucket::kScoreboardAlu)] = waiting & table.wait_alu;
  result[place(Bucket::kBufferEmpty)] = at_work & ~table.buffered;
  result[place(Bucket::kBarrier)] = table.awake & table.at_barrier;
  return result;
}

}  // namespace heddle
