// The module that the reader makes of a text.

#include "stimuli/ptx/analysis/module_loader.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>

#include "models/core/config/config.h"
#include "tests/support/ptx/ptx_text.h"

namespace heddle::ptx {
namespace {

constexpr const char* kHead = ".version 6.4\n.target sm_35, debug\n.address_size 64\n";

Module module_of(const std::string& text) {
  return parse(kHead + text);
}

// The code of a body in the kernel of tests/support/ptx/ptx_text.h. The code is valid during the lifetime of
// the object.
struct Body {
  explicit Body(const std::string& text) : module(parse(kernel(text))), function(function_of(module, "k")) {}
  const Statement& at(std::size_t i) const { return function.code.at(i); }
  const Operand& operand(std::size_t i, std::size_t n) const { return function.operands_of(at(i))[n]; }
  const Operand& element(const Operand& vector, std::size_t n) const {
    return function.operands[vector.index + n];
  }
  std::string name(const Operand& operand) const {
    const bool predicate = operand.kind == OperandKind::kPredicate;
    return (predicate ? function.predicates : function.registers).at(operand.index).name;
  }

  Module module;
  const Function& function;
};

TEST(PtxReader, KeepsVersionTargetAndAddressSize) {
  const Module module = module_of("");
  EXPECT_EQ(module.version, 64u);
  EXPECT_EQ(module.target, 35u);
  EXPECT_EQ(module.address_bytes, 8u);
}

TEST(PtxReader, PlacesParametersByTheirAlignment) {
  const Module module = module_of(
      ".visible .entry k(.param .u8 a, .param .u64 .ptr .global .align 4 b, .param .align 16 .b8 c[20],"
      " .param .f32 d) { ret; }\n.entry none() .maxntid 16, 4 .minnctapersm 2 .maxnreg 40 { }\n"
      ".entry bare .reqntid 32 { exit; }");
  const Function& function = *module.entry("k");
  ASSERT_EQ(function.parameters.size(), 4u);
  EXPECT_EQ(function.parameters[0].offset, 0u);
  EXPECT_EQ(function.parameters[1].offset, 8u);
  EXPECT_EQ(function.parameters[2].offset, 16u);
  EXPECT_EQ(function.parameters[2].bytes, 20u);
  EXPECT_TRUE(function.parameters[2].array);
  EXPECT_EQ(function.parameters[3].offset, 36u);
  EXPECT_EQ(function.parameter_bytes, 40u);
  const Function& none = *module.entry("none");
  EXPECT_EQ(none.maxntid, (std::array<std::uint32_t, 3>{16, 4, 1}));
  EXPECT_EQ(none.minnctapersm, 2u);
  EXPECT_EQ(none.maxnreg, 40u);
  ASSERT_EQ(none.code.size(), 1u);  // a body without an exit returns at its end
  EXPECT_EQ(none.code[0].opcode, Opcode::kRet);
  EXPECT_EQ(module.entry("bare")->reqntid[0], 32u);
  EXPECT_EQ(module.entry("nothing"), nullptr);
}

TEST(PtxReader, NumbersRegistersDenselyByFirstMention) {
  const Module module = module_of(
      ".entry k() { .reg .b32 %r<100000000>; .reg .pred p; .reg .b64 a, b; .reg .b32 %r1x<3>;\n"
      "mov.u32 %r99999999, 1; mov.b64 b, 2; mov.u32 %r7, %r99999999; mov.u32 %r1x2, %r12; mov.pred p, 1; }");
  const Function& function = *module.entry("k");
  ASSERT_EQ(function.registers.size(), 5u);
  EXPECT_EQ(function.registers[0].name, "%r99999999");
  EXPECT_EQ(function.registers[1].name, "b");
  EXPECT_EQ(function.registers[1].type, Type::kB64);
  EXPECT_EQ(function.registers[2].name, "%r7");
  EXPECT_EQ(function.registers[4].name, "%r12");
  ASSERT_EQ(function.predicates.size(), 1u);
}

TEST(PtxReader, RegistersAndLabelsOfAnInnerScopeHideTheOuterOnes) {
  const Body body(
      ".reg .b32 x; mov.b32 x, 1;\n{ .reg .b32 x; mov.b32 x, 2; bra INNER; INNER: mov.b32 x, 3; bra DONE; }\n"
      "{ .reg .b64 x; INNER: mov.b64 x, 4; bra INNER; }\nmov.b32 x, 5; DONE:");
  EXPECT_EQ(body.operand(0, 0).index, body.operand(6, 0).index);
  EXPECT_EQ(body.operand(1, 0).index, body.operand(3, 0).index);
  EXPECT_NE(body.operand(1, 0).index, body.operand(0, 0).index);
  EXPECT_EQ(body.operand(5, 0).type, Type::kB64);
  EXPECT_EQ(body.at(2).target, 3u);
  EXPECT_EQ(body.at(4).target, 8u);
  EXPECT_EQ(body.at(6).opcode, Opcode::kBra);
}

TEST(PtxReader, ReadsNumbersInEveryForm) {
  const Body body(
      "mov.u32 %u32_0, 0x1F; mov.u32 %u32_0, 017; mov.u32 %u32_0, 0b101; mov.u32 %u32_0, 4294967295U;\n"
      "mov.s32 %s32_0, -1; mov.b16 %b16_0, -1; mov.f32 %f32_0, 0f3F800000; mov.f64 %f64_0, "
      "0dC000000000000000;\n"
      "mov.f32 %f32_0, 1.5; mov.f64 %f64_0, -2.5e1; mov.b32 %b32_0, 0f40000000; mov.f64 %f64_0, 0f3f800000;\n"
      "mov.u64 %u64_0, -9223372036854775808; mov.u32 %u32_0, (3 + 4) * 2 << 1; mov.u32 %u32_0, WARP_SZ - 1;\n"
      "mov.s32 %s32_0, 4294967295; mov.u32 %u32_0, 7 > 3 ? 10 : 20; mov.f32 %f32_0, -0f3F800000;");
  const std::uint64_t wanted[] = {31,
                                  15,
                                  5,
                                  0xffffffff,
                                  ~0ull,
                                  0xffff,
                                  0x3f800000,
                                  0xc000000000000000,
                                  0x3fc00000,
                                  0xc039000000000000,
                                  0x40000000,
                                  0x3ff0000000000000,
                                  0x8000000000000000,
                                  28,
                                  31,
                                  ~0ull,
                                  10,
                                  0xbf800000};
  for (std::size_t i = 0; i < std::size(wanted); ++i) {
    EXPECT_EQ(body.operand(i, 1).kind, OperandKind::kImmediate) << i;
    EXPECT_EQ(body.operand(i, 1).value, wanted[i]) << i;
  }
}

TEST(PtxReader, ReadsAddressesInEveryForm) {
  const Body body(
      "ld.global.u32 %u32_0, [%u64_1+8]; ld.global.u32 %u32_0, [%u64_1+-4]; ld.global.u32 %u32_0, "
      "[%u64_1-12];\n"
      "ld.global.u32 %u32_0, [g]; ld.shared.u32 %u32_0, [s+4]; ld.param.u32 %u32_0, [n]; ld.local.u8 %b16_0, "
      "[l+3];\n"
      "ld.global.u32 %u32_0, [4096]; ld.u32 %u32_0, [g+4]; ld.shared.u32 %u32_0, [%u32_1+16]; st.global.u32 "
      "[%u64_1], 5;");
  EXPECT_EQ(body.operand(0, 1).kind, OperandKind::kRegister);
  EXPECT_EQ(body.operand(0, 1).value, 8u);
  EXPECT_EQ(body.operand(1, 1).value, static_cast<std::uint64_t>(-4));
  EXPECT_EQ(body.operand(2, 1).value, static_cast<std::uint64_t>(-12));
  EXPECT_EQ(body.operand(3, 1).kind, OperandKind::kVariable);
  EXPECT_EQ(body.module.variables[body.operand(3, 1).index].name, "g");
  EXPECT_EQ(body.module.variables[body.operand(4, 1).index].name, "s");
  EXPECT_EQ(body.operand(4, 1).value, 4u);
  EXPECT_EQ(body.operand(5, 1).kind, OperandKind::kParameter);
  EXPECT_EQ(body.operand(5, 1).value, 8u);
  EXPECT_EQ(body.operand(6, 1).kind, OperandKind::kLocal);
  EXPECT_EQ(body.operand(6, 1).value, 3u);
  EXPECT_EQ(body.operand(7, 1).kind, OperandKind::kImmediate);
  EXPECT_EQ(body.operand(7, 1).value, 4096u);
  EXPECT_EQ(body.operand(9, 1).value, 16u);
  EXPECT_EQ(body.at(10).destinations, 0u);
  EXPECT_EQ(body.operand(10, 1).value, 5u);
}

TEST(PtxReader, ReadsGuardsSecondDestinationsSinksAndVectors) {
  const Body body(
      "@%pred_1 mov.b32 %b32_0, 1; @!%pred_2 bra LABEL; setp.lt.and.s32 %pred_3|%pred_4, %s32_0, 7, "
      "!%pred_5;\n"
      "setp.eq.u32 %pred_3, %u32_0, 7; shfl.sync.idx.b32 %b32_0|%pred_1, %b32_2, 0, 31, -1;\n"
      "ld.global.v4.f32 {%f32_0, _, %f32_2, %f32_3}, [%u64_0]; mov.b64 %b64_0, {%b32_0, %b32_1};\n"
      "mov.b64 {%b32_0, _}, %b64_0; atom.global.add.u32 _, [%u64_0], 1; bar.red.and.pred %pred_0, 1, "
      "!%pred_1;\n"
      "tex.2d.v4.f32.s32 {%f32_0, %f32_1, %f32_2, %f32_3}, [t, {%s32_0, %s32_1}];");
  EXPECT_EQ(body.function.predicates[body.at(0).guard].name, "%pred_1");
  EXPECT_FALSE(body.at(0).guard_negated);
  EXPECT_TRUE(body.at(1).guard_negated);
  EXPECT_EQ(body.at(1).target, 0u);
  EXPECT_EQ(body.at(2).destinations, 2u);
  EXPECT_EQ(body.name(body.operand(2, 1)), "%pred_4");
  EXPECT_EQ(body.operand(2, 3).value, 7u);
  EXPECT_TRUE(body.operand(2, 4).negated);
  EXPECT_EQ(body.operand(3, 1).kind, OperandKind::kNone);
  EXPECT_EQ(body.operand(3, 4).kind, OperandKind::kNone);
  EXPECT_EQ(body.at(4).operands, 6u);
  EXPECT_EQ(body.operand(4, 5).value, 0xffffffffu);
  EXPECT_EQ(body.operand(5, 0).count, 4u);
  EXPECT_EQ(body.element(body.operand(5, 0), 1).kind, OperandKind::kSink);
  EXPECT_EQ(body.name(body.element(body.operand(6, 1), 1)), "%b32_1");
  EXPECT_EQ(body.element(body.operand(7, 0), 1).kind, OperandKind::kSink);
  EXPECT_EQ(body.operand(8, 0).kind, OperandKind::kSink);
  EXPECT_EQ(body.operand(9, 2).kind, OperandKind::kNone);  // the count of threads
  EXPECT_TRUE(body.operand(9, 3).negated);
  EXPECT_EQ(body.module.variables[body.operand(10, 1).index].name, "t");
  EXPECT_EQ(body.operand(10, 2).count, 2u);
}

TEST(PtxReader, KnowsSpecialRegisters) {
  for (std::size_t i = 0; i < kSpecials; ++i) {
    const auto special = static_cast<Special>(i);
    const std::string type = name_of(type_of(special));
    const std::string name = name_of(special) + std::string(special == Special::kEnvironment ? "31" : "");
    const Body body("mov." + type + " %" + type + "_0, " + name + ";");
    EXPECT_EQ(body.operand(0, 1).kind, OperandKind::kSpecial) << name;
    EXPECT_EQ(body.operand(0, 1).index, i) << name;
    EXPECT_EQ(body.operand(0, 1).value, special == Special::kEnvironment ? 31u : 0u);
  }
}

TEST(PtxReader, KeepsInitialBytesAndRelocations) {
  const Module module = module_of(
      ".global .u32 x = 7; .const .align 8 .b8 text[] = {72, 105, 0x0};\n"
      ".global .f32 f[4] = {0f3F800000, -2.0}; .global .s16 m[2][3] = {{1}, {-2, 3}};\n"
      ".global .u64 at[3] = {x, generic(text)+2, generic(x + 4)}; .global .b8 s[] = \"ab\"; .global .u16 "
      "y[2*3];");
  EXPECT_EQ(module.variable("x")->initial, (std::vector<std::uint8_t>{7, 0, 0, 0}));
  EXPECT_EQ(module.variable("text")->bytes, 3u);
  EXPECT_EQ(module.variable("text")->alignment, 8u);
  EXPECT_EQ(module.variable("text")->initial[1], 'i');
  EXPECT_EQ(module.variable("f")->bytes, 16u);
  EXPECT_EQ(module.variable("f")->initial, (std::vector<std::uint8_t>{0, 0, 0x80, 0x3f, 0, 0, 0, 0xc0}));
  EXPECT_EQ(module.variable("m")->initial, (std::vector<std::uint8_t>{1, 0, 0, 0, 0, 0, 0xfe, 0xff, 3, 0}));
  const std::vector<Relocation>& places = module.variable("at")->relocations;
  ASSERT_EQ(places.size(), 3u);
  EXPECT_EQ(module.variables[places[0].variable].name, "x");
  EXPECT_FALSE(places[0].generic);
  EXPECT_TRUE(places[1].generic);
  EXPECT_EQ(places[1].offset, 8u);
  EXPECT_EQ(places[1].addend, 2u);
  EXPECT_EQ(places[2].addend, 4u);
  EXPECT_EQ(module.variable("s")->initial, (std::vector<std::uint8_t>{'a', 'b', 0}));
  EXPECT_EQ(module.variable("y")->bytes, 12u);
}

TEST(PtxReader, LaysOutTheSharedMemoryThatAnEntryAndItsCalleesUse) {
  const Module module = module_of(
      ".shared .b8 unused[100]; .shared .b8 a[3]; .shared .align 8 .b8 b[16]; .extern .shared .align 16 .b8 "
      "rest[];\n"
      ".func f() { .reg .b32 r; ld.shared.u32 r, [b]; ret; }\n"
      ".entry k() { .shared .u16 c; .reg .b64 r; .reg .b16 h; call f; mov.u64 r, rest; ld.shared.u8 h, [a];"
      " st.shared.u16 [c], h; ret; }\n.entry other() { ret; }");
  const Function& function = *module.entry("k");
  ASSERT_EQ(function.shared.size(), 4u);
  const auto offset = [&](const std::string& name) {
    for (const SharedPlace& place : function.shared)
      if (module.variables[place.variable].name == name) return place.offset;
    return ~std::uint64_t{0};
  };
  EXPECT_EQ(offset("a"), 0u);
  EXPECT_EQ(offset("b"), 8u);
  EXPECT_EQ(offset("c"), 24u);
  EXPECT_EQ(function.static_shared_bytes, 32u);
  EXPECT_EQ(offset("rest"), 32u);
  EXPECT_EQ(module.entry("other")->static_shared_bytes, 0u);
}

// The dynamic shared memory of a launch is added to the static one, so its alignment belongs to the latter.
TEST(PtxReader, StaticSharedMemoryEndsWhereTheExternArrayMayStart) {
  const Module module = module_of(
      ".extern .shared .align 16 .b8 rest[]; .shared .b32 one;\n"
      ".entry both() { .reg .b64 r; mov.u64 r, rest; mov.u64 r, one; ret; }\n"
      ".entry static() { .reg .b64 r; mov.u64 r, one; ret; }\n"
      ".entry dynamic() { .reg .b64 r; mov.u64 r, rest; ret; }");
  EXPECT_EQ(module.entry("both")->static_shared_bytes, 16u);
  EXPECT_EQ(module.entry("static")->static_shared_bytes, 4u);
  EXPECT_EQ(module.entry("dynamic")->static_shared_bytes, 0u);
}

TEST(PtxReader, ResolvesCallsTheirParametersAndAliases) {
  const Module module = module_of(
      ".extern .func (.param .b32 r) vprintf(.param .b64 f, .param .b64 v);\n"
      ".func (.param .b32 r) twice(.param .b32 x, .param .align 4 .b8 s[12]);\n"
      ".func (.param .b32 r) other(.param .b32 x, .param .align 4 .b8 s[12]);\n"
      ".entry k(.param .u32 n) { .reg .b32 %r<3>; .reg .b64 %d;\n"
      "{ .param .b32 a; .param .align 4 .b8 b[12]; .param .b32 c; st.param.b32 [a], %r1;"
      " st.param.v2.b32 [b+4], {%r1, %r2};\ncall.uni (c), other, (a, b); ld.param.b32 %r1, [c+0]; }\n"
      "{ .param .b64 a; .param .b64 b; .param .b32 c; call (c), vprintf, (a, b); } ret; }\n"
      ".func (.param .b32 r) twice(.param .b32 x, .param .align 4 .b8 s[12]) {"
      " .reg .b32 %r1; ld.param.b32 %r1, [x]; st.param.b32 [r], %r1; ret; }\n.alias other, twice;");
  const Function& caller = *module.entry("k");
  const Statement& call = caller.code[2];
  EXPECT_EQ(call.opcode, Opcode::kCall);
  EXPECT_TRUE(call.has(kUniform));
  EXPECT_EQ(module.functions[call.target].name, "twice");
  EXPECT_EQ(call.destinations, 1u);
  EXPECT_EQ(call.operands, 3u);
  // The area follows the parameter of the entry, which has 4 bytes. Both calls share the area.
  EXPECT_EQ(caller.operands_of(call)[0].value, 20u);
  EXPECT_EQ(caller.operands_of(call)[1].value, 4u);
  EXPECT_EQ(caller.operands_of(call)[2].value, 8u);
  EXPECT_EQ(caller.operands_of(caller.code[4])[1].value, 8u);
  EXPECT_EQ(caller.area_bytes, 28u);
  const Function& callee = function_of(module, "twice");
  EXPECT_EQ(callee.parameters[1].offset, 4u);
  EXPECT_EQ(callee.returns[0].offset, 16u);
  EXPECT_EQ(callee.operands_of(callee.code[1])[0].value, 16u);
  EXPECT_EQ(function_of(module, "vprintf").external, External::kVprintf);
}

TEST(PtxReader, PassesOverCommentsDebugSectionsAndLineMarks) {
  const Module module = module_of(
      "// one\n/* two\n three */ .file 1 \"a.cu\", 12, 34\n# 1 \"a.cu\"\n"
      ".entry k() { .loc 1 2 3\n .pragma \"nounroll\";\n .loc 1 2 3, function_name $L__info_string0, "
      "inlined_at 1 4 5\n"
      " ret; }\n.section .debug_abbrev\n{ .b8 1 .b8 {2} $L: }\n.section .debug_loc { }\n");
  EXPECT_EQ(module.entry("k")->code.size(), 1u);
  EXPECT_EQ(module.entry("k")->code[0].line, 11u);
}

TEST(PtxReader, BranchesKnowWhereTheirLanesMeet) {
  const Body body(
      "@%pred_0 bra ELSE; mov.b32 %b32_0, 1; bra DONE; ELSE: mov.b32 %b32_0, 2; DONE: mov.b32 %b32_1, 3;\n"
      "@%pred_1 bra OUT; mov.b32 %b32_0, 4; ret; OUT: mov.b32 %b32_0, 5;");
  EXPECT_EQ(body.at(0).reconvergence, 4u);
  EXPECT_EQ(body.at(5).reconvergence, Statement::kNowhere);
}

TEST(PtxReader, AFileThatIsNotThereIsRefused) {
  EXPECT_THROW(load_module("/nowhere/at/all.ptx"), config::Error);
}

}  // namespace
}  // namespace heddle::ptx
