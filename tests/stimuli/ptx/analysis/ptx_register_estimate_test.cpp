// The estimate of registers: what takes none, and ptxas's own counts.

#include "stimuli/ptx/analysis/register_estimate.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <fstream>
#include <sstream>

#include "stimuli/ptx/analysis/module_loader.h"
#include "tests/support/paths.h"
#include "tests/support/ptx/ptx_text.h"

namespace heddle::ptx {
namespace {

// Returns the registers of a kernel without the stack pointer. The kernel has the parameters p and q.
std::uint32_t registers_of(const std::string& body) {
  const Module module = parse(
      ".version 6.4\n.target sm_35\n.address_size 64\n.shared .align 4 .b8 tile[4096];\n"
      ".entry k(.param .u64 p, .param .u32 q) {\n.reg .b32 %r<64>; .reg .b64 %d<64>; .reg .pred %p<64>;\n" +
      body + "ret; }\n");
  return register_estimates(module)[0] - 1;
}

constexpr const char* kThread = "mov.u32 %r1, %tid.x; ld.param.u64 %d1, [p]; mul.wide.u32 %d2, %r1, 4;";

TEST(PtxRegisterEstimate, ParametersAndConstantsAreOperands) {
  // %r1, and its sum with a parameter.
  EXPECT_EQ(registers_of("mov.u32 %r1, %tid.x; mov.u32 %r2, 5; ld.param.u32 %r3, [q]; add.s32 %r4, %r1, %r3;"
                         "mul.lo.s32 %r4, %r4, %r2; st.shared.u32 [64], %r4;"),
            1u);
}

TEST(PtxRegisterEstimate, AnIndexIsScaledWhereItIsAdded) {
  // The address is in registers 2 and 3, and the word from there in 4, because 0 is in the bank of 2. Before,
  // the index is in 0 and the size that it is multiplied by in 3.
  EXPECT_EQ(registers_of(std::string(kThread) + "add.s64 %d3, %d1, %d2; ld.global.u32 %r2, [%d3];"
                                                "st.global.u32 [%d3], %r2;"),
            4u);
}

TEST(PtxRegisterEstimate, OffsetsOfAddressesTakeNone) {
  const std::string one = std::string(kThread) + "add.s64 %d3, %d1, %d2; ld.global.u32 %r2, [%d3];";
  EXPECT_EQ(registers_of(one + "add.s64 %d4, %d3, 16; st.global.u32 [%d4], %r2;"),
            registers_of(one + "st.global.u32 [%d3+16], %r2;"));
}

TEST(PtxRegisterEstimate, AnAddressOfSharedMemoryTakesOne) {
  EXPECT_EQ(
      registers_of("mov.u32 %r1, %tid.x; mul.wide.u32 %d2, %r1, 4; mov.u64 %d1, tile; add.s64 %d3, %d1, %d2;"
                   "ld.shared.u32 %r2, [%d3]; add.s32 %r2, %r2, 1; st.shared.u32 [%d3+4], %r2;"),
      3u);  // registers 0 and 3: 2 is in the bank of 0
}

TEST(PtxRegisterEstimate, PredicatesTakeNone) {
  EXPECT_EQ(registers_of("mov.u32 %r1, %tid.x; setp.lt.u32 %p1, %r1, 4; setp.lt.u32 %p2, %r1, 8;"
                         "and.pred %p1, %p1, %p2; @%p1 st.shared.u32 [64], %r1;"),
            1u);
}

TEST(PtxRegisterEstimate, LoadsOfAnUnrolledLoopAreInFlightTogether) {
  const auto loop = [](const std::string& in_loop) {
    return registers_of(
        "mov.u32 %r1, %tid.x; ld.param.u64 %d1, [p]; ld.param.u32 %r9, [q]; mul.wide.u32 %d2, %r1, 4;"
        "add.s64 %d3, %d1, %d2; mov.u32 %r5, 0; mov.u32 %r6, 0; LOOP: " +
        in_loop +
        "ld.global.u32 %r2, [%d3]; add.s32 %r5, %r5, %r2; add.s64 %d3, %d3, 128;"
        "add.s32 %r6, %r6, 1; setp.lt.u32 %p1, %r6, %r9; @%p1 bra LOOP; st.shared.u32 [64], %r5;");
  };
  // The loads of three more turns; the fence keeps turns apart.
  EXPECT_EQ(loop(""), loop("membar.cta;") + 4);
}

TEST(PtxRegisterEstimate, ALoadOfReadOnlyDataTakesNoOffset) {
  const auto loads = [](const std::string& load) {
    return registers_of(std::string(kThread) + "add.s64 %d3, %d1, %d2; ld." + load + ".u32 %r2, [%d3];" +
                        "add.s64 %d4, %d3, 16; ld." + load + ".u32 %r3, [%d4]; add.s64 %d5, %d3, 32; ld." +
                        load +
                        ".u32 %r4, [%d5]; add.s32 %r2, %r2, %r3; add.s32 %r2, %r2, %r4;"
                        "st.shared.u32 [64], %r2;");
  };
  EXPECT_GT(loads("global.nc"), loads("global"));
}

TEST(PtxRegisterEstimate, AConditionOfSelectionsFromZeroIsAMask) {
  const auto selects = [](const std::string& guards) {
    std::string conditions;
    std::string selections;
    for (const std::string i : {"1", "2", "3"}) {
      conditions += "setp.lt.u32 %p" + i + ", %r2, " + i + ";";
      selections += "selp.b32 %r4, 0, %r3, %p" + i + "; add.s32 %r3, %r3, %r4;";
      if (!guards.empty()) selections += "@%p" + i + guards;
    }
    return registers_of("ld.shared.u32 %r2, [64]; " + conditions + " membar.cta; ld.shared.u32 %r3, [64];" +
                        selections + " st.shared.u32 [64], %r3;");
  };
  EXPECT_EQ(selects(" st.shared.u32 [68], %r3;"), 3u);  // registers 0 and 3; the conditions are predicates
  EXPECT_EQ(selects(""), 5u);                           // with masks
}

TEST(PtxRegisterEstimate, NothingMovesAcrossADivision) {
  const auto loads = [](const std::string& operation) {
    return registers_of("mov.u32 %r1, %tid.x; shl.b32 %r2, %r1, 2; ld.shared.u32 %r3, [%r2]; " + operation +
                        " %r3, %r3, %r3; ld.shared.u32 %r4, [%r2+4]; ld.shared.u32 %r5, [%r2+8];"
                        "ld.shared.u32 %r6, [%r2+12]; add.s32 %r4, %r4, %r5; add.s32 %r4, %r4, %r6;"
                        "add.s32 %r3, %r3, %r4; st.shared.u32 [%r2], %r3;");
  };
  // The division has its operand, the address and eight registers of its own; the loads come behind it.
  EXPECT_EQ(loads("div.rn.f32"), 10u);
  EXPECT_EQ(loads("add.f32"), 5u);
}

TEST(PtxRegisterEstimate, OperandsComeFromDifferentBanks) {
  // Of the four banks, that of register 2 has 0 too, and that of 3 has 1, which is the stack pointer.
  const std::string two = "mov.u32 %r1, %tid.x; mov.u32 %r2, %tid.y; ";
  EXPECT_EQ(registers_of(two + "st.shared.u32 [64], %r1; st.shared.u32 [68], %r2;"), 2u);
  EXPECT_EQ(registers_of(two + "add.s32 %r3, %r1, %r2; st.shared.u32 [64], %r3;"), 3u);
}

TEST(PtxRegisterEstimate, ALoadKeepsItsAddressUntilItHasFinished) {
  const auto beside = [](const std::string& others) {
    return registers_of(std::string(kThread) + "add.s64 %d3, %d1, %d2; ld.global.u32 %r2, [%d3];" + others +
                        "st.shared.u32 [64], %r2; st.shared.u32 [68], %r3; st.shared.u32 [72], %r4;");
  };
  // What is computed from the result may take registers 2 and 3 of the address.
  EXPECT_EQ(beside("add.s32 %r3, %r2, 1; add.s32 %r4, %r2, 2;"), 3u);
  EXPECT_EQ(beside("mov.u32 %r3, %tid.y; mov.u32 %r4, %tid.z;"), 5u);
}

TEST(PtxRegisterEstimate, IsOfTheEntryAndWhatItCalls) {
  const Module module = parse(
      ".version 6.4\n.target sm_35\n.address_size 64\n"
      ".func f() { .reg .b64 %d<4>; ld.global.u64 %d0, [8]; ld.global.u64 %d1, [16]; ld.global.u64 %d2, [24];"
      " membar.gl; add.s64 %d0, %d0, %d1; add.s64 %d0, %d0, %d2; st.global.u64 [64], %d0; ret; }\n"
      ".entry k() { .reg .b32 r; mov.b32 r, 1; call f; st.global.b32 [64], r; ret; } .entry alone() { ret; "
      "}");
  EXPECT_EQ(register_estimates(module), (std::vector<std::uint32_t>{8, 8, 2}));
}

// The counts of ptxas for the kernels of stimuli/kernels; see the head of the file.
TEST(PtxRegisterEstimate, IsNearPtxas) {
  std::ifstream file(test::source_directory() + "/tests/data/ptx/registers.tsv");
  ASSERT_TRUE(file) << "no table";
  std::vector<double> errors;
  for (std::string line; std::getline(file, line);) {
    if (line.empty() || line[0] == '#') continue;
    std::istringstream words(line);
    std::string source;
    std::string entry;
    double counted = 0;
    words >> source >> entry >> counted;
    const Module module = load_module(test::source_directory() + "/stimuli/kernels/" + source + ".ptx");
    const std::vector<std::uint32_t> estimates = register_estimates(module);
    for (std::size_t i = 0; i < estimates.size(); ++i)
      if (module.functions[i].name == entry) errors.push_back(std::abs(estimates[i] - counted) / counted);
  }
  ASSERT_EQ(errors.size(), 41u);
  std::sort(errors.begin(), errors.end());
  EXPECT_LE(errors[20], 0.08);
  EXPECT_LE(errors[39], 0.25);
}

}  // namespace
}  // namespace heddle::ptx
