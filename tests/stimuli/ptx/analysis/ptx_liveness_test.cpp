// Liveness: closed forms, and a naive fixed point on random control flow.

#include "stimuli/ptx/analysis/liveness.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "tests/support/ptx/ptx_random.h"
#include "tests/support/ptx/ptx_text.h"
#include "tests/support/test_size.h"

namespace heddle::ptx {
namespace {

struct Analysed {
  explicit Analysed(const std::string& body)
      : module(parse(kernel(body))),
        function(function_of(module, "k")),
        graph(function),
        liveness(function, graph) {}

  // Returns the names of the registers that are live before the statement.
  std::vector<std::string> before(std::uint32_t statement) const {
    const std::vector<bool> live = liveness.live_before(statement);
    std::vector<std::string> names;
    for (std::size_t i = 0; i < live.size(); ++i)
      if (live[i])
        names.push_back(i < function.registers.size()
                            ? function.registers[i].name
                            : function.predicates[i - function.registers.size()].name);
    std::sort(names.begin(), names.end());
    return names;
  }

  Module module;
  const Function& function;
  FlowGraph graph;
  Liveness liveness;
};

using Names = std::vector<std::string>;

TEST(PtxLiveness, OfStraightCodeIsWhatIsStillRead) {
  const Analysed code(
      "mov.b32 %b32_0, 1; mov.b64 %b64_0, 2; add.s32 %b32_1, %b32_0, 1; st.global.b32 [%b64_0], %b32_1;");
  EXPECT_EQ(code.before(0), Names{});
  EXPECT_EQ(code.before(2), (Names{"%b32_0", "%b64_0"}));
  EXPECT_EQ(code.before(3), (Names{"%b32_1", "%b64_0"}));
  EXPECT_EQ(code.before(4), Names{});
  EXPECT_EQ(code.liveness.units(), (std::vector<std::uint32_t>{0, 1, 3, 3, 0}));
}

TEST(PtxLiveness, ALoopKeepsWhatItsNextTurnReads) {
  const Analysed code(
      "mov.b32 %b32_0, 1; mov.b32 %b32_1, 5; LOOP: mov.b32 %b32_2, %b32_1; add.s32 %b32_0, %b32_0, %b32_2;"
      " setp.lt.s32 %pred_0, %b32_0, 9; @%pred_0 bra LOOP; st.global.b32 [%b64_0], %b32_0;");
  EXPECT_EQ(code.before(4), (Names{"%b32_0", "%b32_1", "%b64_0"}));
  EXPECT_EQ(code.before(5), (Names{"%b32_0", "%b32_1", "%b64_0", "%pred_0"}));
  EXPECT_EQ(code.before(6), (Names{"%b32_0", "%b64_0"}));
}

TEST(PtxLiveness, AWriteUnderAGuardKeepsTheOldValueLive) {
  const Analysed code("mov.b32 %b32_0, 1; @%pred_0 mov.b32 %b32_0, 2; st.global.b32 [64], %b32_0;");
  EXPECT_EQ(code.before(1), (Names{"%b32_0", "%pred_0"}));
}

TEST(PtxLiveness, ElementsOfVectorsAreReadAndWritten) {
  const Analysed code(
      "ld.global.v2.b32 {%b32_0, %b32_1}, [%b64_0]; mov.b64 %b64_1, {%b32_0, %b32_1}; st.global.b64 [64], "
      "%b64_1;");
  EXPECT_EQ(code.before(0), Names{"%b64_0"});
  EXPECT_EQ(code.before(1), (Names{"%b32_0", "%b32_1"}));
}

// Returns liveness by instruction and name, by repeated steps of the definition until nothing changes.
std::vector<std::vector<bool>> naive(const Function& function) {
  const std::size_t size = function.code.size();
  const std::size_t registers = function.registers.size();
  std::vector<std::vector<bool>> live(size, std::vector<bool>(registers + function.predicates.size()));
  const auto name = [&](const Operand& operand) {
    return operand.index + (operand.kind == OperandKind::kPredicate ? registers : 0);
  };
  for (bool changed = true; changed;) {
    changed = false;
    for (std::size_t i = 0; i < size; ++i) {
      const Statement& at = function.code[i];
      const bool leaves =
          at.opcode == Opcode::kRet || at.opcode == Opcode::kExit || at.opcode == Opcode::kTrap;
      std::vector<bool> now(live[i].size());
      const auto join = [&](std::size_t next) {
        for (std::size_t n = 0; n < now.size(); ++n) now[n] = now[n] || live[next][n];
      };
      if (at.opcode == Opcode::kBra) join(at.target);
      if (at.guarded() || (at.opcode != Opcode::kBra && !leaves)) join(i + 1);
      const Operand* operands = function.operands_of(at);
      if (at.operands > 0 && !at.guarded()) now[name(operands[0])] = false;
      for (std::size_t n = 1; n < at.operands; ++n) now[name(operands[n])] = true;
      if (at.guarded()) now[registers + at.guard] = true;
      changed = changed || now != live[i];
      live[i] = now;
    }
  }
  return live;
}

TEST(PtxLiveness, EqualsANaiveFixedPoint) {
  Random random(9);
  for (std::uint64_t turn = 0; turn < cases(3000); ++turn) {
    const Function function = random_function(random);
    const FlowGraph graph(function);
    const Liveness liveness(function, graph);
    const std::vector<std::vector<bool>> wanted = naive(function);
    for (std::uint32_t i = 0; i < function.code.size(); ++i) {
      EXPECT_EQ(liveness.live_before(i), wanted[i]) << turn << ": " << i;
      std::uint32_t units = 0;
      for (std::uint32_t n = 0; n < kRandomRegisters; ++n) units += wanted[i][n] ? 2 - n % 2 : 0;
      EXPECT_EQ(liveness.units()[i], units) << turn << ": " << i;
    }
  }
}

}  // namespace
}  // namespace heddle::ptx
