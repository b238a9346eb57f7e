// Random workloads end to end: queues, streams, contexts, priorities, sizes and policies are drawn at random.
// Each workload must end, and must conserve kernels, blocks, bytes and resources. Many machines share one
// simulation.

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <memory>
#include <sstream>
#include <systemc>

#include "models/machine/machine.h"
#include "models/stats/writers.h"
#include "platforms/load/platform_loader.h"
#include "tests/support/machine/random_machine.h"
#include "tests/support/test_size.h"

namespace heddle::test {
namespace {

// 1,000 workloads over four processes, or 10,000.
std::uint64_t workloads_per_test() {
  return cases(250);
}

std::uint64_t expected_blocks(const MachineSpec& spec) {
  std::uint64_t blocks = 0;
  for (const HostProcessSpec& process : spec.processes) blocks += process.blocks_per_execution();
  return blocks;
}

std::uint64_t counter(const Group& stats, const std::string& path) {
  const Counter* found = stats.find(path);
  EXPECT_NE(found, nullptr) << path;
  return found == nullptr ? 0 : found->value();
}

// What blocks have stored when they left an SM they have loaded again. SMs that share no bandwidth save none.
void expect_states_came_back(const Group& stats, const MachineSpec& spec) {
  std::uint64_t saved = 0;
  std::uint64_t restored = 0;
  for (std::uint32_t sm = 0; sm < spec.gpu.sm.count; ++sm) {
    const std::string path = fmt::format("gpu.sm{}.", sm);
    if (stats.find(path + "saved_bytes") == nullptr) continue;
    saved += counter(stats, path + "saved_bytes");
    restored += counter(stats, path + "restored_bytes");
  }
  EXPECT_EQ(saved, restored);
  if (saved > 0) ::testing::Test::RecordProperty("saved_bytes", std::to_string(saved));
  if (spec.gpu.policies.at("preemption").name == "drain") {
    EXPECT_EQ(saved, 0u);
  }
}

void expect_conserved(Machine& machine, const MachineSpec& spec) {
  machine.check_conservation();
  EXPECT_TRUE(machine.gpu().idle());
  const Group& stats = machine.stats();
  std::uint64_t kernels = 0;
  std::uint64_t bytes = 0;
  for (const ProcessResult& process : machine.results()) {
    EXPECT_EQ(process.completions, 1U);
    kernels += process.kernels_launched;
    bytes += process.bytes_copied;
  }
  EXPECT_EQ(counter(stats, "gpu.engine.driver.kernels"), kernels);
  EXPECT_EQ(counter(stats, "gpu.engine.driver.blocks_issued"), expected_blocks(spec));
  EXPECT_EQ(counter(stats, "gpu.engine.driver.blocks_done"), expected_blocks(spec));
  std::uint64_t on_sms = 0;
  for (std::uint32_t sm = 0; sm < spec.gpu.sm.count; ++sm)
    on_sms += counter(stats, fmt::format("gpu.sm{}.blocks_done", sm));
  EXPECT_EQ(on_sms, expected_blocks(spec));
  std::uint64_t moved = 0;
  for (std::uint32_t dma = 0; dma < spec.gpu.dma.engines; ++dma)
    moved += counter(stats, fmt::format("gpu.dma{}.bytes_up", dma)) +
             counter(stats, fmt::format("gpu.dma{}.bytes_down", dma));
  EXPECT_EQ(moved, bytes);
  expect_states_came_back(stats, spec);
}

class RandomWorkloads : public testing::TestWithParam<std::uint64_t> {};

TEST_P(RandomWorkloads, EndAndConserveKernelsBlocksBytesAndResources) {
  const GpuSpec k20 = load_platform("k20-cusched");
  const std::uint64_t first = GetParam() * workloads_per_test();
  std::vector<MachineSpec> specs;
  std::vector<std::unique_ptr<Machine>> machines;
  for (std::uint64_t i = 0; i < workloads_per_test(); ++i) {
    specs.push_back(random_machine(first + i, k20));
    machines.push_back(std::make_unique<Machine>(fmt::format("m{}", i).c_str(), specs.back()));
  }
  // No workload takes this long.
  sc_core::sc_start(2, sc_core::SC_SEC);
  for (std::size_t i = 0; i < machines.size(); ++i) {
    SCOPED_TRACE(fmt::format("workload {}", first + i));
    if (!machines[i]->done()) machines[i]->check_progress();  // reports which block waits for which other one
    ASSERT_EQ(machines[i]->failure(), "");
    ASSERT_TRUE(machines[i]->done());
    expect_conserved(*machines[i], specs[i]);
  }
}

// Two builds of the same random machine, one of them constructed in reverse order, have equal counters.
TEST(RandomWorkloadsDeterminism, ConstructionOrderLeavesNoTrace) {
  const GpuSpec k20 = load_platform("k20-cusched");
  std::vector<std::unique_ptr<Machine>> machines;
  constexpr std::uint64_t kPairs = 60;
  for (std::uint64_t i = 0; i < kPairs; ++i)
    for (const bool reversed : {false, true}) {
      GpuOptions options;
      options.build_reversed = reversed;
      machines.push_back(std::make_unique<Machine>(fmt::format("m{}_{}", i, reversed).c_str(),
                                                   random_machine(1000000 + i, k20), options));
    }
  sc_core::sc_start(2, sc_core::SC_SEC);
  for (std::uint64_t i = 0; i < kPairs; ++i) {
    std::ostringstream forward;
    std::ostringstream backward;
    write_json(machines[2 * i]->stats(), forward);
    write_json(machines[2 * i + 1]->stats(), backward);
    EXPECT_EQ(forward.str(), backward.str()) << "workload " << 1000000 + i;
    const auto results = machines[2 * i]->results();
    for (std::size_t p = 0; p < results.size(); ++p)
      EXPECT_EQ(results[p].turnaround_ps, machines[2 * i + 1]->results()[p].turnaround_ps);
  }
}

INSTANTIATE_TEST_SUITE_P(Seeds, RandomWorkloads, testing::Range<std::uint64_t>(0, 4));

}  // namespace
}  // namespace heddle::test
