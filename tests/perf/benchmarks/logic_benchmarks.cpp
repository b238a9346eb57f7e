// Benchmarks of the host time of pure logic that runs for every simulated block or every busy cycle.

#include <benchmark/benchmark.h>
#include <sys/resource.h>

#include <filesystem>
#include <fstream>
#include <iterator>

#include "models/core/time/timing_wheel.h"
#include "models/engine/bandwidth_shares.h"
#include "models/engine/sm_driver.h"
#include "models/sm/timed/block_timer.h"
#include "models/stats/waves/vcd_reader.h"
#include "models/stats/waves/vcd_writer.h"
#include "policies/sm_partitioner/water_filling.h"
#include "stimuli/synthetic/synthetic_program.h"
#include "stimuli/traceg/trace_program.h"
#include "tests/support/k20.h"
#include "tests/support/machine/test_machine.h"
#include "tests/support/paths.h"
#include "tests/support/ptx/ptx_lanes.h"
#include "tests/support/ptx/ptx_run.h"

namespace heddle {
namespace {

// Measures one cycle of a domain in which every sleeper is due in each cycle.
void busy_cycle(benchmark::State& state) {
  TimingWheel wheel;
  for (std::int64_t i = 0; i < state.range(0); ++i) wheel.wake_at(wheel.add(), Cycle{1});
  for (auto _ : state) {
    const Cycle cycle = wheel.next();
    wheel.expire(cycle, [&](TimingWheel::Sleeper sleeper) { wheel.wake_at(sleeper, cycle + 1); });
  }
}
BENCHMARK(busy_cycle)->Arg(16)->Arg(64);

// Measures one cycle in which one of many sleepers is due, long after the previous one.
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

// Measures a change of all rates: 64 kernels contend, and one of them gets a block more or less. Each of 132
// timed SMs, with 32 blocks of as many kernels as it has, is told.
void rate_change(benchmark::State& state) {
  constexpr std::uint32_t kKsrs = 64;
  constexpr std::uint32_t kSms = 132;
  const auto on_an_sm = static_cast<std::uint32_t>(state.range(0));
  BandwidthShares shares({3e12, 5e12, true}, 1.7e9, kKsrs, kSms, 2);
  std::vector<BlockTimer> timers(kSms, BlockTimer(kKsrs, 32));
  for (std::uint32_t i = 0; i < kKsrs; ++i) {
    KernelLaunch launch;
    launch.block_cycles = 100'000;
    launch.dram_sectors = 100'000 + 1000 * i;
    launch.l2_sectors = 2 * launch.dram_sectors;
    shares.load(KsrId{i}, launch);
  }
  for (std::uint32_t sm = 0; sm < kSms; ++sm)
    for (std::uint32_t i = 0; i < 32; ++i) {
      const KsrId ksr{(sm + i % on_an_sm) % kKsrs};
      timers[sm].add({i, ksr, BlockId{i}}, {std::uint64_t{1} << 40, 0}, Cycle{0});
      shares.add_block(SmId{sm}, ksr);
    }
  bool added = false;
  Cycle now{1};
  for (auto _ : state) {
    if (added)
      shares.remove_block(SmId{3}, KsrId{3});
    else
      shares.add_block(SmId{3}, KsrId{3});
    added = !added;
    shares.update();
    for (BlockTimer& timer : timers) timer.set_rates(shares.table()->rates, now);
    now = now + 1;
  }
  benchmark::DoNotOptimize(timers);
}
BENCHMARK(rate_change)->Arg(1)->Arg(4)->Arg(32);

// Measures the turn of a block slot, from the end of a block to the start of the next block, in a steady
// state of 13 SMs with eight blocks each.
class BlockTurn : public benchmark::Fixture, public DispatchPort {
 public:
  void set_up(SmId sm, KsrId ksr, const KernelLaunch&) override { ready_.emplace_back(sm, ksr); }
  void issue(SmId sm, KsrId ksr, BlockId block, const std::shared_ptr<const SavedBlock>&,
             const std::shared_ptr<const ClusterPlaces>&) override {
    issued_ = {sm, ksr, block};
  }
  void save(SmId, KsrId, BlockId, std::uint32_t) override {}
  void flush(SmId, KsrId, BlockId) override {}
  void sample(SmId, Cycle) override {}
  void limit(SmId, KsrId, std::uint32_t) override {}
  void halt(SmId, KsrId) override {}

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
  const auto throttle = PolicyRegistry<BlockThrottle>::make({"none", {}});
  const auto preemption = PolicyRegistry<Preemption>::make({"drain", {}});
  SmDriver driver(k20.engine, k20.sm.limits, k20.sm.count, *partitioner, *throttle, *preemption, *this);
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

// Measures one decision for kernels of up to 32 blocks on an SM with this many block slots. With 8 kernels
// and 256 slots the algorithm takes the greatest possible number of steps. The goal is less than 10 us for
// eight kernels.
void water_filling(benchmark::State& state) {
  constexpr std::uint32_t kBlocks = 32;
  const auto kernels = static_cast<std::uint32_t>(state.range(0));
  std::vector<SharingKernel> sharing(kernels);
  for (std::uint32_t i = 0; i < kernels; ++i) {
    for (std::uint32_t block = 1; block <= kBlocks; ++block)
      sharing[i].performance.push_back((block + i * 0.01) / (kBlocks + i * 0.01));
    sharing[i].block = {32, 1, 1024, 1024, 1};
  }
  SmLimits limits;
  limits.threads = limits.warps = limits.registers = limits.shared_bytes = 1 << 24;
  limits.block_slots = static_cast<std::uint32_t>(state.range(1));
  for (auto _ : state) benchmark::DoNotOptimize(water_fill(sharing, limits));
}
BENCHMARK(water_filling)->Args({2, 32})->Args({8, 32})->Args({8, 256});

// Measures a call that changes no decision, for 16 SMs and several kernels.
void slicer_question(benchmark::State& state) {
  const auto kernels = static_cast<std::uint32_t>(state.range(0));
  TestMachine machine(16, std::vector<ContextView>(kernels));
  for (std::uint32_t i = 0; i < kernels; ++i) machine.kernel(i, 1000, 8);
  const auto policy = PolicyRegistry<SmPartitioner>::make({"warped-slicer", {}});
  Partition partition = standing(machine.view());
  for (auto _ : state) policy->partition(machine.view(), partition);
}
BENCHMARK(slicer_question)->Arg(2)->Arg(8);

// Measures one instruction of an SM with 48 warps, which issue in turn.
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
// Measures the reading of a whole trace from its compressed file into compact blocks.
void read_trace(benchmark::State& state, const char* name) {
  const std::string file =
      heddle::test::source_directory() + "/stimuli/traces/" + name + "/kernel-1.traceg.xz";
  for (auto _ : state) {
    TraceProgram program(file);
    for (std::uint64_t block = 0; block < program.header().blocks; ++block)
      program.finish(program.start(BlockId{block}));
  }
}
BENCHMARK_CAPTURE(read_trace, fma32, "fma32")->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(read_trace, triad1m, "triad1m")->Unit(benchmark::kMillisecond);

// Measures the reading of a whole trace and the issue of all its instructions.
void issue_trace(benchmark::State& state, const char* name) {
  const std::string file =
      heddle::test::source_directory() + "/stimuli/traces/" + name + "/kernel-1.traceg.xz";
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

// Measures one PTX instruction for all lanes of a warp or for half of them.
void ptx_lanes(benchmark::State& state, const char* text) {
  ptx::LaneRig rig(text);
  for (std::size_t source = 0; source < rig.sources(); ++source)
    for (std::size_t lane = 0; lane < ptx::kWarpLanes; ++lane) rig.set(source, lane, 0x3f800000U + lane);
  const ptx::LaneOperands lanes = rig.prepared(static_cast<std::uint32_t>(state.range(0)), 0);
  for (auto _ : state) {
    rig.operation().run(lanes);
    benchmark::ClobberMemory();
  }
}
#define HEDDLE_LANES(name, text) BENCHMARK_CAPTURE(ptx_lanes, name, text)->Arg(0xffffffff)->Arg(0x55555555)
HEDDLE_LANES(add_s32, "add.s32 %s32_0, %s32_1, %s32_2");
HEDDLE_LANES(mad_lo_s32, "mad.lo.s32 %s32_0, %s32_1, %s32_2, %s32_3");
HEDDLE_LANES(mul_wide_s32, "mul.wide.s32 %s64_0, %s32_1, %s32_2");
HEDDLE_LANES(add_s64, "add.s64 %s64_0, %s64_1, %s64_2");
HEDDLE_LANES(mov_b32, "mov.b32 %b32_0, %b32_1");
HEDDLE_LANES(shl_b32, "shl.b32 %b32_0, %b32_1, %u32_2");
HEDDLE_LANES(shr_u32, "shr.u32 %u32_0, %u32_1, %u32_2");
HEDDLE_LANES(selp_b32, "selp.b32 %b32_0, %b32_1, %b32_2, %pred_3");
HEDDLE_LANES(setp_lt_s32, "setp.lt.s32 %pred_0, %s32_1, %s32_2");
HEDDLE_LANES(setp_lt_s64, "setp.lt.s64 %pred_0, %s64_1, %s64_2");
HEDDLE_LANES(setp_lt_f32, "setp.lt.f32 %pred_0, %f32_1, %f32_2");
HEDDLE_LANES(add_f32, "add.f32 %f32_0, %f32_1, %f32_2");
HEDDLE_LANES(mul_ftz_f32, "mul.ftz.f32 %f32_0, %f32_1, %f32_2");
HEDDLE_LANES(fma_f32, "fma.rn.f32 %f32_0, %f32_1, %f32_2, %f32_3");
HEDDLE_LANES(fma_rz_f32, "fma.rz.f32 %f32_0, %f32_1, %f32_2, %f32_3");
HEDDLE_LANES(fma_f64, "fma.rn.f64 %f64_0, %f64_1, %f64_2, %f64_3");
HEDDLE_LANES(div_f32, "div.rn.f32 %f32_0, %f32_1, %f32_2");
HEDDLE_LANES(div_s32, "div.s32 %s32_0, %s32_1, %s32_2");
HEDDLE_LANES(sin_f32, "sin.approx.f32 %f32_0, %f32_1");
HEDDLE_LANES(cvt_s64_s32, "cvt.s64.s32 %s64_0, %s32_1");
HEDDLE_LANES(cvt_u32_u64, "cvt.u32.u64 %u32_0, %u64_1");
HEDDLE_LANES(cvt_f32_s32, "cvt.rn.f32.s32 %f32_0, %s32_1");
HEDDLE_LANES(cvt_s32_f32, "cvt.rzi.s32.f32 %s32_0, %f32_1");
HEDDLE_LANES(cvt_f64_f32, "cvt.f64.f32 %f64_0, %f32_1");

std::string kernel_file(const char* name) {
  std::ifstream in(heddle::test::source_directory() + "/stimuli/kernels/" + name + ".ptx");
  return {std::istreambuf_iterator<char>(in), std::istreambuf_iterator<char>()};
}

// Reports warp instructions per second as items per second.
void execute_ptx(benchmark::State& state, ptx::PtxRun& run) {
  std::uint64_t instructions = 0;
  for (auto _ : state) {
    run.execute();
    instructions += run.counts().warp_instructions;
  }
  state.SetItemsProcessed(static_cast<std::int64_t>(instructions));
}

void matrix_multiply(benchmark::State& state) {
  constexpr std::uint32_t kSize = 256;
  ptx::PtxRun run(kernel_file("matrix_multiply_tiled"), "matrix_multiply_tiled");
  run.grid = {kSize / 16, kSize / 16, 1};
  run.block = {16, 16, 1};
  for (int i = 0; i < 3; ++i) run.buffer(std::vector<float>(std::size_t{kSize} * kSize, 0.5F));
  for (int i = 0; i < 3; ++i) run.pass(kSize);
  execute_ptx(state, run);
}
BENCHMARK(matrix_multiply)->Unit(benchmark::kMillisecond);

void stencil(benchmark::State& state) {
  constexpr std::uint32_t kSize = 512;
  ptx::PtxRun run(kernel_file("stencil_5_point"), "stencil_5_point");
  run.grid = {kSize / 16, kSize / 16, 1};
  run.block = {16, 16, 1};
  for (int i = 0; i < 2; ++i) run.buffer(std::vector<float>(std::size_t{kSize} * kSize, 0.5F));
  run.pass(kSize);
  run.pass(kSize);
  run.pass(0.5F);
  run.pass(0.125F);
  execute_ptx(state, run);
}
BENCHMARK(stencil)->Unit(benchmark::kMillisecond);

// Writes a waveform of about 210 MB: a clock, and 63 counters of which every second one grows in a cycle.
void write_waveform(const std::string& file) {
  std::ofstream out(file, std::ios::binary);
  VcdWriter waves(out);
  const WaveId clock = waves.add_bits("clock", 1);
  std::vector<WaveId> counters;
  for (int i = 0; i < 63; ++i) counters.push_back(waves.add_bits("counter" + std::to_string(i), 32));
  for (std::uint64_t cycle = 0; cycle < 320'000; ++cycle) {
    waves.advance(1000 * cycle);
    waves.set_bits(clock, 1);
    for (std::size_t i = cycle % 2; i < counters.size(); i += 2) waves.set_bits(counters[i], (cycle + i) / 2);
    waves.advance(1000 * cycle + 500);
    waves.set_bits(clock, 0);
  }
  waves.finish(320'000'000);
}

std::int64_t peak_bytes() {
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  return usage.ru_maxrss * 1024;
}

// Counts changes as a map does: the clock and `state.range(0)` counters are watched.
class CountChanges final : public VcdListener {
 public:
  void advance(std::uint64_t) override { ++times; }
  void change(std::size_t, std::string_view) override { ++changes; }
  std::uint64_t times = 0, changes = 0;
};

// Reports bytes per second, and by how much reading raises the peak of the memory.
void read_vcd(benchmark::State& state) {
  const std::string file = (std::filesystem::temp_directory_path() / "heddle-read-vcd.vcd").string();
  write_waveform(file);
  const auto size = static_cast<std::int64_t>(std::filesystem::file_size(file));
  const std::int64_t before = peak_bytes();
  std::vector<std::uint32_t> watched;
  for (std::uint32_t value = 0; value <= state.range(0); ++value) watched.push_back(value);
  for (auto _ : state) {
    VcdReader reader(file);
    CountChanges counted;
    reader.read(watched, counted);
    benchmark::DoNotOptimize(counted.changes);
  }
  state.SetBytesProcessed(size * static_cast<std::int64_t>(state.iterations()));
  state.counters["file_MB"] = static_cast<double>(size) * 1e-6;
  state.counters["more_peak_MB"] = static_cast<double>(peak_bytes() - before) * 1e-6;
  std::filesystem::remove(file);
}
BENCHMARK(read_vcd)->Arg(8)->Arg(63)->Unit(benchmark::kMillisecond);

}  // namespace
}  // namespace heddle

BENCHMARK_MAIN();
