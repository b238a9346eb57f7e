// Traces whose program's machine code lies beside them: its control bits, and what they cost on an SM.

#include "stimuli/traceg/machine_code.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "stimuli/traceg/trace_application.h"
#include "tests/support/capture/elf_files.h"
#include "tests/support/sm/subcore_sm.h"
#include "tests/support/trace_text.h"

namespace heddle {
namespace {

using test::TemporaryFile;
using test::trace_of;
using testing::HasSubstr;

// The struct Fields has the fields of a SASS instruction that MachineCode reads.
struct Fields {
  unsigned stall = 1;
  bool yields = false;
  unsigned write_counter = 7;
  unsigned read_counter = 7;
  unsigned awaited = 0;
  unsigned reuse = 0;
  unsigned destination = 255;
  unsigned operands[3] = {255, 255, 255};
  std::uint64_t opcode = 0;  // and an operand in constant memory
};

SassInstruction sass(const Fields& fields) {
  SassInstruction result;
  result.low = fields.opcode | std::uint64_t{fields.destination} << 16 |
               std::uint64_t{fields.operands[0]} << 24 | std::uint64_t{fields.operands[1]} << 32;
  const std::uint64_t control = fields.stall | (fields.yields ? 0U : 1U) << 4 | fields.write_counter << 5 |
                                fields.read_counter << 8 | fields.awaited << 11 | fields.reuse << 17;
  result.high = fields.operands[2] | control << 41;
  return result;
}

// Returns the cubin of kernel `k`, in the form of an ABI version.
std::string cubin_of(const std::vector<Fields>& code, std::uint32_t architecture = 70,
                     unsigned char abi = 8) {
  std::string text;
  for (const Fields& fields : code) {
    const SassInstruction words = sass(fields);
    text.append(reinterpret_cast<const char*>(&words.low), 8);   // NOLINT
    text.append(reinterpret_cast<const char*>(&words.high), 8);  // NOLINT
  }
  ElfFile file;
  file.add(".text.k", SHT_PROGBITS, text);
  std::string bytes = file.bytes(ET_EXEC);
  bytes[EI_ABIVERSION] = static_cast<char>(abi);
  const std::uint32_t flags = abi >= 8 ? architecture << 8 | 4 : architecture;
  std::memcpy(bytes.data() + offsetof(Elf64_Ehdr, e_flags), &flags, sizeof flags);
  return bytes;
}

TEST(MachineCode, HasTheFieldsOfAnInstruction) {
  Instruction code;
  code.writes(4);
  for (const RegisterId id : std::vector<RegisterId>{8, 9, 10}) code.reads(id);
  const ControlBits control = sass({13, true, 2, 5, 0x2a, 0b101, 4, {8, 9, 10}}).control(code);
  EXPECT_TRUE(control.is_known);
  EXPECT_EQ(control.stall, 13u);
  EXPECT_TRUE(control.yields);
  EXPECT_EQ(control.write_counter, 2u);
  EXPECT_EQ(control.read_counter, 5u);
  EXPECT_EQ(control.awaited, 0x2au);
  EXPECT_EQ(control.reuse, 0b101u);
}

// The second operand is a constant, so that the third one is the second register that is read.
TEST(MachineCode, ReuseIsOfTheRegistersThatAreRead) {
  Instruction code;
  for (const RegisterId id : std::vector<RegisterId>{8, 10}) code.reads(id);
  EXPECT_EQ(sass({1, false, 7, 7, 0, 0b111, 4, {8, 255, 10}}).control(code).reuse, 0b11u);
}

// The words are those of instructions that ptxas 13.0 writes for sm_75, sm_86 and sm_90.
TEST(MachineCode, HasTheOperandInConstantMemory) {
  const auto constant = [](std::uint64_t low) { return SassInstruction{low, 0}.constant(); };
  EXPECT_EQ(constant(0x00000a00ff017624), 0x28u) << "IMAD.MOV R1, RZ, RZ, c[0][0x28]";
  EXPECT_EQ(constant(0x00005c0000007a0c), 0x170u) << "ISETP R0, c[0][0x170]";
  EXPECT_EQ(constant(0x00c00100090b7a10), 3u << 16 | 4u) << "IADD3 R11, R9, c[3][4], R2";
  EXPECT_EQ(constant(0x0100000000067a02), 4u << 16) << "MOV R6, c[4][0]";
  EXPECT_EQ(constant(0x00005c0000047ab9), std::nullopt) << "ULDC UR4, c[0][0x170]";
  EXPECT_EQ(constant(0x00000a00ff017b82), std::nullopt) << "LDC R1, c[0][0x28]";
  EXPECT_EQ(constant(0x0000000000008b1d), std::nullopt) << "BAR.SYNC";
  EXPECT_EQ(constant(0x000000ffff087224), std::nullopt) << "IMAD.MOV R8, RZ, RZ, R2";
  EXPECT_EQ(constant(0x0000010008088810), std::nullopt) << "IADD3 R8, R8, 0x100, RZ";
}

TEST(MachineCode, TellsWhetherAnAddressIsInARegister) {
  const auto is_uniform = [](std::uint64_t low) { return SassInstruction{low, 0}.has_uniform_address(); };
  EXPECT_TRUE(is_uniform(0x00001000ff048984)) << "LDS R4, [0x10]";
  EXPECT_TRUE(is_uniform(0x00001004ff067984)) << "LDS R6, [UR4+0x10]";
  EXPECT_TRUE(is_uniform(0x00000004ff037981)) << "LDG R3, [UR4]";
  EXPECT_TRUE(is_uniform(0x00000c00ff007986)) << "STG [UR6+0xc], R0";
  EXPECT_FALSE(is_uniform(0x0000000002028381)) << "LDG R2, [R2]";
  EXPECT_FALSE(is_uniform(0x0000000402027981)) << "LDG R2, desc[UR4][R2.64]";
}

TEST(MachineCode, IsFoundByKernelAndArchitecture) {
  const TemporaryFile list("", "kernelslist.g");
  list.add("a.cubin", cubin_of({{}, {}}, 70));
  list.add("b.cubin", cubin_of({{}}, 90));
  list.add("c.cubin", cubin_of({{}, {}, {}}, 80, 7));
  list.add("other.txt", "no cubin");
  const MachineCode code(list.folder());
  ASSERT_NE(code.find("k", 70), nullptr);
  EXPECT_EQ(code.find("k", 70)->instructions.size(), 2u);
  EXPECT_EQ(code.find("k", 90)->instructions.size(), 1u);
  EXPECT_EQ(code.find("k", 80)->instructions.size(), 3u);
  EXPECT_EQ(code.find("k", 75), nullptr);
  EXPECT_EQ(code.find("other", 70), nullptr);
}

std::string problem_of_folder(const std::string& folder) {
  try {
    const MachineCode code(folder);
  } catch (const config::Error& error) {
    return error.what();
  }
  return "";
}

TEST(MachineCode, RefusesWhatIsNoCubinAndKernelsThatAreThereTwice) {
  const TemporaryFile list("", "kernelslist.g");
  list.add("a.cubin", cubin_of({{}}));
  EXPECT_EQ(problem_of_folder(list.folder()), "");
  list.add("b.cubin", cubin_of({{}}));
  EXPECT_THAT(problem_of_folder(list.folder()), HasSubstr("b.cubin: kernel 'k' for sm_70 is in "));
  list.add("b.cubin", "text");
  EXPECT_THAT(problem_of_folder(list.folder()), HasSubstr("b.cubin: is no cubin"));
  const std::string whole = cubin_of({{}});
  for (std::size_t size = 0; size < whole.size(); size += 7) {
    list.add("b.cubin", whole.substr(0, size));
    EXPECT_THAT(problem_of_folder(list.folder()), HasSubstr("b.cubin: ")) << size;
  }
}

// Two additions that depend on each other, and the end.
const std::vector<std::string> kChain{"0000 ffffffff 1 R4 FADD 2 R8 R9 0",
                                      "0010 ffffffff 1 R5 FADD 2 R4 R9 0", "0020 ffffffff 0 EXIT 0 0"};

std::shared_ptr<const MachineCode> code_of(const TemporaryFile& trace, const std::vector<Fields>& code) {
  trace.add("k.cubin", cubin_of(code));
  return std::make_shared<MachineCode>(trace.folder());
}

std::vector<Fields> chain(unsigned stall) {
  return {{stall, false, 7, 7, 0, 0, 4}, {4, false, 7, 7, 0, 0, 5}, {5}};
}

TEST(TracesWithMachineCode, HaveItsControlBits) {
  const TemporaryFile file(trace_of(kChain));
  TraceProgram program(file.path(), {}, false, "", false, code_of(file, chain(9)));
  const std::vector<IssuedInstruction> issued = test::issue_all(program.start(BlockId{0}), 0);
  ASSERT_EQ(issued.size(), 3u);
  EXPECT_TRUE(issued[0].code->control.is_known);
  EXPECT_EQ(issued[0].code->control.stall, 9u);
  EXPECT_EQ(issued[2].code->control.stall, 5u);
  EXPECT_EQ(program.early_read(), "");
  TraceProgram without(file.path());
  EXPECT_FALSE(test::issue_all(without.start(BlockId{0}), 0)[0].code->control.is_known);
}

// A load without a register for its address has a uniform one. Of a store only the machine code says it.
TEST(TracesWithMachineCode, HaveItsUniformAddresses) {
  const std::vector<std::string> lines{
      "0000 ffffffff 1 R4 LDG.E 0 4 1 0x7f0000000000 0", "0010 ffffffff 1 R5 LDG.E 1 R8 4 1 0x7f0000000000 0",
      "0020 ffffffff 0 STG.E 1 R4 4 1 0x7f0000000000 0", "0030 ffffffff 0 EXIT 0 0"};
  const auto uniform = [&](bool with_code) {
    const TemporaryFile file(trace_of(lines));
    const std::vector<Fields> code{
        {2, false, 0, 7, 0, 0, 4}, {2, false, 1, 7, 0, 0, 5, {8, 255, 255}}, {}, {}};
    TraceProgram program(file.path(), {}, false, "", false, with_code ? code_of(file, code) : nullptr);
    std::vector<bool> result;
    for (const IssuedInstruction& issued : test::issue_all(program.start(BlockId{0}), 0))
      result.push_back(issued.code->uniform_address);
    return result;
  };
  EXPECT_EQ(uniform(false), (std::vector<bool>{true, false, false, false}));
  EXPECT_EQ(uniform(true), (std::vector<bool>{true, false, true, false}));
}

// The stall of the first addition is what the second one waits for, not the register between them.
TEST(TracesWithMachineCode, IssueAsItSays) {
  const auto cycles = [](unsigned stall) {
    const TemporaryFile file(trace_of(kChain));
    TraceProgram program(file.path(), {}, false, "", false, code_of(file, chain(stall)));
    test::SmRig rig(test::subcore_sm());
    rig.launch(program, 1);
    rig.run(true, 10'000);
    return rig.now().value;
  };
  EXPECT_EQ(cycles(15) - cycles(5), 10u);
}

// The first addition reads c[0][0x160], which no instruction has read before.
TEST(TracesWithMachineCode, WaitForTheirConstants) {
  const auto cycles = [](std::uint64_t opcode) {
    std::vector<Fields> code = chain(5);
    code[0].operands[0] = 8;
    code[0].opcode = opcode;
    const TemporaryFile file(trace_of(kChain));
    TraceProgram program(file.path(), {}, false, "", false, code_of(file, code));
    CycleSmSpec spec = test::subcore_sm();
    spec.subcore.constants = {32, 79, 4};
    test::SmRig rig(spec);
    rig.launch(program, 1);
    rig.run(true, 10'000);
    return rig.now().value;
  };
  constexpr std::uint64_t kWithConstant = 0x621 | std::uint64_t{0x160 / 4} << 40;
  EXPECT_EQ(cycles(kWithConstant) - cycles(0x221), 79u);
}

TEST(TracesWithMachineCode, TellOfRegistersThatAreReadTooEarly) {
  const TemporaryFile file(trace_of(kChain));
  TraceProgram program(file.path(), {}, false, "", false, code_of(file, chain(3)));
  test::issue_all(program.start(BlockId{0}), 0);
  EXPECT_THAT(program.early_read(),
              HasSubstr("k.cubin: the instruction at PC 0010 reads R4 3 cycles after PC 0000 issues"));
}

TEST(TracesWithMachineCode, AreOfTheSameProgram) {
  const auto problem = [](const std::vector<Fields>& code) -> std::string {
    const TemporaryFile file(trace_of(kChain));
    try {
      TraceProgram program(file.path(), {}, false, "", false, code_of(file, code));
      test::issue_all(program.start(BlockId{0}), 0);
    } catch (const config::Error& error) {
      return error.what();
    }
    return "";
  };
  EXPECT_EQ(problem(chain(4)), "");
  EXPECT_THAT(problem({{4, false, 7, 7, 0, 0, 6}, {}, {}}),
              HasSubstr("the instruction at PC 0000 writes R4, but in "));
  EXPECT_THAT(problem({{4, false, 7, 7, 0, 0, 4}}),
              HasSubstr("PC 0010 is not in the machine code of the kernel in "));
}

// The stored form of a trace has no control bits, so that a cubin may be added later.
TEST(TracesWithMachineCode, MayBeStored) {
  const TemporaryFile file(trace_of(kChain));
  const std::string cache = file.folder() + "/cache";
  const auto machine_code = code_of(file, chain(9));
  for (const bool stored : {false, true}) {
    TraceProgram program(file.path(), {}, false, cache, false, stored ? machine_code : nullptr);
    EXPECT_EQ(program.is_stored(), stored);
    EXPECT_EQ(test::issue_all(program.start(BlockId{0}), 0)[0].code->control.is_known, stored);
  }
}

TEST(TracesWithMachineCode, ComeFromTheFolderOfTheirList) {
  const TemporaryFile list("kernel-1.traceg\n", "kernelslist.g");
  list.add("kernel-1.traceg", trace_of(kChain));
  list.add("k.cubin", cubin_of(chain(9)));
  const Application application = read_trace_application(list.path());
  for (const bool follows : {false, true}) {
    CodeOptions options;
    options.follows_control_bits = follows;
    const auto program = application.program.kernels.at(0).program(options);
    EXPECT_EQ(test::issue_all(program->start(BlockId{0}), 0)[0].code->control.is_known, follows);
  }
}

}  // namespace
}  // namespace heddle
