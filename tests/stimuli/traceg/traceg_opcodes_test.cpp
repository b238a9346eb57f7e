#include <gtest/gtest.h>

#include "stimuli/traceg/opcodes.h"

namespace heddle {
namespace {

using Generation = SassGeneration;

constexpr Generation kGenerations[] = {Generation::kKepler, Generation::kPascal, Generation::kVolta,
                                       Generation::kTuring, Generation::kAmpere};

TEST(SassOpcodes, GenerationsGoByBinaryVersion) {
  EXPECT_EQ(generation_of(35), Generation::kKepler);
  EXPECT_EQ(generation_of(60), Generation::kPascal);
  EXPECT_EQ(generation_of(61), Generation::kPascal);
  EXPECT_EQ(generation_of(70), Generation::kVolta);
  EXPECT_EQ(generation_of(75), Generation::kTuring);
  EXPECT_EQ(generation_of(80), Generation::kAmpere);
  EXPECT_EQ(generation_of(86), Generation::kAmpere);
  for (const std::uint64_t other : {0, 20, 52, 72, 87, 90}) EXPECT_EQ(generation_of(other), std::nullopt);
}

TEST(SassOpcodes, OfEveryGenerationHaveTheirClass) {
  const std::pair<const char*, Operation> expected[] = {
      {"IADD", Operation::kTraceInt}, {"IMAD", Operation::kTraceInt}, {"MOV", Operation::kTraceInt},
      {"BRA", Operation::kTraceInt},  {"S2R", Operation::kTraceInt},  {"I2F", Operation::kTraceInt},
      {"FADD", Operation::kTraceSp},  {"FFMA", Operation::kTraceSp},  {"FSETP", Operation::kTraceSp},
      {"DFMA", Operation::kTraceDp},  {"MUFU", Operation::kTraceSfu}, {"LDG", Operation::kLoad},
      {"ST", Operation::kStore},      {"RED", Operation::kAtomic},    {"BAR", Operation::kBarrier},
      {"MEMBAR", Operation::kFence},  {"NOP", Operation::kNop},       {"EXIT", Operation::kExit}};
  for (const Generation generation : kGenerations)
    for (const auto& [name, operation] : expected) {
      const auto opcode = find_opcode(generation, name);
      ASSERT_TRUE(opcode) << name;
      EXPECT_EQ(opcode->operation, operation) << name;
    }
}

TEST(SassOpcodes, BelongToGenerations) {
  const auto known = [](const char* name) {
    std::string result;
    for (const Generation generation : kGenerations)
      if (find_opcode(generation, name)) result += name_of(generation)[0];
    return result;
  };
  EXPECT_EQ(known("IADD"), "KPVTA");
  EXPECT_EQ(known("XMAD"), "P");
  EXPECT_EQ(known("LDSLK"), "K");
  EXPECT_EQ(known("STG"), "PVTA");
  EXPECT_EQ(known("HMMA"), "VTA");
  EXPECT_EQ(known("UMOV"), "TA");
  EXPECT_EQ(known("LDGSTS"), "A");
  EXPECT_EQ(known("SSY"), "KP");
  for (const char* none : {"", "F", "FAD", "FADDX", "fadd", "FADD FMUL", " "})
    EXPECT_EQ(known(none), "") << none;
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

TEST(SassOpcodes, SomeModifiersBypassL1) {
  for (const char* bypasses : {"LDG.E.CG", "LDG.E.STRONG.GPU", "LD.E.CV.64", "LD.VOLATILE"})
    EXPECT_TRUE(bypasses_l1(bypasses)) << bypasses;
  for (const char* cached : {"LDG.E", "LDG.E.CI", "CG", "LDG.E.CONSTANT.SYS"})
    EXPECT_FALSE(bypasses_l1(cached)) << cached;
}

}  // namespace
}  // namespace heddle
