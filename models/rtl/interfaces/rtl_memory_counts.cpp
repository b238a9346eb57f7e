#include "models/rtl/interfaces/rtl_memory_counts.h"

namespace heddle {

RtlMemoryCounts::RtlMemoryCounts(const std::string& name, bool is_slice) : is_slice_(is_slice), stats_(name) {
  if (!is_slice_) {
    stats_.add(reads_, "reads", "request", "requests to read");
    stats_.add(writes_, "writes", "request", "requests to write");
    return;
  }
  stats_.add(requests_, "requests", "request", "requests answered");
  stats_.add(accesses_, "accesses", "sector", "sectors of these requests");
  stats_.add(hits_, "hits", "sector", "sectors of requests that found their line");
  stats_.add(
      misses_, "misses", "sector",
      "sectors of requests that did not: the RTL says so, or read memory before it took another request");
  stats_.add(lines_missed_, "lines_missed", "line", "requests that did not find their line");
  stats_.add(write_backs_, "write_backs", "request", "writes to memory");
  stats_.add(atomics_, "atomics", "request", "atomics");
}

void RtlMemoryCounts::reset() {
  counts_.reset();
  stats_.reset();
}

void RtlMemoryCounts::add_to(LaunchCounts& counts, AccountId account) const {
  const Counts own = counts_.at(account);
  counts.l2 += own.l2;
  counts.dram += own.dram;
}

void RtlMemoryCounts::count(const Request& request) {
  Counts& counts = counts_[request.account];
  if (!is_slice_) {
    ++(request.write ? writes_ : reads_);
    ++(request.write ? counts.dram.writes : counts.dram.reads);
    return;
  }
  ++requests_;
  ++counts.l2.requests;
  accesses_ += request.sectors;
  counts.l2.accesses += request.sectors;
  (request.missed ? misses_ : hits_) += request.sectors;
  (request.missed ? counts.l2.misses : counts.l2.hits) += request.sectors;
  if (request.missed) {
    ++lines_missed_;
    ++counts.l2.lines_missed;
  }
  if (!request.atomic) return;
  ++atomics_;
  ++counts.l2.atomics;
}

void RtlMemoryCounts::count_write_back(AccountId account) {
  ++write_backs_;
  ++counts_[account].l2.write_backs;
}

}  // namespace heddle
