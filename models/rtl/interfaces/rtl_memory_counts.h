#pragma once
// RtlMemoryCounts counts what an L2 slice or a DRAM channel in RTL has answered, in all and for each launch.

#include <cstdint>
#include <string>

#include "models/core/kernel/account_table.h"
#include "models/core/kernel/launch_counts.h"
#include "models/stats/group.h"

namespace heddle {

class RtlMemoryCounts {
 public:
  // `name` is the name of the block, which is a slice or else a channel.
  RtlMemoryCounts(const std::string& name, bool is_slice);
  void reset();

  Group& stats() { return stats_; }
  const Counter& requests() const { return requests_; }          // of a slice
  const Counter& lines_missed() const { return lines_missed_; }  // of a slice
  void add_to(LaunchCounts& counts, AccountId account) const;
  void close(AccountId account) { counts_.clear(account); }

  struct Request {
    AccountId account;
    std::uint32_t sectors = 0;
    bool write = false;
    bool atomic = false;
    bool missed = false;  // of a slice: it did not find its line
  };
  // A request has been answered.
  void count(const Request& request);
  // A slice has written to memory.
  void count_write_back(AccountId account);

 private:
  struct Counts {
    L2Counts l2;
    DramCounts dram;
  };

  const bool is_slice_;
  Group stats_;
  AccountTable<Counts> counts_;
  Counter requests_, accesses_, hits_, misses_, lines_missed_, write_backs_, atomics_;  // of a slice
  Counter reads_, writes_;                                                              // of a channel
};

}  // namespace heddle
