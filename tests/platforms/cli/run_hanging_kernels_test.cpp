// Kernels that hang on a machine: they are told with the places of their warps, at a limit, by an
// interruption, or because nothing changes any more.

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/types.h>

#include <chrono>
#include <csignal>
#include <thread>

#include "tests/platforms/cli/cli.h"

namespace heddle::test {
namespace {

using testing::AllOf;
using testing::HasSubstr;

class RunHangingKernels : public CliTest {
 protected:
  // The second warp waits at a barrier for the first one, which executes `loop` for ever.
  void write_kernel(const std::string& loop) {
    write("hang.ptx",
          ".version 6.0\n.target sm_35\n.address_size 64\n.visible .entry hang(.param .u64 p) {\n"
          ".reg .u64 %rd<4>; .reg .u32 %r<8>; .reg .pred %p<3>;\n"
          "ld.param.u64 %rd1, [p];\nmov.u32 %r1, %tid.x;\nmov.u32 %r3, 0;\n"
          "setp.lt.u32 %p1, %r1, 32;\n@%p1 bra W;\nbar.sync 2;\nbra E;\nW:\n" +
              loop + "\nbar.sync 2;\nE:\nret;\n}\n");
    write("hang.yaml",
          "launch: hang\ndescription: hangs\nptx: hang.ptx\n"
          "buffers: {a: {type: u32, count: 64, zero: true}}\n"
          "program: [{launch: hang, grid: [2], block: [64], arguments: [a]}]\n");
  }
  void write_spin() {
    write_kernel("ld.volatile.global.u32 %r2, [%rd1];\nsetp.eq.u32 %p2, %r2, 0;\n@%p2 bra W;");
  }
  void write_count() {
    write_kernel(
        "ld.volatile.global.u32 %r2, [%rd1];\nadd.u32 %r3, %r3, 1;\nsetp.eq.u32 %p2, %r2, 0;\n@%p2 bra W;");
  }
};

TEST_F(RunHangingKernels, ThatChangeNothingAreToldWithoutALimit) {
  write_spin();
  const auto matcher = AllOf(HasSubstr("never ends"), HasSubstr("block (1, 0, 0), warp 0: "),
                             HasSubstr("hang.ptx:1"), HasSubstr("warp 1: waits at barrier 2, "));
  const Outcome machine = heddle("run hang.yaml --platform gtx480 --quiet");
  EXPECT_EQ(machine.code, 3);
  EXPECT_THAT(machine.err, AllOf(matcher, HasSubstr("hang, hang:\n")));
  const Outcome functional = heddle("run hang.yaml --functional");
  EXPECT_EQ(functional.code, 3);
  EXPECT_THAT(functional.err, matcher);
}

TEST_F(RunHangingKernels, MeetTheLimitsOfCyclesInstructionsAndTime) {
  write_count();
  const auto failure = [&](const std::string& limit) {
    const Outcome outcome = heddle("run hang.yaml --platform gtx480 --quiet --limit " + limit);
    EXPECT_EQ(outcome.code, 3);
    EXPECT_THAT(outcome.err, HasSubstr("warp 1: waits at barrier 2, "));
    return outcome.err;
  };
  EXPECT_THAT(failure("20000cycles"),
              HasSubstr("more than 20000 core cycles, the limit of this run\nhang, hang:"));
  EXPECT_EQ(failure("20000cycles"), failure("20000cycles"));
  EXPECT_THAT(failure("1000instructions"),
              HasSubstr("more than 1000 warp instructions, the limit of this run"));
  EXPECT_THAT(failure("300ms"), HasSubstr("more than 0.3 s, the limit of this run"));
  EXPECT_THAT(heddle("run hang.yaml --functional --limit 1000instructions").err,
              HasSubstr("more than 1000 warp instructions, the limit of this run: launch 1, hang\n"));
  EXPECT_EQ(heddle("run hang.yaml --functional --limit 1000cycles").code, 2);
  EXPECT_TRUE(files() == std::vector<std::string>({"hang.ptx", "hang.yaml"})) << "results are left";
}

TEST_F(RunHangingKernels, TellTheirPlacesWhenTheRunIsInterrupted) {
  write_count();
  Surroundings surroundings;
  surroundings.meanwhile = [](pid_t heddle) {
    EXPECT_TRUE(eventually([&] { return !children_of(heddle).empty(); }));
    std::this_thread::sleep_for(std::chrono::milliseconds(1500));  // the kernel runs by then
    ::kill(heddle, SIGINT);
  };
  const Outcome outcome = heddle("run hang.yaml --platform gtx480 --quiet", surroundings);
  EXPECT_EQ(outcome.code, 130) << outcome.err;
  EXPECT_THAT(outcome.err, AllOf(HasSubstr("interrupted in core cycle "), HasSubstr("warp 0: "),
                                 HasSubstr("hang.ptx:1"), HasSubstr("waits at barrier 2, ")));
}

TEST_F(RunHangingKernels, InADeadlockNameTheBarriersAndTheirWarps) {
  write_kernel("bar.sync 3, 64;");
  for (const char* how : {"--platform gtx480 --quiet", "--functional"}) {
    const Outcome outcome = heddle(std::string("run hang.yaml ") + how);
    EXPECT_EQ(outcome.code, 3);
    EXPECT_THAT(outcome.err, AllOf(HasSubstr("deadlock"), HasSubstr("warp 0: waits at barrier 3, "),
                                   HasSubstr("warp 1: waits at barrier 2, ")))
        << how;
  }
}

}  // namespace
}  // namespace heddle::test
