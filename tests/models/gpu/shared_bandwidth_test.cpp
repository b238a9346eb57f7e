// The bandwidth that timed SMs and copies share in a whole GPU: hand-overs by `switch`, and kernels that slow
// each other down, in exact cycles.

#include <gtest/gtest.h>

#include <cmath>

#include "models/core/kernel/bandwidth.h"
#include "models/core/time/progress.h"
#include "tests/support/in_child.h"
#include "tests/support/k20.h"
#include "tests/support/machine/gpu_rig.h"
#include "tests/support/rig.h"

namespace heddle::test {
namespace {

constexpr std::uint64_t kIssue = 10;
constexpr double kCycle = 1416e-12;     // a core cycle, 706 MHz in whole picoseconds
constexpr double kDram = 256 / kCycle;  // 256 bytes per core cycle
constexpr std::uint64_t kMiB = 1 << 20;
// 8 blocks on an SM. Each has 8 warps of 32 registers and a line of state.
constexpr BlockShape kEight{256, 32, 0};
constexpr std::uint64_t kState = 8 * (32 * 128 + 128);

GpuSpec spec_of(std::uint32_t sms, const char* partitioner, const char* preemption) {
  GpuSpec spec = k20_spec();
  spec.sm.count = sms;
  spec.policies["sm_partitioner"].name = partitioner;
  spec.policies["preemption"].name = preemption;
  spec.bandwidth.dram_bytes_per_second = kDram;
  return spec;
}

// The cycles of blocks that left an SM and came back, and of slices.
class Watcher : public EngineObserver {
 public:
  std::vector<Cycle> issued, saved, resumed, leaving, freed, done;
  void block_issued(Cycle now, SmId, KsrId, BlockId) override { issued.push_back(now); }
  void block_saved(Cycle now, SmId, KsrId, BlockId) override { saved.push_back(now); }
  void block_resumed(Cycle now, SmId, KsrId, BlockId) override { resumed.push_back(now); }
  void block_done(Cycle now, SmId, KsrId, BlockId, const SmWork&) override { done.push_back(now); }
  void slice_event(Cycle now, SliceEvent event, SmId, KsrId) override {
    if (event == SliceEvent::kLeaving) leaving.push_back(now);
    if (event == SliceEvent::kFreed) freed.push_back(now);
  }
};

// Returns bytes per core cycle, with kRateBits binary digits behind the point.
std::uint64_t per_cycle(const GpuRig& rig, double bytes_per_second) {
  return static_cast<std::uint64_t>(
      std::llround(bytes_per_second / const_cast<GpuRig&>(rig).gpu().core().frequency_hz() * kFullRate));
}
std::uint64_t cycles_of(std::uint64_t bytes, std::uint64_t rate) {
  return ((bytes << kRateBits) + rate - 1) / rate;
}

// A long kernel on all SMs, and a short one of higher priority that comes later and needs as many of them as
// it has eight blocks.
std::vector<ApiProgram> long_and_short(std::uint32_t sms, std::uint64_t short_blocks) {
  return {ProgramBuilder("long").launch(8 * sms, kEight, 400'000).synchronise().build(),
          ProgramBuilder("short").cpu(100'000'000).launch(short_blocks, kEight, 1000).synchronise().build()};
}

// The request to store arrives after the issue latency less a cycle, and the answer a cycle after the last
// store.
TEST(SharedBandwidth, AHandOverTakesTheBytesOfAllBlocksOverTheBandwidth) {
  GpuRig rig("rig", spec_of(1, "ppq", "switch"), long_and_short(1, 8));
  Watcher seen;
  rig.gpu().observe(seen);
  run_dry();
  rig.expect_complete();
  ASSERT_FALSE(seen.leaving.empty());
  EXPECT_EQ(seen.freed[0] - seen.leaving[0], kIssue + cycles_of(8 * kState, per_cycle(rig, kDram)));
  ASSERT_EQ(seen.saved.size(), 8u);
  for (std::uint64_t i = 0; i < 8; ++i)  // blocks leave one after another
    EXPECT_EQ(seen.saved[i] - seen.leaving[0], kIssue + cycles_of((i + 1) * kState, per_cycle(rig, kDram)));
  EXPECT_EQ(rig.counter("sm0.saved_bytes"), 8 * kState);
  EXPECT_EQ(rig.counter("sm0.restored_bytes"), 8 * kState);
  EXPECT_EQ(rig.counter("engine.driver.switches"), 1u);
}

TEST(SharedBandwidth, SmsThatAreHandedOverTogetherShareIt) {
  GpuRig rig("rig", spec_of(4, "ppq", "switch"), long_and_short(4, 32));
  Watcher seen;
  rig.gpu().observe(seen);
  run_dry();
  rig.expect_complete();
  ASSERT_GE(seen.freed.size(), 4u);
  for (int sm = 0; sm < 4; ++sm) {
    EXPECT_EQ(seen.leaving[sm], seen.leaving[0]);
    EXPECT_EQ(seen.freed[sm] - seen.leaving[sm], kIssue + cycles_of(8 * kState, per_cycle(rig, kDram) / 4));
  }
}

TEST(SharedBandwidth, ACopyOverTheLinkLeavesTheRestOfTheBandwidth) {
  std::vector<ApiProgram> programs = long_and_short(1, 8);
  programs.insert(programs.begin(), ProgramBuilder("copy").copy_down(8 * kMiB).build());
  GpuRig rig("rig", spec_of(1, "ppq", "switch"), programs);
  Watcher seen;
  rig.gpu().observe(seen);
  run_dry();
  rig.expect_complete();
  const std::uint64_t link = per_cycle(rig, 16 * rig.gpu().pcie().frequency_hz());
  EXPECT_EQ(seen.freed[0] - seen.leaving[0], kIssue + cycles_of(8 * kState, per_cycle(rig, kDram) - link));
}

// A copy within device memory reads and writes each byte. Alone it takes all the bandwidth.
ApiProgram copy_across(std::uint64_t bytes) {
  ApiProgram program = ProgramBuilder("across").build();
  program.buffers.push_back({"other", 16 * kMiB});
  ApiCall call;
  call.kind = ApiCall::Kind::kAllocate;
  call.buffer = 1;
  program.calls.push_back(call);
  call.kind = ApiCall::Kind::kCopyAcross;
  call.buffer = 0;
  call.other = 1;
  call.bytes = bytes;
  program.calls.push_back(call);
  call.kind = ApiCall::Kind::kSynchronise;
  call.stream = ApiCall::kAllStreams;
  program.calls.push_back(call);
  return program;
}

TEST(SharedBandwidth, ACopyWithinDeviceMemoryTakesHalfOfIt) {
  std::vector<ApiProgram> programs = long_and_short(1, 8);
  programs.insert(programs.begin(), copy_across(16 * kMiB));  // 168 us alone; the hand-over comes in it
  GpuRig rig("rig", spec_of(1, "ppq", "switch"), programs);
  Watcher seen;
  rig.gpu().observe(seen);
  run_dry();
  rig.expect_complete();
  EXPECT_EQ(seen.freed[0] - seen.leaving[0], kIssue + cycles_of(8 * kState, per_cycle(rig, kDram) / 2));
}

class Copies : public TransferObserver {
 public:
  std::uint64_t begin = 0, end = 0;  // PCIe cycles
  void transferred(Cycle from, Cycle until, const Transfer&) override {
    begin = from.value;
    end = until.value;
  }
};

// The hand-over of 8 blocks takes so long that the copy lies within it.
TEST(SharedBandwidth, ACopyBesideAHandOverTakesTwiceAsLong) {
  const auto time_of = [](bool beside) {
    std::vector<ApiProgram> programs = long_and_short(1, 8);
    programs[0] = ProgramBuilder("long").launch(1, {1024, 64, 40'000}, 400'000).synchronise().build();
    ApiProgram copy = copy_across(64 << 10);
    ApiCall wait;
    wait.time_ps = beside ? 105'000'000 : 0;
    copy.calls.insert(copy.calls.begin(), wait);
    programs.insert(programs.begin(), copy);
    GpuSpec spec = spec_of(1, "ppq", "switch");
    spec.bandwidth.dram_bytes_per_second = 2e9;  // a block's 300 KB take 150 us
    spec.dma.device_bytes_per_second = 1e9;
    GpuRig rig("rig", spec, programs);
    Copies copies;
    rig.gpu().observe(copies);
    run_dry();
    rig.expect_complete();
    return std::to_string(copies.end - copies.begin);
  };
  const std::uint64_t alone = std::stoull(in_child([&] { return time_of(false); }));
  const std::uint64_t beside = std::stoull(in_child([&] { return time_of(true); }));
  EXPECT_EQ(alone, 16u * 2048);  // 4 KiB at 2 bytes per PCIe cycle
  EXPECT_NEAR(static_cast<double>(beside), 2.0 * static_cast<double>(alone), 16);
}

TEST(SharedBandwidth, TheResidenceOfABlockThatIsSwitchedIsItsResidenceAndItsWait) {
  std::vector<ApiProgram> programs = long_and_short(1, 8);
  programs[0] = ProgramBuilder("long").launch(1, kEight, 400'000).synchronise().build();
  GpuRig rig("rig", spec_of(1, "ppq", "switch"), programs);
  Watcher seen;
  rig.gpu().observe(seen);
  run_dry();
  rig.expect_complete();
  ASSERT_EQ(seen.resumed.size(), 1u);
  const std::uint64_t residence = seen.done.back() - seen.issued[0] - kIssue;
  // Both requests, to stop and to go on, are on the way for equally long.
  const std::uint64_t wait = seen.resumed[0] - seen.leaving[0] + cycles_of(kState, per_cycle(rig, kDram));
  EXPECT_EQ(residence, 400'000 + wait);
}

// ---- kernels that contend

GpuSpec contending(std::uint32_t sms) {
  GpuSpec spec = spec_of(sms, "left-over", "drain");
  spec.bandwidth.kernels = true;
  return spec;
}

// A kernel of one block whose DRAM traffic is `share` of the bandwidth.
ApiProgram asking(const std::string& name, double share, std::uint64_t cycles, std::uint64_t cpu_ps = 0) {
  ApiProgram program = ProgramBuilder(name).cpu(cpu_ps).launch(1, kEight, cycles).synchronise().build();
  const double bytes = share * kDram * kCycle * static_cast<double>(cycles);
  program.kernels[0].dram_sectors = static_cast<std::uint32_t>(std::llround(bytes / 32));
  return program;
}

struct Times {
  std::uint64_t begin = 0;  // of the block on its SM
  std::uint64_t end = 0;
};

// Returns the times of the block of each program.
std::vector<Times> times_of(const GpuSpec& spec, const std::vector<ApiProgram>& programs) {
  class Blocks : public EngineObserver {
   public:
    std::vector<Times> times{8};
    void block_issued(Cycle now, SmId, KsrId ksr, BlockId) override {
      times[context[ksr.value]].begin = now.value + kIssue - 1;
    }
    void block_done(Cycle now, SmId, KsrId ksr, BlockId, const SmWork&) override {
      times[context[ksr.value]].end = now.value - 1;
    }
    void kernel_event(Cycle, KernelEvent event, KsrId ksr, const KernelLaunch& launch) override {
      if (event == KernelEvent::kLoaded) context[ksr.value] = launch.context.value;
    }
    std::vector<std::uint32_t> context = std::vector<std::uint32_t>(64);
  } blocks;
  GpuRig rig("rig", spec, programs);
  rig.gpu().observe(blocks);
  run_dry();
  rig.expect_complete();
  blocks.times.resize(programs.size());
  return blocks.times;
}

TEST(SharedBandwidth, AKernelAloneTakesItsBytesOverTheBandwidthIfItAsksForMore) {
  for (const double share : {0.0, 0.5, 1.0, 2.0, 4.0}) {
    const std::string cycles = in_child([share] {
      const Times alone = times_of(contending(2), {asking("a", share, 100'000)})[0];
      return std::to_string(alone.end - alone.begin);
    });
    // The rate is rounded to 2^-20.
    EXPECT_NEAR(std::stod(cycles), 100'000 * std::max(1.0, share), 2) << share;
  }
}

// Eight blocks on one SM, of which two draw all that it can.
TEST(SharedBandwidth, BlocksOnOneSmDrawNoMoreThanItCan) {
  ApiProgram program = ProgramBuilder("a").launch(8, kEight, 100'000).synchronise().build();
  program.kernels[0].dram_sectors = 1000;
  program.kernels[0].port_load = kFullPort / 2;
  const auto time_on = [&](std::uint32_t sms) {
    return std::stod(in_child([&] {
      const Times alone = times_of(contending(sms), {program})[0];
      return std::to_string(alone.end - alone.begin);
    }));
  };
  // The last block starts up to eight cycles after the first one, and half the port is rounded down by 2^-16.
  EXPECT_NEAR(time_on(1), 4 * 100'000, 10 + 4 * 100'000 / 65536.0);
  EXPECT_NEAR(time_on(2), 2 * 100'000, 10 + 2 * 100'000 / 65536.0);
  EXPECT_NEAR(time_on(4), 100'000, 10);
  EXPECT_NEAR(time_on(8), 100'000, 10);
}

// Both get half while both are there. The engine knows of an end a cycle later, and tells the other one after
// its issue latency.
TEST(SharedBandwidth, TwoKernelsThatAskForAllOfItRunHalfAsFast) {
  constexpr std::uint64_t kTime = 100'000;
  const std::vector<Times> both =
      times_of(contending(2), {asking("a", 1, kTime), asking("b", 1, kTime, 10'000'000)});
  const std::uint64_t apart = both[1].begin - both[0].begin;
  ASSERT_GT(apart, 0u);
  EXPECT_EQ(both[0].end, both[1].begin + 2 * (kTime - apart));
  const std::uint64_t told = both[0].end + kIssue;
  const std::uint64_t made = (told - both[1].begin) / 2;
  EXPECT_EQ(both[1].end, told + kTime - made);
}

TEST(SharedBandwidth, OneThatAsksForThirtyPercentLeavesSeventy) {
  constexpr std::uint64_t kTime = 1'000'000;
  const std::vector<Times> both =
      times_of(contending(1), {asking("a", 1, kTime), asking("b", 0.3, 20 * kTime)});
  EXPECT_EQ(both[1].end - both[1].begin, 20 * kTime);
  const auto apart = static_cast<double>(both[1].begin - both[0].begin);
  EXPECT_NEAR(static_cast<double>(both[0].end - both[0].begin),
              apart + (static_cast<double>(kTime) - apart) / 0.7, 5);
}

TEST(SharedBandwidth, AComputeBoundKernelBesideAMemoryBoundOneIsNotSlowed) {
  const std::vector<Times> both = times_of(contending(1), {asking("a", 1, 100'000), asking("b", 0, 100'000)});
  for (const Times& times : both) EXPECT_EQ(times.end - times.begin, 100'000u);
}

TEST(SharedBandwidth, WithoutContentionTheBytesOfKernelsMeanNothing) {
  GpuSpec spec = contending(1);
  spec.bandwidth.kernels = false;
  const std::vector<Times> both = times_of(spec, {asking("a", 1, 100'000), asking("b", 1, 100'000)});
  for (const Times& times : both) EXPECT_EQ(times.end - times.begin, 100'000u);
}

TEST(SharedBandwidth, AHandOverTakesItsShareFromTheKernelsThatGoOn) {
  GpuSpec spec = spec_of(2, "ppq", "switch");
  spec.bandwidth.kernels = true;
  std::vector<ApiProgram> programs = long_and_short(2, 8);
  const double bytes = kDram * kCycle * 400'000 / 8;  // the eight blocks that stay on an SM ask for all
  programs[0].kernels[0].dram_sectors = static_cast<std::uint32_t>(std::llround(bytes / 32));
  GpuRig rig("rig", spec, programs);
  Watcher seen;
  rig.gpu().observe(seen);
  run_dry();
  rig.expect_complete();
  // The SM that is handed over and the kernel on the other SM have half each.
  EXPECT_EQ(seen.freed[0] - seen.leaving[0], kIssue + cycles_of(8 * kState, per_cycle(rig, kDram) / 2));
}

// 64 kernels with a block on each of 132 SMs ask for an eighth of the bandwidth each, so for eight times as
// much as there is.
TEST(SharedBandwidth, SixtyFourKernelsOn132SmsAreSlowedDownEightTimes) {
  constexpr std::uint64_t kTime = 500'000;
  GpuSpec spec = contending(132);
  spec.engine.ksrs = 64;
  spec.sm.limits.block_slots = 64;
  std::vector<ApiProgram> programs;
  double bytes = 0;
  for (int i = 0; i < 8; ++i) {
    ProgramBuilder builder("p" + std::to_string(i), 8);
    for (std::uint32_t stream = 0; stream < 8; ++stream) builder.launch(132, {32, 16, 0}, kTime, 0, stream);
    programs.push_back(builder.synchronise().build());
    for (ApiKernel& kernel : programs.back().kernels) {
      kernel.dram_sectors = static_cast<std::uint32_t>(std::llround(kDram * kCycle * kTime / 8 / 132 / 32));
      bytes += 132 * 32.0 * kernel.dram_sectors;
    }
  }
  GpuRig rig("rig", spec, programs);
  Watcher seen;
  rig.gpu().observe(seen);
  run_dry();
  rig.expect_complete();
  ASSERT_EQ(seen.done.size(), 64u * 132);
  const auto time = static_cast<double>(seen.done.back() - seen.issued.front());
  EXPECT_LE(bytes, kDram * kCycle * time);
  EXPECT_NEAR(time, 8.0 * kTime, 0.02 * 8 * kTime);
}

// All bytes of all kernels at most fill the bandwidth from the first block to the last.
TEST(SharedBandwidth, KernelsMoveNoMoreThanTheBandwidthTimesTheTime) {
  std::vector<ApiProgram> programs;
  double bytes = 0;
  for (int i = 0; i < 6; ++i) {
    programs.push_back(asking("k" + std::to_string(i), 0.3 + 0.1 * i, 50'000 + 7000 * i));
    bytes += 32.0 * programs.back().kernels[0].dram_sectors;
  }
  const std::vector<Times> all = times_of(contending(3), programs);
  std::uint64_t first = ~std::uint64_t{0};
  std::uint64_t last = 0;
  for (const Times& times : all) {
    first = std::min(first, times.begin);
    last = std::max(last, times.end);
  }
  const double most = kDram * kCycle * static_cast<double>(last - first);
  EXPECT_LE(bytes, most);
  EXPECT_GT(bytes, 0.85 * most);
}

}  // namespace
}  // namespace heddle::test
