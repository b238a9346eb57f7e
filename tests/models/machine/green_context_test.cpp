// Applications in green contexts of their own, in whole machines: on timed SMs a neighbour leaves no trace,
// and on cycle SMs none but through L2 and DRAM.

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "models/machine/machine.h"
#include "tests/support/k20.h"
#include "tests/support/machine/cycle_machine.h"

namespace heddle::test {
namespace {

constexpr std::uint32_t kSms = 4;
constexpr std::uint32_t kOwnSms = 2;  // of the first application; the second one has the others

constexpr const char* kArithmetic =
    "[{loop: 100, body: [{op: float_fma, count: 8}, {op: int_add, count: 4}]}]";

std::vector<HostProcessSpec> first_and(const std::vector<ApiProgram>& programs) {
  std::vector<HostProcessSpec> processes;
  for (const ApiProgram& program : programs) {
    processes.push_back(process_of(program));
    processes.back().copies = false;  // kernels begin together
    processes.back().program.name = processes.size() == 1 ? "first" : "second";
  }
  return processes;
}

PolicyChoice green_contexts() {
  return {"green-context", {{"sms", IntegerLists{{std::int64_t{kOwnSms}}}}}};
}

CycleRun in_green_contexts(const std::vector<ApiProgram>& programs, std::vector<std::string> settings = {}) {
  settings.push_back(fmt::format("sm.count={}", kSms));
  GpuSpec gpu = shared_gtx480("left-over", std::move(settings));
  gpu.policies["sm_partitioner"] = green_contexts();
  return run(gpu, first_and(programs));
}

std::map<std::string, std::uint64_t> counters_of(const CycleRun& run, const std::string& prefix) {
  std::map<std::string, std::uint64_t> counters;
  for (const auto& [path, value] : run.counters)
    if (path.rfind(prefix, 0) == 0) counters[path] = value;
  EXPECT_FALSE(counters.empty()) << prefix;
  return counters;
}

TEST(GreenContexts, AComputeBoundKernelTakesTheSameCyclesOnCycleSmsWhoeverComputesBeside) {
  const ApiProgram first = synthetic(kArithmetic, {12, 256, 20, 0});
  const CycleRun alone = in_green_contexts({first});
  const CycleRun beside = in_green_contexts({first, synthetic(kArithmetic, {24, 192, 30, 4096})});
  EXPECT_EQ(beside.at("applications.first.k.cycles"), alone.at("applications.first.k.cycles"));
  EXPECT_EQ(counters_of(beside, "applications.first.k."), counters_of(alone, "applications.first.k."));
  EXPECT_GT(beside.at("gpu.sm2.blocks_done") + beside.at("gpu.sm3.blocks_done"), 0u);
  EXPECT_EQ(beside.at("gpu.sm0.blocks_done") + beside.at("gpu.sm1.blocks_done"), 12u);
}

// The way by which they do affect each other: both kernels stream through one channel of DRAM.
TEST(GreenContexts, AKernelOfStreamsIsSlowedDownThroughDram) {
  const std::vector<std::string> one_channel{"dram.channels=1", "device_memory=256MiB", "clocks.dram=200MHz"};
  const ApiProgram streams = shipped("bandwidth-bound", {"kernels.triad.code[0].loop=1"});
  const CycleRun alone = in_green_contexts({streams}, one_channel);
  const CycleRun beside = in_green_contexts({streams, streams}, one_channel);
  EXPECT_GT(beside.at("applications.first.triad.cycles"),
            alone.at("applications.first.triad.cycles") * 21 / 20);
}

// ---- timed SMs

struct BlockTimes final : EngineObserver {
  Cycle loaded;
  std::vector<std::string> lines;  // of context 0, in cycles since its kernel was loaded
  std::uint64_t others = 0;

  void kernel_event(Cycle now, KernelEvent event, KsrId ksr, const KernelLaunch& launch) override {
    if (launch.context.value != 0) return;
    if (event == KernelEvent::kLoaded) loaded = now;
    if (event == KernelEvent::kLoaded) own_ = ksr;
    if (event == KernelEvent::kEnded) add(now, "ended", SmId{}, BlockId{});
  }
  void block_issued(Cycle now, SmId sm, KsrId ksr, BlockId block) override {
    if (ksr == own_) return add(now, "issued", sm, block);
    ++others;
  }
  void block_done(Cycle now, SmId sm, KsrId ksr, BlockId block, const SmWork&) override {
    if (ksr == own_) add(now, "done", sm, block);
  }

 private:
  void add(Cycle now, const char* what, SmId sm, BlockId block) {
    lines.push_back(fmt::format("{} {} sm{} b{}", now - loaded, what, sm.value, block.value));
  }
  KsrId own_ = KsrId::none();
};

HostProcessSpec timed(std::uint32_t number, std::uint64_t blocks, std::uint64_t cycles) {
  HostProcessSpec process;
  process.number = number;
  process.seed = number;
  process.program.name = fmt::format("p{}", number);
  process.program.streams = {"s"};
  ApiKernel kernel;
  kernel.name = "k";
  kernel.blocks = blocks;
  kernel.shape = {256, 32, 1024};
  kernel.block_cycles = cycles;
  kernel.jitter_permille = 300;
  process.program.kernels = {kernel};
  process.program.calls.resize(1);
  process.program.calls[0].kind = ApiCall::Kind::kLaunch;
  return process;
}

TEST(GreenContexts, AnApplicationHasTheSameTimesOnTimedSmsWhoeverIsBeside) {
  const auto spec_of = [](std::vector<HostProcessSpec> processes) {
    MachineSpec spec;
    spec.gpu = k20_spec();
    spec.gpu.sm.count = kSms;
    spec.gpu.policies["sm_partitioner"] = green_contexts();
    spec.starvation_limit_ps = 1'000'000'000'000;
    spec.processes = std::move(processes);
    return spec;
  };
  BlockTimes alone;
  BlockTimes beside;
  Machine one("one", spec_of({timed(0, 200, 3000)}));
  Machine two("two", spec_of({timed(0, 200, 3000), timed(1, 300, 1700)}));
  one.gpu().observe(alone);
  two.gpu().observe(beside);
  sc_core::sc_start(1, sc_core::SC_SEC);
  ASSERT_TRUE(one.done() && two.done());
  EXPECT_EQ(alone.lines, beside.lines);
  EXPECT_EQ(alone.lines.size(), 200u * 2 + 1);
  EXPECT_EQ(beside.others, 300u);
}

}  // namespace
}  // namespace heddle::test
