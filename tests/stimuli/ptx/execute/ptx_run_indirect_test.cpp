// Calls of functions whose addresses registers hold (PTX ISA, "call").

#include <gtest/gtest.h>

#include "tests/support/ptx/ptx_run.h"

namespace heddle::ptx {
namespace {

// Three functions of one prototype, and one of another; a table of their addresses as virtual functions have.
const char* const kDefined = R"(
.func (.param .b32 r) add (.param .b32 a, .param .b32 b) {
  .reg .b32 %x<4>;
  ld.param.b32 %x1, [a]; ld.param.b32 %x2, [b]; add.s32 %x3, %x1, %x2; st.param.b32 [r], %x3; ret;
}
.func (.param .b32 r) multiply (.param .b32 a, .param .b32 b) {
  .reg .b32 %x<4>; .reg .pred %q;
  ld.param.b32 %x1, [a]; ld.param.b32 %x2, [b]; setp.gt.s32 %q, %x1, 20; mul.lo.s32 %x3, %x1, %x2;
  @%q add.s32 %x3, %x3, 1000; st.param.b32 [r], %x3; ret;
}
.func (.param .b32 r) first (.param .b32 a, .param .b32 b) {
  .reg .b32 %x<4>;
  ld.param.b32 %x1, [a]; st.param.b32 [r], %x1; ret;
}
.func narrow (.param .b32 a) { ret; }
.global .align 8 .u64 table[3] = {add, multiply, generic(first)};
)";

// Each thread calls the function whose number is its lane modulo `functions`, with its lane and 3.
std::string call_by_number(const std::string& functions, const std::string& guard = "") {
  return "rem.u32 %r1, %r0, " + functions + "; mul.wide.u32 %rd2, %r1, 8; mov.u64 %rd3, table; " +
         "add.u64 %rd3, %rd3, %rd2; ld.global.u64 %rd4, [%rd3]; mov.u32 %r5, 77;\n" +
         "{ .param .b32 p0; .param .b32 p1; .param .b32 r0; st.param.b32 [p0], %r0; st.param.b32 [p1], 3;\n" +
         "proto : .callprototype (.param .b32 _) _ (.param .b32 _, .param .b32 _);\n" +
         "setp.gt.u32 %p1, %r0, 9; " + guard +
         " call (r0), %rd4, (p0, p1), proto; ld.param.b32 %r5, [r0]; }\n" +
         "mul.wide.u32 %rd5, %r0, 4; add.u64 %rd5, %rd0, %rd5; st.global.u32 [%rd5], %r5;";
}

std::vector<std::uint32_t> results_of(const std::string& body) {
  PtxRun run(kernel_text(body, kDefined));
  const Address out = run.buffer(std::vector<std::uint32_t>(32), "out");
  run.pass(std::uint64_t{0});
  run.execute();
  return run.read<std::uint32_t>(out, 32);
}

std::uint32_t value_of(std::uint32_t function, std::uint32_t lane) {
  if (function == 0) return lane + 3;
  return function == 1 ? 3 * lane + (lane > 20 ? 1000 : 0) : lane;
}

TEST(PtxIndirectCalls, LanesCallTheFunctionsThatTheyName) {
  for (std::uint32_t functions = 1; functions <= 3; ++functions) {
    const std::vector<std::uint32_t> results = results_of(call_by_number(std::to_string(functions)));
    for (std::uint32_t lane = 0; lane < 32; ++lane)
      ASSERT_EQ(results[lane], value_of(lane % functions, lane)) << functions << " " << lane;
  }
}

TEST(PtxIndirectCalls, LanesWhoseGuardFailsDoNotCall) {
  const std::vector<std::uint32_t> results = results_of(call_by_number("3", "@%p1"));
  for (std::uint32_t lane = 10; lane < 32; ++lane) ASSERT_EQ(results[lane], value_of(lane % 3, lane)) << lane;
}

TEST(PtxIndirectCalls, AddressesComeFromCodeAndTargetsMayBeListed) {
  const std::vector<std::uint32_t> results = results_of(
      "T: .calltargets multiply, add; mov.u64 %rd4, multiply; call (%r5), %rd4, (%r0, 5), T; "
      "mul.wide.u32 %rd5, %r0, 4; add.u64 %rd5, %rd0, %rd5; st.global.u32 [%rd5], %r5;");
  for (std::uint32_t lane = 0; lane < 32; ++lane)
    ASSERT_EQ(results[lane], 5 * lane + (lane > 20 ? 1000 : 0)) << lane;
}

TEST(PtxIndirectCalls, WhatIsNoFunctionOfThePrototypeIsAFault) {
  for (const char* address :
       {"mov.u64 %rd4, 0;", "mov.u64 %rd4, 17;", "mov.u64 %rd4, 1 << 40;", "mov.u64 %rd4, narrow;"}) {
    PtxRun run(kernel_text(std::string(address) +
                               "P: .callprototype (.param .b32 _) _ (.param .b32 _, .param .b32 _);"
                               "call (%r5), %rd4, (%r0, 5), P;",
                           kDefined));
    run.pass(std::uint64_t{0});
    run.pass(std::uint64_t{0});
    EXPECT_NE(run.failure().find("where no function of this prototype is"), std::string::npos) << address;
  }
}

}  // namespace
}  // namespace heddle::ptx
