// Zorua's eight applications over the ranges of its Table 3: each does the same at every specification, and
// fewer registers than its code needs cost instructions.

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "stimuli/functional/functional_host.h"
#include "stimuli/launch/launch_application.h"
#include "stimuli/ptx/analysis/module_loader.h"
#include "stimuli/ptx/analysis/phases.h"
#include "tests/support/phase_watch.h"
#include "tests/support/zorua_applications.h"

namespace heddle {
namespace {

using test::Application;
using test::kApplications;
using test::kNoRegisters;
using test::load;
using test::Specification;
using test::watch;
using test::WatchedScript;

struct Outcome {
  std::vector<std::vector<std::byte>> outputs;
  std::vector<std::string> kernels;  // of the launches, in order
  std::uint64_t warp_instructions = 0;
};

// Also checks the results against the reference. Kernels have phases if there is a count of them.
Outcome run(const Application& application, const Specification& specification,
            PhaseCount* phases = nullptr) {
  const LaunchApplication loaded = load(application, specification);
  ApiProgram program = loaded.application.program;
  if (phases != nullptr)
    program.make_script = [phases, make = program.make_script] {
      return std::make_unique<PhasedScript>(make(), *phases);
    };
  WatchedScript::Contents contents;
  watch(program, application.outputs, contents);
  Outcome outcome;
  for (const FunctionalLaunch& launch : FunctionalHost(program).run()) {
    outcome.kernels.push_back(launch.kernel);
    outcome.warp_instructions += launch.counts.warp_instructions;
  }
  for (const auto& [buffer, bytes] : contents) outcome.outputs.push_back(bytes);
  return outcome;
}

std::string name_of_application(const testing::TestParamInfo<Application>& info) {
  return info.param.launch.substr(3);
}

class ZoruaLaunches : public testing::TestWithParam<Application> {};

TEST_P(ZoruaLaunches, DoTheSameAtEveryCornerOfTheirRange) {
  const Application& application = GetParam();
  const Outcome first = run(application, {application.threads.front(), application.least_registers});
  ASSERT_EQ(first.outputs.size(), application.outputs.size());
  const std::vector<std::byte>& output = first.outputs.front();
  EXPECT_NE(output, std::vector<std::byte>(output.size()));
  for (const std::uint32_t threads : application.threads)
    for (const std::uint32_t registers : {application.least_registers, application.most_registers}) {
      SCOPED_TRACE(fmt::format("{} threads, {} registers", threads, registers));
      const Outcome other = run(application, {threads, registers});
      EXPECT_EQ(other.outputs, first.outputs);
      EXPECT_EQ(other.kernels.size(), first.kernels.size());
    }
}

using ZoruaRegisters = ZoruaLaunches;

TEST_P(ZoruaRegisters, FewerThanTheCodeNeedsCostInstructions) {
  const Application& application = GetParam();
  const std::uint32_t threads = application.threads.front();
  const std::uint64_t free = run(application, {threads, application.most_registers}).warp_instructions;
  EXPECT_EQ(run(application, {threads, application.need}).warp_instructions, free);
  const std::uint64_t at_need = run(application, {threads, application.need - 1}).warp_instructions;
  EXPECT_GT(at_need, free);
  if (application.need > application.least_registers + 1) {
    EXPECT_GT(run(application, {threads, application.least_registers}).warp_instructions, at_need);
  }
}

TEST_P(ZoruaLaunches, HaveTheThreadsAndRegistersOfTheirSpecification) {
  const Application& application = GetParam();
  for (const std::uint32_t registers : {application.least_registers, application.most_registers})
    for (const std::uint32_t threads : application.threads) {
      const LaunchApplication loaded = load(application, {threads, registers});
      for (const ApiKernel& kernel : loaded.application.program.kernels) {
        EXPECT_EQ(kernel.shape.threads, threads) << kernel.name;
        if (application.need != kNoRegisters) {
          EXPECT_EQ(kernel.shape.registers_per_thread, registers) << kernel.name;
        }
      }
    }
}

TEST_P(ZoruaLaunches, DoTheSameWithPhasesAndIssueTheirSpecifiersBeside) {
  const Application& application = GetParam();
  for (const std::uint32_t registers : {application.least_registers, application.most_registers}) {
    const Specification specification{application.threads[1], registers};
    const Outcome plain = run(application, specification);
    PhaseCount phases;
    const Outcome phased = run(application, specification, &phases);
    EXPECT_EQ(phased.outputs, plain.outputs);
    EXPECT_EQ(phased.warp_instructions, plain.warp_instructions + phases.specifiers);
    EXPECT_GT(phases.specifiers, 0U);
    EXPECT_EQ(phases.diverged, 0U);
    EXPECT_EQ(phases.unknown, 0U);
  }
}

INSTANTIATE_TEST_SUITE_P(Table3, ZoruaLaunches, testing::ValuesIn(kApplications), name_of_application);

std::vector<Application> applications_with_registers() {
  std::vector<Application> found;
  for (const Application& application : kApplications)
    if (application.need != kNoRegisters) found.push_back(application);
  return found;
}

INSTANTIATE_TEST_SUITE_P(Table3, ZoruaRegisters, testing::ValuesIn(applications_with_registers()),
                         name_of_application);

std::uint32_t shared_bytes(const std::string& launch, std::uint32_t threads) {
  const LaunchApplication loaded =
      load_launch_application(kLaunches + launch + ".yaml", {fmt::format("threads={}", threads)});
  return loaded.application.program.kernels.at(0).shape.shared_bytes;
}

TEST(ZoruaSharedMemory, OfTheSolverOfQueensIs41WordsOfAThread) {
  for (std::uint32_t threads = 64; threads <= 288; threads += 32)
    EXPECT_EQ(shared_bytes("zo-nqu", threads), 164 * threads);
  EXPECT_EQ(shared_bytes("zo-nqu", 64), 10496U);
  EXPECT_EQ(shared_bytes("zo-nqu", 288), 47232U);
}

TEST(ZoruaSharedMemory, OfScalarProductsIsFourAccumulatorsOfAThread) {
  EXPECT_EQ(shared_bytes("zo-sp", 128), 2048U);
  EXPECT_EQ(shared_bytes("zo-sp", 512), 8192U);
}

// Figure 8: nothing at first, the stacks while rows are searched, and at the end a word of each thread.
TEST(ZoruaSharedMemory, OfTheSolverOfQueensIsLiveWhileItSearches) {
  const ptx::Module module = ptx::load_module(kLaunches + "../kernels/n_queens_stacks.ptx");
  const auto entry =
      std::find_if(module.functions.begin(), module.functions.end(),
                   [](const ptx::Function& function) { return function.name == "n_queens_stacks_96"; });
  ASSERT_NE(entry, module.functions.end());
  std::vector<std::uint64_t> live;
  for (const ptx::Phase& phase : ptx::find_phases(module, *entry, {}, {63, 0}).phases)
    if (live.empty() || phase.shared_bytes != live.back()) live.push_back(phase.shared_bytes);
  EXPECT_EQ(live, (std::vector<std::uint64_t>{0, 160 * 96, 4 * 96}));
}

}  // namespace
}  // namespace heddle
