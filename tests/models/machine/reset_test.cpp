// A run after Machine::reset() gives the statistics and results of a new machine, byte by byte, whether the
// previous run had ended or anything was in flight.

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <memory>
#include <sstream>

#include "models/machine/machine.h"
#include "models/stats/writers.h"
#include "platforms/experiment/experiment.h"
#include "platforms/load/platform_loader.h"
#include "tests/support/in_child.h"
#include "tests/support/machine/cycle_machine.h"
#include "tests/support/machine/random_machine.h"
#include "tests/support/paths.h"

namespace heddle::test {
namespace {

constexpr const char* kSame = "the same";
constexpr std::uint64_t kStarvationPs = 1'000'000'000'000;  // longer than any run here

// Returns all outcomes of a run: failure, time, results and statistics.
std::string outcome(Machine& machine) {
  std::ostringstream text;
  text << machine.failure() << "\ncore cycle " << machine.gpu().core().now().value << '\n';
  for (const ProcessResult& result : machine.results())
    text << fmt::format("{}: {} ps, {} completions, {} bytes, {} kernels, {} instructions\n",
                        result.application, result.turnaround_ps, result.completions, result.bytes_copied,
                        result.kernels_launched, result.warp_instructions);
  write_json(machine.stats(), text);
  return text.str();
}

// Returns kSame, or the first lines in which two outcomes differ.
std::string difference(const std::string& expected, const std::string& actual) {
  if (expected == actual) return kSame;
  constexpr int kMostLines = 8;
  std::istringstream left(expected);
  std::istringstream right(actual);
  std::string text;
  int lines = 0;
  for (std::string a, b; lines < kMostLines && std::getline(left, a) && std::getline(right, b);) {
    if (a == b) continue;
    text += fmt::format("\nnew:   {}\nreset: {}", a, b);
    ++lines;
  }
  return text;
}

std::string run_to_end(Machine& machine) {
  machine.run();
  machine.check_conservation();
  return outcome(machine);
}

// Runs a machine to its end, again after a reset at the end, and again after a reset at each of these
// fractions of a further run.
std::string run_again_after_resets(const MachineSpec& spec, const std::vector<double>& middles) {
  Machine machine("machine", spec);
  const std::string fresh = run_to_end(machine);
  if (!machine.failure().empty()) return machine.failure();
  const double length = static_cast<double>(sc_core::sc_time_stamp().value());
  machine.reset();
  if (const std::string text = difference(fresh, run_to_end(machine)); text != kSame)
    return "after a whole run: " + text;
  for (const double middle : middles) {
    machine.reset();
    sc_core::sc_start(sc_core::sc_time::from_value(static_cast<std::uint64_t>(middle * length)));
    if (machine.gpu().idle()) return fmt::format("nothing is in flight at {} of the run", middle);
    machine.reset();
    if (!machine.gpu().idle()) return "something is in flight after a reset";
    if (const std::string text = difference(fresh, run_to_end(machine)); text != kSame)
      return fmt::format("after {} of a run: {}", middle, text);
  }
  return kSame;
}

std::string in_child_after_resets(const MachineSpec& spec,
                                  const std::vector<double>& middles = {0.31, 0.77}) {
  return in_child([&] { return run_again_after_resets(spec, middles); });
}

// A short creation of contexts leaves work in flight in most of the run.
MachineSpec parboil(const std::string& sm_partitioner) {
  Overrides overrides;
  overrides.sets = {"applications=[histo, sgemm, spmv]", "host.context_creation=1ms"};
  const Experiment experiment = load_experiment("parboil-eight", overrides);
  MachineSpec spec = machine_for(experiment, experiment.variants.front());
  spec.gpu.policies[SmPartitioner::kDecision] = {sm_partitioner, {}};
  return spec;
}

TEST(Reset, OfTimedSmsWithCopiesAndReplaysUnderEachPartitioner) {
  for (const char* partitioner : {"fcfs-s", "fcfs-m", "ppq", "token", "spatial", "even", "warped-slicer"})
    EXPECT_EQ(in_child_after_resets(parboil(partitioner)), kSame) << partitioner;
}

// Many machines share one simulation, and are reset at times that are not edges of their clocks.
TEST(Reset, OfRandomWorkloads) {
  constexpr std::uint64_t kMachines = 40;
  const GpuSpec k20 = load_platform("k20-cusched");
  std::vector<std::unique_ptr<Machine>> machines;
  for (std::uint64_t i = 0; i < kMachines; ++i)
    machines.push_back(
        std::make_unique<Machine>(fmt::format("m{}", i).c_str(), random_machine(2'000'000 + i, k20)));
  const sc_core::sc_time whole(2, sc_core::SC_SEC);
  std::vector<std::string> fresh;
  sc_core::sc_start(whole);
  for (const auto& machine : machines) {
    ASSERT_TRUE(machine->done());
    fresh.push_back(outcome(*machine));
  }
  for (const std::uint64_t ps : {0ULL, 3'333'333ULL, 71'234'567ULL, 555'555'555ULL}) {
    for (const auto& machine : machines) machine->reset();
    if (ps > 0) {
      sc_core::sc_start(sc_core::sc_time::from_value(ps));
      for (const auto& machine : machines) machine->reset();
    }
    sc_core::sc_start(whole);
    for (std::uint64_t i = 0; i < kMachines; ++i)
      EXPECT_EQ(difference(fresh[i], outcome(*machines[i])), kSame)
          << "workload " << i << " after " << ps << " ps";
    if (HasFailure()) return;
  }
}

MachineSpec cycle_machine(const GpuSpec& gpu, std::vector<HostProcessSpec> processes) {
  MachineSpec spec;
  spec.gpu = gpu;
  spec.processes = std::move(processes);
  spec.starvation_limit_ps = kStarvationPs;
  for (std::uint32_t i = 0; i < spec.processes.size(); ++i) spec.processes[i].number = i;
  return spec;
}

std::vector<HostProcessSpec> synthetic_mix() {
  std::vector<HostProcessSpec> processes{
      process_of(shipped("cache-bound", {"kernels.walk.blocks=30", "kernels.walk.code[0].loop=4"}), 0, 2),
      process_of(shipped("barrier-heavy", {"kernels.steps.blocks=30", "kernels.steps.code[0].loop=4"}), 1, 2),
      process_of(shipped("atomic-histogram", {"kernels.count.code[0].loop=1"}), 0, 2)};
  processes[1].start_ps = 3'000'000;
  processes[2].start_ps = 5'000'000;
  return processes;
}

TEST(Reset, OfCycleSmsWithSeveralContextsUnderEachWarpScheduler) {
  for (const char* scheduler : {"gto", "lrr", "two-level", "oldest"}) {
    const GpuSpec gpu =
        shared_gtx480("left-over", {"sm.count=5", std::string("policies.warp_scheduler=") + scheduler});
    EXPECT_EQ(in_child_after_resets(cycle_machine(gpu, synthetic_mix())), kSame) << scheduler;
  }
}

TEST(Reset, OfCachesWhoseReplacementKeepsState) {
  const GpuSpec gpu =
      shared_gtx480("left-over", {"sm.count=5", "l2.replacement=srrip", "caches.l1.replacement=srrip"});
  EXPECT_EQ(in_child_after_resets(cycle_machine(gpu, synthetic_mix())), kSame);
}

TEST(Reset, OfCycleSmsThatAreSampled) {
  const GpuSpec gpu = shared_gtx480("warped-slicer", {"sm.count=5"});
  EXPECT_EQ(in_child_after_resets(cycle_machine(gpu, synthetic_mix())), kSame);
}

TEST(Reset, OfKernelsInPtxWithTheirData) {
  std::vector<HostProcessSpec> processes;
  for (const char* launch : {"breadth_first_search", "histogram", "reduction"}) {
    Overrides overrides;
    overrides.platform = "gtx480";
    const std::string file = source_directory() + "/stimuli/launches/" + launch + ".yaml";
    processes.push_back(process_of(load_experiment(file, overrides).applications[0].application.program));
  }
  const GpuSpec gpu = shared_gtx480("even", {"sm.count=4"});
  EXPECT_EQ(in_child_after_resets(cycle_machine(gpu, processes), {0.2, 0.55, 0.9}), kSame);
}

TEST(Reset, OfKernelsFromATrace) {
  Overrides overrides;
  overrides.platform = "gtx480";
  const Experiment experiment =
      load_experiment(source_directory() + "/stimuli/traces/vecadd4k/kernelslist.g", overrides);
  EXPECT_EQ(in_child_after_resets(machine_for(experiment, experiment.variants.front())), kSame);
}

// The end of a window and an instruction target apply again after a reset.
TEST(Reset, OfRunsThatAreCutShort) {
  const GpuSpec gpu = shared_gtx480("left-over", {"sm.count=5"});
  MachineSpec window = cycle_machine(gpu, synthetic_mix());
  for (HostProcessSpec& process : window.processes) {
    process.is_halted = true;
    process.replay = true;
  }
  MachineSpec targets = window;
  window.window_cycles = 20'000;
  EXPECT_EQ(in_child_after_resets(window), kSame);
  for (HostProcessSpec& process : targets.processes) process.target_instructions = 20'000;
  EXPECT_EQ(in_child_after_resets(targets), kSame);
}

TEST(Reset, BeforeTheStartOfSimulationChangesNothing) {
  const auto run = [](bool reset) {
    return in_child([reset] {
      Machine machine("machine", parboil("ppq"));
      if (reset) machine.reset();
      return run_to_end(machine);
    });
  };
  EXPECT_EQ(difference(run(false), run(true)), kSame);
}

}  // namespace
}  // namespace heddle::test
