#include "models/sm/cycle_accounts.h"

#include <string>

namespace heddle {

CycleAccounts::CycleAccounts(const CycleSmSpec& spec, std::uint32_t ksrs, Group& stats)
    : scheduler_count_(spec.schedulers),
      first_scheduler_(warps_of_first(spec.schedulers)),
      kernels_(spec, ksrs) {
  order_.back() = Bucket::kNoWarp;
  for (std::size_t i = 0; i < kReasons; ++i) {
    order_[i] = spec.stall_order[i];
    place_[static_cast<std::size_t>(order_[i])] = static_cast<std::uint8_t>(i);
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
  const WarpMask memory = on_memory(why);
  std::uint64_t memory_slots = 0;
  for (std::size_t i = 0; i < scheduler_count_; ++i) {
    const WarpMask mine = first_scheduler_ << i;
    const bool active = (issued >> i & 1) != 0;
    ++schedulers_[i][static_cast<std::size_t>(active ? Bucket::kActive : bucket_of(why, mine))];
    memory_slots += std::uint64_t{!active} & std::uint64_t{(memory & mine) != 0};
  }
  memory_slots_ += memory_slots;
  ++sm_[static_cast<std::size_t>(issued != 0 ? Bucket::kActive : bucket_of(why, ~WarpMask{0}))];
}

void CycleAccounts::choose_buckets(const WarpTable& table) {
  const Reasons why = reasons(table);
  standing_memory_slots_ = 0;
  for (std::size_t i = 0; i < scheduler_count_; ++i) {
    const WarpMask mine = first_scheduler_ << i;
    standing_[i] = bucket_of(why, mine);
    standing_memory_slots_ += (on_memory(why) & mine) != 0 ? 1 : 0;
  }
  standing_[kMostSchedulers] = bucket_of(why, ~WarpMask{0});
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

CycleAccounts::Reasons CycleAccounts::reasons(const WarpTable& table) const {
  const WarpMask at_work = table.awake & ~table.at_barrier;
  const WarpMask waiting = at_work & table.buffered;
  const WarpMask ready = waiting & ~(table.wait_alu | table.wait_memory);
  const WarpMask memory = table.next_on[static_cast<std::size_t>(UnitKind::kMemory)];
  Reasons result;
  const auto set = [&](Bucket bucket, WarpMask warps) {
    result[place_[static_cast<std::size_t>(bucket)]] = warps;
  };
  set(Bucket::kPipelineMemory, ready & memory);
  set(Bucket::kPipelineAlu, ready & ~memory);
  set(Bucket::kScoreboardMemory, waiting & table.wait_memory);
  set(Bucket::kScoreboardAlu, waiting & table.wait_alu);
  set(Bucket::kBufferEmpty, at_work & ~table.buffered);
  set(Bucket::kBarrier, table.awake & table.at_barrier);
  return result;
}

// Returns the first bucket of the stall order that holds for one of the warps. The code has
// no branch: the bucket differs from one cycle to the next, so that the host's branch predictor would often
// be wrong.
Bucket CycleAccounts::bucket_of(const Reasons& reasons, WarpMask mask) const {
  const std::size_t set = KernelAccounts::set_of(reasons, mask) | std::size_t{1} << kReasons;
  return order_[static_cast<std::size_t>(__builtin_ctzll(set))];
}

}  // namespace heddle
