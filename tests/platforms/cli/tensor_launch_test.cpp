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

// A warpgroup multiplies 64 x 32 by 32 x 8 elements in shared memory, which are all 1.
const char* const kGroupPtx =
    ".version 8.0\n.target sm_90a\n.address_size 64\n"
    ".shared .align 128 .b8 s[2048];\n"
    ".visible .entry multiply(.param .u64 d) {\n"
    "  .reg .b32 %r<16>;\n  .reg .b64 %d<8>;\n"
    "  mov.u32 %r0, %tid.x;\n  mov.u32 %r1, s;\n  mad.lo.u32 %r2, %r0, 16, %r1;\n"
    "  mov.u32 %r3, 0x01010101;\n  st.shared.v4.b32 [%r2], {%r3, %r3, %r3, %r3};\n"
    "  fence.proxy.async;\n  bar.sync 0;\n"
    "  mov.u32 %r4, 100;\n  mov.u32 %r5, 100;\n  mov.u32 %r6, 100;\n  mov.u32 %r7, 100;\n"
    "  shr.u32 %r1, %r1, 4;\n  cvt.u64.u32 %d1, %r1;\n"
    "  wgmma.fence.sync.aligned;\n"
    "  wgmma.mma_async.sync.aligned.m64n8k32.s32.u8.u8 {%r4, %r5, %r6, %r7}, %d1, %d1, 1;\n"
    "  wgmma.commit_group.sync.aligned;\n  wgmma.wait_group.sync.aligned 0;\n"
    "  ld.param.u64 %d2, [d];\n  mul.wide.u32 %d3, %r0, 16;\n  add.u64 %d2, %d2, %d3;\n"
    "  st.global.v4.b32 [%d2], {%r4, %r5, %r6, %r7};\n  ret;\n}\n";
const char* const kGroupLaunch =
    "launch: group\ndescription: 32 products and 100\nptx: group.ptx\n"
    "buffers:\n  d: {type: u32, count: 512}\n"
    "program:\n  - launch: multiply\n    grid: [1]\n    block: [128]\n    arguments: [d]\n"
    "check: {expected: {d: {linear: [132, 0]}}}\n";

class TensorLaunch : public CliTest {
 protected:
  TensorLaunch() {
    write("multiply.ptx", kPtx);
    write("product.yaml", kLaunch);
    write("group.ptx", kGroupPtx);
    write("group.yaml", kGroupLaunch);
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

TEST_F(TensorLaunch, CardsOfComputeCapability90RunAProductOfAWarpgroup) {
  for (const char* const platform : {"h100-pcie", "h100-pcie-subcore", "h100-sxm", "h200"}) {
    const Outcome outcome = heddle(std::string("run group.yaml --json --platform ") + platform);
    EXPECT_EQ(outcome.code, 0) << platform << ": " << outcome.err;
  }
}

TEST_F(TensorLaunch, OtherPlatformsRefuseAProductOfAWarpgroupWithTheKernelAndTheLine) {
  for (const std::string platform : {"a100-80", "v100", "t4", "rtx4090"}) {
    const Outcome outcome = heddle("run group.yaml --platform " + platform);
    EXPECT_NE(outcome.code, 0) << platform;
    EXPECT_NE(
        outcome.err.find("group.ptx:22, and the SMs of '" + platform + "' have no products of warpgroups"),
        std::string::npos)
        << outcome.err;
  }
}

}  // namespace
}  // namespace heddle::test
