// The output of compilers for tests/data/ptx/*.cu is accepted. It comes from clang 14 for sm_35 and nvcc 13
// for sm_75:
//   clang -x cuda --cuda-device-only -nocudainc -nocudalib --cuda-gpu-arch=sm_35 -O2 -S
//     basic.cu -o basic.sm_35.ptx
//   the same with --cuda-gpu-arch=sm_75 -Xclang -target-feature -Xclang +ptx70 for matrices.cu
//   nvcc -arch=sm_75 -ptx basic.cu -o basic.sm_75.ptx

#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>

#include "stimuli/ptx/analysis/module_loader.h"
#include "stimuli/ptx/analysis/register_estimate.h"
#include "tests/support/paths.h"

namespace heddle::ptx {
namespace {

namespace fs = std::filesystem;

Module load(const std::string& name) {
  return load_module((fs::path(heddle::test::source_directory()) / "tests/data/ptx" / name).string());
}

std::size_t count(const Function& function, Opcode opcode) {
  return static_cast<std::size_t>(std::count_if(function.code.begin(), function.code.end(),
                                                [&](const Statement& at) { return at.opcode == opcode; }));
}

class PtxCompiled : public testing::TestWithParam<const char*> {
 protected:
  Module basic() const { return load(std::string("basic.") + GetParam() + ".ptx"); }
  Module control() const { return load(std::string("control.") + GetParam() + ".ptx"); }
};

TEST_P(PtxCompiled, TheTargetIsTheOneAskedFor) {
  EXPECT_EQ("sm_" + std::to_string(basic().target), GetParam());
  EXPECT_EQ(basic().address_bytes, 8u);
}

TEST_P(PtxCompiled, AVectorAddTakesThreePointersAndANumber) {
  const Module module = basic();
  const Function& function = *module.entry("vector_add");
  EXPECT_EQ(function.parameter_bytes, 28u);
  EXPECT_EQ(count(function, Opcode::kBra), 1u);
  const auto branch = std::find_if(function.code.begin(), function.code.end(),
                                   [](const Statement& at) { return at.opcode == Opcode::kBra; });
  EXPECT_TRUE(branch->guarded());
  EXPECT_EQ(branch->reconvergence, branch->target);
  EXPECT_EQ(function.code[branch->target].opcode, Opcode::kRet);
}

TEST_P(PtxCompiled, AMatrixMultiplyHasTwoTilesInSharedMemory) {
  const Module module = basic();
  const Function& function = *module.entry("matrix_multiply");
  EXPECT_EQ(function.shared.size(), 2u);
  EXPECT_EQ(function.static_shared_bytes, 2048u);
  EXPECT_EQ(function.maxntid, (std::array<std::uint32_t, 3>{256, 1, 1}));
  EXPECT_EQ(function.minnctapersm, 2u);
  EXPECT_EQ(count(function, Opcode::kBarSync), 2u);
  EXPECT_GE(count(function, Opcode::kFma), 2u);
}

TEST_P(PtxCompiled, AReductionHasDynamicSharedMemoryAndShuffles) {
  const Module module = basic();
  const Function& function = *module.entry("reduce");
  ASSERT_EQ(function.shared.size(), 1u);
  EXPECT_TRUE(module.variables[function.shared[0].variable].external);
  EXPECT_EQ(function.static_shared_bytes, 0u);
  EXPECT_EQ(count(function, Opcode::kShfl), 5u);
}

TEST_P(PtxCompiled, AHistogramHasAtomics) {
  const Module module = basic();
  const Function& function = *module.entry("histogram");
  EXPECT_EQ(function.static_shared_bytes, 1024u);
  EXPECT_GE(count(function, Opcode::kAtom) + count(function, Opcode::kRed), 4u);
  EXPECT_EQ(count(function, Opcode::kVote), 1u);
  EXPECT_EQ(count(function, Opcode::kFence), 1u);
}

TEST_P(PtxCompiled, StructuresConstantsAndCallsAreThere) {
  const Module module = control();
  const Function& forces = *module.entry("forces");
  EXPECT_TRUE(forces.parameters[0].array);
  EXPECT_EQ(forces.parameters[0].bytes, 32u);
  EXPECT_GT(count(forces, Opcode::kCall), 0u);
  const Variable& factors = *module.variable("factors");
  EXPECT_EQ(factors.space, Space::kConst);
  EXPECT_EQ(factors.initial[3], 0x3f);  // 1.5f
  EXPECT_EQ(module.variable("counter")->initial, (std::vector<std::uint8_t>{0xfd, 0xff, 0xff, 0xff}));
  const Variable& address = *module.variable("counter_address");
  ASSERT_EQ(address.relocations.size(), 1u);
  EXPECT_TRUE(address.relocations[0].generic);
  EXPECT_EQ(module.variables[address.relocations[0].variable].name, "counter");
  const Function& print = *module.entry("print");
  EXPECT_EQ(count(print, Opcode::kCall), 1u);
  for (const Statement& at : print.code)
    if (at.opcode == Opcode::kCall) {
      EXPECT_EQ(module.functions[at.target].external, External::kVprintf);
    }
  EXPECT_EQ(module.entry("spill")->local_bytes, 128u);
}

TEST_P(PtxCompiled, EveryKernelNeedsAFewRegisters) {
  for (const Module& module : {basic(), control()}) {
    const std::vector<std::uint32_t> estimates = register_estimates(module);
    for (std::size_t i = 0; i < module.functions.size(); ++i) {
      if (!module.functions[i].entry) continue;
      EXPECT_GE(estimates[i], 6u) << module.functions[i].name;
      EXPECT_LE(estimates[i], 40u) << module.functions[i].name;
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Compilers, PtxCompiled, testing::Values("sm_35", "sm_75"));

// Each access of a lane is a statement of its own: two of a and of b, four of c in rows, and eight of d in
// columns.
TEST(PtxCompiledMatrices, ProductsOfClangAreRead) {
  const Module module = load("matrices.sm_75.ptx");
  const Function& halves = *module.entry("half_product");
  EXPECT_EQ(count(halves, Opcode::kWmmaLoad), 2u + 2u + 4u);
  EXPECT_EQ(count(halves, Opcode::kWmmaMma), 1u);
  EXPECT_EQ(count(halves, Opcode::kWmmaStore), 8u);
  const Function& bytes = *module.entry("byte_product");
  EXPECT_EQ(count(bytes, Opcode::kWmmaLoad), 1u + 1u + 4u);
  EXPECT_EQ(count(bytes, Opcode::kWmmaStore), 4u);
}

}  // namespace
}  // namespace heddle::ptx
