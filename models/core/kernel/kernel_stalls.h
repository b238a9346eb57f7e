#pragma once
// KernelStalls has the cycles in which a kernel had a block on an SM, by what its own warps waited for. A
// cycle in which one of them issued is active. Any other cycle is counted under the set of reasons for which
// its warps waited, so that every question about the kernel's stalls is a sum over sets: `any_of` is "some
// warp waits", and `all_of` is "all its warps wait" (Awatramani et al., Perf-Sat, Section III-C).

#include <array>
#include <cstddef>
#include <cstdint>

#include "models/core/kernel/bucket.h"

namespace heddle {

// A set of reasons to wait: the buckets from kPipelineMemory to kBarrier, a bit each. A warp waits for
// exactly one reason. If two reasons hold for a warp, the one that comes first in the SM's stall order
// counts.
using WaitReasons = std::uint8_t;
constexpr std::size_t kWaitReasons = kBuckets - 2;  // all buckets but kActive and kNoWarp
constexpr WaitReasons reason(Bucket bucket) {
  return static_cast<WaitReasons>(1u << (static_cast<unsigned>(bucket) - 1));
}
constexpr WaitReasons kWaitsForPipeline = reason(Bucket::kPipelineMemory) | reason(Bucket::kPipelineAlu);
constexpr WaitReasons kWaitsForScoreboard =
    reason(Bucket::kScoreboardMemory) | reason(Bucket::kScoreboardAlu);

struct KernelStalls {
  std::uint64_t active = 0;
  // The cycles without an issue, by the set of the reasons for which the kernel's warps waited. The set is
  // empty if every warp of its blocks has ended or is paused.
  std::array<std::uint64_t, std::size_t{1} << kWaitReasons> waiting{};

  // Returns the cycles in which no warp of the kernel issued and one of them waited for a reason of the set.
  std::uint64_t any_of(WaitReasons set) const {
    std::uint64_t cycles = 0;
    for (std::size_t held = 1; held < waiting.size(); ++held)
      if ((held & set) != 0) cycles += waiting[held];
    return cycles;
  }
  // Returns the cycles in which every warp of the kernel waited for a reason of the set. A cycle is not
  // counted if all warps of the kernel had ended or were paused.
  std::uint64_t all_of(WaitReasons set) const {
    std::uint64_t cycles = 0;
    for (std::size_t held = 1; held < waiting.size(); ++held)
      if ((held & ~std::size_t{set}) == 0) cycles += waiting[held];
    return cycles;
  }
  std::uint64_t cycles() const {  // with a block of the kernel on the SM
    std::uint64_t cycles = active;
    for (const std::uint64_t count : waiting) cycles += count;
    return cycles;
  }

  KernelStalls& operator+=(const KernelStalls& other) {
    active += other.active;
    for (std::size_t held = 0; held < waiting.size(); ++held) waiting[held] += other.waiting[held];
    return *this;
  }
  KernelStalls& operator-=(const KernelStalls& other) {
    active -= other.active;
    for (std::size_t held = 0; held < waiting.size(); ++held) waiting[held] -= other.waiting[held];
    return *this;
  }
};

}  // namespace heddle
