#pragma once
// What an SM counts for each kernel that it runs. Totals of an SM are sums over kernels, totals of a kernel
// sums over SMs, so both close.

#include <array>
#include <cstdint>
#include <memory>
#include <vector>

#include "models/stats/group.h"

namespace heddle {

struct KernelCounts {
  std::uint64_t blocks = 0;
  std::uint64_t warp_instructions = 0;
  std::uint64_t thread_instructions = 0;
  std::uint64_t shared_passes = 0;
  std::uint64_t shared_conflicts = 0;
  std::uint64_t l1_accesses = 0;
  std::uint64_t l1_hits = 0;
  std::uint64_t l1_merges = 0;
  std::uint64_t l1_misses = 0;
  std::uint64_t constant_misses = 0;
  std::uint64_t loads = 0;
  std::uint64_t stores = 0;
  std::uint64_t atomics = 0;
  std::uint64_t load_instructions = 0;
  std::uint64_t load_latency = 0;

  KernelCounts& operator+=(const KernelCounts& other);
};

// The same as statistics, each field with unit and description, and the ratios of them.
class KernelStats {
 public:
  explicit KernelStats(Group& group);
  void set(const KernelCounts& counts);
  const Counter& warp_instructions() const;

 private:
  std::vector<std::unique_ptr<Counter>> counters_;  // by field
};

}  // namespace heddle
