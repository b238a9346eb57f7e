// Synthetic kernels: the output of `check`, and platforms on which they cannot run.

#include "tests/platforms/cli/cli.h"

namespace heddle::test {
namespace {

const char* const kTwoKernels =
    "application: two\ndescription: d\nsource: s\nkernels:\n"
    "  straight: {blocks: 200, threads: 512, registers: 16, shared_memory: 0B, code: [{loop: 100, body: "
    "[{op: sfu, "
    "count: 7}]}]}\n"
    "  parting: {blocks: 1, threads: 32, registers: 16, shared_memory: 0B, code: [{if: 0.5, then: [{op: "
    "sfu}]}]}\n"
    "program: [{launch: straight}, {launch: parting}]\n";

TEST_F(CliTest, ChecksKernelsOfCodeByTheirInstructions) {
  write("two.yaml", kTwoKernels);
  const Outcome outcome = heddle("check two.yaml");
  ASSERT_EQ(outcome.code, 0) << outcome.err;
  EXPECT_NE(outcome.out.find("on gtx480"), std::string::npos) << outcome.out;
  EXPECT_NE(outcome.out.find("instructions per warp"), std::string::npos);
  EXPECT_NE(outcome.out.find("1001                3  threads"), std::string::npos) << outcome.out;
  EXPECT_NE(outcome.out.find("<= 4"), std::string::npos) << outcome.out;
}

TEST_F(CliTest, ChecksWithValuesChanged) {
  write("two.yaml", kTwoKernels);
  const Outcome outcome = heddle("check two.yaml --set kernels.straight.code[0].loop=10");
  ASSERT_EQ(outcome.code, 0) << outcome.err;
  EXPECT_NE(outcome.out.find(" 101 "), std::string::npos) << outcome.out;
}

TEST_F(CliTest, SaysThatTimedSmsRunNoCode) {
  write_small();
  write("two.yaml", kTwoKernels);
  const Outcome outcome = heddle("run small.yaml --set applications=[./two.yaml]");
  EXPECT_EQ(outcome.code, 2);
  EXPECT_NE(outcome.err.find("kernels.straight: it has instructions, and the SMs of 'k20-cusched' are timed"),
            std::string::npos)
      << outcome.err;
}

}  // namespace
}  // namespace heddle::test
