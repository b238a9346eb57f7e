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
INSTANTIATE_TEST_SUITE_P(All, ShippedLaunches, testing::ValuesIn(known_data("stimuli/launches")),
                         name_of_launch);

TEST(LaunchRun, ThereIsALaunchFileForEachReference) {
  const std::vector<std::string> known = known_data("stimuli/launches");
  for (const kernels::Reference& reference : kernels::references())
    EXPECT_EQ(std::count(known.begin(), known.end(), reference.name), 1) << reference.name;
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
    testing::Values(Sized{"stencil_5_point", {"steps=3", "width=33", "height=17"}},
                    Sized{"thermal_step", {"steps=1"}}, Sized{"lattice_boltzmann", {"steps=1", "width=30"}},
                    Sized{"lu_decomposition", {"n=16"}}, Sized{"gaussian_elimination", {"n=17"}},
                    Sized{"grid_path", {"rows=18", "rows_per_launch=5"}}, Sized{"n_queens", {"n=1"}},
                    Sized{"two_point_correlation", {"other_n=33", "bins=63"}}, Sized{"scan", {"n=512"}},
                    Sized{"vector_add", {"n=1"}}));

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
