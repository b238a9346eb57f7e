// Modules of PTX that were compiled apart are linked.

#include "stimuli/capture/format/ptx_linker.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "models/core/config/config.h"
#include "stimuli/ptx/analysis/module_loader.h"

namespace heddle::capture {
namespace {

using testing::HasSubstr;

const std::string kHeader = ".version 6.0\n.target sm_35\n.address_size 64\n";

ptx::Module linked(const std::vector<std::string>& texts) {
  std::vector<std::string> whole;
  for (const std::string& text : texts) whole.push_back(kHeader + text);
  return ptx::parse_module(link_ptx(whole, "test"), "test", ptx::Refusal::kModule);
}

TEST(PtxLinker, WhatOneTextDeclaresAnotherOneDefines) {
  const ptx::Module module = linked({R"(
.extern .func (.param .b32 r) twice(.param .b32 a);
.extern .global .align 4 .u32 x;
.visible .entry k() { .reg .b32 %r<2>; ld.global.u32 %r1, [x];
{ .param .b32 p; .param .b32 q; st.param.b32 [p], %r1; call.uni (q), twice, (p); ld.param.b32 %r1, [q]; }
st.global.u32 [x], %r1; ret; })",
                                     R"(
.visible .global .align 4 .u32 x = 21; // a comment; with { marks
.visible .func (.param .b32 r) twice(.param .b32 a) { .reg .b32 %r<2>; ld.param.b32 %r1, [a];
add.u32 %r1, %r1, %r1; st.param.b32 [r], %r1; ret; })"});
  ASSERT_NE(module.entry("k"), nullptr);
  ASSERT_NE(module.variable("x"), nullptr);
  EXPECT_FALSE(module.variable("x")->external);
  EXPECT_EQ(module.variable("x")->initial[0], 21);
  EXPECT_EQ(module.functions.size(), 2u);
}

TEST(PtxLinker, NamesOfATextsOwnDoNotMeet) {
  const ptx::Module module =
      linked({".global .align 1 .b8 text[2] = {65, 0};\n.visible .entry a() { .reg .b32 %r<2>; ld.global.u8 "
              "%r1, [text]; ret; }",
              ".global .align 1 .b8 text[2] = {66, 0};\n.visible .entry b() { .reg .b32 %r<2>; ld.global.u8 "
              "%r1, [text+1]; ret; }"});
  ASSERT_NE(module.variable("text"), nullptr);
  ASSERT_NE(module.variable("text$module1"), nullptr);
  EXPECT_EQ(module.variable("text$module1")->initial[0], 66);
}

TEST(PtxLinker, TheFirstOfWeakDefinitionsStays) {
  const std::string weak = ".weak .func f() { ret; }\n.weak .global .u32 w;\n";
  const ptx::Module module = linked(
      {weak + ".visible .entry a() { call.uni f; ret; }", weak + ".visible .entry b() { call.uni f; ret; }"});
  EXPECT_EQ(module.functions.size(), 3u);
  EXPECT_EQ(module.variables.size(), 1u);
}

TEST(PtxLinker, ATextThatEndsWithinADeclarationIsRefused) {
  try {
    link_ptx({kHeader + ".visible .entry a() { ret;", kHeader}, "program: module 0");
    FAIL();
  } catch (const config::Error& error) {
    EXPECT_THAT(error.what(), HasSubstr("program: module 0: the PTX ends within a declaration"));
  }
}

}  // namespace
}  // namespace heddle::capture
