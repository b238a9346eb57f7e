#include "models/sm/residence/launch_work.h"

#include <algorithm>
#include <numeric>

namespace heddle {

void LaunchWork::reset() {
  std::fill(ksrs_.begin(), ksrs_.end(), Ksr{});
  counts_.reset();
  closed_ = {};
}

void LaunchWork::set_kernel(KsrId id, AccountId account) {
  Ksr& ksr = ksrs_[id.value];
  if (ksr.is_set_up && ksr.account != account) ksr.earlier += counts_.at(ksr.account);
  ksr.is_set_up = true;
  ksr.account = account;
}

void LaunchWork::close(AccountId account) {
  const KernelCounts counts = counts_.at(account);
  closed_ += counts;
  counts_.clear(account);
  for (Ksr& ksr : ksrs_) {
    if (!ksr.is_set_up || ksr.account != account) continue;
    ksr.earlier += counts;
    ksr.account = AccountId::none();
  }
}

KernelCounts LaunchWork::of(KsrId id) const {
  const Ksr& ksr = ksrs_[id.value];
  KernelCounts sum = ksr.earlier;
  if (ksr.is_set_up) sum += of(ksr.account);
  return sum;
}

KernelCounts LaunchWork::of(AccountId account) const {
  KernelCounts sum = counts_.at(account);
  for (const ResidentBlock& block : table_.blocks)
    if (block.stream != nullptr && block.account == account) add_work(sum, block);
  return sum;
}

KernelCounts LaunchWork::total() const {
  KernelCounts total = closed_;
  for (const KernelCounts& counts : counts_) total += counts;
  for (const ResidentBlock& block : table_.blocks)
    if (block.stream != nullptr) add_work(total, block);
  return total;
}

bool LaunchWork::awaits_answers(AccountId account) const {
  const KernelCounts counts = counts_.at(account);
  return counts.answers != counts.loads + counts.stores + counts.fetch_misses;
}

SmWork LaunchWork::work_of(const ResidentBlock& block) {
  const BlockIssues& issues = block.issues;
  return {std::accumulate(issues.instructions.begin(), issues.instructions.end(), std::uint64_t{0}),
          std::accumulate(issues.lanes.begin(), issues.lanes.end(), std::uint64_t{0}), 0};
}

void LaunchWork::add_work(KernelCounts& counts, const ResidentBlock& block) {
  using Field = std::uint64_t KernelCounts::*;
  // The counts have no field for the uniform datapath. Its operations count as integer operations.
  constexpr std::array<Field, kUnitKinds> kInstructions{
      &KernelCounts::sp_instructions,    &KernelCounts::int_instructions,    &KernelCounts::dp_instructions,
      &KernelCounts::sfu_instructions,   &KernelCounts::tensor_instructions, &KernelCounts::int_instructions,
      &KernelCounts::memory_instructions};
  constexpr std::array<Field, kUnitKinds> kLanesOf{&KernelCounts::sp_lanes,     &KernelCounts::int_lanes,
                                                   &KernelCounts::dp_lanes,     &KernelCounts::sfu_lanes,
                                                   &KernelCounts::tensor_lanes, &KernelCounts::int_lanes,
                                                   &KernelCounts::memory_lanes};
  const SmWork work = work_of(block);
  counts.warp_instructions += work.warp_instructions;
  counts.thread_instructions += work.thread_instructions;
  for (std::size_t i = 0; i < kUnitKinds; ++i) {
    counts.*kInstructions[i] += block.issues.instructions[i];
    counts.*kLanesOf[i] += block.issues.lanes[i];
  }
  counts.tensor_products += block.issues.tensor_products;
  counts.register_reads += block.issues.register_reads;
  counts.register_writes += block.issues.register_writes;
  counts.spill_instructions += block.issues.spills;
}

}  // namespace heddle
