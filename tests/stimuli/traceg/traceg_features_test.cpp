// Traces of Ada, Hopper and Blackwell: what is read, copies and matrices in shared memory, and the features
// that are refused.

#include <gtest/gtest.h>

#include <sstream>

#include "tests/support/trace_text.h"

namespace heddle {
namespace {

using test::issue_all;
using test::problem_of;
using test::TemporaryFile;
using test::trace_of;

const std::string kExit = "00f0 ffffffff 0 EXIT 0 0 0";

std::vector<std::string> header_of(int version) {
  return {fmt::format("binary version = {}", version), "accelsim tracer version = 5"};
}

// The instructions of a trace of one warp. The program stays alive, because the instructions belong to it.
struct OneWarp {
  explicit OneWarp(const std::vector<std::string>& instructions, int version = 90)
      : file(trace_of(instructions, header_of(version))),
        program(file.path()),
        issued(issue_all(program.start(BlockId{0}), 0)) {}
  const Instruction& code(std::size_t i) const { return *issued[i].code; }

  TemporaryFile file;
  TraceProgram program;
  std::vector<IssuedInstruction> issued;
};

TEST(TraceGenerations, HeadersUpToBlackwellAreRead) {
  const std::pair<int, SassGeneration> expected[] = {{89, SassGeneration::kAda},
                                                     {90, SassGeneration::kHopper},
                                                     {100, SassGeneration::kBlackwell100},
                                                     {120, SassGeneration::kBlackwell120}};
  for (const auto& [version, generation] : expected) {
    const OneWarp warp({"0000 ffffffff 1 R1 IMAD.MOV.U32 2 R255 R2 0 0", kExit}, version);
    EXPECT_EQ(warp.program.header().generation, generation);
    EXPECT_EQ(warp.issued.size(), 2U);
  }
}

TEST(TraceGenerations, AMoveOfAnImmediateByAMultiplyAddReadsNoRegister) {
  const OneWarp warp({"0000 ffffffff 1 R3 HFMA2.MMA 2 R255 R255 0 0", kExit});
  EXPECT_EQ(warp.code(0).operation, Operation::kTraceSp);
  EXPECT_TRUE(warp.code(0).sources().empty());
  EXPECT_EQ(warp.code(0).destinations().size(), 1U);
}

TEST(TraceCopies, HaveALineForEachOfTheirTwoAddresses) {
  const OneWarp warp({"0000 0000000f 0 LDGSTS.E.BYPASS.LTC128B.128 2 R5 R2 16 1 0x400 16 0",
                      "0000 0000000f 0 LDGSTS.E.BYPASS.LTC128B.128 2 R5 R2 16 1 0x7fc841500000 16 0",
                      "0010 0000000f 0 LDGSTS.E.64 2 R5 R2 8 1 0x7f0000000800 8 0",
                      "0010 0000000f 0 LDGSTS.E.64 2 R5 R2 8 1 0x7fc841500000 8 0", kExit},
                     80);
  ASSERT_EQ(warp.issued.size(), 5U);
  for (const std::size_t shared : {0U, 2U}) {
    EXPECT_EQ(warp.code(shared).operation, Operation::kStore);
    EXPECT_EQ(warp.code(shared).space, MemorySpace::kShared);
    EXPECT_FALSE(warp.code(shared).asynchronous);
    EXPECT_EQ(warp.code(shared + 1).operation, Operation::kLoad);
    EXPECT_EQ(warp.code(shared + 1).space, MemorySpace::kGlobal);
    EXPECT_TRUE(warp.code(shared + 1).asynchronous);
    EXPECT_EQ(warp.issued[shared + 1].addresses[0], 0x7fc841500000U);
  }
  EXPECT_EQ(warp.issued[0].addresses[3], 0x430U);
  EXPECT_EQ(warp.issued[2].addresses[0], 0x800U);
  EXPECT_EQ(warp.code(1).bytes, 16);
  EXPECT_TRUE(warp.code(1).bypass_l1);
  EXPECT_EQ(warp.code(3).bytes, 8);
  EXPECT_FALSE(warp.code(3).bypass_l1);
}

TEST(TraceCopies, AreClosedToGroupsThatAWaitCounts) {
  const OneWarp warp({"0000 ffffffff 0 LDGDEPBAR 0 0 0", "0010 ffffffff 0 DEPBAR.LE 0 0 2",
                      "0020 ffffffff 0 DEPBAR.LE 0 0 0", "0030 ffffffff 0 DEPBAR.LE 0 0 99",
                      "0040 ffffffff 0 DEPBAR.LE 0 0 -1", kExit},
                     86);
  EXPECT_EQ(warp.code(0).operation, Operation::kCopyCommit);
  const std::uint8_t left[] = {3, 1, 16, 1};  // the open group counts
  for (std::size_t i = 0; i < std::size(left); ++i) {
    EXPECT_EQ(warp.code(i + 1).operation, Operation::kCopyWait);
    EXPECT_EQ(warp.code(i + 1).copy_groups, left[i]) << i;
  }
}

TEST(TraceCopies, AWaitWithoutAnImmediateWaitsForAllClosedGroups) {
  const TemporaryFile file(
      trace_of({"0000 ffffffff 0 DEPBAR.LE 0 0", "0010 ffffffff 0 EXIT 0 0"}, {"binary version = 80"}));
  TraceProgram program(file.path());
  EXPECT_EQ(program.start(BlockId{0}).peek(0, 0)->copy_groups, 1);
}

TEST(TraceMatrices, HaveRowsOf16BytesAtTheFirstLanes) {
  std::string deltas;
  for (int i = 1; i < 32; ++i) deltas += " 4";
  const std::string store = "0020 ffffffff 0 STSM.16.M88 2 R2 R4 2 2 0x100" + deltas + " 0";
  const OneWarp warp({"0000 ffffffff 4 R4 R5 R6 R7 LDSM.16.M88.4 1 R2 2 1 0x100 16 0",
                      "0010 ffffffff 2 R4 R5 LDSM.16.MT88.2 1 R2 2 1 0x100 16 0", store,
                      "0030 0000ff00 1 R4 LDSM.16.M88 1 R2 2 1 0x100 16 0", kExit});
  const std::uint32_t masks[] = {0xffffffff, 0xffff, 0xff, 0};
  for (std::size_t i = 0; i < std::size(masks); ++i) {
    EXPECT_EQ(warp.code(i).bytes, 16) << i;
    EXPECT_EQ(warp.code(i).space, MemorySpace::kShared) << i;
    EXPECT_EQ(warp.issued[i].mask, masks[i]) << i;
  }
  EXPECT_EQ(warp.issued[1].addresses[15], 0x1f0U);
  EXPECT_EQ(warp.code(2).operation, Operation::kStore);
  EXPECT_EQ(warp.issued[2].addresses[7], 0x11cU);
}

TEST(TraceMatrices, AreInTheWindowOfSharedMemoryByTheRowsThatTheyAccess) {
  std::string rows = "0010 000001ff 1 R4 LDSM.16.M88 1 R2 2 0";
  for (int i = 0; i < 8; ++i) rows += fmt::format(" {:#x}", 0x7f0000000000 + 16 * i);
  rows += " 0x0 0";  // the ninth lane has no row
  const OneWarp warp({"0000 00000fff 1 R4 LDSM.16.M88 1 R2 2 1 0x7f0000fffff0 -16 0", rows, kExit});
  EXPECT_EQ(warp.issued[0].mask, 0xffU);
  EXPECT_EQ(warp.issued[0].addresses[7], 0xffff80U);
  EXPECT_EQ(warp.issued[1].mask, 0xffU);
  EXPECT_EQ(warp.issued[1].addresses[7], 0x70U);
}

struct Feature {
  const char* name;  // of the test
  const char* feature;
  std::vector<int> versions;
  const char* opcodes;
};

void PrintTo(const Feature& feature, std::ostream* out) {
  *out << feature.name;
}

class TraceFeatures : public testing::TestWithParam<Feature> {};

TEST_P(TraceFeatures, WithoutAModelAreRefusedWithTheKernelAndTheOpcode) {
  const Feature& tested = GetParam();
  for (const int version : tested.versions) {
    std::istringstream opcodes(tested.opcodes);
    for (std::string opcode; opcodes >> opcode;) {
      std::vector<std::string> header = header_of(version);
      header.emplace_back("kernel name = _Z4gemmPf");
      const TemporaryFile file(trace_of(
          {"0000 ffffffff 1 R1 MOV 0 0 0", fmt::format("0010 00000001 0 {}.X 1 R4 0 0", opcode), kExit},
          header));
      EXPECT_EQ(
          problem_of(file.path()),
          fmt::format("{}:21: kernel '_Z4gemmPf' has the opcode '{}.X' of {}, of which there is no model",
                      file.path(), opcode, tested.feature));
    }
  }
}

INSTANTIATE_TEST_SUITE_P(
    OfHopperAndBlackwell, TraceFeatures,
    testing::Values(
        Feature{"Tma",
                "TMA",
                {90, 100, 120},
                "UBLKCP UBLKPF UBLKRED UTMACCTL UTMACMDFLUSH UTMALDG UTMAPF UTMAREDG UTMASTG"},
        Feature{"TmaOfBlackwell", "TMA", {100, 120}, "UBLKL2CCTL UTMAL2CCTL"},
        Feature{"Wgmma", "WGMMA", {90}, "BGMMA HGMMA IGMMA QGMMA WARPGROUP WARPGROUPSET"},
        Feature{"Clusters", "thread block clusters", {90, 100, 120}, "REDAS STAS UCGABAR_ARV UCGABAR_WAIT"},
        Feature{"ClusterLaunch", "cluster launch control", {100, 120}, "UGETNEXTWORKID"},
        Feature{"BulkStores", "bulk stores", {100, 120}, "UMEMSETS"},
        Feature{
            "Tcgen05",
            "tcgen05",
            {100},
            "LDT LDTM STT STTM UTCATOMSWS UTCBAR UTCCP UTCHMMA UTCIMMA UTCLDSWS UTCMXQMMA UTCOMMA UTCQMMA "
            "UTCSHIFT UTCSTSWS"}),
    [](const auto& tested) { return tested.param.name; });

TEST(TraceFeatures, OfAnotherGenerationAreUnknownOpcodes) {
  const std::pair<int, std::string> cases[] = {{90, "Hopper has no opcode 'UTCHMMA.X'"},
                                               {100, "Blackwell 10.0 has no opcode 'HGMMA.X'"},
                                               {120, "Blackwell 12.0 has no opcode 'UTCHMMA.X'"},
                                               {89, "Ada has no opcode 'UTMALDG.X'"}};
  for (const auto& [version, problem] : cases) {
    const std::string opcode =
        problem.substr(problem.find('\'') + 1, problem.rfind('\'') - problem.find('\'') - 1);
    const TemporaryFile file(trace_of({"0000 00000001 0 " + opcode + " 0 0 0", kExit}, header_of(version)));
    EXPECT_EQ(problem_of(file.path()), file.path() + ":20: " + problem);
  }
}

}  // namespace
}  // namespace heddle
