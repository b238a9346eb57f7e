// Forms that older compilers and hand-written PTX use, each with the result of its execution.

#include <gtest/gtest.h>

#include <array>

#include "tests/support/ptx/ptx_run.h"
#include "tests/support/ptx/ptx_text.h"

namespace heddle::ptx {
namespace {

// Returns the words of a buffer behind an execution of the entry `k`, which takes the address of the buffer.
std::vector<std::uint32_t> run_on(const std::string& functions, const std::string& body,
                                  std::vector<std::uint32_t> words = std::vector<std::uint32_t>(32)) {
  PtxRun run(".version 7.8\n.target sm_35\n.address_size 64\n" + functions +
             "\n.visible .entry k(.param .u64 o)\n{\n.reg .u64 p; .reg .u32 %r<9>; .reg .u64 %rd<9>; "
             ".reg .f32 %f<4>; .reg .pred %p<3>;\nld.param.u64 p, [o]; mov.u32 %r0, %tid.x;\n" +
             body + "\nret;\n}\n");
  const Address out = run.buffer(words);
  run.execute();
  return run.read<std::uint32_t>(out, words.size());
}

TEST(PtxRunForms, ADeclarationWithoutASemicolonEndsWhereTheNextStatementBegins) {
  const std::string function =
      ".visible .func (.param .b32 r) f (.param .b32 a)\n\n"
      ".visible .func (.param .b32 r) f (.param .b32 a)\n"
      "{ .reg .u32 x; ld.param.u32 x, [a]; add.u32 x, x, x; st.param.b32 [r], x; ret; }\n"
      ".func unused (.param .b32 a)\n";
  const auto words = run_on(function, "mov.u32 %r1, 21; call (%r2), f, (%r1); st.global.u32 [p], %r2;");
  EXPECT_EQ(words[0], 42u);
}

TEST(PtxRunForms, AnImmediateOfTooManyBitsLosesTheUpperOnes) {
  const auto words =
      run_on(".global .u8 g = 257;",
             "add.u32 %r1, 0xffffffffffffffffU, 3; st.global.u32 [p], %r1;\n"
             "{ .reg .u16 h; add.u16 h, 65536, 7; cvt.u32.u16 %r2, h; st.global.u32 [p+4], %r2; }\n"
             "{ .reg .s16 h; mov.s16 h, 98304; cvt.s32.s16 %r2, h; st.global.u32 [p+8], %r2; }\n"
             "ld.global.u8 %r3, [g]; st.global.u32 [p+12], %r3;");
  EXPECT_EQ(words[0], 2u);
  EXPECT_EQ(words[1], 7u);
  EXPECT_EQ(words[2], 0xffff8000u);
  EXPECT_EQ(words[3], 1u);
}

TEST(PtxRunForms, AnF32IsInTheLowBitsOfAWiderRegisterOfBits) {
  const auto words =
      run_on("",
             ".reg .b64 t, u;\nld.global.f32 t, [p]; st.global.f32 [p+4], t; st.global.b64 [p+8], t;\n"
             "ld.global.v2.f32 {t, u}, [p]; st.global.v2.f32 [p+16], {u, t};",
             {0x3fc00000, 0, 0, 0xffffffff, 0, 0});
  EXPECT_EQ(words,
            (std::vector<std::uint32_t>{0x3fc00000, 0x3fc00000, 0x3fc00000, 0, 0x3fc00000, 0x3fc00000}));
}

TEST(PtxRunForms, AnAccessWithoutASpaceToAVariableIsToTheSpaceOfTheVariable) {
  const auto words =
      run_on(".const .u32 c = 77; .shared .align 8 .b8 s[8];",
             ".local .align 8 .b8 l[16];\n"
             "mov.u64 %rd1, 0x500000006; st.u64 [l+8], %rd1; ld.u64 %rd2, [l+8]; st.global.u64 [p], %rd2;\n"
             "st.u32 [s+4], 9; ld.u32 %r1, [s+4]; st.global.u32 [p+8], %r1;\n"
             "ld.u32 %r1, [c]; st.global.u32 [p+12], %r1;\n"
             "ld.u64 %rd3, [o]; sub.u64 %rd3, %rd3, p; st.global.u64 [p+16], %rd3;\n"
             "st.u32 [s], 0; bar.sync 0; atom.add.u32 %r2, [s], 1; bar.sync 0; ld.u32 %r1, [s]; "
             "st.global.u32 [p+24], %r1;");
  EXPECT_EQ(words[0], 6u);
  EXPECT_EQ(words[1], 5u);
  EXPECT_EQ(words[2], 9u);
  EXPECT_EQ(words[3], 77u);
  EXPECT_EQ(words[4], 0u);
  EXPECT_EQ(words[6], 32u);
}

TEST(PtxRunForms, ParametersAndResultsAreRegisters) {
  const std::string functions =
      ".func (.reg .u32 r, .reg .f32 g) twice (.reg .u32 a, .param .b32 b, .reg .f32 f);\n"
      ".func (.reg .u32 r, .reg .f32 g) twice (.reg .u32 a, .param .b32 b, .reg .f32 f)\n"
      "{ .reg .u32 x; .reg .pred q;\nld.param.u32 x, [b]; add.f32 g, f, f; mov.u32 r, 1000;\n"
      "setp.lt.u32 q, a, 4;\n@q ret;\nadd.u32 r, a, x;\n}\n";
  const auto words = run_on(functions,
                            "mov.f32 %f1, 0f40400000; call (%r2, %f2), twice, (%r0, 100, %f1);\n"
                            "mul.wide.u32 %rd1, %r0, 4; add.u64 %rd1, p, %rd1; st.global.u32 [%rd1], %r2;\n"
                            "setp.ne.u32 %p1, %r0, 31; @%p1 ret; st.global.f32 [p], %f2;");
  EXPECT_EQ(words[0], 0x40c00000u);  // the float of lane 31
  for (std::uint32_t lane = 1; lane < 32; ++lane)
    EXPECT_EQ(words[lane], lane < 4 ? 1000u : lane + 100) << lane;
}

TEST(PtxRunForms, ARecursiveFunctionKeepsItsParametersInRegistersApart) {
  const std::string function =
      ".func (.reg .u32 r) sum (.reg .u32 n)\n"
      "{ .reg .u32 below; .reg .pred last;\nsetp.eq.u32 last, n, 0; mov.u32 r, 0; @last ret;\n"
      "sub.u32 below, n, 1; call (r), sum, (below); add.u32 r, r, n; ret; }\n";
  const auto words = run_on(function, "call (%r1), sum, (10); st.global.u32 [p], %r1;");
  EXPECT_EQ(words[0], 55u);
}

TEST(PtxRunForms, VectorRegistersHaveElements) {
  const auto words = run_on("",
                            ".reg .v4 .u32 v; .reg .v2 .u32 w<2>; .reg .v2 .u64 %a;\n"
                            "ld.global.v4.u32 v, [p]; st.global.u32 [p+16], v.w; add.u32 v.x, v.y, v.b;\n"
                            "st.global.v4.u32 [p+32], v; mov.b64 %rd1, {v.r, v.a}; mov.b64 w1, %rd1;\n"
                            "mov.u64 %a.y, p; st.global.v2.u32 [%a.y+48], w1; st.global.u32 [%a.y+56], w1.y;",
                            {10, 20, 30, 40, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0});
  EXPECT_EQ(words, (std::vector<std::uint32_t>{10, 20, 30, 40, 40, 0, 0, 0, 50, 20, 30, 40, 50, 40, 40, 0}));
}

TEST(PtxRunForms, ALoadOfUniformAddressesIsALoad) {
  const auto words = run_on("",
                            "ldu.global.u32 %r1, [p]; st.global.u32 [p+4], %r1;\n"
                            "ldu.global.v2.f32 {%f1, %f2}, [p+8]; st.global.v2.f32 [p+16], {%f2, %f1}; "
                            "ldu.u32 %r2, [p+8]; st.global.u32 [p+24], %r2;",
                            {5, 0, 6, 7, 0, 0, 0});
  EXPECT_EQ(words, (std::vector<std::uint32_t>{5, 5, 6, 7, 7, 6, 6}));
}

TEST(PtxRunForms, AModuleThatWouldMapDoublesRunsWithoutThem) {
  PtxRun run(
      ".version 1.4\n.target sm_10, map_f64_to_f32\n.address_size 64\n"
      ".entry k(.param .u64 o) { .reg .u64 p; .reg .f32 f; ld.param.u64 p, [o]; mov.f32 f, 0f3f800000; "
      "add.f32 f, f, f; st.global.f32 [p], f; exit; }");
  const Address out = run.buffer(std::vector<std::uint32_t>(1));
  run.execute();
  EXPECT_EQ(run.read<std::uint32_t>(out, 1)[0], 0x40000000u);
}

}  // namespace
}  // namespace heddle::ptx
