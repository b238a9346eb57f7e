// A kernel with a product of matrices on platforms with and without tensor units, as a user runs it.

#include <nlohmann/json.hpp>

#include "tests/platforms/cli/cli.h"

namespace heddle::test {
namespace {

const char* const kPtx =
    ".version 7.8\n.target sm_75\n.address_size 64\n"
    ".visible .entry multiply(.param .u64 a, .param .u64 b, .param .u64 d) {\n"
    "  .reg .b32 %r<32>;\n  .reg .b64 %d<8>;\n"
    "  ld.param.u64 %d1, [a];\n  ld.param.u64 %d2, [b];\n  ld.param.u64 %d3, [d];\n"
    "  wmma.load.a.sync.aligned.row.m16n16k16.global.u8 {%r1, %r2}, [%d1], 16;\n"
    "  wmma.load.b.sync.aligned.col.m16n16k16.global.u8 {%r3, %r4}, [%d2], 16;\n"
    "  mov.u32 %r5, 100;\n"
    "  wmma.mma.sync.aligned.row.col.m16n16k16.s32.u8.u8.s32 {%r11, %r12, %r13, %r14, %r15, %r16, %r17, "
    "%r18}, "
    "{%r1, %r2}, {%r3, %r4}, {%r5, %r5, %r5, %r5, %r5, %r5, %r5, %r5};\n"
    "  wmma.store.d.sync.aligned.row.m16n16k16.global.s32 [%d3], {%r11, %r12, %r13, %r14, %r15, %r16, %r17, "
    "%r18}, 16;\n"
    "  ret;\n}\n";

// Every element of a is 1 and every one of b is 2.
const char* const kLaunch =
    "launch: product\ndescription: 16 products and 100\nptx: multiply.ptx\n"
    "buffers:\n  a: {type: u32, count: 64, linear: [16843009, 0]}\n"
    "  b: {type: u32, count: 64, linear: [33686018, 0]}\n  d: {type: u32, count: 256}\n"
    "program:\n  - launch: multiply\n    grid: [1]\n    block: [32]\n    arguments: [a, b, d]\n"
    "check: {expected: {d: {linear: [132, 0]}}}\n";

class TensorLaunch : public CliTest {
 protected:
  TensorLaunch() {
    write("multiply.ptx", kPtx);
    write("product.yaml", kLaunch);
  }
};

TEST_F(TensorLaunch, APlatformWithTensorUnitsRunsAProductAndSaysWhatIsNotValidated) {
  for (const char* const platform : {"t4", "rtx3080"}) {
    const Outcome outcome = heddle(std::string("run product.yaml --json --platform ") + platform);
    ASSERT_EQ(outcome.code, 0) << outcome.err;
    EXPECT_NE(outcome.err.find(std::string("note: platform '") + platform +
                               "': the timing of its SMs is that of the core model of older cards"),
              std::string::npos)
        << outcome.err;
  }
  EXPECT_EQ(heddle("run product.yaml --functional").err.find("note:"), std::string::npos);
}

TEST_F(TensorLaunch, APlatformWithoutTensorUnitsRefusesItWithTheKernelAndTheLine) {
  const Outcome outcome = heddle("run product.yaml --platform gtx1080");
  EXPECT_NE(outcome.code, 0);
  EXPECT_NE(outcome.err.find("multiply"), std::string::npos) << outcome.err;
  EXPECT_NE(outcome.err.find("it has wmma.mma at "), std::string::npos) << outcome.err;
  EXPECT_NE(outcome.err.find("multiply.ptx:13, and the SMs of 'gtx1080' have no tensor unit"),
            std::string::npos)
      << outcome.err;
}

}  // namespace
}  // namespace heddle::test
