// The cost of the simulation, in numbers that are the same on every machine: calls by the SystemC kernel,
// ticks of blocks and allocations, relative to the work done.

#include <gtest/gtest.h>

#include "models/gpu/gpu.h"
#include "tests/support/allocation_counter.h"
#include "tests/support/k20.h"
#include "tests/support/machine/scripted_host.h"
#include "tests/support/rig.h"

namespace heddle::test {
namespace {

// A GPU whose host writes all its commands before the simulation starts.
struct Rig {
  explicit Rig(const GpuSpec& spec = k20_spec())
      : gpu("gpu", spec), memory("memory", sc_core::sc_time(100, sc_core::SC_NS)), host("host") {
    gpu.system().bind(memory.socket);
    host.mmio.bind(gpu.mmio());
    host.memory.bind(memory.socket);
  }
  double counter(const std::string& path) {
    const Counter* counter = gpu.stats().find("gpu." + path);
    EXPECT_NE(counter, nullptr) << path;
    return counter == nullptr ? 0.0 : static_cast<double>(counter->value());
  }

  Gpu gpu;
  SystemMemory memory;
  ScriptedHost host;
};

KernelLaunch kernel(std::uint64_t blocks, std::uint64_t cycles, std::uint32_t jitter) {
  KernelLaunch launch;
  launch.blocks = blocks;
  launch.shape = {256, 32, 0};
  launch.block_cycles = cycles;
  launch.jitter_permille = jitter;
  launch.seed = 5;
  return launch;
}

// A block costs a tick at its start, a tick at its end and a tick of the engine. The method of the clock
// domain is called in each cycle in which any of them happens.
TEST(Proxies, WakesAndTicksPerBlock) {
  Rig rig;
  rig.host.open(0, 1024);
  rig.host.push(0, launch_command(ContextId{0}, StreamId{0}, kernel(20'000, 50'000, 300)));
  run_dry();
  const double blocks = rig.counter("engine.driver.blocks_done");
  ASSERT_EQ(blocks, 20'000);
  const double wakes = rig.counter("core.wakes") / blocks;
  const double ticks = rig.counter("core.ticks") / blocks;
  RecordProperty("wakes_per_block", std::to_string(wakes));
  RecordProperty("ticks_per_block", std::to_string(ticks));
  EXPECT_LE(wakes, 3.1);
  EXPECT_LE(ticks, 3.1);
}

TEST(Proxies, BlocksThatMoveTogetherShareTheirWakes) {
  Rig rig;
  rig.host.open(0, 1024);
  rig.host.push(0, launch_command(ContextId{0}, StreamId{0}, kernel(20'000, 50'000, 0)));
  run_dry();
  EXPECT_LE(rig.counter("core.wakes") / rig.counter("engine.driver.blocks_done"), 0.5);
  EXPECT_LE(rig.counter("core.ticks") / rig.counter("engine.driver.blocks_done"), 3.1);
}

TEST(Proxies, WakesAndTicksPerBurst) {
  Rig rig;
  constexpr std::uint64_t kBytes = 16 << 20;
  const Address up = rig.gpu.device_memory()[0].allocate(kBytes, "up");
  const Address down = rig.gpu.device_memory()[0].allocate(kBytes, "down");
  rig.host.open(0, 1024);
  rig.host.open(1, 1024);
  rig.host.push(0, copy_command(ContextId{0}, StreamId{0}, Command::Kind::kCopyUp, 1 << 30, up, kBytes));
  rig.host.push(1, copy_command(ContextId{0}, StreamId{1}, Command::Kind::kCopyDown, 1 << 30, down, kBytes));
  run_dry();
  const double bursts = rig.counter("dma0.bursts") + rig.counter("dma1.bursts");
  ASSERT_EQ(bursts, 2 * kBytes / 4096);
  const double wakes = rig.counter("pcie.wakes") / bursts;
  const double ticks = rig.counter("pcie.ticks") / bursts;
  RecordProperty("wakes_per_burst", std::to_string(wakes));
  RecordProperty("ticks_per_burst", std::to_string(ticks));
  EXPECT_LE(wakes, 6.0);
  EXPECT_LE(ticks, 7.0);
}

TEST(Proxies, AnIdleGpuCostsNothing) {
  Rig rig;
  sc_core::sc_start(sc_core::sc_time(1, sc_core::SC_SEC));
  EXPECT_EQ(rig.counter("core.wakes"), 0);
  EXPECT_EQ(rig.counter("pcie.wakes"), 0);
}

// After a first round of kernels, copies, events and fences, further rounds allocate nothing.
TEST(Proxies, NothingIsAllocatedInSteadyState) {
  Rig rig;
  constexpr std::uint32_t kQueues = 4;
  constexpr std::uint64_t kRounds = 200;
  for (std::uint32_t queue = 0; queue < kQueues; ++queue) {
    rig.host.open(queue, 1024);
    const Address data = rig.gpu.device_memory()[queue].allocate(40'000, "data");
    std::uint64_t value = 0;
    for (std::uint64_t round = 1; round <= kRounds; ++round) {
      const ContextId context{queue};
      const StreamId stream{queue};
      const Address fence = ScriptedHost::fence(queue);
      rig.host.write(queue, copy_command(context, stream, Command::Kind::kCopyUp, 1 << 30, data, 40'000,
                                         fence, ++value));
      rig.host.write(queue, launch_command(context, stream, kernel(600, 3000, 300), fence, ++value));
      rig.host.write(queue, event_command(context, stream, Command::Kind::kRecord, 1, round, fence, ++value));
      rig.host.write(queue, event_command(context, stream, Command::Kind::kWait, 1, round, fence, ++value));
      rig.host.write(queue, copy_command(context, stream, Command::Kind::kCopyDown, 1 << 30, data, 4'000,
                                         fence, ++value));
    }
  }
  for (std::uint32_t queue = 0; queue < kQueues; ++queue) rig.host.ring_doorbell(queue);
  sc_core::sc_start(sc_core::sc_time(3, sc_core::SC_MS));
  const double before = rig.counter("engine.driver.blocks_done");
  arm_allocation_counter();
  sc_core::sc_start(sc_core::sc_time(5, sc_core::SC_MS));
  const std::uint64_t allocations = disarm_allocation_counter();
  EXPECT_GT(rig.counter("engine.driver.blocks_done"), before + 10'000);
  EXPECT_FALSE(rig.gpu.idle()) << "the work ended too early to say anything";
  EXPECT_EQ(allocations, 0u);
}

}  // namespace
}  // namespace heddle::test
