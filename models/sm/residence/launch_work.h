#pragma once
// LaunchWork has what an SM has counted for each launch, KernelCounts, and their sums by KSR and over all
// launches. Blocks count their instructions themselves until they leave (BlockIssues).

#include <vector>

#include "models/core/kernel/account_table.h"
#include "models/core/kernel/kernel_counts.h"
#include "models/sm/residence/resident_table.h"

namespace heddle {

class LaunchWork {
 public:
  // `ksrs` is the number of KSRs of the engine.
  LaunchWork(const ResidentTable& table, std::uint32_t ksrs) : table_(table), ksrs_(ksrs) {}
  void reset();

  // Every part of the SM counts here. Blocks and instructions are those of blocks that have left.
  AccountTable<KernelCounts>& counts() { return counts_; }
  void add_work(const ResidentBlock& block) { add_work(counts_[block.account], block); }  // the block leaves

  // Blocks of this KSR belong to this launch from now on.
  void set_kernel(KsrId ksr, AccountId account);
  // Counts of the launch start at zero again. The sums keep them.
  void close(AccountId account);

  // Each includes the work of resident blocks.
  KernelCounts of(KsrId ksr) const;  // since the reset
  KernelCounts of(AccountId account) const;
  KernelCounts total() const;

  bool awaits_answers(AccountId account) const;

  static SmWork work_of(const ResidentBlock& block);  // on this SM, since the block came

 private:
  struct Ksr {
    bool is_set_up = false;
    AccountId account;     // of its present launch
    KernelCounts earlier;  // of the launches before that one
  };
  static void add_work(KernelCounts& counts, const ResidentBlock& block);

  const ResidentTable& table_;
  std::vector<Ksr> ksrs_;
  AccountTable<KernelCounts> counts_;
  KernelCounts closed_;  // of launches whose account has been closed
};

}  // namespace heddle
