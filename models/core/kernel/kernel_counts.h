#pragma once
// What an SM counts for each kernel that it runs. Totals of an SM are sums over kernels, totals of a kernel
// sums over SMs, so both close.

#include <array>
#include <cstddef>
#include <cstdint>

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

  struct Field {
    std::uint64_t KernelCounts::*value;
    const char* name;
    const char* unit;
    const char* description;
  };
  static constexpr std::size_t kFields = 15;
  static const std::array<Field, kFields>& fields();  // in the order above

  KernelCounts& operator+=(const KernelCounts& other);
  KernelCounts& operator-=(const KernelCounts& other);
};

bool operator==(const KernelCounts& a, const KernelCounts& b);
inline bool operator!=(const KernelCounts& a, const KernelCounts& b) {
  return !(a == b);
}

}  // namespace heddle
