// Random workloads end to end: queues, streams, contexts, priorities, sizes and policies drawn at random.
// Each must end, and conserve kernels, blocks, bytes and resources. Many machines share one simulation.

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <memory>
#include <sstream>
#include <systemc>

#include "models/core/base/random.h"
#include "models/machine/machine.h"
#include "models/stats/writers.h"
#include "platforms/load/platform_loader.h"
#include "tests/support/test_size.h"

namespace heddle {
namespace {

// 1,000 workloads over four processes, or 10,000.
std::uint64_t workloads_per_test() {
  return cases(250);
}

std::uint32_t pick(Random& random, std::uint32_t least, std::uint32_t most) {
  return least + static_cast<std::uint32_t>(random.below(most - least + 1));
}

std::string pick_policy(Random& random, const std::string& decision) {
  const std::vector<std::string> names = PolicyCatalogue::instance().names(decision);
  return names[random.below(names.size())];
}

GpuSpec random_gpu(Random& random, const GpuSpec& k20) {
  GpuSpec gpu = k20;
  for (auto& [decision, choice] : gpu.policies) choice = {pick_policy(random, decision), {}};
  const bool single = gpu.policies[CommandArbiter::kDecision].name == "single-queue";
  gpu.queues.count = single ? 1 : pick(random, 1, 32);
  gpu.queues.entries = pick(random, 1, 8);  // small rings: pushing back is part of it
  gpu.sm.count = pick(random, 1, 6);
  gpu.engine.ksrs = pick(random, 1, 8);
  gpu.engine.kernel_launch_latency = pick(random, 1, 40);
  gpu.engine.block_issue_latency = pick(random, 2, 12);
  gpu.engine.sm_setup_latency = gpu.engine.block_issue_latency + pick(random, 1, 40);
  gpu.engine.block_placement = random.below(2) == 0 ? BlockPlacement::kBreadth : BlockPlacement::kPacked;
  gpu.dma.engines = pick(random, 1, 2);
  gpu.dma.transfers = pick(random, 1, 4);
  gpu.pcie.latency = pick(random, 0, 60);
  gpu.host.mmio_latency_ps = random.below(2) == 0 ? 0 : pick(random, 1, 5000);
  return gpu;
}

ApiCall random_call(Random& random, const ApiProgram& program) {
  ApiCall call;
  call.stream = static_cast<std::uint32_t>(random.below(program.streams.size()));
  call.kernel = static_cast<std::uint32_t>(random.below(program.kernels.size()));
  switch (random.below(8)) {
    case 0:
      call.kind = ApiCall::Kind::kCpu;
      call.time_ps = random.below(20000000);
      break;
    case 1:
    case 2:
      call.kind = random.below(2) == 0 ? ApiCall::Kind::kCopyUp : ApiCall::Kind::kCopyDown;
      call.bytes = 1 + random.below(program.buffers[0].bytes);
      call.asynchronous = random.below(2) == 0;
      break;
    case 3:
      call.kind = ApiCall::Kind::kSynchronise;
      if (random.below(2) == 0) call.stream = ApiCall::kAllStreams;
      break;
    case 4:
      call.kind = ApiCall::Kind::kRecord;
      break;
    case 5:
      call.kind = ApiCall::Kind::kWait;
      break;
    default:
      call.kind = ApiCall::Kind::kLaunch;
      break;
  }
  return call;
}

// A wait follows a record of its event in the program: with few hardware queues one before it could never be
// met.
void add_calls(Random& random, ApiProgram& program) {
  const auto add = [&](ApiCall::Kind kind, std::uint64_t count = 0) {
    ApiCall call;
    call.kind = kind;
    call.count = count;
    program.calls.push_back(call);
  };
  add(ApiCall::Kind::kAllocate);
  bool recorded = false;
  const std::uint32_t calls = pick(random, 1, 14);
  const std::uint32_t loop_at = pick(random, 0, calls);
  for (std::uint32_t i = 0; i < calls; ++i) {
    if (i == loop_at) add(ApiCall::Kind::kRepeat, pick(random, 1, 3));
    const ApiCall call = random_call(random, program);
    if (call.kind == ApiCall::Kind::kWait && !recorded) continue;
    recorded = recorded || call.kind == ApiCall::Kind::kRecord;
    program.calls.push_back(call);
  }
  if (loop_at < calls) add(ApiCall::Kind::kEnd);
  add(ApiCall::Kind::kFree);
}

ApiProgram random_program(Random& random, std::uint32_t number) {
  ApiProgram program;
  program.name = fmt::format("p{}", number);
  program.buffers = {{"b", 1 + random.below(40000)}};
  program.events = {"e"};
  for (std::uint32_t i = pick(random, 1, 4); i > 0; --i) program.streams.push_back(fmt::format("s{}", i));
  for (std::uint32_t i = pick(random, 1, 3); i > 0; --i) {
    ApiKernel kernel;
    kernel.name = fmt::format("k{}", i);
    kernel.blocks = 1 + random.below(random.below(4) == 0 ? 300 : 20);
    kernel.shape = {pick(random, 1, 1024), pick(random, 0, 64), pick(random, 0, 49152)};
    kernel.block_cycles = 1 + random.below(random.below(3) == 0 ? 20000 : 300);
    kernel.jitter_permille = random.below(2) == 0 ? 0 : pick(random, 1, 1000);
    program.kernels.push_back(kernel);
  }
  add_calls(random, program);
  return program;
}

MachineSpec random_machine(std::uint64_t seed, const GpuSpec& k20) {
  Random random(seed);
  MachineSpec spec;
  spec.gpu = random_gpu(random, k20);
  spec.starvation_limit_ps = 1;  // unused: the test itself bounds the time
  const std::uint32_t processes = pick(random, 1, 6);
  for (std::uint32_t i = 0; i < processes; ++i) {
    HostProcessSpec process;
    process.number = i;
    process.program = random_program(random, i);
    process.priority = static_cast<std::int32_t>(random.below(4)) - 1;
    process.tokens = 1 + static_cast<std::int32_t>(random.below(1 + spec.gpu.sm.count / processes));
    process.start_ps = random.below(3) == 0 ? 0 : random.below(50000000);
    process.seed = seed + i;
    spec.processes.push_back(process);
  }
  return spec;
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
  sc_core::sc_start(2, sc_core::SC_SEC);  // far longer than any of them takes
  for (std::size_t i = 0; i < machines.size(); ++i) {
    SCOPED_TRACE(fmt::format("workload {}", first + i));
    if (!machines[i]->done()) machines[i]->check_progress();  // tells who waits for what
    ASSERT_EQ(machines[i]->failure(), "");
    ASSERT_TRUE(machines[i]->done());
    expect_conserved(*machines[i], specs[i]);
  }
}

// Two builds of the same random machine, one of them constructed in reverse, count the same.
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
}  // namespace heddle
