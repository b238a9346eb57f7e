// Operands in constant memory on an SM with sub-cores: what Huerta et al. measured (MICRO 2025,
// sections 5.1.1 and 5.4).

#include "models/sm/subcore/constant_operands.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "tests/support/ptx/ptx_run.h"
#include "tests/support/sm/subcore_sm.h"

namespace heddle::test {
namespace {

using Script = std::vector<ScriptedInstruction>;
using Cycles = std::vector<std::uint64_t>;

constexpr std::uint32_t kMiss = 79;
constexpr std::uint32_t kSwitch = 4;

CycleSmSpec sm_with_constants(std::uint32_t lines = 32) {
  CycleSmSpec spec = subcore_sm();
  spec.subcore.constants = {lines, kMiss, kSwitch};
  return spec;
}

ScriptedInstruction product(RegisterId to) {
  return alu(Operation::kFloatFma, {to}, {});
}
ScriptedInstruction product_with(RegisterId to, ConstantAddress constant) {
  ScriptedInstruction scripted = product(to);
  scripted.code.reads_constant(constant);
  return scripted;
}

Cycles from_first(Cycles cycles) {
  const std::uint64_t first = cycles.front();
  for (std::uint64_t& cycle : cycles) cycle -= first;
  return cycles;
}

TEST(ConstantOperands, AMissDelaysItsInstructionBy79CyclesAndAHitByNone) {
  const Script script{product(8), product_with(9, 0x160), product_with(10, 0x17c), product_with(11, 0x180),
                      product_with(12, 0x160)};
  EXPECT_EQ(from_first(issue_cycles_of({script}, sm_with_constants())),
            (Cycles{0, 1 + kMiss, 2 + kMiss, 3 + 2 * kMiss, 4 + 2 * kMiss}));
  EXPECT_EQ(from_first(issue_cycles_of({script})), (Cycles{0, 1, 2, 3, 4})) << "without such a cache";
}

// Warps 0 and 4 are on one sub-core, where the younger one issues first.
TEST(ConstantOperands, AnotherWarpOfTheSubcoreIssuesFourCyclesAfterTheMiss) {
  const Script none{alu(Operation::kExit, {}, {})};
  std::vector<Script> warps(5, none);
  warps[4] = {product(8), product_with(9, 0x160)};
  warps[0] = {product(8), product(9), product(10)};
  ScriptedProgram program(warps);
  SmRig rig(sm_with_constants(), 100, {"cggty", {}});
  rig.launch(program, 5);
  const Cycles cycles = from_first(issue_cycles(rig));
  // Those of warps 1 to 3 and the first one of warp 4 come before the miss in cycle 1.
  ASSERT_EQ(cycles.size(), 8u);
  EXPECT_EQ(Cycles(cycles.begin() + 4, cycles.end()),
            (Cycles{1 + kSwitch, 2 + kSwitch, 3 + kSwitch, 1 + kMiss}));
}

// The line that warp 0 has brought to its sub-core is of no use to warp 1, which is on another one.
TEST(ConstantOperands, EachSubcoreHasACacheOfItsOwn) {
  const Script first{product_with(9, 0x160)};
  Script later;
  for (RegisterId i = 0; i < 100; ++i) later.push_back(product(static_cast<RegisterId>(10 + i % 32)));
  later.push_back(product_with(9, 0x160));
  EXPECT_EQ(from_first(issue_cycles_of({first, later}, sm_with_constants())).back(), 100u + kMiss);
}

// A launch finds its lines until the next one starts, also if that one is of the same kernel.
TEST(ConstantOperands, AKernelFindsNoConstantsOfTheOneBefore) {
  ConstantOperands constants({32, kMiss, kSwitch}, 1);
  const Instruction code = product_with(8, 0x160).code;
  const auto delay = [&](std::uint32_t launch, std::uint64_t now) {
    return constants.fetch(0, launch, AccountId{launch}, code, Cycle{now}) - Cycle{now};
  };
  EXPECT_EQ(delay(1, 1000), kMiss);
  EXPECT_EQ(delay(1, 1000 + kMiss), 0u);
  EXPECT_EQ(delay(2, 2000), kMiss);
  EXPECT_EQ(delay(1, 3000), 0u);
  constants.drop(AccountId{1});
  EXPECT_EQ(delay(1, 4000), kMiss);
  EXPECT_EQ(delay(2, 5000), 0u);

  ScriptedProgram program({{product(8), product_with(9, 0x160)}});
  SmRig rig(sm_with_constants(), 100, {"cggty", {}});
  for (int i = 0; i < 2; ++i) {
    rig.launch(program, 1);
    const Cycles cycles = from_first(issue_cycles(rig));
    EXPECT_EQ(cycles.back() - cycles[cycles.size() - 2], 1 + kMiss) << i;
  }
}

// Two warps of a sub-core use more lines in turn than the cache has.
TEST(ConstantOperands, WarpsThatDisplaceTheLinesOfEachOtherEnd) {
  std::vector<Script> warps(48);
  for (std::size_t i = 0; i < warps.size(); ++i)
    for (RegisterId n = 0; n < 20; ++n)
      warps[i].push_back(product_with(n, static_cast<ConstantAddress>((64 * i + 37 * n) % 4096 * 64)));
  const Cycles cycles = issue_cycles_of(warps, sm_with_constants(8));
  EXPECT_EQ(cycles.size(), 48u * 20);
}

// The parameters of an entry are operands of the instructions that read them, as ptxas makes them before
// compute capability 9.0.
TEST(ConstantOperands, AreTheParametersOfPtxKernels) {
  const std::string body =
      "ld.global.u32 %r1, [%rd1]; st.global.u32 [%rd0], %r1; add.u64 %rd2, %rd0, %rd1; st.global.u64 "
      "[%rd0+8], %rd2;";
  const auto constants = [&](CodeSchedule schedule) {
    ptx::PtxRun run(ptx::kernel_text(body));
    run.buffer(std::vector<std::uint64_t>(2));
    run.buffer(std::vector<std::uint64_t>(2));
    run.options.form = {schedule, 16};
    const ptx::Launch launch = run.launch();
    const std::unique_ptr<KernelProgram> program = ptx::make_program(launch, run.memory(), run.options);
    BlockStream& stream = program->start(BlockId{0});
    std::vector<ConstantAddress> found;
    for (std::uint32_t i = 0; const Instruction* code = stream.peek(0, i); ++i)
      found.insert(found.end(), code->constants().begin(), code->constants().end());
    std::sort(found.begin(), found.end());
    found.erase(std::unique(found.begin(), found.end()), found.end());
    program->finish(stream);
    return found;
  };
  EXPECT_EQ(constants(CodeSchedule::kPtxasLike), (std::vector<ConstantAddress>{0x160, 0x168}));
  EXPECT_TRUE(constants(CodeSchedule::kPtxasLike90).empty());
  EXPECT_TRUE(constants(CodeSchedule::kNone).empty());
}

}  // namespace
}  // namespace heddle::test
