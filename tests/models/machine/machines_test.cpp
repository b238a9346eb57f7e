// The machines of a split GPU: instances do not affect each other by a single cycle, and the run ends when
// all are done.

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <sstream>

#include "models/machine/machines.h"
#include "models/stats/stats_reader.h"
#include "models/stats/writers.h"
#include "tests/support/in_child.h"
#include "tests/support/k20.h"
#include "tests/support/machine/cycle_machine.h"

namespace heddle::test {
namespace {

using Kind = ApiCall::Kind;

constexpr std::uint64_t kUs = 1'000'000;

// Profiles of any GPU with six channels or without a model of memory: two thirds of it, and a third.
InstanceProfiles thirds(std::uint32_t sms) {
  return {6, 3, {{"two", sms * 2 / 3, 4, 2}, {"one", sms / 3, 2, 1}}};
}

MachineSpec split(GpuSpec gpu, std::vector<HostProcessSpec> processes,
                  const TextList& profiles = {"two", "one"}) {
  MachineSpec spec;
  spec.gpu = std::move(gpu);
  spec.gpu.instances = thirds(spec.gpu.sm.count);
  spec.gpu.policies["instances"] = {"mig", {{"profiles", profiles}}};
  spec.starvation_limit_ps = 1'000'000'000'000;
  spec.processes = std::move(processes);
  for (std::uint32_t i = 0; i < spec.processes.size(); ++i)
    spec.processes[i].seed = spec.processes[i].number = i;
  return spec;
}

// Runs to the end, and returns what the launches of the first application did, in cycles and counts, and how
// long it took.
std::string history_of(const MachineSpec& spec) {
  return in_child([&] {
    Machines machines(spec);
    std::string history;
    machines[0].kernel_log().record([&history](const LaunchRecord& of) {
      if (of.launch.context.value != 0) return;
      history += fmt::format("{} {} {} {}, {} {} {} {} {} {}\n", of.loaded.value, of.started->value,
                             of.ended->value, of.held_time, of.work.warp_instructions, of.counts.sm.l1_hits,
                             of.counts.crossbar.reply_flits, of.counts.l2.hits, of.counts.dram.reads,
                             of.counts.dram.row_hits);
    });
    machines.run();
    EXPECT_EQ(machines.failure(), "");
    machines.check_conservation();
    return history + fmt::format("{}", machines[0].results()[0].turnaround_ps);
  });
}

// Returns a program that copies, launches and copies again, `times` over.
HostProcessSpec copies_and_kernels(const std::string& name, std::uint64_t times, std::uint64_t bytes,
                                   std::uint64_t blocks, std::uint64_t block_us) {
  HostProcessSpec process;
  process.program.name = name;
  process.program.streams = {"s"};
  process.program.buffers.push_back({"data", bytes});
  ApiKernel kernel;
  kernel.name = "k";
  kernel.blocks = blocks;
  kernel.shape = {256, 32, 0};
  kernel.block_cycles = block_us * 706;
  process.program.kernels = {kernel};
  const auto add = [&process](Kind kind, std::uint64_t of_bytes = 0) {
    ApiCall& call = process.program.calls.emplace_back();
    call.kind = kind;
    call.bytes = of_bytes;
  };
  add(Kind::kAllocate, bytes);
  process.program.setup_calls = 1;
  for (std::uint64_t i = 0; i < times; ++i) {
    add(Kind::kCopyUp, bytes);
    add(Kind::kLaunch);
    add(Kind::kCopyDown, bytes);
  }
  return process;
}

TEST(Machines, TimedInstancesDoNotAffectEachOtherByASingleCycle) {
  const auto beside = [](std::uint64_t times, std::uint64_t bytes, std::uint64_t blocks) {
    std::vector<HostProcessSpec> processes{copies_and_kernels("observed", 5, 3 << 20, 60, 30),
                                           copies_and_kernels("other", times, bytes, blocks, 100)};
    return history_of(split(k20_spec(), processes));
  };
  const std::string beside_little = beside(1, 64, 1);
  EXPECT_EQ(std::count(beside_little.begin(), beside_little.end(), '\n'), 5);
  EXPECT_EQ(beside(2, 8 << 20, 20), beside_little);
}

// Two instances copy to the GPU at the same time, and their packets of 4 KiB cross the lanes in turn. A copy
// therefore takes the time of its own packets, and of as many packets of the other copy as that has.
TEST(Machines, InstancesThatShareALinkTakeTurnsAtItsLanes) {
  const auto turnaround_of = [](std::uint64_t bytes, std::uint64_t of_other, bool is_shared) {
    const auto copy = [](const std::string& name, std::uint64_t of_copy) {
      HostProcessSpec process = copies_and_kernels(name, 1, of_copy, 1, 1);
      process.program.calls.resize(2);  // only the allocation and the copy are left
      return process;
    };
    MachineSpec spec = split(k20_spec(), {copy("observed", bytes), copy("other", of_other)});
    spec.gpu.host.touch_bytes_per_second = 1e18;  // reading and writing the data takes the host no time
    spec.gpu.pcie.is_shared = is_shared;
    return std::stod(in_child([&] {
      Machines machines(spec);
      machines.run();
      EXPECT_EQ(machines.failure(), "");
      machines.check_conservation();
      return fmt::format("{}", machines[0].results()[0].turnaround_ps);
    }));
  };
  constexpr std::uint64_t kBytes = 8 << 20;
  const double alone = turnaround_of(kBytes, 64, true);
  const double fixed = turnaround_of(64, 64, true);
  const double time = alone - fixed;  // for which 8 MiB occupy the lanes
  EXPECT_NEAR(turnaround_of(kBytes, kBytes, true) - fixed, 2 * time, 0.01 * time);
  EXPECT_NEAR(turnaround_of(kBytes, kBytes / 4, true) - fixed, 1.25 * time, 0.01 * time);
  EXPECT_NEAR(turnaround_of(kBytes / 4, kBytes, true) - fixed, 0.5 * time, 0.01 * time);
  EXPECT_EQ(turnaround_of(kBytes, kBytes, false), turnaround_of(kBytes, 64, false));
}

TEST(Machines, CycleInstancesDoNotAffectEachOtherByASingleCycle) {
  const GpuSpec gpu = shared_gtx480("left-over");
  const auto beside = [&gpu](ApiProgram other, const char* instances) {
    std::vector<HostProcessSpec> processes{
        process_of(shipped("cache-bound", {"kernels.walk.blocks=60", "kernels.walk.code[0].loop=6"})),
        process_of(std::move(other))};
    MachineSpec spec = split(gpu, processes);
    if (instances == std::string("whole")) spec.gpu.policies["instances"] = {instances, {}};
    return history_of(spec);
  };
  const auto little = [] { return shipped("barrier-heavy", {"kernels.steps.blocks=1"}); };
  const auto much = [] { return shipped("atomic-histogram", {"kernels.count.code[0].loop=1"}); };
  const std::string beside_little = beside(little(), "mig");
  EXPECT_EQ(std::count(beside_little.begin(), beside_little.end(), '\n'), 1);
  EXPECT_EQ(beside(much(), "mig"), beside_little);
  EXPECT_NE(beside(much(), "whole"), beside(little(), "whole"));
}

TEST(Machines, AnInstanceIsTheMachineOfItsOwnGpu) {
  const std::vector<HostProcessSpec> processes{copies_and_kernels("observed", 3, 1 << 20, 60, 30),
                                               copies_and_kernels("other", 2, 2 << 20, 9, 100)};
  MachineSpec alone;
  alone.gpu = k20_spec();
  alone.gpu.sm.count = 8;
  alone.gpu.device_bytes = alone.gpu.device_bytes / 6 * 4;
  alone.gpu.dma.device_bytes_per_second *= 4.0 / 6;
  alone.gpu.bandwidth.dram_bytes_per_second *= 4.0 / 6;
  alone.processes = {processes[0]};
  alone.starvation_limit_ps = 1'000'000'000'000;
  const std::string turnaround = in_child([&] {
    Machine machine("machine", alone);
    machine.run();
    return fmt::format("{}", machine.results()[0].turnaround_ps);
  });
  EXPECT_EQ(in_child([&] {
              Machines machines(split(k20_spec(), processes));
              machines.run();
              return fmt::format("{}", machines[0].results()[0].turnaround_ps);
            }),
            turnaround);
}

TEST(Machines, TheRunEndsWhenTheLastInstanceIsDoneAndOthersReplayUntilThen) {
  std::vector<HostProcessSpec> processes{copies_and_kernels("short", 1, 64, 8, 10),
                                         copies_and_kernels("long", 1, 64, 40, 1000)};
  processes[0].replay = processes[1].replay = true;
  const std::string seen = in_child([&] {
    Machines machines(split(k20_spec(), processes));
    machines.run();
    const ProcessResult long_one = machines[1].results()[0];
    const auto end_ps =
        static_cast<std::uint64_t>(sc_core::sc_time_stamp() / sc_core::sc_time(1, sc_core::SC_PS));
    return fmt::format("{} {} {}", long_one.completions, end_ps == long_one.turnaround_ps,
                       machines[0].results()[0].completions > 20);
  });
  EXPECT_EQ(seen, "1 true true");
}

TEST(Machines, AServerInOneInstanceEndsTheRunOfAll) {
  std::vector<HostProcessSpec> processes{copies_and_kernels("server", 1, 64, 8, 10),
                                         copies_and_kernels("endless", 1, 64, 40, 500)};
  processes[1].replay = true;
  RequestSpec requests;
  requests.arrivals.kind = ArrivalSpec::Kind::kPeriodic;
  requests.arrivals.least_ps = 100 * kUs;
  requests.most_requests = 30;
  processes[0].requests = requests;
  const std::string seen = in_child([&] {
    Machines machines(split(k20_spec(), processes));
    EXPECT_TRUE(machines[1].done()) << "it waits for servers elsewhere";
    machines.run();
    EXPECT_EQ(machines.failure(), "");
    return fmt::format("{} {}", machines[0].request_log().totals(0).all.served,
                       machines[1].results()[0].completions > 0);
  });
  EXPECT_EQ(seen, "30 true");
}

TEST(Machines, StatisticsOfAnInstanceAreInItsGroup) {
  const std::vector<HostProcessSpec> processes{copies_and_kernels("a", 1, 64, 8, 10),
                                               copies_and_kernels("b", 1, 64, 9, 10)};
  const std::string stats = in_child([&] {
    Machines machines(split(k20_spec(), processes));
    machines.run();
    std::ostringstream out;
    write_json(machines.stats(), out);
    return out.str();
  });
  std::map<std::string, std::uint64_t> counters;
  for (const ReadStatistic& statistic : read_stats(stats))
    if (!statistic.formula) counters[statistic.path] = statistic.count;
  EXPECT_EQ(counters["instance0.applications.a.k.blocks_done"], 8U);
  EXPECT_EQ(counters["instance1.applications.b.k.blocks_done"], 9U);
  EXPECT_EQ(counters.count("instance0.gpu.sm7.blocks"), counters.count("instance1.gpu.sm3.blocks"));
  EXPECT_EQ(counters.count("instance1.gpu.sm4.blocks"), 0U);
}

TEST(Machines, AFailureNamesItsInstance) {
  std::vector<HostProcessSpec> processes{copies_and_kernels("a", 1, 64, 8, 10),
                                         copies_and_kernels("b", 1, 64, 8, 10'000)};
  MachineSpec spec = split(k20_spec(), processes);
  spec.starvation_limit_ps = 5000 * kUs;
  EXPECT_THAT(in_child([&] {
                Machines machines(spec);
                machines.run();
                return machines.failure();
              }),
              testing::StartsWith("instance1: starvation"));
}

}  // namespace
}  // namespace heddle::test
