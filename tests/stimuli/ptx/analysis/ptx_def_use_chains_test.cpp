// Def-use chains, and registers of 64 bits of which only the low half is needed.

#include "stimuli/ptx/analysis/def_use_chains.h"

#include <gtest/gtest.h>

#include "tests/support/ptx/ptx_text.h"

namespace heddle::ptx {
namespace {

using Statements = std::vector<std::uint32_t>;

struct Chained {
  explicit Chained(const std::string& body)
      : module(parse(kernel(body))),
        function(function_of(module, "k")),
        graph(function),
        chains(function, graph) {}

  std::uint32_t name(const std::string& text) const {
    for (std::uint32_t i = 0; i < function.registers.size(); ++i)
      if (function.registers[i].name == text) return i;
    for (std::uint32_t i = 0; i < function.predicates.size(); ++i)
      if (function.predicates[i].name == text) return chains.registers() + i;
    ADD_FAILURE() << "there is no register " << text;
    return 0;
  }
  bool is_narrow(const std::string& text) const { return narrow_registers(function, chains)[name(text)]; }

  Module module;
  const Function& function;
  FlowGraph graph;
  DefUseChains chains;
};

TEST(PtxDefUseChains, HaveTheStatementsThatWriteAndRead) {
  const Chained code(
      "mov.b32 %b32_0, 1; add.s32 %b32_0, %b32_0, 1; @%pred_0 mov.b32 %b32_1, %b32_0; "
      "mov.b64 %b64_0, 2; st.global.b32 [%b64_0], %b32_1; mov.b64 %b64_1, 3;");
  EXPECT_EQ(code.chains.definitions(code.name("%b32_0")), (Statements{0, 1}));
  EXPECT_EQ(code.chains.uses(code.name("%b32_0")), (Statements{1, 2}));
  EXPECT_EQ(code.chains.uses(code.name("%pred_0")), Statements{2});
  EXPECT_EQ(code.chains.uses(code.name("%b64_0")), Statements{4});
  EXPECT_FALSE(code.chains.is_read(code.name("%b64_1")));
}

TEST(PtxDefUseChains, ADefinitionIsTheOnlyOneAndHasNoGuard) {
  const Chained code("mov.b32 %b32_0, 1; @%pred_0 mov.b32 %b32_1, 1; mov.b32 %b32_2, 1; mov.b32 %b32_2, 2;");
  EXPECT_EQ(code.chains.definition(code.name("%b32_0")), &code.function.code[0]);
  EXPECT_EQ(code.chains.definition(code.name("%b32_1")), nullptr);
  EXPECT_EQ(code.chains.definition(code.name("%b32_2")), nullptr);
}

TEST(PtxDefUseChains, AValueIsKeptUntilTheNextDefinitionInItsBlock) {
  const Chained code(
      "mov.b32 %b32_0, 1; mov.b32 %b32_1, %b32_0; membar.cta; mov.b32 %b32_0, 2; membar.gl; "
      "@%pred_0 bra END; membar.gl; END: membar.sys;");
  const std::uint32_t name = code.name("%b32_0");
  EXPECT_TRUE(code.chains.is_kept(name, 1, 3));
  EXPECT_FALSE(code.chains.is_kept(name, 1, 4));
  EXPECT_FALSE(code.chains.is_kept(name, 3, 6));  // another block
  EXPECT_TRUE(code.chains.is_kept(code.name("%b32_1"), 1, 6));
}

TEST(PtxNarrowRegisters, NeedTheirLowHalfOnly) {
  const Chained code(
      "mov.b64 %b64_0, 5; add.s64 %b64_1, %b64_0, 1; cvt.u32.u64 %b32_0, %b64_1; mov.b64 %b64_2, 9; "
      "st.global.b32 [%b64_2], %b32_0; mov.b64 %b64_3, 3;");
  EXPECT_TRUE(code.is_narrow("%b64_0"));  // a sum whose low half alone is needed reads it
  EXPECT_TRUE(code.is_narrow("%b64_1"));
  EXPECT_FALSE(code.is_narrow("%b64_2"));  // an address
  EXPECT_FALSE(code.is_narrow("%b64_3"));  // nothing reads it
  EXPECT_FALSE(code.is_narrow("%b32_0"));
}

}  // namespace
}  // namespace heddle::ptx
