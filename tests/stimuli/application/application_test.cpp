#include <gtest/gtest.h>

#include "models/core/config/config.h"
#include "models/core/config/data_path.h"
#include "platforms/experiment/experiment.h"
#include "platforms/load/platform_loader.h"
#include "stimuli/application/application.h"

namespace heddle {
namespace {

ApiKernel kernel_of(std::uint64_t blocks, std::uint32_t threads) {
  ApiKernel kernel;
  kernel.blocks = blocks;
  kernel.shape = {threads, 16, 0};
  return kernel;
}

// Returns a GPU with a core clock of 1 GHz, so that a nanosecond is a cycle. It takes 100 cycles to launch,
// 52 to set up and 10 to issue.
GpuSpec round_gpu() {
  GpuSpec gpu = load_platform("k20-cusched");
  gpu.core_hz = 1e9;
  gpu.sm.count = 2;
  gpu.engine.kernel_launch_latency = 100;
  gpu.engine.sm_setup_latency = 52;
  gpu.engine.context_register_bytes = 0;
  gpu.engine.block_issue_latency = 10;
  return gpu;
}

// Of Heddle's own applications; those of a user need not have them.
TEST(Application, StatesWhereItsNumbersAreFrom) {
  for (const std::string& name : known_data("stimuli/applications")) {
    const config::Document document = config::Document::load(find_data("stimuli/applications", name));
    EXPECT_NE(document.root().text("source"), "") << name;
    EXPECT_NE(document.root().text("description"), "") << name;
  }
}

TEST(Application, NeedsNoKeyForWhatIsZeroAndNoSource) {
  const config::Document document = config::Document::parse(
      "application: mine\nmeasured_on: k20-cusched\nkernels: {k: {blocks: 64, threads: 256, time: 45us}}\n"
      "program: [{launch: k}]\n",
      "mine.yaml");
  const Application application = read_application(document.root(), HostSpec());
  document.finish();
  EXPECT_EQ(application.program.kernels[0].shape.registers_per_thread, 0u);
  EXPECT_EQ(application.program.kernels[0].shape.shared_bytes, 0u);
  EXPECT_EQ(application.source, "");
}

Application application_of(const std::string& root, const std::string& kernel) {
  const config::Document document = config::Document::parse(
      "application: mine\nmeasured_on: k20-cusched\n" + root +
          "kernels:\n  k: {blocks: 64, threads: 256, time: 45us" + kernel +
          "}\n  other: {blocks: 64, threads: 256, time: 45us}\nprogram: [{launch: k}, {launch: other}]\n",
      "mine.yaml");
  const Application application = read_application(document.root(), HostSpec());
  document.finish();
  return application;
}

TEST(Application, AKernelStatesOrInheritsTheBytesOfItsBlocksInSectors) {
  const std::vector<ApiKernel> none = application_of("", "").program.kernels;
  EXPECT_EQ(none[0].dram_sectors, 0u);
  const std::vector<ApiKernel> kernels =
      application_of("bytes: {dram: 1KiB, l2: 4KiB}\n", ", bytes: {dram: 65B}").program.kernels;
  EXPECT_EQ(kernels[0].dram_sectors, 3u);
  EXPECT_EQ(kernels[0].l2_sectors, 0u);
  EXPECT_EQ(kernels[1].dram_sectors, 32u);
  EXPECT_EQ(kernels[1].l2_sectors, 128u);
}

TEST(Application, BytesThatMeanNothingAreRefused) {
  const auto problem = [](const std::string& root, const std::string& kernel) {
    try {
      application_of(root, kernel);
    } catch (const config::Error& error) {
      return std::string(error.what());
    }
    return std::string();
  };
  EXPECT_NE(
      problem("", ", bytes: {dram: 129GiB}").find("kernels.k.bytes.dram: more than 128 GiB for a block"),
      std::string::npos);
  EXPECT_NE(problem("", ", bytes: {dram: 12}").find("kernels.k.bytes.dram"), std::string::npos);
  EXPECT_NE(problem("", ", bytes: {ram: 12B}").find("ram"), std::string::npos);
  EXPECT_NE(problem("bytes: 4KiB\n", "").find("bytes"), std::string::npos);
}

TEST(Application, StatesWhatBoundsAKernelAndWhetherItsBlocksWaitForEachOther) {
  const config::Document document = config::Document::parse(
      "application: mine\nmeasured_on: k20-cusched\nkernels:\n"
      "  a: {blocks: 64, threads: 256, time: 45us, bound: memory}\n"
      "  b: {blocks: 64, threads: 256, time: 45us, bound: compute, cooperative: true}\n"
      "  c: {blocks: 64, threads: 256, time: 45us}\n"
      "program: [{launch: a}]\n",
      "mine.yaml");
  const Application application = read_application(document.root(), HostSpec());
  document.finish();
  const std::vector<ApiKernel>& kernels = application.program.kernels;
  EXPECT_EQ(kernels[0].bound, KernelBound::kMemory);
  EXPECT_EQ(kernels[1].bound, KernelBound::kCompute);
  EXPECT_EQ(kernels[2].bound, KernelBound::kUnknown);
  EXPECT_FALSE(kernels[0].is_cooperative);
  EXPECT_TRUE(kernels[1].is_cooperative);
}

TEST(Residence, IsWhatLatenciesLeaveOfTheMeasuredTimeSharedByTheWaves) {
  // With 1024 threads, two blocks fit on an SM and four on the GPU, so that ten blocks are three waves: (3182
  // - 152 - 3 x 10) / 3 = 1000.
  EXPECT_EQ(residence_cycles(kernel_of(10, 1024), 3182000, round_gpu()), 1000U);
  EXPECT_EQ(residence_cycles(kernel_of(4, 1024), 1162000, round_gpu()), 1000U);  // one wave
}

TEST(Residence, IsNoneWhereTheTimeIsTooShortForTheLatencies) {
  EXPECT_EQ(residence_cycles(kernel_of(4, 1024), 163000, round_gpu()), 1U);
  EXPECT_EQ(residence_cycles(kernel_of(4, 1024), 162000, round_gpu()), 0U);
  EXPECT_EQ(residence_cycles(kernel_of(4, 1024), 0, round_gpu()), 0U);
}

TEST(Parboil, CutcpHoldsOneBlockPerSmAsThePaperSays) {
  const Experiment experiment = load_experiment("parboil-alone", {{"applications=[cutcp]"}, {}, {}, {}});
  const ApiKernel& kernel = experiment.applications[0].application.program.kernels[0];
  EXPECT_EQ(residency_of(kernel.shape, experiment.platform.sm.limits).blocks, 1U);
}

TEST(Parboil, BfsBlocksThatMeetAtABarrierAreAllResidentAtOnce) {
  const Experiment experiment = load_experiment("parboil-alone", {{"applications=[bfs]"}, {}, {}, {}});
  const ApiKernel& kernel = experiment.applications[0].application.program.kernels[0];
  EXPECT_GE(residency_of(kernel.shape, experiment.platform.sm.limits).blocks * experiment.platform.sm.count,
            kernel.blocks);
}

TEST(Parboil, LaunchesAndMeanBlockTimesAreThoseOfTableII) {
  const Experiment experiment = load_experiment("parboil-alone", {{"applications=[histo]"}, {}, {}, {}});
  const Application& histo = experiment.applications[0].application;
  EXPECT_EQ(histo.launches, (std::vector<std::uint64_t>{20, 20, 20, 20}));
  // The last column of Table II states 0.35, 1.23, 4.43 and 1.68 us, each for 20 launches.
  EXPECT_NEAR(mean_block_time_ps(histo) * 1e-6, (0.35 + 1.23 + 4.43 + 1.68) / 4, 0.01);
}

TEST(Tokens, AreSharedOutEvenlyAndAllGoToAPrioritisedApplication) {
  const auto tokens = [](const Experiment& experiment) {
    std::vector<std::int32_t> result;
    for (const auto& process : machine_for(experiment, experiment.variants[0]).processes)
      result.push_back(process.tokens);
    return result;
  };
  const std::string three = "applications=[sgemm, spmv, histo]";
  EXPECT_EQ(tokens(load_experiment("parboil-alone", {{three}, {}, {}, {}})),
            (std::vector<std::int32_t>{4, 4, 4}));
  EXPECT_EQ(tokens(load_experiment("parboil-alone", {{three, "prioritised=spmv"}, {}, {}, {}})),
            (std::vector<std::int32_t>{0, 13, 0}));
}

TEST(Replay, FallsToTheLowestPriorityOfTheMixUnlessItKeepsIt) {
  const Overrides lowest{{"applications=[sgemm, spmv]", "prioritised=spmv"}, {}, {}, {}};
  Overrides keep = lowest;
  keep.sets.emplace_back("replay_priority=keep");
  const auto replayed = [](const Overrides& overrides) {
    const Experiment experiment = load_experiment("parboil-alone", overrides);
    const HostProcessSpec process = machine_for(experiment, experiment.variants[0]).processes[1];
    return std::make_pair(process.replay_priority, process.replay_tokens);
  };
  EXPECT_EQ(replayed(lowest), std::make_pair(0, 0));
  EXPECT_EQ(replayed(keep), std::make_pair(1, 13));
}

}  // namespace
}  // namespace heddle
