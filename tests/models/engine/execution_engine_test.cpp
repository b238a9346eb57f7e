// The execution engine with its timed SMs, alone on a clock. The time of a kernel that runs alone has a
// closed form, from the cycle in which its KSR is loaded to the cycle in which the engine knows that the last
// block has ended:
//   launch + set-up + W (issue + residence) + ceil(B_last / k) - 1
// with W waves of blocks on k SMs. The last wave has B_last blocks, and each SM starts one block per cycle.

#include "models/engine/execution_engine.h"

#include <gtest/gtest.h>

#include "models/sm/timed/residence_time.h"
#include "models/sm/timed_sm.h"
#include "tests/support/k20.h"
#include "tests/support/machine/dispatch_probe.h"
#include "tests/support/machine/engine_recorder.h"
#include "tests/support/machine/sample_reader.h"
#include "tests/support/rig.h"

namespace heddle::test {
namespace {

SmSpec sm_spec(std::uint32_t count) {
  SmSpec spec;
  spec.count = count;
  spec.limits = k20_limits();
  return spec;
}

constexpr std::uint64_t kLaunch = 706;
constexpr std::uint64_t kSetUp = 353 + 192 / 8;
constexpr std::uint64_t kIssue = 10;

struct Rig {
  Rig(const std::string& name, std::uint32_t sm_count, const char* policy = "fcfs-s",
      const EngineSpec& spec = k20_engine())
      : Rig(name, sm_count, PolicyRegistry<SmPartitioner>::make({policy, {}}), spec) {}
  Rig(const std::string& name, std::uint32_t sm_count, std::unique_ptr<SmPartitioner> policy,
      const EngineSpec& spec)
      : core((name + "_core").c_str(), kK20CoreHz),
        partitioner(std::move(policy)),
        throttle(PolicyRegistry<BlockThrottle>::make({"none", {}})),
        preemption(PolicyRegistry<Preemption>::make({"drain", {}})),
        engine((name + "_engine").c_str(), spec, k20_limits(), sm_count,
               {core, *partitioner, *throttle, *preemption, 64}),
        dispatcher((name + "_dispatcher").c_str(), core),
        queues((name + "_queues").c_str(), core) {
    for (std::uint32_t i = 0; i < sm_count; ++i) {
      const std::string number = std::to_string(i);
      sms.push_back(std::make_unique<TimedSm>((name + "_sm" + number).c_str(), sm_spec(sm_count), spec.ksrs,
                                              spec.set_up_cycles_on_sm(), core));
      probes.push_back(std::make_unique<DispatchProbe>((name + "_probe" + number).c_str(), ledger));
      engine.sms[i].bind(probes[i]->engine);
      probes[i]->sm.bind(sms[i]->dispatch);
    }
    dispatcher.socket.bind(engine.launches);
    queues.socket.bind(engine.contexts);
    engine.observe(recorder);
  }

  std::uint64_t launch(std::uint64_t blocks, const BlockShape& shape, std::uint64_t cycles,
                       std::uint32_t context = 0, std::uint32_t jitter = 0) {
    KernelLaunch launch;
    launch.kernel = KernelId{launched};
    launch.context = ContextId{context};
    launch.stream = StreamId{context};
    launch.blocks = blocks;
    launch.shape = shape;
    launch.block_cycles = cycles;
    launch.jitter_permille = jitter;
    launch.seed = 12345;
    last = launch;
    dispatcher.send(launch);
    return launched++;
  }
  void share(std::uint32_t context, std::int32_t priority) {
    ContextUpdate update;
    update.context = ContextId{context};
    update.share.priority = priority;
    queues.send(update);
  }
  std::uint64_t time_of(std::uint64_t kernel) const {
    return recorder.kernels[kernel].ended - recorder.kernels[kernel].loaded;
  }
  void expect_clean(std::uint64_t blocks) {
    EXPECT_TRUE(engine.idle());
    for (const auto& sm : sms) EXPECT_TRUE(sm->idle());
    EXPECT_TRUE(ledger.balanced());
    EXPECT_EQ(ledger.blocks.size(), blocks);
    EXPECT_EQ(dispatcher.replies.size(), launched);
  }

  ClockDomain core;
  std::unique_ptr<SmPartitioner> partitioner;
  std::unique_ptr<BlockThrottle> throttle;
  std::unique_ptr<Preemption> preemption;
  ExecutionEngine engine;
  BlockLedger ledger;
  std::vector<std::unique_ptr<TimedSm>> sms;
  std::vector<std::unique_ptr<DispatchProbe>> probes;
  Requester<KernelLaunch, KernelDone> dispatcher;
  Requester<ContextUpdate, NoReply> queues;
  EngineRecorder recorder;
  std::uint64_t launched = 0;
  KernelLaunch last;
};

constexpr BlockShape kEight{256, 32, 0};  // 8 blocks on an SM

TEST(ExecutionEngine, AKernelAloneOnAnyNumberOfSms) {
  constexpr std::uint64_t kResidence = 5000;
  struct Run {
    std::unique_ptr<Rig> rig;
    std::uint64_t blocks = 0;
    std::uint64_t expected = 0;
  };
  std::vector<Run> runs;
  for (std::uint64_t k = 1; k <= 13; ++k)
    for (const std::uint64_t tail : {std::uint64_t{1}, k, k + 1, 5 * k - 1, 8 * k}) {
      const std::uint64_t full_waves = 2;
      Run run;
      run.blocks = full_waves * 8 * k + tail;
      run.expected = kLaunch + kSetUp + (full_waves + 1) * (kIssue + kResidence) + (tail + k - 1) / k - 1;
      run.rig = std::make_unique<Rig>("rig" + std::to_string(runs.size()), static_cast<std::uint32_t>(k));
      run.rig->launch(run.blocks, kEight, kResidence);
      runs.push_back(std::move(run));
    }
  run_dry();
  for (const Run& run : runs) {
    EXPECT_EQ(run.rig->time_of(0), run.expected)
        << run.blocks << " blocks on " << run.rig->sms.size() << " SMs";
    run.rig->expect_clean(run.blocks);
  }
}

TEST(ExecutionEngine, TheEndIsReportedOneCycleLater) {
  Rig rig("rig", 1);
  rig.launch(1, kEight, 100, 3);
  run_dry();
  ASSERT_EQ(rig.dispatcher.replies.size(), 1u);
  EXPECT_EQ(rig.recorder.kernels[0].loaded, Cycle{1});
  EXPECT_EQ(rig.dispatcher.replies[0].due, rig.recorder.kernels[0].ended + 1);
  EXPECT_EQ(rig.dispatcher.replies[0].message.kernel, KernelId{0});
  EXPECT_EQ(rig.dispatcher.replies[0].message.context, ContextId{3});
  EXPECT_EQ(rig.dispatcher.replies[0].message.stream, StreamId{3});
}

TEST(ExecutionEngine, TheEndIsReportedLaterByItsLatencyInTheOrderOfTheEnds) {
  EngineSpec spec = k20_engine();
  spec.kernel_end_latency = 500;
  Rig rig("rig", 1, "fcfs-s", spec);
  rig.launch(1, kEight, 100);
  rig.launch(1, kEight, 200, 1);
  run_dry();
  ASSERT_EQ(rig.dispatcher.replies.size(), 2u);
  for (std::uint32_t kernel = 0; kernel < 2; ++kernel) {
    EXPECT_EQ(rig.dispatcher.replies[kernel].message.kernel, KernelId{kernel});
    EXPECT_EQ(rig.dispatcher.replies[kernel].due, rig.recorder.kernels[kernel].ended + 500 + 1);
  }
  rig.expect_clean(2);
}

// Two blocks fit at the same time. The third block starts when the first of them ends.
TEST(ExecutionEngine, JitterOfThreeBlocksWorkedOutByHand) {
  Rig rig("rig", 1);
  rig.launch(3, {1024, 16, 0}, 10'000, 0, 500);
  run_dry();
  const auto residence = [&](std::uint64_t block) { return residence_of(rig.last, BlockId{block}); };
  const std::uint64_t first = kLaunch + kSetUp;  // issue of block 0; block 1 one cycle later
  const std::uint64_t end0 = first + kIssue + residence(0);
  const std::uint64_t end1 = first + 1 + kIssue + residence(1);
  const std::uint64_t end2 = std::min(end0, end1) + kIssue + residence(2);
  EXPECT_NE(residence(0), residence(1));
  EXPECT_EQ(rig.time_of(0), std::max({end0, end1, end2}));
}

TEST(ExecutionEngine, EveryTransitionOfAKernelAlone) {
  Rig rig("rig", 2);
  rig.launch(3, {1024, 16, 0}, 1000);
  run_dry();
  EXPECT_EQ(rig.recorder.lines,
            (std::vector<std::string>{"1 ksr0 loaded", "707 ksr0 activated", "707 sm0 ksr0 set up",
                                      "707 sm1 ksr0 set up", "1084 sm0 ksr0 running", "1084 sm1 ksr0 running",
                                      "2094 sm1 ksr0 freed", "2095 ksr0 ended", "2095 sm0 ksr0 freed"}));
  EXPECT_EQ(rig.recorder.sm_of, (std::vector<std::uint32_t>{0, 1, 0})) << "round robin";
  rig.expect_clean(3);
}

// A kernel of higher priority takes one of two SMs. The SM is drained and then set up for that kernel.
TEST(ExecutionEngine, EveryTransitionOfAPreemption) {
  Rig rig("rig", 2, "ppq");
  rig.share(1, 5);
  rig.launch(100, {1024, 16, 0}, 4000, 0);  // two on each SM, a wave every 4010 cycles from 1084 on
  run_to(rig.core, Cycle{2000});
  rig.launch(1, {1024, 16, 0}, 300, 1);  // there at 2001, active at 2707
  run_to(rig.core, Cycle{7000});
  const std::vector<std::string> lines = rig.recorder.lines;
  EXPECT_EQ(lines,
            (std::vector<std::string>{"1 ksr0 loaded", "707 ksr0 activated", "707 sm0 ksr0 set up",
                                      "707 sm1 ksr0 set up", "1084 sm0 ksr0 running", "1084 sm1 ksr0 running",
                                      "2001 ksr1 loaded", "2707 ksr1 activated", "2707 sm0 ksr0 leaving",
                                      "2707 sm0 ksr1 reserved", "5095 sm0 ksr0 freed",
                                      "5095 sm0 ksr1 set up",  // its second block started a cycle later
                                      "5472 sm0 ksr1 running", "5782 ksr1 ended", "5782 sm0 ksr1 freed",
                                      "5782 sm0 ksr0 set up", "6159 sm0 ksr0 running"}));
}

TEST(ExecutionEngine, KernelsWaitForAFreeKsr) {
  EngineSpec spec = k20_engine();
  spec.ksrs = 2;
  Rig rig("rig", 1, "fcfs-s", spec);
  rig.launch(1, kEight, 1000);
  rig.launch(1, kEight, 1000);
  run_to(rig.core, Cycle{100});
  EXPECT_THROW(
      {
        rig.launch(1, kEight, 1000);
        rig.launch(1, kEight, 1000);
        rig.launch(1, kEight, 1000);  // more launches than the dispatcher may have outstanding
      },
      InvariantError);
}

TEST(ExecutionEngine, ALaunchIsLoadedOnceAKsrIsFree) {
  EngineSpec spec = k20_engine();
  spec.ksrs = 1;
  Rig rig("rig", 1, "fcfs-s", spec);
  rig.launch(1, kEight, 1000);
  run_to(rig.core, Cycle{10});
  rig.launch(1, kEight, 1000);
  run_dry();
  EXPECT_EQ(rig.recorder.kernels[1].loaded, rig.recorder.kernels[0].ended);
  EXPECT_EQ(rig.time_of(1), rig.time_of(0));
  EXPECT_EQ(rig.engine.active_cycles().value(), 2 * rig.time_of(0));
  rig.expect_clean(2);
}

TEST(ExecutionEngine, PackedPlacementFillsAnSmFirst) {
  EngineSpec spec = k20_engine();
  spec.block_placement = BlockPlacement::kPacked;
  Rig rig("rig", 3, "fcfs-s", spec);
  rig.launch(10, {1024, 16, 0}, 5000);  // two on an SM
  run_dry();
  EXPECT_EQ(rig.recorder.sm_of, (std::vector<std::uint32_t>{0, 0, 1, 1, 2, 2, 0, 0, 1, 1}));
  rig.expect_clean(10);
}

// The case has 2 SMs and 20 blocks of 5000 cycles, two at a time on each SM. It takes 5 waves of 5010 cycles
// from cycle 1084 on, and the second block of each SM is one cycle later. The first sample is requested in
// cycle 1. Each request reaches the SMs 9 cycles later.
TEST(ExecutionEngine, SamplesTakeTheWayOfBlocksThereAndACycleBack) {
  constexpr std::uint64_t kEnd = 1084 + 5 * (kIssue + 5000) + 1;
  const std::vector<std::uint64_t> periods{0, 3, 4000};
  std::vector<std::unique_ptr<Rig>> rigs;
  std::vector<const SampleReader*> readers;
  for (const std::uint64_t period : periods) {
    auto policy = std::make_unique<SampleReader>(period);
    readers.push_back(policy.get());
    rigs.push_back(std::make_unique<Rig>("rig" + std::to_string(period), 2, std::move(policy), k20_engine()));
    rigs.back()->launch(20, {1024, 16, 0}, 5000);
  }
  run_dry();
  for (std::size_t i = 0; i < periods.size(); ++i) {
    SCOPED_TRACE(periods[i]);
    rigs[i]->expect_clean(20);
    EXPECT_EQ(rigs[i]->recorder.kernels[0].ended, Cycle{kEnd});
    EXPECT_EQ(readers[i]->windows(1), readers[i]->windows(0));
    EXPECT_EQ(readers[i]->sum(KernelId{0}).blocks, periods[i] > 0 ? 20u : 0u);
    std::vector<std::pair<std::uint64_t, std::uint64_t>> expected;
    std::uint64_t from = 0;
    for (std::uint64_t at = 1; periods[i] > 0 && at < kEnd; at += std::max(periods[i], kIssue)) {
      expected.emplace_back(from, at + kIssue - 1);
      from = at + kIssue - 1;
    }
    // The last request is sent after the kernel has ended, but not before the answer to the previous request.
    if (!expected.empty()) expected.emplace_back(from, std::max(kEnd + kIssue - 1, from + kIssue));
    EXPECT_EQ(readers[i]->windows(0), expected);
    EXPECT_EQ(rigs[i]->ledger.samples, 2 * expected.size());
  }
}

// Records the contexts at every call.
class ContextReader final : public SmPartitioner {
 public:
  void partition(const MachineView& machine, Partition&) override { seen.push_back(machine.contexts); }
  std::vector<std::vector<ContextView>> seen;
};

TEST(ExecutionEngine, AContextIsOpenWhileItHasAPageTable) {
  auto policy = std::make_unique<ContextReader>();
  const ContextReader& reader = *policy;
  Rig rig("rig", 1, std::move(policy), k20_engine());
  ContextUpdate update;
  update.context = ContextId{1};
  for (const std::uint64_t page_table : {0x1000, 0x2000, 0}) {
    update.page_table = page_table;
    rig.queues.send(update);
    run_dry();
  }
  ASSERT_EQ(reader.seen.size(), 3u);
  EXPECT_TRUE(reader.seen[0][1].open);
  EXPECT_FALSE(reader.seen[0][0].open);
  EXPECT_TRUE(reader.seen[1][1].open);
  EXPECT_FALSE(reader.seen[2][1].open);
}

}  // namespace
}  // namespace heddle::test
