// Launch files that are executed without a machine.

#include "tests/support/launch_rig.h"

#include <gmock/gmock.h>

#include <algorithm>
#include <sstream>

#include "models/core/config/data_path.h"
#include "stimuli/functional/functional_host.h"
#include "stimuli/launch/launch_application.h"

namespace heddle {
namespace {

using testing::HasSubstr;

std::string failure(const std::string& text, const std::string& folder = kLaunches) {
  try {
    FunctionalHost(read_launch(text, folder).program).run();
  } catch (const std::runtime_error& error) {
    return error.what();
  }
  return "none";
}

class ShippedLaunches : public testing::TestWithParam<std::string> {};

TEST_P(ShippedLaunches, DoWhatTheirReferenceDoes) {
  const LaunchApplication launch = load_launch_application(kLaunches + GetParam() + ".yaml", {});
  ASSERT_NE(launch.plan->check.reference, nullptr);
  EXPECT_EQ(launch.plan->check.reference->name, GetParam());
  EXPECT_NO_THROW(FunctionalHost(launch.application.program).run());
}

std::string name_of_launch(const testing::TestParamInfo<std::string>& info) {
  return info.param;
}

std::vector<std::string> launches(bool of_study) {
  std::vector<std::string> names;
  for (const std::string& name : known_data("stimuli/launches"))
    if (is_of_study(name) == of_study) names.push_back(name);
  return names;
}

INSTANTIATE_TEST_SUITE_P(All, ShippedLaunches, testing::ValuesIn(launches(false)), name_of_launch);

// A reference is used by the launch file that has its name, or by a launch file of a study.
TEST(LaunchRun, EachReferenceChecksALaunchFile) {
  std::vector<std::string> checked = launches(false);
  for (const std::string& name : launches(true))
    checked.emplace_back(load_launch_application(kLaunches + name + ".yaml", {}).plan->check.reference->name);
  for (const kernels::Reference& reference : kernels::references())
    EXPECT_GE(std::count(checked.begin(), checked.end(), reference.name), 1) << reference.name;
}

struct Sized {
  const char* name;
  std::vector<std::string> parameters;
};

class ResizedLaunches : public testing::TestWithParam<Sized> {};

TEST_P(ResizedLaunches, DoWhatTheirReferenceDoes) {
  const LaunchApplication launch =
      load_launch_application(kLaunches + GetParam().name + ".yaml", GetParam().parameters);
  EXPECT_NO_THROW(FunctionalHost(launch.application.program).run());
}

// The cases have odd numbers of steps, one tile, and sizes that leave blocks half empty.
INSTANTIATE_TEST_SUITE_P(
    Odd, ResizedLaunches,
    testing::Values(
        Sized{"stencil_5_point", {"steps=3", "width=33", "height=17"}}, Sized{"thermal_step", {"steps=1"}},
        Sized{"lattice_boltzmann", {"steps=1", "width=30"}}, Sized{"lu_decomposition", {"n=16"}},
        Sized{"gaussian_elimination", {"n=17"}}, Sized{"grid_path", {"rows=18", "rows_per_launch=5"}},
        Sized{"n_queens", {"n=1"}}, Sized{"two_point_correlation", {"other_n=33", "bins=63"}},
        Sized{"scan", {"n=512"}}, Sized{"vector_add", {"n=1"}}, Sized{"speckle_statistics", {"n=256"}},
        Sized{"hopper_matrix_multiply", {"m=200", "n=300", "k=72"}},
        Sized{"hopper_matrix_multiply_pairs", {"m=300", "n=200", "k=392"}},
        Sized{"tree_search", {"records=20", "span=20"}},
        Sized{"layer_contributions", {"sources=16", "pitch=16"}}, Sized{"euler_flux", {"x=1", "y=1", "z=1"}},
        Sized{"polybench_2mm", {"n=9", "block_x=8"}}, Sized{"polybench_3mm", {"n=33"}},
        Sized{"polybench_gemm", {"n=16", "block_x=16"}}, Sized{"polybench_syrk", {"n=9"}},
        Sized{"polybench_atax", {"n=33", "block_x=8"}}, Sized{"polybench_bicg", {"n=1"}},
        Sized{"polybench_mvt", {"n=67", "block_x=16"}}, Sized{"polybench_gesummv", {"n=3"}},
        Sized{"polybench_2dconv", {"n=17", "block_x=8"}}, Sized{"polybench_3dconv", {"n=11", "block_x=8"}},
        Sized{"scan_pieces", {"n=2048", "length=1024"}}, Sized{"scan_pieces", {"length=4"}},
        Sized{"sdk_scan", {"n=8192", "length=8192"}},
        Sized{"sdk_bitonic_sort", {"length=1024", "ascending=0"}},
        Sized{"sdk_odd_even_sort", {"length=1024", "ascending=0"}}, Sized{"sdk_merge_sort", {"n=1024"}},
        Sized{"sdk_merge_sort", {"n=12288"}}, Sized{"sdk_walsh_transform", {"n=16384"}},
        Sized{"sdk_copy_tiles", {"width=32"}}, Sized{"sdk_scalar_product", {"pairs=3", "length=5000"}},
        Sized{"rodinia_nn", {"n=65", "launches=3"}},
        Sized{"rodinia_pathfinder", {"rows=8", "rows_per_launch=1", "block_x=256"}},
        Sized{"rodinia_lud", {"n=16"}}, Sized{"rodinia_backprop", {"inputs=8", "block_x=128"}},
        Sized{"rodinia_bfs", {"nodes=16", "degree=5"}}, Sized{"rodinia_gaussian", {"n=11", "block_x=128"}},
        Sized{"rodinia_kmeans", {"n=192", "clusters=1", "launches=2"}},
        Sized{"rodinia_b_plus_tree", {"n=7", "block_x=256"}},
        Sized{"microbenchmark_read", {"bits=64", "loads=2", "n=1024", "rounds=7"}},
        Sized{"microbenchmark_read", {"bits=128", "loads=1", "n=1024", "rounds=5"}},
        Sized{"microbenchmark_read", {"level=2", "loads=1", "n=2144", "rounds=3", "blocks=2"}},
        Sized{"microbenchmark_read", {"level=2", "bits=64", "loads=1", "n=1056", "rounds=1"}},
        Sized{"microbenchmark_chase", {"level=2", "n=5", "steps=13"}},
        Sized{"microbenchmark_chase_dram", {"n=20", "threads=8", "steps=13"}},
        Sized{"microbenchmark_shared", {"words=4096", "threads=1", "stride=1", "steps=5"}},
        Sized{"microbenchmark_shared_and_l1", {"n=2049", "steps=3"}}, Sized{"microbenchmark_sum", {"n=1000"}},
        Sized{"microbenchmark_transpose", {"width=32", "pitch=32"}},
        Sized{"microbenchmark_multiply_add", {"blocks=2", "rounds=3"}}));

const std::vector<Sized> kLaunchesOfStudies = {
    {"ps-b-1", {"records=2000", "queries=20"}},
    {"ps-b-2", {"records=20000", "queries=20"}},
    {"ps-bp-1", {"sources=64"}},
    {"ps-bp-2", {"sources=100"}},
    {"ps-cfd", {"x=5", "y=4", "z=3", "launches=2"}},
    {"ps-gaus", {"n=17"}},
    {"ps-hot", {"rows=40", "columns=33"}},
    {"ps-lud", {"n=48"}},
    {"ps-nn", {"n=1000"}},
    {"ps-path", {"columns=1000"}},
    {"ps-srad-1", {"n=1000"}},
    {"ps-srad-2", {"n=1000"}},
    {"ps-srad-3", {"n=1000"}},
    {"ps-srad-4", {"rows=9", "columns=300"}},
    {"ps-srad-5", {"rows=9", "columns=300"}},
    {"ps-srad-6", {"n=1000"}},
    {"ps-srad-loop", {"rows=9", "columns=300", "iterations=3"}},
    {"tn-dot", {"pairs=3", "length=1000"}},
    {"tn-fma", {"n=100", "blocks=2", "rounds=9"}},
    {"tn-kmeans", {"n=192"}},
    {"tn-mm", {"m=65", "n=70", "launches=2"}},
    {"tn-spmv", {"rows=300", "width=200"}},
    {"tn-triad", {"n=1000", "blocks=2"}},
    {"zo-bh", {"n=500"}},
    {"zo-dct", {"width=72", "height=40"}},
    {"zo-mst", {"nodes=500"}},
    {"zo-nqu", {"n=8"}},
    {"zo-rd", {"n=10000"}},
    {"zo-sla", {"n=10000"}},
    {"zo-sp", {"pairs=3", "length=1000"}},
    {"zo-sssp", {"nodes=500"}},
};

INSTANTIATE_TEST_SUITE_P(OfStudies, ResizedLaunches, testing::ValuesIn(kLaunchesOfStudies));

TEST(LaunchRun, AllLaunchesOfStudiesAreExecuted) {
  std::vector<std::string> executed;
  for (const Sized& sized : kLaunchesOfStudies) executed.emplace_back(sized.name);
  EXPECT_EQ(executed, launches(true));
}

const std::string kCount =
    ".visible .entry count(.param .u64 words, .param .u32 by) {\n"
    "  .reg .b32 %r<4>;\n  .reg .b64 %d<3>;\n"
    "  ld.param.u64 %d1, [words];\n  ld.param.u32 %r1, [by];\n  cvta.to.global.u64 %d2, %d1;\n"
    "  ld.global.u32 %r2, [%d2];\n  add.u32 %r3, %r2, %r1;\n  st.global.u32 [%d2], %r3;\n  ret;\n}\n";

std::string counting(const std::string& program, const std::string& check) {
  return "launch: l\nptx: k.ptx\nbuffers:\n  w: {type: u32, count: 2, values: [5, 6]}\n"
         "  v: {type: u32, count: 2, zero: true}\nvariables: {by: 1}\nprogram:\n" +
         program + "check: {expected: " + check + "}\n";
}

const std::string kLaunch = "{launch: count, grid: 1, block: 1, arguments: [w, by]}";

TEST(LaunchRun, StepsVariablesThroughLoops) {
  const PtxFolder folder(kCount);
  EXPECT_EQ(failure(counting("  - {repeat: 3, body: [" + kLaunch + ", {set: by = by * 10}]}\n",
                             "{w: {values: [116, 6]}}"),
                    folder.path()),
            "none");
}

TEST(LaunchRun, EndsLoopsByWordsOnTheDevice) {
  const PtxFolder folder(kCount);
  EXPECT_EQ(
      failure(counting("  - {until: \"w[0] >= 9\", body: [" + kLaunch + "]}\n", "{w: {values: [9, 6]}}"),
              folder.path()),
      "none");
  EXPECT_THAT(failure(counting("  - {until: \"w[0] >= 9\", most: 3, body: [" + kLaunch + "]}\n",
                               "{w: {values: [9, 6]}}"),
                      folder.path()),
              HasSubstr("l.yaml:8:13: program[0].until: 'w[0] >= 9' does not hold after 3 rounds"));
}

TEST(LaunchRun, SetsWordsSwapsFillsAndCopies) {
  const PtxFolder folder(kCount);
  EXPECT_EQ(failure(counting("  - set: w[1] = by + 7\n  - " + kLaunch + "\n  - {swap: [w, v]}\n",
                             "{w: {values: [0, 0]}, v: {values: [6, 8]}}"),
                    folder.path()),
            "none");
  EXPECT_EQ(
      failure(counting("  - " + kLaunch + "\n  - {copy_across: w, to: v, bytes: 4}\n  - {fill: w, with: 1}\n",
                       "{w: {constant: 0x01010101}, v: {values: [6, 0]}}"),
              folder.path()),
      "none");
}

TEST(LaunchRun, ReportsWhereTheCheckFails) {
  const PtxFolder folder(kCount);
  EXPECT_THAT(failure(counting("  - " + kLaunch + "\n", "{w: {values: [6, 7]}}"), folder.path()),
              HasSubstr("check failed: w[1]: 7 expected, 6 found"));
  EXPECT_EQ(
      failure(counting("  - " + kLaunch + "\n", "{w: {values: [6, 7], tolerance: 0.2}}"), folder.path()),
      "none");
}

TEST(LaunchRun, ReportsWhereSomethingCannotBeComputed) {
  const PtxFolder folder(kCount);
  EXPECT_THAT(failure(counting("  - " + kLaunch + "\n  - {set: by = 1 / (by - 1)}\n", "{w: {zero: true}}"),
                      folder.path()),
              HasSubstr("l.yaml:9:11: program[1].set: '1 / (by - 1)': division by zero"));
  EXPECT_THAT(failure(counting("  - {set: by = 0}\n"
                               "  - {launch: count, grid: by, block: 1, arguments: [w, by]}\n",
                               "{w: {zero: true}}"),
                      folder.path()),
              HasSubstr("l.yaml:9:14: program[1].launch: "));
}

TEST(LaunchRun, StartsAnewEachTime) {
  const PtxFolder folder(kCount);
  const LaunchFile file = read_launch(
      counting("  - " + kLaunch + "\n  - {set: by = 50}\n", "{w: {values: [6, 6]}}"), folder.path());
  FunctionalHost host(file.program);
  EXPECT_NO_THROW(host.run());
  EXPECT_NO_THROW(host.run());
}

TEST(LoadedLaunches, ReadAFileOnceForEachSetOfParameters) {
  const std::string file = kLaunches + "vector_add.yaml";
  LoadedLaunches launches;
  const auto load = [&](const std::vector<std::string>& parameters, std::uint32_t registers) {
    std::vector<std::string> applied;
    const LaunchApplication launch = launches.load(file, parameters, applied, registers);
    EXPECT_EQ(applied, parameters);
    EXPECT_EQ(launch.yaml, load_launch_application(file, parameters).yaml);
    return launch.plan;
  };
  const auto first = load({"n=77"}, 63);
  EXPECT_EQ(load({"n=77"}, 63), first);
  EXPECT_NE(load({"n=78"}, 63), first);
  EXPECT_NE(load({"n=77"}, 255), first);
  EXPECT_EQ(load({"n=77"}, 63), first);
  for (int i = 0; i < 100; ++i) EXPECT_EQ(load({"n=" + std::to_string(i + 1)}, 63)->buffers[0].count, i + 1U);
}

TEST(LoadedLaunches, OfOtherParametersShareCodeAndStructures) {
  const std::string file = kLaunches + "barnes_hut.yaml";
  LoadedLaunches launches;
  const auto load = [&](const std::string& parameter, std::uint32_t registers) {
    std::vector<std::string> applied;
    const LaunchApplication launch = launches.load(file, {parameter}, applied, registers);
    EXPECT_EQ(launch.yaml, load_launch_application(file, {parameter}).yaml);
    return launch.plan;
  };
  const auto small = load("opening=0.5", 63);
  const auto large = load("opening=0.7", 63);
  EXPECT_NE(small, large);
  EXPECT_EQ(small->codes, large->codes);
  EXPECT_NE(load("opening=0.5", 255)->codes, small->codes);
  const auto others = load("n=300", 63);
  EXPECT_EQ(others->codes, small->codes);
  const auto alone = load_launch_application(file, {"n=300"}).plan;
  for (std::size_t i = 0; i < others->buffers.size(); ++i) {
    EXPECT_EQ(others->buffers[i].count, alone->buffers[i].count);
    if (!alone->buffers[i].make) continue;
    EXPECT_EQ(others->buffers[i].make().bytes, alone->buffers[i].make().bytes) << alone->buffers[i].name;
  }
}

TEST(LoadedParts, GeneratesEqualStructuresOnce) {
  LoadedParts parts;
  int made = 0;
  const auto ask = [&](const std::string& key) {
    return parts.structure(key, [&] {
      ++made;
      return structures::sphere_points(5, Random(1));
    });
  };
  EXPECT_EQ(ask("a"), ask("a"));
  EXPECT_NE(ask("a"), ask("b"));
  EXPECT_EQ(made, 2);
}

TEST(LaunchApplications, TakeParametersThatTheyHave) {
  const LaunchApplication launch = load_launch_application(kLaunches + "vector_add.yaml", {"n=77"});
  EXPECT_EQ(launch.plan->buffers[0].count, 77U);
  EXPECT_THAT(launch.yaml, HasSubstr("n: 77"));
  EXPECT_THAT(launch.yaml, HasSubstr("vector_add/vector_add.ptx"));
  ASSERT_EQ(launch.files.size(), 1U);
  EXPECT_EQ(launch.files[0].first, "vector_add/vector_add.ptx");
  try {
    load_launch_application(kLaunches + "vector_add.yaml", {"m=77"});
    FAIL() << "it was taken";
  } catch (const config::Error& error) {
    EXPECT_EQ(std::string(error.what()), "--set parameters.m=77: no launch file has a parameter 'm'");
  }
}

}  // namespace
}  // namespace heddle
