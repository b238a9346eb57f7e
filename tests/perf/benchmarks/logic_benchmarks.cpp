// Host time of the pure logic that every simulated block or busy cycle pays for.

#include <benchmark/benchmark.h>

#include "models/core/timing_wheel.h"
#include "models/engine/sm_driver.h"
#include "stimuli/synthetic/synthetic_program.h"
#include "stimuli/traceg/trace_program.h"
#include "tests/support/k20.h"

namespace heddle {
namespace {

// One cycle of a domain in which every sleeper is due each cycle.
void busy_cycle(benchmark::State& state) {
  TimingWheel wheel;
  for (std::int64_t i = 0; i < state.range(0); ++i) wheel.wake_at(wheel.add(), Cycle{1});
  for (auto _ : state) {
    const Cycle cycle = wheel.next();
    wheel.expire(cycle, [&](TimingWheel::Sleeper sleeper) { wheel.wake_at(sleeper, cycle + 1); });
  }
}
BENCHMARK(busy_cycle)->Arg(16)->Arg(64);

// One cycle in which one of many sleepers is due, far from the last.
void sparse_cycle(benchmark::State& state) {
  TimingWheel wheel;
  for (std::int64_t i = 0; i < state.range(0); ++i) wheel.add();
  std::size_t next = 0;
  wheel.wake_at(0, Cycle{1});
  for (auto _ : state) {
    const Cycle cycle = wheel.next();
    wheel.expire(cycle, [&](TimingWheel::Sleeper) {
      next = (next + 1) % wheel.sleepers();
      wheel.wake_at(next, cycle + 10000);
    });
  }
}
BENCHMARK(sparse_cycle)->Arg(16)->Arg(64);

// One block from its end to the start of the next, in a steady state of 13 SMs with eight blocks each.
class BlockTurn : public benchmark::Fixture, public DispatchPort {
 public:
  void set_up(SmId sm, KsrId ksr, const KernelLaunch&) override { ready_.emplace_back(sm, ksr); }
  void issue(SmId sm, KsrId ksr, BlockId block) override { issued_ = {sm, ksr, block}; }
  void sample(SmId) override {}

 protected:
  struct Issued {
    SmId sm;
    KsrId ksr;
    BlockId block;
  };
  std::vector<std::pair<SmId, KsrId>> ready_;
  Issued issued_;
};

BENCHMARK_F(BlockTurn, block_turn)(benchmark::State& state) {
  const GpuSpec k20 = test::k20_spec();
  const auto partitioner = PolicyRegistry<SmPartitioner>::make({"fcfs-m", {}});
  const auto preemption = PolicyRegistry<Preemption>::make({"drain", {}});
  SmDriver driver(k20.engine, k20.sm.limits, k20.sm.count, *partitioner, *preemption, *this);
  KernelLaunch launch;
  launch.context = ContextId{0};
  launch.blocks = std::uint64_t{1} << 60;
  launch.shape = {256, 32, 0};
  launch.block_cycles = 1000;
  driver.load(Cycle{0}, launch);
  Cycle now{1};
  for (; now < Cycle{1000}; now = now + 1) {
    driver.step(now);
    for (const auto& [sm, ksr] : std::exchange(ready_, {})) driver.sm_ready(now, sm, ksr);
  }
  for (auto _ : state) {
    now = now + 1;
    driver.block_done(now, issued_.sm, issued_.ksr, issued_.block);
    driver.step(now);
  }
}

// One instruction of a warp of 48, in turn, as an SM issues them.
void issue_in_turn(benchmark::State& state, const SyntheticEntry& entry) {
  SyntheticKernel kernel;
  kernel.shape = {48 * kLanes, 32, 16384};
  kernel.values = {{"x", 8, 32, 0}, {"counter", 1, 32, 8}};
  SyntheticEntry loop;
  loop.kind = SyntheticEntry::Kind::kLoop;
  loop.least = loop.most = 1u << 30;
  loop.counter = 1;
  loop.body = {entry};
  kernel.code = {loop};
  SyntheticProgram program(lay_out(kernel));
  BlockStream& stream = program.start(BlockId{7});
  IssuedInstruction issued;
  std::uint32_t warp = 0;
  for (auto _ : state) {
    benchmark::DoNotOptimize(stream.peek(warp, 0));
    stream.issue(warp, issued);
    benchmark::DoNotOptimize(issued);
    if (++warp == 48) warp = 0;
  }
}

void issue_alu(benchmark::State& state) {
  SyntheticEntry entry;
  entry.operations = {Operation::kFloatFma};
  entry.count = 1000;
  entry.distance = 8;
  entry.to = 0;
  issue_in_turn(state, entry);
}
BENCHMARK(issue_alu);

void issue_load(benchmark::State& state, Pattern pattern, std::uint32_t lines) {
  SyntheticEntry entry;
  entry.kind = SyntheticEntry::Kind::kMemory;
  entry.operations = {Operation::kLoad};
  entry.count = 1000;
  entry.distance = 8;
  entry.to = 0;
  entry.space = MemorySpace::kGlobal;
  entry.access.pattern = pattern;
  entry.access.size = entry.access.set = 1 << 20;
  entry.access.addresses = 4096;
  entry.access.lines = lines;
  issue_in_turn(state, entry);
}
BENCHMARK_CAPTURE(issue_load, stream, Pattern::kStream, 1);
BENCHMARK_CAPTURE(issue_load, working_set, Pattern::kWorkingSet, 1);
BENCHMARK_CAPTURE(issue_load, per_block, Pattern::kPerBlock, 1);
BENCHMARK_CAPTURE(issue_load, random_4_lines, Pattern::kRandom, 4);
BENCHMARK_CAPTURE(issue_load, random_32_lines, Pattern::kRandom, 32);
BENCHMARK_CAPTURE(issue_load, scatter, Pattern::kScatter, 1);
BENCHMARK_CAPTURE(issue_load, shared, Pattern::kShared, 1);

void issue_branch(benchmark::State& state) {
  SyntheticEntry entry;
  entry.kind = SyntheticEntry::Kind::kIf;
  entry.fraction = std::uint64_t{1} << 31;
  entry.body.resize(1);
  entry.body[0].operations = {Operation::kFence};
  issue_in_turn(state, entry);
}
BENCHMARK(issue_branch);
// A whole trace from its file to compact blocks, xz included.
void read_trace(benchmark::State& state, const char* name) {
  const std::string file = std::string(HEDDLE_SOURCE_DIR) + "/stimuli/traces/" + name + "/kernel-1.traceg.xz";
  for (auto _ : state) {
    TraceProgram program(file);
    for (std::uint64_t block = 0; block < program.header().blocks; ++block)
      program.finish(program.start(BlockId{block}));
  }
}
BENCHMARK_CAPTURE(read_trace, fma32, "fma32")->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(read_trace, triad1m, "triad1m")->Unit(benchmark::kMillisecond);

// The same, and every instruction looked at and issued.
void issue_trace(benchmark::State& state, const char* name) {
  const std::string file = std::string(HEDDLE_SOURCE_DIR) + "/stimuli/traces/" + name + "/kernel-1.traceg.xz";
  IssuedInstruction issued;
  for (auto _ : state) {
    TraceProgram program(file);
    for (std::uint64_t block = 0; block < program.header().blocks; ++block) {
      BlockStream& stream = program.start(BlockId{block});
      for (std::uint32_t warp = 0; warp < program.header().warps(); ++warp)
        while (stream.peek(warp, 0) != nullptr) stream.issue(warp, issued);
      program.finish(stream);
    }
    benchmark::DoNotOptimize(issued);
  }
}
BENCHMARK_CAPTURE(issue_trace, fma32, "fma32")->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(issue_trace, triad1m, "triad1m")->Unit(benchmark::kMillisecond);

}  // namespace
}  // namespace heddle

BENCHMARK_MAIN();
