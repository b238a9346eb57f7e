#pragma once
// Random kernel schedules for property tests. Equal seeds give equal schedules.

#include <algorithm>
#include <string>
#include <vector>

#include "models/core/base/random.h"
#include "tests/support/machine/fake_gpu.h"
#include "tests/support/test_size.h"

namespace heddle {

// Returns the limits of an SM on which the residency of a kernel is the smaller of block_slots and 1024 /
// threads.
inline SmLimits test_limits(std::uint32_t block_slots) {
  SmLimits limits;
  limits.threads = 1024;
  limits.warps = 32;
  limits.registers = 65536;
  limits.shared_bytes = 49152;
  limits.block_slots = block_slots;
  limits.threads_per_block = 1024;
  limits.registers_per_thread = 255;
  return limits;
}

inline KernelLaunch test_kernel(std::uint32_t context, std::uint64_t blocks, std::uint64_t cycles,
                                std::uint32_t threads = 32) {
  KernelLaunch launch;
  launch.context = ContextId{context};
  launch.stream = StreamId{0};
  launch.blocks = blocks;
  launch.shape.threads = threads;
  launch.shape.registers_per_thread = 1;
  launch.block_cycles = cycles;
  return launch;
}

struct Schedule {
  struct Arrival {
    Cycle at;
    KernelLaunch launch;
  };
  EngineSpec spec;
  SmLimits limits;
  std::uint32_t sms = 1;
  std::vector<ContextView> contexts;
  std::vector<Arrival> arrivals;
  std::uint64_t longest_residence = 0;  // cycles, over all blocks

  void feed(FakeGpu& gpu) const {
    for (std::uint32_t i = 0; i < contexts.size(); ++i) gpu.set_context(Cycle{0}, ContextId{i}, contexts[i]);
    for (const Arrival& arrival : arrivals) gpu.launch(arrival.at, arrival.launch);
  }
};

// Returns a schedule of 1 to 8 SMs, 1 to 5 contexts, priorities 0 to 2, and up to 14 kernels of up to 40
// blocks. Each context has at least one token while tokens are left; all contexts together have at most as
// many tokens as there are SMs.
inline Schedule random_schedule(std::uint64_t seed) {
  Random random(seed);
  const auto between = [&random](std::uint64_t least, std::uint64_t most) {
    return least + random.below(most - least + 1);
  };
  const auto small = [&](std::uint64_t least, std::uint64_t most) {
    return static_cast<std::uint32_t>(between(least, most));
  };
  Schedule schedule;
  schedule.sms = small(1, 8);
  schedule.limits = test_limits(small(1, 4));
  const std::uint32_t contexts = small(1, 5);
  schedule.contexts.resize(contexts);
  std::uint32_t left = schedule.sms;
  for (std::uint32_t i = 0; i < contexts; ++i) {
    schedule.contexts[i].priority = static_cast<std::int32_t>(between(0, 2));
    if (left == 0) continue;
    schedule.contexts[i].tokens = 1;
    --left;
  }
  for (std::uint64_t extra = between(0, left); extra > 0; --extra)
    ++schedule.contexts[random.below(contexts)].tokens;

  schedule.spec.contexts = contexts;
  schedule.spec.ksrs = small(2, 10);
  schedule.spec.kernel_launch_latency = between(1, 5);
  schedule.spec.block_issue_latency = between(2, 3);
  schedule.spec.sm_setup_latency = schedule.spec.block_issue_latency + between(1, 8);
  if (random.below(2) == 0) schedule.spec.block_placement = BlockPlacement::kPacked;
  schedule.spec.save_bytes_per_cycle = 32;

  std::uint64_t at = 0;
  for (std::uint64_t kernels = between(1, 14); kernels > 0; --kernels) {
    at += random.below(3) == 0 ? 0 : random.below(120);
    KernelLaunch launch = test_kernel(small(0, contexts - 1), between(1, 40), between(1, 60));
    launch.shape.threads = 32 << random.below(6);
    launch.jitter_permille = random.below(2) == 0 ? 0 : 500;
    launch.seed = random.next();
    launch.restartable = launch.seed % 3 != 0;
    for (std::uint64_t block = 0; block < launch.blocks; ++block)
      schedule.longest_residence = std::max(schedule.longest_residence, residence_of(launch, BlockId{block}));
    schedule.arrivals.push_back({Cycle{at}, launch});
  }
  return schedule;
}

template <class Interface>
std::unique_ptr<Interface> make_policy(const std::string& name) {
  return PolicyRegistry<Interface>::make({name, {}});
}

}  // namespace heddle
