#include "platforms/estimate/concurrent_kernels.h"

#include <algorithm>
#include <cmath>
#include <stdexcept>

namespace heddle {

namespace {

std::uint64_t divide_up(std::uint64_t amount, std::uint64_t by) {
  return amount / by + (amount % by != 0 ? 1 : 0);
}

void require(bool holds, const char* message) {
  if (!holds) throw std::invalid_argument(message);
}

void check(const ConcurrentKernel& first, const ConcurrentKernel& second, const ConcurrentGpu& gpu) {
  require(gpu.sms > 0, "a GPU without SMs");
  require(residency_of(first.shape, gpu.limits).blocks > 0, "a block of the first kernel fits no SM");
  require(residency_of(second.shape, gpu.limits).blocks > 0, "a block of the second kernel fits no SM");
  require(second.blocks > 0, "a second kernel of no blocks");
  for (const double bandwidth : {first.bytes_per_second, second.bytes_per_second, gpu.bytes_per_second})
    require(std::isfinite(bandwidth) && bandwidth >= 0, "a bandwidth that is no number of 0 or more");
  if (gpu.bytes_per_second > 0)
    require(std::max(first.bytes_per_second, second.bytes_per_second) <= gpu.bytes_per_second,
            "a kernel's bandwidth above the GPU's");
}

// This is Algorithm 2, with the number of blocks that lie on this SM in place of ActiveBlocks. With
// ActiveBlocks, S1 would leave no room for S2 on full SMs, but Table 3 lists the pair as Case A. Beside
// registers, threads and shared memory the function counts warps and block slots. Section 4 lists block
// slots, and Algorithm 2 leaves them out. If the table states no registers, none are used.
Residency allocatable(const BlockShape& first, std::uint32_t first_blocks, const BlockShape& second,
                      const SmLimits& limits) {
  const BlockResources used = resources_of(first, limits);
  SmLimits left = limits;
  left.threads -= used.threads * first_blocks;
  left.warps -= used.warps * first_blocks;
  left.registers -= used.registers * first_blocks;
  left.shared_bytes -= used.shared_bytes * first_blocks;
  left.block_slots -= first_blocks;
  return residency_of(second, left);
}

// Places the `blocks` blocks of the last round, at most `active` on an SM.
std::vector<SmGroup> place(std::uint64_t blocks, std::uint32_t active, const ConcurrentGpu& gpu) {
  std::vector<SmGroup> groups;
  const auto add = [&](std::uint64_t sms, std::uint64_t each) {
    if (sms > 0) groups.push_back({static_cast<std::uint32_t>(sms), static_cast<std::uint32_t>(each), {}});
  };
  if (gpu.placement == BlockPlacement::kPacked) {
    const std::uint64_t in_part = blocks % active != 0 ? 1 : 0;
    add(blocks / active, active);
    add(in_part, blocks % active);
    add(gpu.sms - blocks / active - in_part, 0);
  } else {
    add(blocks % gpu.sms, blocks / gpu.sms + 1);
    add(gpu.sms - blocks % gpu.sms, blocks / gpu.sms);
  }
  return groups;
}

// This is Algorithm 1. Its line 7 asks only whether the last round is partial. The text below the algorithm
// also requires room for the second kernel in that round, and so does this function. If the blocks of the
// first kernel fill every SM, the result is Case C (line 3), although a smaller block might fit.
Concurrency classify(const ConcurrentKernel& first, const PairEstimate& estimate, const ConcurrentGpu& gpu) {
  if (first.time_alone_ps && *first.time_alone_ps <= gpu.launch_overhead_ps && first.blocks > 0)
    return Concurrency::kNone;  // an unknown time counts as longer than the overhead
  const std::uint64_t capacity = std::uint64_t{estimate.first.blocks} * gpu.sms;
  if (estimate.second_slots == 0) return Concurrency::kNone;
  if (first.blocks < capacity) return Concurrency::kFromTheStart;
  return first.blocks % capacity > 0 ? Concurrency::kLastRound : Concurrency::kNone;
}

// Both kernels demand the bandwidth that they reached alone; the second demands less in proportion to its
// slowdown. If the sum exceeds the GPU's bandwidth, it is shared in proportion to demand, so that both
// kernels slow down alike.
double contention_of(const ConcurrentKernel& first, const ConcurrentKernel& second, double slowdown,
                     const ConcurrentGpu& gpu) {
  if (gpu.bytes_per_second <= 0 || first.blocks == 0) return 1;
  return std::max(1.0, (first.bytes_per_second + second.bytes_per_second / slowdown) / gpu.bytes_per_second);
}

// All rounds of a kernel are assumed to take equally long.
double turnaround_of(const ConcurrentKernel& first, const ConcurrentKernel& second, const PairEstimate& pair,
                     const ConcurrentGpu& gpu) {
  const double alone = static_cast<double>(*second.time_alone_ps);
  if (first.blocks == 0) return alone;
  const double first_time = static_cast<double>(*first.time_alone_ps);
  if (pair.concurrency == Concurrency::kNone) {
    // A first kernel shorter than the launch overhead has ended when the second arrives.
    return *first.time_alone_ps <= gpu.launch_overhead_ps ? alone : first_time + alone;
  }
  const double beside = pair.concurrency == Concurrency::kFromTheStart
                            ? first_time
                            : first_time / static_cast<double>(pair.first_rounds);
  const double wait = first_time - beside;
  if (alone * pair.slowdown <= beside) return wait + alone * pair.slowdown * pair.contention;
  return wait + beside * pair.contention + alone - beside / pair.slowdown;
}

}  // namespace

const char* name_of(Concurrency concurrency) {
  switch (concurrency) {
    case Concurrency::kFromTheStart:
      return "A";
    case Concurrency::kLastRound:
      return "B";
    case Concurrency::kNone:
      return "C";
  }
  return "?";
}

PairEstimate estimate_pair(const ConcurrentKernel& first, const ConcurrentKernel& second,
                           const ConcurrentGpu& gpu) {
  check(first, second, gpu);
  PairEstimate pair;
  pair.first = residency_of(first.shape, gpu.limits);
  pair.second = residency_of(second.shape, gpu.limits);
  const std::uint64_t first_capacity = std::uint64_t{pair.first.blocks} * gpu.sms;
  pair.first_rounds = divide_up(first.blocks, first_capacity);
  pair.second_rounds = divide_up(second.blocks, std::uint64_t{pair.second.blocks} * gpu.sms);
  const std::uint64_t earlier = pair.first_rounds == 0 ? 0 : (pair.first_rounds - 1) * first_capacity;
  pair.last_round = place(first.blocks - earlier, pair.first.blocks, gpu);
  for (SmGroup& group : pair.last_round) {
    group.second = allocatable(first.shape, group.first_blocks, second.shape, gpu.limits);
    pair.second_slots += std::uint64_t{group.sms} * group.second.blocks;
  }
  pair.concurrency = classify(first, pair, gpu);
  pair.second_limited_rounds = pair.second_rounds;
  if (pair.concurrency != Concurrency::kNone) {
    // Equation 3 treats a partly filled SM as an occupied SM with its own left-over. The first kernel is
    // assumed to stay as long as the second runs.
    pair.second_limited_rounds = divide_up(second.blocks, pair.second_slots);
    pair.slowdown = static_cast<double>(pair.second_limited_rounds) / static_cast<double>(pair.second_rounds);
    pair.contention = contention_of(first, second, pair.slowdown, gpu);
  }
  if (second.time_alone_ps && (first.time_alone_ps || first.blocks == 0))
    pair.second_turnaround_ps = turnaround_of(first, second, pair, gpu);
  return pair;
}

}  // namespace heddle
