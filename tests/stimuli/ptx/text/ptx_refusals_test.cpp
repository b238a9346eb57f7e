// Each class of unknown or unimplemented text is refused at its exact place, and all problems are reported
// together.

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "models/core/config/config.h"
#include "tests/support/problems.h"
#include "tests/support/ptx/ptx_text.h"

namespace heddle::ptx {
namespace {

using test::Problems;

Problems problems_of(const std::string& text) {
  return test::problems_of([&] { parse(text); });
}

// Expects this single problem in the first line of a body.
void expect_refused(const std::string& line, std::uint32_t column, const std::string& message) {
  EXPECT_EQ(problems_of(kernel(line)), Problems{fmt::format("t.ptx:{}:{}: {}", kBodyLine, column, message)})
      << line;
}

// Expects this single problem in the fourth line of a module.
void expect_module_refused(const std::string& line, std::uint32_t column, const std::string& message) {
  const std::string head = ".version 6.4\n.target sm_35\n.address_size 64\n";
  EXPECT_EQ(problems_of(head + line), Problems{fmt::format("t.ptx:4:{}: {}", column, message)}) << line;
}

TEST(PtxRefusals, WordsThatNobodyKnows) {
  expect_refused("ad.s32 %s32_0, %s32_1, %s32_2;", 1, "unknown opcode 'ad'");
  expect_refused("subb.s32 %s32_0, %s32_1, 2;", 1, "unknown opcode 'subb'; did you mean 'sub'?");
  expect_refused("tcgen05.ld %s32_0;", 1, "unknown opcode 'tcgen05'");
  expect_refused("add.s33 %s32_0, %s32_1, 1;", 4, "add has no modifier '.s33' here; did you mean 's32'?");
  expect_refused("add.f8 %f16_0, %f16_1, %f16_2;", 4, "add has no modifier '.f8' here");
  expect_refused(".reg .bf16 r;", 6, "unknown type of a register '.bf16'");
  expect_refused(".regg .b32 r;", 1, "unknown directive '.regg'; did you mean 'reg'?");
  expect_refused(".reg .b128 r; mov.b32 r, 1;", 6, "unknown type of a register '.b128'");
  expect_refused(".reg .v4 .pred r;", 10, "unknown type of a vector register '.pred'");
  expect_refused("mov.u32 %u32_0, %tid.w;", 17,
                 "'%tid.w' is no special register and no element of a vector register");
  expect_refused("mov.u32 %u32_0, %envreg32;", 17, "'%envreg32' is not declared");
  expect_refused("mov.u32 %u32_0, %u32_8;", 17, "'%u32_8' is not declared");
  expect_refused("mov.u32 %u32_0, %u32_01;", 17, "'%u32_01' is not declared");
  expect_refused("bra NOWHERE;", 5, "label 'NOWHERE' is not declared");
  expect_module_refused(".entri k() { ret; }", 1, "unknown directive '.entri'; did you mean 'entry'?");
  expect_module_refused(".global .f128 x;", 9, "unknown type of a variable '.f128'");
  expect_module_refused(".entry k() .maxnregs 3 { ret; }", 12,
                        "unknown directive of a function '.maxnregs'; did you mean 'maxnreg'?");
  expect_module_refused(".target sm_35, texmode_independent", 16, "unknown target 'texmode_independent'");
}

TEST(PtxRefusals, AModifierInTheWrongPlace) {
  expect_refused("add.sat.s64 %s64_0, %s64_1, 1;", 8,
                 "'.s64' cannot follow add.sat: expected .f16, .f16x2, .f32, .s32");
  expect_refused(
      "setp.s32.lt %pred_0, %s32_1, 1;", 5,
      "'.s32' cannot follow setp: expected .eq, .equ, .ge, .geu, .gt, .gtu, .hi, .hs, .le, .leu, .lo, .ls, "
      ".lt, .ltu, .nan, .ne, .neu, .num");
  expect_refused("mul.s32 %s32_0, %s32_1, 1;", 4,
                 "'.s32' cannot follow mul: expected .bf16, .bf16x2, .f16, .f16x2, .f32, .f64, .ftz, .hi, "
                 ".lo, .rm, .rn, .rp, .rz, .sat, .wide");
  expect_refused("rcp.approx.ftz %f32_0, %f32_1;", 1, "rcp.approx.ftz is incomplete: expected .f32, .f64");
  expect_refused("ld.global.v4.b64 {%b64_0, %b64_1, %b64_2, %b64_3}, [%u64_0];", 1,
                 "more than 16 bytes at once");
}

TEST(PtxRefusals, OperandsOfTheWrongKind) {
  expect_refused("add.s32 %s64_0, %s32_1, 1;", 9, "'%s64_0' is .s64, where .s32 is wanted");
  expect_refused("add.f32 %f32_0, %s32_1, 0f00000000;", 17, "'%s32_1' is .s32, where .f32 is wanted");
  expect_refused("add.s32 %s32_0, %pred_1, 1;", 17, "'%pred_1' is .pred, where .s32 is wanted");
  expect_refused("add.s32 5, %s32_0, 1;", 9, "a number cannot be written");
  expect_refused("add.s32 %s32_0, %s32_0, _;", 25, "'_' is not declared");
  expect_refused("add.f32 %f32_0, %f32_0, 1;", 25, "this is no number of .f32");
  expect_refused("add.f32 %f32_0, %f32_0, 0d0000000000000001 + 1;", 25,
                 "an expression of floating-point numbers is not supported");
  expect_refused("add.s32 %s32_0, %s32_0+4, 1;", 23, "a register with an offset is allowed only in brackets");
  expect_refused("add.s32 %s32_0, !%s32_0, 1;", 17, "'!' is not allowed here");
  expect_refused("add.s32 %s32_0|%pred_0, %s32_0, 1;", 16, "'|' is not allowed here");
  expect_refused("add.s32 %s32_0, %s32_0;", 23, "an operand is missing");
  expect_refused("add.s32 %s32_0, %s32_0, 1, 2;", 28, "add takes 3 operands here");
  expect_refused("add.s32 %s32_0, LABEL, 1;", 17, "'LABEL' is not declared");
  expect_refused("add.s32 %s32_0, g, 1;", 17, "'g' is no register");
  expect_refused("@%s32_0 add.s32 %s32_0, %s32_0, 1;", 2, "'%s32_0' is no predicate");
  expect_refused("st.global.u32 %u64_0, 1;", 15, "an address in brackets is wanted here");
  expect_refused("ld.global.u32 %u32_0, [%f64_0];", 24, "'%f64_0' is .f64, which is no address");
  expect_refused("ld.global.u32 %u32_0, [s];", 24,
                 "'s' is in .shared, and the instruction's space is global");
  expect_refused("ld.param.u64 %u64_0, [n];", 23, "8 bytes at 0 are not within the 4 of 'n'");
  expect_refused("ld.param.u32 %u32_0, [n+-4];", 23, "4 bytes at -4 are not within the 4 of 'n'");
  expect_refused("ld.global.v2.u32 %u32_0, [%u64_0];", 18, "2 elements in braces are wanted here");
  expect_refused(".reg .v2 .b32 v; mov.b32 %b32_0, v.z;", 34,
                 "'v.z' is no element of a vector of 2 registers");
  expect_refused(".reg .v4 .b32 v; ld.global.v2.u32 v, [%u64_0];", 35,
                 "2 elements in braces are wanted here");
  expect_refused(".reg .v4 .b32 v; add.s32 %s32_0, v, 1;", 34, "a value of .s32 is wanted here");
  expect_refused("ld.global.f32 %u64_0, [%u64_1];", 15, "'%u64_0' is .u64, where .f32 is wanted");
  expect_refused("st.u32 [c], 1;", 9, "'c' is in .const, and the instruction's space is generic");
  expect_refused("mov.b32 {%b16_0, %b16_1, %b16_2}, %b32_0;", 9, "3 elements do not make up a .b32");
  expect_refused("mov.u64 %u64_0, k;", 17,
                 "the address of 'k' is not supported: it is that of a kernel, which kernels launch (dynamic "
                 "parallelism)");
  expect_refused("mov.u32 %u32_0, f;", 17, "an address does not fit in .u32");
  expect_refused("lop3.b32 %b32_0, %b32_1, %b32_2, %b32_3, %b32_4;", 42, "a number is wanted here");
  expect_refused("cvta.shared.u64 %u64_0, g;", 25,
                 "'g' is in .global, and the instruction's space is shared");
  expect_refused("tex.1d.v4.f32.s32 {%f32_0, %f32_1, %f32_2, %f32_3}, [g, {%s32_0}];", 54,
                 "'g' is neither a .texref nor a register of 64 bits");
  expect_refused("tex.2d.v4.f32.s32 {%f32_0, %f32_1, %f32_2, %f32_3}, [t, {%s32_0}];", 57,
                 "2 coordinates are wanted here");
}

TEST(PtxRefusals, CallsThatCannotBeMade) {
  expect_refused("call nothing, (%u32_0);", 6, "'nothing' is not declared");
  expect_refused("call f;", 6, "'f' takes 1 values, not 0");
  expect_refused("call (%u32_0), f, (%u32_1);", 16, "'f' returns 0 values, not 1");
  expect_refused("call f, (%u64_0);", 10, "'%u64_0' has 8 bytes, where 4 are passed");
  expect_refused("call %u64_0, (%u32_1), proto;", 24, "'proto' is no .callprototype and no .calltargets");
  expect_refused("call %u64_0, (%u32_1);", 6,
                 "'%u64_0' is no function; an indirect call names its prototype");
  expect_refused("P: .callprototype _ (.param .b32 _); call %u32_0, (%u32_1), P;", 43,
                 "'%u32_0' is neither a function nor a register of 64 bits");
  expect_refused("P: .callprototype _ (.param .b32 _); call %u64_0, (%u64_1), P;", 52,
                 "'%u64_1' has 8 bytes, where 4 are passed");
  expect_refused("P: .callprototype g (.param .b32 _);", 19, "a prototype has no name: '_'");
  expect_refused("P: .calltargets %u64_0;", 17, "'%u64_0' is no function declared before");
  expect_refused("call k, (%u32_0);", 6, "a call of an entry is not supported");
  expect_module_refused(".extern .func gone(.param .b32 x); .entry k() { .reg .b32 r; call gone, (r); }", 67,
                        "function 'gone' has no body here");
  expect_module_refused(".entry k(.reg .b32 x) { ret; }", 10, "expected '.param', found '.reg'");
  expect_module_refused(".func f(.reg .pred x) { ret; }", 14,
                        "a parameter in a register of '.pred' is not supported");
  expect_refused(".reg .v2 .b32 v; call f, (v);", 27,
                 "'v' is a vector of 2 registers; v.x is the first of them");
  expect_refused("brx.idx %u32_0, targets;", 1, "unknown opcode 'brx'; did you mean 'bra'?");
}

TEST(PtxRefusals, DoublesWhereTheTargetMapsThemToSingles) {
  const std::string head = ".version 1.4\n.target sm_10, map_f64_to_f32\n";
  EXPECT_EQ(
      problems_of(head + ".entry k() { .reg .f64 d; add.f64 d, d, d; }"),
      Problems{"t.ptx:3:27: double precision is not supported in a module whose .target has map_f64_to_f32"});
}

TEST(PtxRefusals, AFunctionThatNeitherEndsNorBegins) {
  expect_module_refused(".entry k() .visible .entry j() { ret; }", 12,
                        "expected '{' or ';', found '.visible'");
  expect_module_refused(".func f() 5", 11, "expected '{' or ';', found '5'");
}

TEST(PtxRefusals, DynamicParallelismIsNamed) {
  for (const char* name : {"cudaLaunchDeviceV2", "__cudaCDP2LaunchDeviceV2"})
    expect_module_refused(
        fmt::format(".extern .func {0}(.param .b32 x); .entry k() {{ .reg .b32 r; call {0}, (r); }}", name),
        static_cast<std::uint32_t>(63 + std::string(name).size()),
        fmt::format("dynamic parallelism is not supported: the kernel launches kernels ({})", name));
}

TEST(PtxRefusals, NamesDeclaredTwice) {
  expect_refused(".reg .b32 a, a;", 14, "'a' is declared twice");
  expect_refused(".reg .b32 %b16_<4>;", 11, "'%b16_' is declared twice");
  expect_refused("X: X: mov.b32 %b32_0, 1;", 4, "label 'X' is declared twice");
  expect_module_refused(".global .u32 x; .const .u32 x;", 29, "'x' is declared twice");
  expect_module_refused(".entry k() { ret; } .entry k() { ret; }", 28, "'k' has two bodies");
  expect_module_refused(".func f(.param .u32 a); .func f(.param .u64 a) { ret; }", 31,
                        "'f' differs from its declaration in line 4");
}

TEST(PtxRefusals, VariablesWithoutSenseOrRoom) {
  expect_module_refused(".global .u32 x[];", 14, "'x' has no size");
  expect_module_refused(".global .u32 x[2] = {1, 2, 3};", 28, "more values than 'x' has room for");
  expect_module_refused(".global .u64 x = y;", 18, "'y' is not declared");
  expect_module_refused(".global .u32 y; .global .u32 x = y;", 34, "an address does not fit in .u32");
  expect_module_refused(".func f() { ret; } .global .u32 x = f;", 37, "an address does not fit in .u32");
  expect_module_refused(".shared .u32 x = 1;", 14,
                        "only .global and .const variables that are not .extern have initialisers");
  expect_module_refused(".global .align 3 .u32 x;", 16, "an alignment is a power of two");
  expect_module_refused(".global .b8 x[1099511627776][1099511627776];", 13,
                        "'x' has a size of 0, or of more than 1099511627776");
  expect_module_refused(".global .b8 x[4][1099511627] = {{1},{2}};", 38,
                        "initial values of more than 268435456 bytes");
  expect_module_refused(".extern .global .u32 x; .entry k() { .reg .b32 r; ld.global.u32 r, [x]; }", 69,
                        "'x' is not defined in this module");
}

TEST(PtxRefusals, WhatIsNoTokenOrNoEnd) {
  expect_refused("mov.u32 %u32_0, 0x1G;", 17, "'0x1G' is no number");
  expect_refused("mov.u32 %u32_0, 089;", 17, "'089' is no number");
  expect_refused("mov.u64 %u64_0, 18446744073709551616;", 17,
                 "'18446744073709551616' does not fit in 64 bits");
  expect_refused("mov.f32 %f32_0, 0f3F80;", 17, "'0f3F80' is no number: 0f takes 8 hexadecimal digits");
  expect_refused("mov.u32 %u32_0, 1; `", 20, "unexpected character '`'");
  expect_refused("mov.u32 %u32_0, 1 / 0;", 21, "a division that has no result");
  expect_refused("mov.u32 %u32_0, " + std::string(100, '(') + "1;", 81, "an expression nested too deep");
  expect_module_refused("/* without end", 1, "a comment without end");
  expect_module_refused(".entry k() { ret;", 18, "the function's '}' is missing");
  expect_module_refused(".section .x { {", 16, "a '{' without its '}'");
  EXPECT_EQ(problems_of(".target sm_35\n"), Problems{"t.ptx:1:1: no .version"});
  EXPECT_EQ(problems_of(".version 6.4\n"), Problems{"t.ptx:1:1: no .target"});
}

TEST(PtxRefusals, ScopesNestedTooDeep) {
  const Problems problems = problems_of(kernel(std::string(100000, '{') + std::string(100000, '}')));
  ASSERT_FALSE(problems.empty());
  EXPECT_NE(problems[0].find("scopes nested too deep"), std::string::npos) << problems[0];
}

TEST(PtxRefusals, IrreducibleFlowByTheLineThatEntersTheLoop) {
  const Problems problems =
      problems_of(kernel("@%pred_0 bra B;\nA: mov.b32 %b32_0, 1;\nB: mov.b32 %b32_0, 2;\n@%pred_1 bra A;"));
  ASSERT_EQ(problems.size(), 1u);
  EXPECT_EQ(problems[0].rfind("t.ptx:", 0), 0u);
  EXPECT_NE(problems[0].find("irreducible flow in 'k'"), std::string::npos) << problems[0];
}

// A captured program may have kernels that it never launches.
TEST(PtxRefusals, OfAFunctionLeaveTheOthers) {
  const std::string text =
      ".version 6.4\n.target sm_35\n.address_size 64\n"
      ".func helper() {\n  frob.u32 1;\n}\n"
      ".entry good(.param .u32 n) { .reg .u32 r; mov.u32 r, 1; ret; }\n"
      ".entry bad() {\n .reg .b32 r;\n  mov.b32 r, 1; add.f77 r, r, r;\n call helper;\n}\n"
      ".entry sampled(.param .u32 a, .reg .u32 b) { ret; }\n"
      ".func declared();\n.entry lost() { call declared; }\n"
      ".entry crossed() { .reg .pred p; @p bra B; A: bra C; B: bra A; C: @p bra B; ret; }\n";
  const Module module = parse_module(text, "t.ptx", Refusal::kFunction);
  const auto problems = [&](const char* name) { return function_of(module, name).problems; };
  EXPECT_EQ(problems("helper"), Problems{"t.ptx:5:3: unknown opcode 'frob': frob.u32 1;"});
  EXPECT_EQ(problems("bad"), Problems{"t.ptx:10:20: add has no modifier '.f77' here: "
                                      "mov.b32 r, 1; add.f77 r, r, r;"});
  ASSERT_EQ(problems("sampled").size(), 1u);
  EXPECT_EQ(problems("lost").size(), 1u);
  EXPECT_EQ(problems("good"), Problems{});
  EXPECT_EQ(function_of(module, "good").code.size(), 2u);
  for (const char* name : {"helper", "bad", "sampled", "lost"}) {
    ASSERT_EQ(function_of(module, name).code.size(), 1u) << name;
    EXPECT_EQ(function_of(module, name).code[0].opcode, Opcode::kTrap) << name;
  }
  EXPECT_EQ(problems_of(text).size(), 4u);
}

TEST(PtxRefusals, AllProblemsAtOnceInTheOrderOfTheirPlaces) {
  const Problems problems = problems_of(
      kernel("bra GONE;\nfoo.bar {%r1, %r2}, [x];\nadd.bogus.s32.worse %s32_0, %s32_1, 1;\nmov.b32 %missing, "
             "1;\n"
             "mov.b32 %missing, 2;\n{ add.s32 %s32_0, %s32_1; }\nmov.b32 %b32_0, 1;\nmov.q %b32_0, 1;") +
      ".entry l(.param .b99 x) { .reg .b32 r; bad; }\n.entry m() { worse; }\n");
  const std::vector<std::string> wanted = {"8:5: label 'GONE'",
                                           "9:1: unknown opcode 'foo'",
                                           "10:4: add has no modifier '.bogus'",
                                           "10:14: add has no modifier '.worse'",
                                           "11:9: '%missing' is not declared",
                                           "13:25: an operand is missing",
                                           "15:4: mov has no modifier '.q'",
                                           "18:17: unknown type of a variable '.b99'",
                                           "19:14: unknown opcode 'worse'"};
  ASSERT_EQ(problems.size(), wanted.size()) << fmt::format("{}", fmt::join(problems, "\n"));
  for (std::size_t i = 0; i < wanted.size(); ++i)
    EXPECT_EQ(problems[i].rfind("t.ptx:" + wanted[i], 0), 0u) << problems[i];
}

TEST(PtxRefusals, ATextOfNothingButProblemsEndsSoon) {
  std::string body;
  for (int i = 0; i < 100000; ++i) body += "x; ";
  EXPECT_EQ(problems_of(kernel(body)).size(), 10001u);
}

TEST(PtxRefusals, MoreInstructionsThanFit) {
  std::string body;
  for (std::size_t i = 0; i < (std::size_t{1} << 22U) + 100; ++i) body += "ret;";
  EXPECT_EQ(problems_of(kernel(body)), Problems{"t.ptx:8:1: more than 4194304 instructions"});
}

TEST(PtxRefusals, ATextThatIsTooLong) {
  EXPECT_EQ(problems_of(std::string(kMostText + 1, ' ')), Problems{"t.ptx: more than 67108864 bytes of PTX"});
}

}  // namespace
}  // namespace heddle::ptx
