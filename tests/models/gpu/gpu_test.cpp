// Tests of a whole GPU. Each simulation that is compared with another one runs in a process of its own.

#include <gtest/gtest.h>

#include <sstream>

#include "tests/support/in_child.h"
#include "tests/support/k20.h"
#include "tests/support/machine/gpu_rig.h"
#include "tests/support/rig.h"

namespace heddle::test {
namespace {

constexpr BlockShape kSmall{256, 32, 0};
constexpr BlockShape kLarge{1024, 32, 12 * 1024};

// Returns four applications that compete for the queues, the DMA engines, the execution engine and the SMs.
std::vector<ApiProgram> mix() {
  std::vector<ApiProgram> programs;
  programs.push_back(ProgramBuilder("copies")
                         .repeat(3)
                         .copy_up(300'000)
                         .launch(200, kSmall, 4000, 200)
                         .copy_down(100'001)
                         .end()
                         .build());
  programs.push_back(ProgramBuilder("streams", 3)
                         .copy_up(50'000, 0, true)
                         .record(0, 0)
                         .wait(0, 1)
                         .launch(77, kLarge, 9000, 500, 1)
                         .launch(40, kSmall, 2500, 0, 2)
                         .copy_down(70'000, 2, true)
                         .synchronise(1)
                         .launch(13, kLarge, 500, 0, 0)
                         .synchronise()
                         .build());
  programs.push_back(ProgramBuilder("phases")
                         .cpu(20'000'000)
                         .repeat(5)
                         .launch(30, kLarge, 3000, 100)
                         .synchronise()
                         .cpu(1'234'567)
                         .end()
                         .build());
  programs.push_back(ProgramBuilder("tiny").repeat(8).launch(1, kSmall, 1).copy_down(8).end().build());
  return programs;
}

GpuSpec spec_with(const char* partitioner, const char* arbiter = "hyper-q", const char* dma = "fcfs",
                  std::uint32_t queues = 32) {
  GpuSpec spec = k20_spec();
  spec.policies["sm_partitioner"] = {partitioner, {}};
  spec.policies["command_arbiter"] = {arbiter, {}};
  spec.policies["dma_arbiter"] = {dma, {}};
  spec.queues.count = queues;
  return spec;
}

// Returns all results that must be equal: the counters, every transition, and the time of each process.
std::string results(GpuRig& rig) {
  std::string text = rig.stats();
  for (const std::string& line : rig.recorder.lines) text += line + '\n';
  return text;
}

// Returns the first line in which two results differ, or an empty string.
std::string difference(const std::string& left, const std::string& right) {
  std::istringstream a(left), b(right);
  std::string line_of_a, line_of_b;
  while (true) {
    const bool more_a = static_cast<bool>(std::getline(a, line_of_a));
    const bool more_b = static_cast<bool>(std::getline(b, line_of_b));
    if (!more_a && !more_b) return {};
    if (more_a != more_b || line_of_a != line_of_b) return line_of_a + "\n" + line_of_b;
  }
}

std::string run(const GpuSpec& spec, const std::vector<ApiProgram>& programs, bool reversed) {
  return in_child([&] {
    GpuRig rig("rig", spec, programs, reversed);
    run_dry();
    rig.expect_complete();
    std::string text = results(rig);
    for (std::size_t i = 0; i < programs.size(); ++i)
      text += programs[i].name + " " + rig.process(i).first_end().to_string() + '\n';
    return text;
  });
}

struct Choice {
  const char* name;
  const char* partitioner;
  const char* arbiter;
  const char* dma;
  std::uint32_t queues;
};

void PrintTo(const Choice& choice, std::ostream* out) {
  *out << choice.name;
}

class GpuOrder : public testing::TestWithParam<Choice> {};

TEST_P(GpuOrder, OfConstructionDoesNotMatter) {
  const Choice& choice = GetParam();
  const GpuSpec spec = spec_with(choice.partitioner, choice.arbiter, choice.dma, choice.queues);
  const std::string forward = run(spec, mix(), false);
  EXPECT_GT(forward.size(), 10'000u);
  EXPECT_EQ(difference(forward, run(spec, mix(), true)), "");
  EXPECT_EQ(difference(forward, run(spec, mix(), false)), "") << "and twice the same is the same";
}

INSTANTIATE_TEST_SUITE_P(All, GpuOrder,
                         testing::Values(Choice{"k20", "fcfs-s", "hyper-q", "fcfs", 32},
                                         Choice{"fermi", "fcfs-s", "single-queue", "fcfs", 1},
                                         Choice{"shared_queues", "fcfs-m", "hyper-q", "priority", 3},
                                         Choice{"preemptive", "ppq", "hyper-q", "priority", 32}),
                         [](const testing::TestParamInfo<Choice>& choice) { return choice.param.name; });

// The machine has one DMA engine, latencies of the host, and clocks that share few edges.
TEST(Gpu, OrderDoesNotMatterOnAnOddMachine) {
  GpuSpec spec = spec_with("fcfs-m", "hyper-q", "fcfs", 2);
  spec.dma.engines = 1;
  spec.dma.transfers = 1;
  spec.queues.entries = 2;
  spec.host.mmio_latency_ps = 333'333;
  spec.core_hz = 123e6;
  spec.pcie_hz = 1.234e9;
  EXPECT_EQ(difference(run(spec, mix(), false), run(spec, mix(), true)), "");
}

// Both sides have the same clock, so that every edge is shared.
TEST(Gpu, OrderDoesNotMatterWhereAllEdgesCoincide) {
  GpuSpec spec = spec_with("ppq", "hyper-q", "priority");
  spec.core_hz = spec.pcie_hz = 1e9;
  spec.host.memory_latency_ps = 100'000;
  EXPECT_EQ(difference(run(spec, mix(), false), run(spec, mix(), true)), "");
}

TEST(Gpu, TwoInOneSimulationAreEachAsIfAlone) {
  const std::vector<ApiProgram> one = mix();
  const std::vector<ApiProgram> other{mix()[2], mix()[0]};
  const GpuSpec first = spec_with("fcfs-s"), second = spec_with("ppq", "hyper-q", "priority");
  const auto alone = [](const GpuSpec& spec, const std::vector<ApiProgram>& programs) {
    return in_child([&] {
      GpuRig rig("rig", spec, programs);
      sc_core::sc_start(sc_core::sc_time(5, sc_core::SC_MS));
      rig.expect_complete();
      return results(rig);
    });
  };
  const std::string first_alone = alone(first, one);
  const std::string second_alone = alone(second, other);
  GpuRig a("a", first, one);
  GpuRig b("b", second, other);
  sc_core::sc_start(sc_core::sc_time(5, sc_core::SC_MS));
  a.expect_complete();
  b.expect_complete();
  EXPECT_EQ(difference(results(a), first_alone), "");
  EXPECT_EQ(difference(results(b), second_alone), "");
}

// A single kernel without copies takes its closed form from the load of the KSR to its end, whatever precedes
// the engine.
TEST(Gpu, AKernelAloneTakesItsClosedForm) {
  GpuRig rig("rig", k20_spec(), {ProgramBuilder("alone").launch(8 * 13 * 2 + 20, kSmall, 6000).build()});
  run_dry();
  rig.expect_complete();
  ASSERT_EQ(rig.recorder.kernels.size(), 1u);
  const std::uint64_t launch = 706, set_up = 377, issue = 10, waves = 3;
  const std::uint64_t cycles = launch + set_up + waves * (issue + 6000) + 1;  // 20 blocks on 13 SMs
  EXPECT_EQ(rig.recorder.kernels[0].ended - rig.recorder.kernels[0].loaded, cycles);
  EXPECT_EQ(rig.counter("engine.active_cycles"), cycles);
}

// A synchronous copy of 64 bursts to the device. Its time from the call to its return consists of the edge of
// the doorbell, the descriptor, the dispatch, the transfer, the fence and the time until the host sees the
// fence.
TEST(Gpu, ACopyAloneTakesItsClosedForm) {
  constexpr std::uint64_t kBursts = 64;
  GpuRig rig("rig", k20_spec(), {ProgramBuilder("alone").copy_up(kBursts * 4096).build()});
  run_dry();
  rig.expect_complete();
  const std::uint64_t fetch = 1 + 1 + 4 + 250 + 1 + 1;  // doorbell, request, wire, latency, response, command
  const std::uint64_t transfer =
      1 + 1 + kBursts * 256 + 250 + 1 + 1;  // command, request, wire, latency, response, done
  const std::uint64_t fence = 1 + 1 + 250;  // request, wire, latency
  const sc_core::sc_time cycles(2.0 * static_cast<double>(fetch + transfer + fence), sc_core::SC_NS);
  const sc_core::sc_time memory(100, sc_core::SC_NS);
  const sc_core::sc_time took = rig.process(0).first_end() - rig.process(0).first_start();
  EXPECT_EQ(took, cycles + memory);
}

// Two processes of equal work share the DMA engines and the SMs. No work is lost or left.
TEST(Gpu, ARingSmallerThanTheWorkPushesBack) {
  GpuSpec spec = spec_with("fcfs-m", "hyper-q", "fcfs", 1);
  spec.queues.entries = 1;
  GpuRig rig("rig", spec, {mix()[3], mix()[1], mix()[3]});
  run_dry();
  rig.expect_complete();
  EXPECT_EQ(rig.counter("queues.fetched"), 2 * 16 + 7u);
}

TEST(Gpu, ABlockThatFitsNoSmFailsItsProcess) {
  GpuRig rig("rig", k20_spec(), {ProgramBuilder("huge").launch(1, {1024, 65, 0}, 10).synchronise().build()});
  run_dry();
  EXPECT_EQ(rig.process(0).completions(), 0u);
  EXPECT_EQ(rig.counter("queues.halts"), 1u);
  EXPECT_EQ(rig.counter("dispatcher.launches"), 0u);
}

}  // namespace
}  // namespace heddle::test
