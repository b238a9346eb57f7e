// Samples of a cycle SM through its socket: they are exact in any state of the SM, also in consecutive
// cycles, and they do not change its behaviour. The SM receives limits of issuing blocks through the same
// socket.

#include <gtest/gtest.h>

#include <deque>

#include "models/sm/cycle_sm.h"
#include "tests/support/in_child.h"
#include "tests/support/machine/cycle_machine.h"
#include "tests/support/machine/memory_sink.h"
#include "tests/support/random_code.h"
#include "tests/support/rig.h"
#include "tests/support/sm/sm_rig.h"
#include "tests/support/sm_requests.h"
#include "tests/support/test_size.h"

namespace heddle::test {
namespace {

using Open = ProgramLibrary::Open;

struct Rig {
  const SmSpec spec;

  // `programs` holds the program of each kernel by tag. All kernels are of context 0.
  Rig(const std::string& name, const SmSpec& of, std::vector<Open> programs)
      : spec(of),
        clock((name + "_clock").c_str(), 700e6),
        memory((name + "_memory").c_str(), clock, {8, 2, 150, 64, 40, 5}),
        engine((name + "_engine").c_str(), clock) {
    library.add_application(std::move(programs));
    CycleSm::Deps deps{clock, library, meter, {}};
    for (std::uint32_t i = 0; i < spec.cycle_sm().schedulers; ++i)
      deps.schedulers.push_back(PolicyRegistry<WarpScheduler>::make({"gto", {}}));
    sm = std::make_unique<CycleSm>((name + "_sm").c_str(), spec, 0, 4, 1, std::move(deps));
    engine.socket.bind(sm->dispatch);
    sm->memory().base_protocol().bind(memory.socket());
  }

  void set_up(std::uint32_t ksr, std::uint32_t tag, const BlockShape& shape) {
    KernelLaunch launch;
    launch.account = AccountId{static_cast<std::uint32_t>(kernels)};
    launch.kernel = KernelId{kernels++};
    launch.context = ContextId{0};
    launch.tag = tag;
    launch.blocks = 100;
    launch.shape = shape;
    engine.send(set_up_request(ksr, launch));
  }
  void issue(std::uint32_t ksr, std::uint64_t block) { engine.send(issue_request(ksr, block)); }
  // Returns the sample that the SM sends when it is asked in this cycle.
  const SmSample& sample(std::uint64_t cycle) {
    run_to(clock, Cycle{cycle - 1});
    engine.send(sample_request());
    run_to(clock, Cycle{cycle});
    for (std::size_t i = engine.replies.size(); i-- > 0;)
      if (const auto* sampled = std::get_if<SmSampled>(&engine.replies[i].message)) {
        samples.push_back(*sampled->sample);
        break;
      }
    return samples.back();
  }
  void ask(std::uint64_t asked) { engine.send(sample_request(asked)); }
  void limit(std::uint32_t ksr, std::uint32_t blocks) { engine.send(limit_request(ksr, blocks)); }
  KernelStalls stalls(std::uint64_t kernel) const {
    KernelStalls sum;
    for (const SmSample& each : samples)
      if (const KernelSample* found = each.find(KernelId{kernel})) sum += found->stalls;
    return sum;
  }
  KernelCounts sum(std::uint64_t kernel) const {
    KernelCounts sum;
    for (const SmSample& each : samples)
      if (const KernelSample* found = each.find(KernelId{kernel})) sum += found->counts;
    return sum;
  }

  ClockDomain clock;
  MemorySink memory;
  InstructionMeter meter{1};
  ProgramLibrary library;
  Requester<SmRequest, SmReply> engine;
  std::unique_ptr<CycleSm> sm;
  std::deque<SmSample> samples;
  std::uint64_t kernels = 0;
};

SmSpec without_instruction_cache() {
  SmSpec spec = gtx480().sm;
  spec.cycle_sm().instruction_cache.sets = 0;
  return spec;
}

Open scripted(const std::vector<ScriptedInstruction>& warp) {
  return [warp](const KernelLaunch&) {
    return std::make_unique<ScriptedProgram>(std::vector<std::vector<ScriptedInstruction>>{warp});
  };
}

// A chain of additions issues one addition every 10 cycles, and the SM sleeps between them. A fetch brings
// two instructions, so that the buffer is empty in one cycle of 20.
TEST(CycleSmSamples, AWindowOfAChainIsItsIssuesAndItsWaits) {
  const SmSpec spec = without_instruction_cache();
  Rig rig("rig", spec, {scripted(std::vector(1000, alu(Operation::kIntAdd, {0}, {0, 1})))});
  rig.set_up(0, 0, {32, 16, 0});
  run_to(rig.clock, Cycle{20});
  rig.issue(0, 0);
  rig.sample(600);
  std::uint64_t at = 600;
  for (const std::uint64_t steps : {2u, 100u, 4u, 300u}) {
    const SmSample& sample = rig.sample(at += 10 * steps);
    EXPECT_EQ(sample.cycles(), 10 * steps);
    EXPECT_EQ(sample.cycles(Bucket::kActive), steps);
    EXPECT_EQ(sample.cycles(Bucket::kScoreboardAlu), 17 * steps / 2);
    EXPECT_EQ(sample.cycles(Bucket::kBufferEmpty), steps / 2);
    ASSERT_EQ(sample.kernels.size(), 1u);
    EXPECT_EQ(sample.kernels[0].resident, 1u);
    EXPECT_EQ(sample.kernels[0].counts.warp_instructions, steps);
    EXPECT_EQ(sample.kernels[0].counts.thread_instructions, 32 * steps);
  }
  const SmSample& last = rig.sample(20'000);
  EXPECT_EQ(last.kernels[0].resident, 0u);
  EXPECT_EQ(last.kernels[0].counts.blocks, 1u);
  EXPECT_EQ(rig.sum(0).warp_instructions, 1000u);
  const SmSample& idle = rig.sample(30'000);
  EXPECT_EQ(idle.cycles(Bucket::kNoWarp), 10'000u);
  EXPECT_TRUE(idle.kernels.empty());
}

TEST(CycleSmSamples, AWaitForALoadIsScoreboardMemoryAndItsLatencyIsCountedAsItEnds) {
  const SmSpec spec = without_instruction_cache();
  std::vector<ScriptedInstruction> warp{memory(Operation::kLoad, MemorySpace::kGlobal, {2}, {}, {0x1000}),
                                        alu(Operation::kIntAdd, {3}, {2}), alu(Operation::kExit, {}, {})};
  Rig rig("rig", spec, {scripted(warp)});
  rig.set_up(1, 0, {32, 16, 0});
  run_to(rig.clock, Cycle{20});
  rig.issue(1, 0);
  rig.sample(50);  // the load is in flight
  const SmSample waiting = rig.sample(150);
  EXPECT_EQ(waiting.cycles(Bucket::kScoreboardMemory), 100u);
  EXPECT_EQ(waiting.kernels[0].counts.load_instructions, 0u);
  EXPECT_EQ(waiting.kernels[0].counts.warp_instructions, 0u);
  const SmSample& answered = rig.sample(1000);
  EXPECT_EQ(answered.kernels[0].counts.load_instructions, 1u);
  EXPECT_GT(answered.kernels[0].counts.load_latency, 150u);
  EXPECT_EQ(answered.kernels[0].counts.load_latency, rig.sum(0).load_latency);
  EXPECT_EQ(rig.sum(0).l1_accesses, 1u);
  EXPECT_EQ(rig.sum(0).l1_misses, 1u);
  EXPECT_EQ(rig.sum(0).loads, 1u);
}

TEST(CycleSmSamples, AnAnswerInEachCycleStaysAsItWasWhenItWasSent) {
  SmSpec spec = without_instruction_cache();
  spec.cycle_sm().kernel_stalls = true;
  Rig rig("rig", spec, {scripted(std::vector(1000, alu(Operation::kIntAdd, {0}, {0, 1})))});
  rig.set_up(0, 0, {32, 16, 0});
  run_to(rig.clock, Cycle{20});
  rig.issue(0, 0);
  run_to(rig.clock, Cycle{99});
  for (std::uint64_t at = 100; at < 400; ++at) {
    rig.ask(at);
    run_to(rig.clock, Cycle{at});
    const auto& sampled = std::get<SmSampled>(rig.engine.replies.back().message);
    EXPECT_EQ(sampled.asked, Cycle{at});
    EXPECT_EQ(sampled.sample->until, Cycle{at});
    EXPECT_EQ(sampled.sample->cycles(), at == 100 ? 100u : 1u);
    rig.samples.push_back(*sampled.sample);
  }
  for (const auto& reply : rig.engine.replies) {
    const auto* sampled = std::get_if<SmSampled>(&reply.message);
    EXPECT_TRUE(sampled == nullptr || sampled->sample->until == sampled->asked);
  }
  const SmSample& rest = rig.sample(20'000);
  EXPECT_EQ(rest.from, Cycle{399});
  EXPECT_EQ(rig.sum(0).warp_instructions, 1000u);
  EXPECT_EQ(rig.stalls(0).active, 1000u);
  EXPECT_EQ(rig.stalls(0).waiting, rig.sm->logic().kernel_accounts().stalls(KsrId{0}).waiting);
}

TEST(CycleSmSamples, ALimitPausesABlockAndTheReportOfWaitsSaysSo) {
  const SmSpec spec = without_instruction_cache();
  Rig rig("rig", spec, {scripted(std::vector(1000, alu(Operation::kIntAdd, {0}, {0, 1})))});
  rig.set_up(0, 0, {32, 16, 0});
  run_to(rig.clock, Cycle{20});
  rig.issue(0, 0);
  rig.issue(0, 1);
  EXPECT_EQ(rig.sample(600).kernels.at(0).resident, 2u);
  rig.limit(0, 1);
  rig.sample(602);
  const std::uint64_t both = rig.sum(0).warp_instructions;
  rig.sample(1602);
  EXPECT_EQ(rig.sum(0).warp_instructions, both + 100);
  EXPECT_EQ(rig.sm->waiting_for(),
            "2 blocks, 2 warps live: 0 wait for memory, 1 for units, 0 for instructions, 0 at a barrier, 1 "
            "paused; 0 requests unanswered");
  rig.limit(0, 2);
  rig.sample(1604);
  const std::uint64_t one = rig.sum(0).warp_instructions;
  rig.sample(2604);
  EXPECT_NEAR(static_cast<double>(rig.sum(0).warp_instructions - one), 200, 1);
  EXPECT_FALSE(rig.sm->idle());
}

void expect_sums(const Rig& rig) {
  const SmCore& core = rig.sm->logic();
  for (std::size_t b = 0; b < kBuckets; ++b) {
    std::uint64_t cycles = 0;
    for (const SmSample& sample : rig.samples) cycles += sample.totals.buckets[b];
    EXPECT_EQ(cycles, core.accounts().totals().buckets[b]) << name_of(static_cast<Bucket>(b));
  }
  KernelCounts both = rig.sum(0);
  EXPECT_EQ(both.blocks, 3u);
  both += rig.sum(2);
  EXPECT_EQ(both.blocks, 4u);
  EXPECT_TRUE(both == core.residence().work().of(KsrId{0}));
  EXPECT_TRUE(rig.sum(1) == core.residence().work().of(KsrId{3}));
  EXPECT_EQ(rig.sum(1).blocks, 2u);
  KernelStalls stalls = rig.stalls(0);
  EXPECT_GT(stalls.active, 0u);
  stalls += rig.stalls(2);
  EXPECT_EQ(stalls.waiting, core.kernel_accounts().stalls(KsrId{0}).waiting);
  EXPECT_EQ(stalls.active, core.kernel_accounts().stalls(KsrId{0}).active);
  EXPECT_EQ(rig.stalls(1).waiting, core.kernel_accounts().stalls(KsrId{3}).waiting);
  EXPECT_GT(rig.samples.size(), 1000u);
}

// Runs two random kernels side by side and then a third one in one of their KSRs, and returns the counters of
// the SM and the end of each block. If `sampled` is true, samples are taken in random cycles.
std::string random_run(std::uint64_t seed, bool sampled) {
  Random random(seed);
  std::vector<Open> programs;
  for (std::uint64_t i = 0; i < 3; ++i) {
    const std::string code = RandomCode(10 * seed + i, RandomCode::Memory::kAll).with_barriers(2);
    const ApiKernel kernel = synthetic(code, {4, 64, 63, 2048}).kernels[0];
    programs.emplace_back([kernel](const KernelLaunch&) { return kernel.program({}); });
  }
  SmSpec spec = gtx480().sm;
  spec.cycle_sm().kernel_stalls = true;
  Rig rig("rig", spec, programs);
  const auto play = [&](std::uint64_t until) {
    for (std::uint64_t at = rig.clock.now().value + 1; sampled && at < until; at += 1 + random.below(200))
      rig.sample(at);
    run_to(rig.clock, Cycle{until});
  };
  const BlockShape shape{64, 63, 2048};
  play(10);
  rig.set_up(0, 0, shape);
  rig.set_up(3, 1, shape);
  play(30);
  for (std::uint64_t block = 0; block < 3; ++block) {
    rig.issue(0, block);
    if (block < 2) rig.issue(3, block);
  }
  play(100'000);
  EXPECT_TRUE(rig.sm->idle());
  rig.set_up(0, 2, shape);
  play(100'020);
  rig.issue(0, 3);
  play(200'000);
  EXPECT_TRUE(rig.sm->idle());
  if (sampled) rig.sample(200'001);
  run_to(rig.clock, Cycle{200'001});
  rig.sm->update_stats(rig.clock.now());
  if (sampled) expect_sums(rig);
  std::string text;
  for (const Counter* counter : rig.sm->stats().counters()) text += std::to_string(counter->value()) + " ";
  for (const auto& reply : rig.engine.replies)
    if (std::holds_alternative<BlockDone>(reply.message)) text += std::to_string(reply.due.value) + " ";
  return text;
}

TEST(CycleSmSamples, SamplesAddUpToTheCountersAndChangeNothing) {
  for (std::uint64_t seed = 1; seed <= cases(8) && !HasFailure(); ++seed) {
    SCOPED_TRACE(testing::Message() << "seed " << seed);
    const std::string plain = in_child([seed] { return random_run(seed, false); });
    EXPECT_GT(plain.size(), 100u);
    EXPECT_EQ(in_child([seed] { return random_run(seed, true); }), plain);
  }
}

}  // namespace
}  // namespace heddle::test
