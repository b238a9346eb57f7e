#include "models/sm/residence/cycle_accounts.h"

#include <algorithm>
#include <string>

namespace heddle {

CycleAccounts::CycleAccounts(const CycleSmSpec& spec, std::uint32_t ksrs, Group& stats)
    : scheduler_count_(spec.schedulers),
      all_issue_((1u << spec.schedulers) - 1),
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
  choice_ = later_ = Choice{};
  choice_.buckets.fill(Bucket::kNoWarp);
  later_from_ = Cycle::never();
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

void CycleAccounts::account_change(const ResidentTable& table, const IssueMasks& next, std::uint32_t issued,
                                   Cycle now) {
  if (now >= later_from_) advance();
  if (issued == 0) {
    if (choice_.holds == Holds::kForMasks && masks_of(table, next) == choice_.masks) return;
  } else if (issued == all_issue_) {  // all schedulers issued
    if (choice_.holds == Holds::kWhileAllIssue && choice_.schedulable == table.schedulable) return;
    account_until(now);
    choice_.holds = Holds::kWhileAllIssue;
    choice_.buckets.fill(Bucket::kActive);
    choice_.memory_slots = 0;
    choice_.schedulable = table.schedulable;
    return;
  }
  choose(table, next, issued, 0, now);
}

void CycleAccounts::account_kernels(const ResidentTable& table, const IssueMasks& next, std::uint32_t issued,
                                    const Slots& slots, Cycle now) {
  WarpMask issued_warps = 0;
  for (std::uint32_t left = issued; left != 0; left &= left - 1) issued_warps |= bit(slots[lowest(left)]);
  choose(table, next, issued, issued_warps, now);
}

void CycleAccounts::choose(const ResidentTable& table, const IssueMasks& next, std::uint32_t issued,
                           WarpMask issued_warps, Cycle now) {
  account_until(now);
  const Reasons why = reasons(table, next);
  choose_buckets(table, next, issued, why, choice_);
  if (kernels_.on()) kernels_.choose(why, issued_warps);
}

void CycleAccounts::choose_later(const ResidentTable& table, const IssueMasks& next, Cycle now) {
  if (choice_.holds == Holds::kForMasks && masks_of(table, next) == choice_.masks && !kernels_.on()) return;
  const Reasons why = reasons(table, next);
  choose_buckets(table, next, 0, why, later_);
  later_from_ = now + 1;
  if (kernels_.on()) kernels_.choose_later(why);
}

void CycleAccounts::choose_buckets(const ResidentTable& table, const IssueMasks& next, std::uint32_t issued,
                                   const Reasons& why, Choice& choice) const {
  choice.holds = issued == 0 ? Holds::kForMasks : Holds::kOnce;
  if (issued == 0) choice.masks = masks_of(table, next);
  choice.schedulable = table.schedulable;
  choice.memory_slots = 0;
  std::size_t all = 0;
  for (std::size_t i = 0; i < scheduler_count_; ++i) {
    if ((issued >> i & 1) != 0) {
      choice.buckets[i] = Bucket::kActive;
      continue;
    }
    const std::size_t set = KernelAccounts::set_of(why, first_scheduler_ << i);
    all |= set;
    choice.buckets[i] = first_[set];
    choice.memory_slots += (set & reason(Bucket::kScoreboardMemory)) != 0 ? 1 : 0;
  }
  choice.buckets[kMostSchedulers] = issued != 0 ? Bucket::kActive : first_[all];
}

void CycleAccounts::advance() {
  if (later_from_ > next_) add(later_from_ - next_);
  next_ = std::max(next_, later_from_);
  choice_ = later_;
  later_from_ = Cycle::never();
  if (kernels_.on()) kernels_.advance();
}

CycleAccounts::Masks CycleAccounts::masks_of(const ResidentTable& table, const IssueMasks& next) {
  return {table.awake,   table.at_barrier, next.buffered,
          next.wait_alu, next.wait_memory, next.next_on_memory()};
}

void CycleAccounts::add(std::uint64_t cycles) {
  for (std::size_t i = 0; i < scheduler_count_; ++i)
    schedulers_[i][static_cast<std::size_t>(choice_.buckets[i])] += cycles;
  sm_[static_cast<std::size_t>(choice_.buckets[kMostSchedulers])] += cycles;
  memory_slots_ += cycles * choice_.memory_slots;
  schedulable_ += cycles * choice_.schedulable;
  if (kernels_.on()) kernels_.add(cycles);
}

// Every live warp belongs to one scheduler, so that a reason holds for the SM if it holds for a scheduler.
CycleAccounts::Reasons CycleAccounts::reasons(const ResidentTable& table, const IssueMasks& next) {
  const WarpMask at_work = table.awake & ~table.at_barrier;
  const WarpMask waiting = at_work & next.buffered;
  const WarpMask ready = waiting & ~(next.wait_alu | next.wait_memory);
  const WarpMask memory = next.next_on_memory();
  const auto place = [](Bucket bucket) { return static_cast<std::size_t>(bucket) - 1; };
  Reasons result;
  result[place(Bucket::kPipelineMemory)] = ready & memory;
  result[place(Bucket::kPipelineAlu)] = ready & ~memory;
  result[place(Bucket::kScoreboardMemory)] = waiting & next.wait_memory;
  result[place(Bucket::kScoreboardAlu)] = waiting & next.wait_alu;
  result[place(Bucket::kBufferEmpty)] = at_work & ~next.buffered;
  result[place(Bucket::kBarrier)] = table.awake & table.at_barrier;
  return result;
}

}  // namespace heddle
