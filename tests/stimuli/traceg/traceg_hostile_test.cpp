// Malformed traces. Each gives one error with file and line.

#include <gtest/gtest.h>

#include <cstdlib>

#include "tests/support/paths.h"
#include "tests/support/trace_text.h"

namespace heddle {
namespace {

using test::problem_of;
using test::TemporaryFile;

const std::string kGood =
    "-kernel name = k\n"                              // 1
    "-kernel id = 1\n"                                // 2
    "-grid dim = (2,1,1)\n"                           // 3
    "-block dim = (64,1,1)\n"                         // 4
    "-shmem = 0\n"                                    // 5
    "-nregs = 8\n"                                    // 6
    "-binary version = 70\n"                          // 7
    "-cuda stream id = 0\n"                           // 8
    "-shmem base_addr = 0x00007f0000000000\n"         // 9
    "-local mem base_addr = 0x00007f1000000000\n"     // 10
    "-nvbit version = 1.5.5\n"                        // 11
    "-accelsim tracer version = 4\n"                  // 12
    "-enable lineinfo = 0\n"                          // 13
    "\n"                                              // 14
    "#traces format = PC mask\n"                      // 15
    "#BEGIN_TB\n"                                     // 16
    "\n"                                              // 17
    "thread block = 0,0,0\n"                          // 18
    "warp = 0\n"                                      // 19
    "insts = 3\n"                                     // 20
    "0000 ffffffff 1 R1 MOV 0 0 \n"                   // 21
    "0010 0000000f 1 R2 LDG.E 1 R4 4 1 0x7000 4 \n"   // 22
    "0020 ffffffff 0 EXIT 0 0 \n"                     // 23
    "\n"                                              // 24
    "warp = 1\n"                                      // 25
    "insts = 2\n"                                     // 26
    "0010 00000005 1 R2 LDG.E 1 R4 4 2 0x7000 4 \n"   // 27
    "0020 ffffffff 0 EXIT 0 0 \n"                     // 28
    "#END_TB\n"                                       // 29
    "#BEGIN_TB\n"                                     // 30
    "thread block = 1,0,0\n"                          // 31
    "warp = 0\n"                                      // 32
    "insts = 1\n"                                     // 33
    "0020 ffffffff 0 EXIT 0 0 \n"                     // 34
    "warp = 1\n"                                      // 35
    "insts = 2\n"                                     // 36
    "0010 00000003 1 R2 LDG.E 1 R4 4 0 0x70 0x74 \n"  // 37
    "0020 ffffffff 0 EXIT 0 0 \n"                     // 38
    "#END_TB\n";                                      // 39

std::string changed(const std::string& from, const std::string& to) {
  std::string text = kGood;
  const std::size_t at = text.find(from);
  EXPECT_NE(at, std::string::npos) << from;
  return text.replace(at, from.size(), to);
}

TEST(HostileTrace, TheOneTheyAreMadeFromIsGood) {
  const TemporaryFile file(kGood);
  EXPECT_EQ(problem_of(file.path()), "");
}

struct Case {
  const char* name;
  std::string from;  // the first occurrence in kGood
  std::string to;
  std::string problem;    // follows the name of the file
  std::size_t times = 1;  // `to` is written so often; long texts would slow down the start of every test
};

void PrintTo(const Case& hostile, std::ostream* out) {
  *out << hostile.name;
}

class HostileTrace : public testing::TestWithParam<Case> {};

TEST_P(HostileTrace, GivesOneErrorWithItsLine) {
  const Case& hostile = GetParam();
  std::string to;
  for (std::size_t i = 0; i < hostile.times; ++i) to += hostile.to;
  const TemporaryFile file(changed(hostile.from, to));
  EXPECT_EQ(problem_of(file.path()), file.path() + hostile.problem);
  const std::string cache = file.folder() + "/cache";
  EXPECT_EQ(problem_of(file.path(), {}, cache), file.path() + hostile.problem);
  EXPECT_TRUE(test::files_below(cache).empty());
}

const std::string kLoad = "0010 0000000f 1 R2 LDG.E 1 R4 4 1 0x7000 4";  // line 22

INSTANTIATE_TEST_SUITE_P(
    Header, HostileTrace,
    testing::Values(
        Case{"GridOf2To63Blocks", "(2,1,1)", "(2147483648,4294967295,2)",
             ":15: more than 281474976710656 blocks in the grid"},
        Case{"GridBeyond64Bits", "(2,1,1)", "(99999999999999999999,1,1)",
             ":3: expected dimensions of at most 2^32 - 1, found '(99999999999999999999,1,1)'"},
        Case{"EmptyGrid", "(2,1,1)", "(2,0,1)", ":3: expected dimensions of at least 1, found '(2,0,1)'"},
        Case{"GridOfTwoDimensions", "(2,1,1)", "(2,1)", ":3: expected (x,y,z), found '(2,1)'"},
        Case{"NegativeGrid", "(2,1,1)", "(-2,1,1)",
             ":3: expected dimensions of at least 1, found '(-2,1,1)'"},
        Case{"GridWithoutEnd", "(2,1,1)", "(2,1,1", ":3: expected (x,y,z), found '(2,1,1'"},
        Case{"BlockOf2048Threads", "(64,1,1)", "(64,32,1)", ":15: more than 1024 threads in a block"},
        Case{"BlockThatOverflows", "(64,1,1)", "(65536,65536,65536)",
             ":15: more than 1024 threads in a block"},
        Case{"SharedMemoryOfATebibyte", "-shmem = 0", "-shmem = 1099511627776",
             ":5: shared memory is more than 1073741824"},
        Case{"RegistersInWords", "-nregs = 8", "-nregs = many",
             ":6: expected the number of registers, found 'many'"},
        Case{"RegistersMissing", "-nregs = 8\n", "", ":14: the header has no 'nregs'"},
        Case{"RegistersTwice", "-nregs = 8\n", "-nregs = 8\n-nregs = 8\n", ":7: 'nregs' is given twice"},
        Case{"KeyUnknown", "-nregs", "-nregz", ":6: unknown key 'nregz'"},
        Case{"KeyWithoutValue", "-nregs = 8", "-nregs", ":6: expected '-key = value', found 'nregs'"},
        Case{"ValueMissing", "-nregs = 8",
             "-nregs = ", ":6: expected the number of registers, found the end of the line"},
        Case{"MoreThanAValue", "-nregs = 8", "-nregs = 8 9", ":6: expected the end of the line, found '9'"},
        Case{"BinaryVersionUnknown", "version = 70", "version = 71",
             ":7: binary version 71; known: 35, 60, 61, 70, 75, 80, 86, 89, 90, 100, 120"},
        Case{"TracerVersion7", "tracer version = 4", "tracer version = 7",
             ":12: tracer version 7; known: 1 to 6"},
        Case{"TracerVersion0", "tracer version = 4", "tracer version = 0",
             ":12: tracer version 0; known: 1 to 6"},
        Case{"CarriageReturns", "-kernel id = 1\n", "-kernel id = 1\r\n",
             ":2: the line ends in CR LF; LF alone is wanted"},
        Case{"LineOf70000Bytes", "-kernel name = k", "k", ":1: a line of more than 65536 bytes", 70000},
        Case{"LineOf400000Bytes", "-kernel name = k", "k", ":1: a line of more than 65536 bytes", 400000},
        Case{"ZeroBytes", "-kernel name = k\n", std::string(1, '\0'), ":1: a line of more than 65536 bytes",
             300000},
        Case{"BlankLinesWithoutEnd", "-kernel name = k\n", "\n", ":1025: more than 1024 blank lines",
             1 << 20},
        Case{"NoHeader", kGood.substr(0, kGood.find("#BEGIN")), "",
             ":1: expected '-key = value' or '#traces format', found '#BEGIN_TB'"},
        Case{"Garbage", "-kernel name",
             "\x7f"
             "ELF\x02\x01\x01",
             ":1: expected '-key = value' or '#traces format', found '?ELF?\?\? = k'"}),
    [](const auto& tested) { return tested.param.name; });

INSTANTIATE_TEST_SUITE_P(
    Blocks, HostileTrace,
    testing::Values(
        Case{"TooFewInstructions", "insts = 3", "insts = 4", ":24: warp 0 has 3 of its 4 instructions"},
        Case{"TooManyInstructions", "insts = 3", "insts = 2", ":23: warp 0 does not end in EXIT"},
        Case{"MoreAfterTheExit", "0020 ffffffff 0 EXIT 0 0 \n",
             "0020 ffffffff 0 EXIT 0 0 \n0030 00000000 0 NOP 0 0\n",
             ":24: expected 'warp = ...' or '#END_TB', found '0030 00000000 0 NOP 0 0'"},
        Case{"NoInstructions", "insts = 3", "insts = 0", ":20: warp 0 has no instructions"},
        Case{"CountBeyond64Bits", "insts = 3", "insts = 18446744073709551616",
             ":20: the number of instructions is more than 18446744073709551615"},
        Case{"NegativeCount", "insts = 3", "insts = -3",
             ":20: expected the number of instructions, found '-3'"},
        Case{"CountMissing", "insts = 3\n", "",
             ":20: expected 'insts = ...', found '0000 ffffffff 1 R1 MOV 0 0 '"},
        Case{"WarpTwice", "warp = 1", "warp = 0", ":25: warp 0 is given twice"},
        Case{"WarpBeyondTheBlock", "warp = 1", "warp = 2", ":25: warp 2; the block has 2"},
        Case{"WarpBeyond32Bits", "warp = 1", "warp = 4294967296",
             ":25: the number of a warp is more than 4294967295"},
        Case{"WarpMissing", kGood.substr(kGood.find("warp = 1"), kGood.find("#END") - kGood.find("warp = 1")),
             "", ":25: the thread block has no warp 1"},
        Case{"BlockMissing", kGood.substr(kGood.rfind("#BEGIN")), "",
             ":30: expected '#BEGIN_TB', found the end of the file"},
        Case{"BlockTwice", "thread block = 1,0,0", "thread block = 0,0,0",
             ":31: a thread block that stood before"},
        Case{"BlockOutsideTheGrid", "thread block = 1,0,0", "thread block = 2,0,0",
             ":31: expected a place in the grid, found '2,0,0'"},
        Case{"BlockOfTwoDimensions", "thread block = 1,0,0", "thread block = 1,0",
             ":31: expected x,y,z, found '1,0'"},
        Case{"MoreBlocksThanTheGrid", "(2,1,1)", "(1,1,1)",
             ":30: more than the 1 thread blocks of the grid: '#BEGIN_TB'"},
        Case{"BlockInABlock", "warp = 1", "#BEGIN_TB",
             ":25: expected 'warp = ...' or '#END_TB', found '#BEGIN_TB'"},
        Case{"NoEndOfTheBlock", "#END_TB\n", "",
             ":29: expected 'warp = ...' or '#END_TB', found '#BEGIN_TB'"},
        Case{"TextAfterTheTrace", "0020 ffffffff 0 EXIT 0 0 \n#END_TB\n#BEGIN",
             "0020 ffffffff 0 EXIT 0 0 \n#END_TB x\n#BEGIN", ":29: expected the end of the line, found 'x'"},
        Case{"NoExit", "0020 ffffffff 0 EXIT 0 0", "0020 ffffffff 0 NOP 0 0",
             ":24: warp 0 does not end in EXIT"},
        Case{"Garbage", "warp = 1", std::string("\0\xff\x01", 3),
             ":25: expected 'warp = ...' or '#END_TB', found '?\?\?'"}),
    [](const auto& tested) { return tested.param.name; });

INSTANTIATE_TEST_SUITE_P(
    Instructions, HostileTrace,
    testing::Values(
        Case{"OpcodeUnknown", "MOV", "MOVE.U32", ":21: Volta has no opcode 'MOVE.U32'"},
        Case{"OpcodeOfAnotherGeneration", "MOV", "UMOV", ":21: Volta has no opcode 'UMOV'"},
        Case{"PcBeyond32Bits", "0000 ffff", "100000000 ffff",
             ":21: expected a PC of at most 32 bits, found '100000000'"},
        Case{"PcOf20Digits", "0000 ffff", "00000000000000000000 ffff",
             ":21: expected a PC, found '00000000000000000000'"},
        Case{"MaskOf7Digits", "ffffffff 1 R1", "fffffff 1 R1",
             ":21: expected an active mask of 8 digits, found 'fffffff'"},
        Case{"MaskOf64Bits", "ffffffff 1 R1", "ffffffffffffffff 1 R1",
             ":21: expected an active mask of 8 digits, found 'ffffffffffffffff'"},
        Case{"MaskMissing", "0000 ffffffff 1 R1 MOV 0 0 ", "0000",
             ":21: expected an active mask, found the end of the line"},
        Case{"FiveDestinations", "1 R1 MOV", "5 R1 R2 R3 R4 R5 MOV",
             ":21: the number of destinations is more than 4"},
        Case{"DestinationMissing", "1 R1 MOV", "2 R1 MOV", ":21: expected a register, found 'MOV'"},
        Case{"NineSources", "MOV 0", "MOV 9 R1 R1 R1 R1 R1 R1 R1 R1 R1",
             ":21: the number of sources is more than 8"},
        Case{"RegisterBeyondTheLast", "1 R1 MOV", "1 R1024 MOV", ":21: register R1024; the last is R1023"},
        Case{"RegisterWithoutNumber", "1 R1 MOV", "1 R MOV", ":21: expected a register, found 'R'"},
        Case{"RegisterOfManyDigits", "1 R1 MOV", "1 R99999999999 MOV",
             ":21: expected a register, found 'R99999999999'"},
        Case{"WidthMissing", "MOV 0 0", "MOV 0",
             ":21: expected the width of the memory access, found the end of the line"},
        Case{"WidthOf17Bytes", kLoad, "0010 0000000f 1 R2 LDG.E 1 R4 17 1 0x7000 4",
             ":22: an access of 17 bytes a lane; the most is 16"},
        Case{"TextAfterTheInstruction", "MOV 0 0", "MOV 0 0 0",
             ":21: expected the end of the line, found '0'"},
        Case{"ImmediateMissing", "tracer version = 4", "tracer version = 5",
             ":21: expected an immediate, found the end of the line"},
        Case{"CarriageReturn", "MOV 0 0 \n", "MOV 0 0 \r\n",
             ":21: the line ends in CR LF; LF alone is wanted"},
        Case{"LongOpcode", "MOV 0 0", "MOV." + std::string(300, 'X') + " 0 0",
             ":21: an instruction of more than 240 characters"},
        Case{"AddressesMissing", kLoad, "0010 0000000f 1 R2 LDG.E 1 R4 4",
             ":22: expected an address mode, found the end of the line"},
        Case{"AddressesCutOff", kLoad + " \n", "0010 0000000f 1 R2 LDG.E 1 R4 4\n",
             ":22: expected addresses, found the end of the line"},
        Case{"StrideMissing", kLoad, "0010 0000000f 1 R2 LDG.E 1 R4 4 1 0x7000",
             ":22: expected a stride, found the end of the line"},
        Case{"StrideBeyond32Bits", kLoad, "0010 0000000f 1 R2 LDG.E 1 R4 4 1 0x7000 4294967296",
             ":22: a stride of more than 32 bits"},
        Case{"StrideBeyond64Bits", kLoad, "0010 0000000f 1 R2 LDG.E 1 R4 4 1 0x7000 -9999999999999999999",
             ":22: a stride is more than 4611686018427387904"},
        Case{"StrideBelowZero", kLoad, "0010 0000000f 1 R2 LDG.E 1 R4 4 1 0x8 -4",
             ":22: an address of more than 57 bits"},
        Case{"StrideOverAGap", kLoad, "0010 0000000d 1 R2 LDG.E 1 R4 4 1 0x7000 4",
             ":22: a stride over lanes that are not neighbours"},
        Case{"AddressBeyond57Bits", kLoad, "0010 0000000f 1 R2 LDG.E 1 R4 4 1 0x0200000000000000 4",
             ":22: an address of more than 57 bits"},
        Case{"AddressBeyond64Bits", kLoad, "0010 0000000f 1 R2 LDG.E 1 R4 4 1 0x10000000000000000 4",
             ":22: expected a base address, found '0x10000000000000000'"},
        Case{"AddressMode3", kLoad, "0010 0000000f 1 R2 LDG.E 1 R4 4 3 0x7000 4",
             ":22: address mode 3; known: 0, 1 and 2"},
        Case{"FewerAddressesThanLanes", "4 0 0x70 0x74", "4 0 0x70",
             ":37: expected the address of a lane, found the end of the line"},
        Case{"AddressWithABadLastDigit", "4 0 0x70 0x74", "4 0 0x0000000000007000 0x000000000000700g",
             ":37: expected the address of a lane, found '0x000000000000700g'"},
        Case{"AddressThatBeginsAsTheOneBeforeAndIsTooLong", "4 0 0x70 0x74",
             "4 0 0x0000000000007000 0x00000000000070040",
             ":37: expected the address of a lane, found '0x00000000000070040'"},
        Case{"MoreAddressesThanLanes", "4 0 0x70 0x74", "4 0 0x70 0x74 0x78",
             ":37: expected the end of the line, found '0x78'"},
        Case{"AddressesWithoutLanes", "00000003 1 R2 LDG.E", "00000000 1 R2 LDG.E",
             ":37: expected the end of the line, found '0x70'"},
        Case{"FewerDeltasThanLanes", "00000005", "0000000d",
             ":27: expected the delta of a lane, found the end of the line"},
        Case{"MoreDeltasThanLanes", "00000005", "00000004", ":27: expected the end of the line, found '4'"},
        Case{"DeltaBelowZero", "2 0x7000 4", "2 0x7000 -28673", ":27: an address of more than 57 bits"},
        Case{"DeltaOfHexDigits", "2 0x7000 4", "2 0x7000 0x4",
             ":27: expected the delta of a lane, found '0x4'"}),
    [](const auto& tested) { return tested.param.name; });

TEST(HostileTrace, IsOneErrorWhereverTheFileIsCutOff) {
  for (std::size_t length = 0; length + 1 < kGood.size(); ++length) {
    const TemporaryFile file(kGood.substr(0, length));
    EXPECT_EQ(problem_of(file.path()).rfind(file.path() + ":", 0), 0U) << length;
  }
}

TEST(HostileTrace, IsOneErrorWhereverTheXzDataIsCutOffOrDamaged) {
  const std::string good = heddle::test::source_directory() + "/stimuli/traces/vecadd4k/kernel-1.traceg.xz";
  std::ifstream in(good, std::ios::binary);
  const std::string data((std::istreambuf_iterator<char>(in)), std::istreambuf_iterator<char>());
  ASSERT_GT(data.size(), 1000U);
  for (std::size_t length = 0; length < data.size(); length += 13) {
    const TemporaryFile file(data.substr(0, length), "kernel.traceg.xz");
    EXPECT_EQ(problem_of(file.path()).rfind(file.path() + ":", 0), 0U) << length;
    std::string damaged = data;
    damaged[length] = static_cast<char>(damaged[length] ^ 0x40);
    file.add("kernel.traceg.xz", damaged);
    EXPECT_EQ(problem_of(file.path()).rfind(file.path() + ":", 0), 0U) << length;
  }
}

TEST(HostileTrace, WithADictionaryOfGibibytesIsRefused) {
  // The stream header precedes a block header with LZMA2 and a dictionary of 4 GiB - 1 (37 is 1 GiB, 40 is
  // the maximum).
  std::string data(
      "\xfd"
      "7zXZ\0\0\0\xff\x12\xd9\x41",
      12);
  data += std::string("\x02\0\x21\x01\x28\0\0\0", 8);
  std::uint32_t crc = ~0U;
  for (std::size_t i = 12; i < 20; ++i) {
    crc ^= static_cast<unsigned char>(data[i]);
    for (int bit = 0; bit < 8; ++bit) crc = crc >> 1U ^ (0xedb88320U & (0U - (crc & 1U)));
  }
  crc = ~crc;
  for (int i = 0; i < 4; ++i) data += static_cast<char>(crc >> 8 * i & 0xffU);
  const TemporaryFile file(data + std::string(64, '\1'), "kernel.traceg.xz");
  EXPECT_EQ(problem_of(file.path()), file.path() + ":1: the xz data needs more than 128 MiB to decode");
}

TEST(HostileTrace, ThatIsNoXzDataSaysSo) {
  const TemporaryFile file(kGood, "kernel.traceg.xz");
  EXPECT_EQ(problem_of(file.path()), file.path() + ":1: not xz data");
}

TEST(HostileTrace, ThatIsNotThereOrAFolderSaysSo) {
  const TemporaryFile file(kGood);
  EXPECT_EQ(problem_of(file.path() + "x"), file.path() + "x: No such file or directory");
  EXPECT_EQ(problem_of(file.folder()), file.folder() + ": cannot be read: it is a directory");
}

TEST(HostileTrace, MixesNoBlocksAndWarps) {
  for (const char* place : {"1 0 0 0", "0 1 0 0", "0 0 1 0", "0 0 0 1"}) {
    const TemporaryFile file(
        test::trace_of({std::string(place) + " 0000 ffffffff 0 EXIT 0 0"}, {"accelsim tracer version = 1"}));
    EXPECT_EQ(problem_of(file.path()), file.path() + ":20: an instruction of another block or warp");
  }
}

TEST(HostileTrace, MayLackTheLastLineBreak) {
  const TemporaryFile file(kGood.substr(0, kGood.size() - 1));
  EXPECT_EQ(problem_of(file.path()), "");
}

TEST(HostileTrace, HasABoundOnDifferentInstructions) {
  std::vector<std::string> instructions;
  for (int i = 0; i < 257; ++i) instructions.push_back(fmt::format("0000 ffffffff 1 R{} MOV 0 0", i));
  const TemporaryFile file(test::trace_of(instructions));
  EXPECT_EQ(problem_of(file.path()), file.path() + ":276: more than 256 different instructions at PC 0000");
}

}  // namespace
}  // namespace heddle
