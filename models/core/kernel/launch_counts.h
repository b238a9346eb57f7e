#pragma once
// LaunchCounts has what the blocks of the machine count for a launch, or for all launches of a kernel. Each
// block counts under the account of the launch that caused a request or a command (AccountId), so that the
// counts of all launches add up to the counters of the blocks.

#include <array>
#include <cstddef>
#include <cstdint>

#include "models/core/kernel/kernel_counts.h"
#include "models/core/kernel/kernel_stalls.h"

namespace heddle {

template <class T>
struct CountField {
  std::uint64_t T::*value;
  const char* name;
  const char* unit;
  const char* description;
};

// Of L2; see L2Cache.
struct L2Counts {
  std::uint64_t requests = 0;
  std::uint64_t accesses = 0;
  std::uint64_t hits = 0;
  std::uint64_t misses = 0;
  std::uint64_t lines_missed = 0;
  std::uint64_t write_backs = 0;
  std::uint64_t atomics = 0;

  static constexpr std::array<CountField<L2Counts>, 7> fields() {
    return {
        {{&L2Counts::requests, "requests", "request", "requests that accessed the tags"},
         {&L2Counts::accesses, "accesses", "sector", "sectors accessed"},
         {&L2Counts::hits, "hits", "sector", "accesses that were served at once"},
         {&L2Counts::misses, "misses", "sector", "accesses that were not hits"},
         {&L2Counts::lines_missed, "lines_missed", "line",
          "requests that asked DRAM for their line, none of it being on its way, or wrote to a line that "
          "was absent"},
         {&L2Counts::write_backs, "write_backs", "request", "write-backs of lines that its requests evicted"},
         {&L2Counts::atomics, "atomics", "request", "atomics performed"}}};
  }
};

// Of DRAM: the requests that its requests to L2 caused.
struct DramCounts {
  std::uint64_t reads = 0;
  std::uint64_t writes = 0;
  std::uint64_t row_hits = 0;
  std::uint64_t row_misses = 0;
  std::uint64_t row_conflicts = 0;

  static constexpr std::array<CountField<DramCounts>, 5> fields() {
    return {{{&DramCounts::reads, "reads", "request", "bursts read"},
             {&DramCounts::writes, "writes", "request", "bursts written"},
             {&DramCounts::row_hits, "row_hits", "request", "requests that found their row open"},
             {&DramCounts::row_misses, "row_misses", "request",
              "requests that had their row opened in a closed bank"},
             {&DramCounts::row_conflicts, "row_conflicts", "request",
              "requests that had another row closed for theirs"}}};
  }
};

// Of the crossbar.
struct CrossbarCounts {
  std::uint64_t request_flits = 0;
  std::uint64_t reply_flits = 0;

  static constexpr std::array<CountField<CrossbarCounts>, 2> fields() {
    return {{{&CrossbarCounts::request_flits, "request_flits", "flit", "flits of its requests"},
             {&CrossbarCounts::reply_flits, "reply_flits", "flit", "flits of the replies to them"}}};
  }
};

template <class Counts>
auto operator+=(Counts& sum, const Counts& other) -> decltype(Counts::fields(), sum) {
  for (const auto& field : Counts::fields()) sum.*field.value += other.*field.value;
  return sum;
}

struct LaunchCounts {
  KernelCounts sm;
  KernelStalls stalls;  // counted if ExecutionSpec::kernel_stalls is set
  CrossbarCounts crossbar;
  L2Counts l2;
  DramCounts dram;

  LaunchCounts& operator+=(const LaunchCounts& other) {
    sm += other.sm;
    stalls += other.stalls;
    crossbar += other.crossbar;
    l2 += other.l2;
    dram += other.dram;
    return *this;
  }
};

}  // namespace heddle
