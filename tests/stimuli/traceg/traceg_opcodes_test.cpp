#include <gtest/gtest.h>

#include <sstream>
#include <tuple>

#include "stimuli/traceg/opcodes.h"

namespace heddle {
namespace {

using Generation = SassGeneration;

constexpr Generation kGenerations[] = {
    Generation::kKepler, Generation::kPascal,       Generation::kVolta,
    Generation::kTuring, Generation::kAmpere,       Generation::kAda,
    Generation::kHopper, Generation::kBlackwell100, Generation::kBlackwell120};
constexpr char kLetters[] = "KPVTADHBG";

TEST(SassOpcodes, GenerationsGoByBinaryVersion) {
  EXPECT_EQ(generation_of(35), Generation::kKepler);
  EXPECT_EQ(generation_of(60), Generation::kPascal);
  EXPECT_EQ(generation_of(61), Generation::kPascal);
  EXPECT_EQ(generation_of(70), Generation::kVolta);
  EXPECT_EQ(generation_of(75), Generation::kTuring);
  EXPECT_EQ(generation_of(80), Generation::kAmpere);
  EXPECT_EQ(generation_of(86), Generation::kAmpere);
  EXPECT_EQ(generation_of(89), Generation::kAda);
  EXPECT_EQ(generation_of(90), Generation::kHopper);
  EXPECT_EQ(generation_of(100), Generation::kBlackwell100);
  EXPECT_EQ(generation_of(120), Generation::kBlackwell120);
  for (const std::uint64_t other : {0, 20, 52, 72, 87, 91, 103, 121})
    EXPECT_EQ(generation_of(other), std::nullopt);
  EXPECT_EQ(known_binary_versions(), "35, 60, 61, 70, 75, 80, 86, 89, 90, 100, 120");
}

TEST(SassOpcodes, OfEveryGenerationHaveTheirClass) {
  const std::pair<const char*, Operation> expected[] = {
      {"IADD", Operation::kTraceInt}, {"MOV", Operation::kTraceInt}, {"ISETP", Operation::kTraceInt},
      {"VOTE", Operation::kTraceInt}, {"FADD", Operation::kTraceSp}, {"FFMA", Operation::kTraceSp},
      {"FSETP", Operation::kTraceSp}, {"DFMA", Operation::kTraceDp}, {"MUFU", Operation::kTraceSfu},
      {"LDG", Operation::kLoad},      {"ST", Operation::kStore},     {"ATOM", Operation::kAtomic},
      {"BAR", Operation::kBarrier},   {"NOP", Operation::kNop},      {"EXIT", Operation::kExit},
      {"MEMBAR", Operation::kFence}};
  for (const Generation generation : kGenerations)
    for (const auto& [name, operation] : expected) {
      const auto opcode = find_opcode(generation, name);
      ASSERT_TRUE(opcode) << name;
      EXPECT_EQ(opcode->operation, operation) << name;
    }
}

TEST(SassOpcodes, SinceVoltaHaveTheOperationOfTheirPipe) {
  const std::tuple<const char*, Operation, Operation> expected[] = {
      {"IMAD", Operation::kTraceInt, Operation::kIntMad},
      {"POPC", Operation::kTraceInt, Operation::kTraceSfu},
      {"FLO", Operation::kTraceInt, Operation::kTraceSfu},
      {"F2I", Operation::kTraceInt, Operation::kTraceSfu},
      {"I2F", Operation::kTraceInt, Operation::kTraceSfu},
      {"SHFL", Operation::kTraceInt, Operation::kShuffle},
      {"S2R", Operation::kTraceInt, Operation::kShuffle},
      {"BRA", Operation::kTraceInt, Operation::kBranch}};
  for (const Generation generation : kGenerations)
    for (const auto& [name, before, since] : expected)
      EXPECT_EQ(find_opcode(generation, name)->operation, generation < Generation::kVolta ? before : since)
          << name;
}

TEST(SassOpcodes, BelongToGenerations) {
  const auto known = [](const char* name) {
    std::string result;
    for (std::size_t i = 0; i < std::size(kGenerations); ++i)
      if (find_opcode(kGenerations[i], name)) result += kLetters[i];
    return result;
  };
  EXPECT_EQ(known("IADD"), "KPVTADHBG");
  EXPECT_EQ(known("XMAD"), "P");
  EXPECT_EQ(known("LDSLK"), "K");
  EXPECT_EQ(known("STG"), "PVTADHBG");
  EXPECT_EQ(known("HMMA"), "VTADHBG");
  EXPECT_EQ(known("BMMA"), "TADH");
  EXPECT_EQ(known("QMMA"), "DG");
  EXPECT_EQ(known("UMOV"), "TADHBG");
  EXPECT_EQ(known("ULDC"), "TADH");
  EXPECT_EQ(known("LDCU"), "BG");
  EXPECT_EQ(known("LDGSTS"), "ADHBG");
  EXPECT_EQ(known("RED"), "KPVTADH");
  EXPECT_EQ(known("REDG"), "HBG");
  EXPECT_EQ(known("VIADD"), "HBG");
  EXPECT_EQ(known("HGMMA"), "H");
  EXPECT_EQ(known("UTCHMMA"), "B");
  EXPECT_EQ(known("OMMA"), "G");
  EXPECT_EQ(known("SSY"), "KP");
  for (const char* none : {"", "F", "FAD", "FADDX", "fadd", "FADD FMUL", " "})
    EXPECT_EQ(known(none), "") << none;
}

// An opcode of a list, with the generation from which on it is known and its operation.
struct Adds {
  Generation first;
  Operation operation;
  const char* names;
};

TEST(SassOpcodes, OfEachGenerationSinceVoltaAreKnown) {
  using O = Operation;
  const Adds all[] = {
      {Generation::kVolta, O::kTraceSp, "FADD FMUL FFMA FMNMX FSEL FSET FSETP FCHK FSWZADD"},
      {Generation::kVolta, O::kTraceSp, "HADD2 HFMA2 HMUL2 HSET2 HSETP2"},
      {Generation::kVolta, O::kIntMad, "IMAD"},
      {Generation::kVolta, O::kTraceInt, "IADD3 LOP3 SHF LEA ISETP IMNMX IABS PRMT SEL MOV SGXT BMSK IDP"},
      {Generation::kVolta, O::kTraceInt, "VABSDIFF CS2R PLOP3 PSETP P2R R2P VOTE B2R NANOSLEEP ERRBAR"},
      {Generation::kVolta, O::kTraceSfu, "POPC FLO BREV MUFU F2I I2F I2I F2F FRND"},
      {Generation::kVolta, O::kTraceDp, "DADD DMUL DFMA DSETP"},
      {Generation::kVolta, O::kBranch, "BRA BRX JMP CALL RET BSSY BSYNC BREAK BMOV WARPSYNC YIELD"},
      {Generation::kVolta, O::kLoad, "LD LDG LDL LDS LDC"},
      {Generation::kVolta, O::kStore, "ST STG STL STS"},
      {Generation::kVolta, O::kAtomic, "ATOM ATOMG ATOMS"},
      {Generation::kVolta, O::kShuffle, "SHFL MATCH S2R QSPC"},
      {Generation::kVolta, O::kTraceTensor, "HMMA IMMA"},
      {Generation::kTuring, O::kUniform, "UMOV UIADD3 USHF UIMAD ULOP3 USEL UISETP UP2UR R2UR S2UR VOTEU"},
      {Generation::kTuring, O::kUniform, "UBMSK UBREV UCLEA UFLO ULEA ULOP UPLOP3 UPOPC UPRMT UR2UP USGXT"},
      {Generation::kTuring, O::kTraceInt, "MOVM"},
      {Generation::kTuring, O::kLoad, "LDSM"},
      {Generation::kTuring, O::kBranch, "BRXU JMXU"},
      {Generation::kAmpere, O::kLoad, "LDGSTS"},
      {Generation::kAmpere, O::kCopyCommit, "LDGDEPBAR"},
      {Generation::kAmpere, O::kCopyWait, "DEPBAR"},
      {Generation::kAmpere, O::kTraceInt, "REDUX F2FP F2IP I2FP SUQUERY ARRIVES"},
      {Generation::kAmpere, O::kUniform, "UF2FP"},
      {Generation::kAmpere, O::kTraceTensor, "DMMA"},
      {Generation::kAmpere, O::kTraceSp, "HMNMX2"},
      {Generation::kHopper, O::kTraceInt, "VIADD VIADDMNMX VIMNMX VIMNMX3 VHMNMX SYNCS FENCE ELECT ACQBULK"},
      {Generation::kHopper, O::kTraceInt, "PREEXIT ENDCOLLECTIVE CGAERRBAR"},
      {Generation::kHopper, O::kUniform, "USETMAXREG USETSHMSZ ULEPC"},
      {Generation::kHopper, O::kAtomic, "REDG"},
      {Generation::kHopper, O::kStore, "STSM"},
      {Generation::kHopper, O::kLoad, "LDGMC"},
      {Generation::kBlackwell100, O::kTraceSp, "FADD2 FFMA2 FMUL2 FHADD FHFMA FMNMX3"},
      {Generation::kBlackwell100, O::kUniform, "LDCU CS2UR CREDUX UFADD UFFMA UFMUL UI2F UF2I UIMNMX UIABS"},
      {Generation::kBlackwell100, O::kAtomic, "REDS UREDGR"},
      {Generation::kBlackwell100, O::kStore, "USTGR"},
      {Generation::kBlackwell120, O::kTraceTensor, "QMMA OMMA"},
  };
  for (const Adds& adds : all) {
    std::istringstream names(adds.names);
    for (std::string name; names >> name;)
      for (const Generation generation : kGenerations) {
        if (generation < adds.first) continue;
        const auto opcode = find_opcode(generation, name);
        ASSERT_TRUE(opcode) << name << ' ' << name_of(generation);
        EXPECT_EQ(opcode->operation, adds.operation) << name;
        EXPECT_EQ(opcode->unmodelled, nullptr) << name;
      }
  }
}

TEST(SassOpcodes, GiveTheSpaceOfMemoryAccesses) {
  const auto space = [](const char* name) { return find_opcode(Generation::kAmpere, name)->space; };
  EXPECT_EQ(space("LDG"), MemorySpace::kGlobal);
  EXPECT_EQ(space("LDS"), MemorySpace::kShared);
  EXPECT_EQ(space("LDSM"), MemorySpace::kShared);
  EXPECT_EQ(space("ATOMS"), MemorySpace::kShared);
  EXPECT_EQ(space("STL"), MemorySpace::kLocal);
  EXPECT_EQ(space("LDC"), MemorySpace::kConstant);
  EXPECT_EQ(space("TEX"), MemorySpace::kTexture);
  EXPECT_EQ(space("IADD3"), MemorySpace::kNone);
  for (const char* generic : {"LD", "ST", "ATOM", "RED"})
    EXPECT_TRUE(find_opcode(Generation::kAmpere, generic)->generic) << generic;
  EXPECT_FALSE(find_opcode(Generation::kAmpere, "LDG")->generic);
}

TEST(SassOpcodes, ModifiersGiveTheBytesOfALane) {
  EXPECT_EQ(bytes_of_modifiers("LDG.E"), 0);
  EXPECT_EQ(bytes_of_modifiers("LDG.E.U8.CG"), 1);
  EXPECT_EQ(bytes_of_modifiers("LDG.E.S16"), 2);
  EXPECT_EQ(bytes_of_modifiers("ATOMG.E.ADD.F32.FTZ.RN.STRONG.GPU"), 4);
  EXPECT_EQ(bytes_of_modifiers("LDS.U.64"), 8);
  EXPECT_EQ(bytes_of_modifiers("STG.E.128.SYS"), 16);
  EXPECT_EQ(bytes_of_modifiers("LDG.E.256"), 0);
  EXPECT_EQ(bytes_of_modifiers("LDG.."), 0);
}

TEST(SassOpcodes, CopiesAndMatricesGiveTheBytesAndRowsOfALane) {
  EXPECT_EQ(bytes_of_modifiers("LDGSTS.E.BYPASS.128"), 16);
  EXPECT_EQ(bytes_of_modifiers("LDGSTS.E.BYPASS.LTC128B.128"), 16);
  EXPECT_EQ(bytes_of_modifiers("LDGSTS.E.64"), 8);
  EXPECT_EQ(bytes_of_modifiers("REDG.E.ADD.F32.FTZ.RN.STRONG.GPU"), 4);
  EXPECT_EQ(rows_of_matrices("LDSM.16.M88"), 8U);
  EXPECT_EQ(rows_of_matrices("LDSM.16.M88.2"), 16U);
  EXPECT_EQ(rows_of_matrices("LDSM.16.M88.4"), 32U);
  EXPECT_EQ(rows_of_matrices("STSM.16.MT88.4"), 32U);
  EXPECT_TRUE(find_opcode(Generation::kAmpere, "LDSM")->matrices);
  EXPECT_TRUE(find_opcode(Generation::kHopper, "STSM")->matrices);
  EXPECT_FALSE(find_opcode(Generation::kHopper, "LDS")->matrices);
}

TEST(SassOpcodes, ShapesAndTypesOfMatricesGiveTheirProducts) {
  const std::pair<const char*, int> cases[] = {{"HMMA.1688.F16", 1},
                                               {"HMMA.16816.F32", 2},
                                               {"HMMA.1688.F32.TF32", 2},
                                               {"HMMA.1684.F32.TF32", 1},
                                               {"HMMA.16816.F32.BF16", 2},
                                               {"IMMA.8816.S8.S8", 1},
                                               {"IMMA.16832.S8.S8", 2},
                                               {"IMMA.16864.S4.S4", 2},
                                               {"DMMA.884", 1},
                                               {"QMMA.16832.F32.E4M3.E4M3", 2},
                                               {"HMMA.884.F32.F32.STEP0", 1},
                                               {"HMMA.884.F32.F32.STEP1", 0},
                                               {"HMMA.884.F32.F32.STEP3", 0},
                                               {"HMMA", 1}};
  for (const auto& [opcode, products] : cases) EXPECT_EQ(products_of_matrices(opcode), products) << opcode;
}

TEST(SassOpcodes, SomeModifiersBypassL1) {
  for (const char* bypasses :
       {"LDG.E.CG", "LDG.E.STRONG.GPU", "LD.E.CV.64", "LD.VOLATILE", "LDGSTS.E.BYPASS.LTC128B.128"})
    EXPECT_TRUE(bypasses_l1(bypasses)) << bypasses;
  for (const char* cached : {"LDG.E", "LDG.E.CI", "CG", "LDG.E.CONSTANT.SYS"})
    EXPECT_FALSE(bypasses_l1(cached)) << cached;
}

}  // namespace
}  // namespace heddle
