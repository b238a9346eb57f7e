// What --trace names.

#include "platforms/experiment/trace_request.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "models/core/config/config.h"
#include "models/sm/spec/cycle_spec.h"

namespace heddle::test {

namespace {

std::string problem_of(const std::string& text) {
  try {
    read_trace_selection(text);
  } catch (const config::Error& error) {
    return error.what();
  }
  return "";
}

TEST(TraceRequest, APartNamesASmAWarpSlotAKernelOrCycles) {
  const TraceSelection whole = read_trace_selection("sm3.warp5,kernel=matmul,cycles=1000-2000");
  EXPECT_EQ(whole.sm, 3u);
  EXPECT_EQ(whole.warp, 5u);
  EXPECT_EQ(whole.kernel, "matmul");
  EXPECT_EQ(whole.window.first, Cycle{1000});
  EXPECT_EQ(whole.window.last, Cycle{2000});
  const TraceSelection sm = read_trace_selection("sm12");
  EXPECT_EQ(sm.sm, 12u);
  EXPECT_FALSE(sm.warp.has_value());
  EXPECT_EQ(sm.window.last, Cycle::never());
  EXPECT_EQ(read_trace_selection("cycles=7-").window.first, Cycle{7});
}

TEST(TraceRequest, EachBadPartIsOneErrorThatNamesIt) {
  for (const char* text : {"",
                           "sm",
                           "sm3.warp",
                           "sm3.warpx",
                           "sm3.5",
                           "warp5",
                           "sm-1",
                           "kernel=",
                           "sm3,",
                           ",sm3",
                           "cycles=5",
                           "cycles=",
                           "cycles=-5",
                           "cycles=9-5",
                           "cycles=1-2-3",
                           "cycles=1k-2k",
                           "sm1,sm2",
                           "kernel=a,kernel=b",
                           "cycles=1-2,cycles=3-4",
                           "sm3 ",
                           "sm99999999999999999999"}) {
    EXPECT_THAT(problem_of(text), testing::HasSubstr("--trace ")) << text;
  }
  EXPECT_THAT(problem_of("sm1,wrap2"), testing::HasSubstr("wrap2 is no part of a trace"));
}

MachineSpec machine() {
  MachineSpec spec;
  spec.gpu.sm.count = 15;
  spec.gpu.sm.limits.warps = 48;
  spec.gpu.sm.model = CycleSmSpec{};
  spec.processes.emplace_back();
  spec.processes.back().program.kernels.emplace_back();
  spec.processes.back().program.kernels.back().name = "matmul";
  return spec;
}

std::string problem_on(const MachineSpec& spec, const std::string& text) {
  try {
    check_trace({read_trace_selection(text)}, spec);
  } catch (const config::Error& error) {
    return error.what();
  }
  return "";
}

TEST(TraceRequest, AnSmAWarpOrAKernelThatTheMachineDoesNotHaveIsAnError) {
  EXPECT_EQ(problem_on(machine(), "sm14.warp47,kernel=matmul"), "");
  EXPECT_EQ(problem_on(machine(), "sm15"), "--trace: there is no sm15; the platform has sm0 to sm14");
  EXPECT_EQ(problem_on(machine(), "sm0.warp48"),
            "--trace: there is no warp48; an SM has the warp slots 0 to 47");
  EXPECT_THAT(
      problem_on(machine(), "kernel=matmull"),
      testing::AllOf(testing::HasSubstr("no application has a kernel"), testing::HasSubstr("'matmul'")));
  MachineSpec timed = machine();
  timed.gpu.sm.model = TimedSmSpec{};
  EXPECT_THAT(problem_on(timed, "sm0"),
              testing::HasSubstr("has timed ones; --timeline=blocks shows their blocks"));
}

}  // namespace

}  // namespace heddle::test
