// Faulting accesses, and generic addresses.

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "models/core/config/config.h"
#include "tests/support/ptx/ptx_run.h"
#include "tests/support/ptx/ptx_text.h"

namespace heddle::ptx {
namespace {

// Returns the message of the fault without the kernel and the thread. The body is in line 9 of the text, and
// its buffers are `out` (256 bytes) and `in` (12 bytes).
std::string fault_of(const std::string& body, const std::string& declarations = "") {
  PtxRun run(kernel_text("\n" + body, declarations));
  run.buffer(std::vector<std::uint64_t>(32), "out");
  run.buffer(std::vector<std::uint32_t>(3), "in");
  const std::string message = run.failure();
  const std::string start = "t.ptx:9: ";
  const std::size_t end = message.find(" (kernel k, block (0, 0, 0), thread (");
  if (message.rfind(start, 0) != 0 || end == std::string::npos) return "odd: " + message;
  return message.substr(start.size(), end - start.size());
}

// Device memory starts with the image of the module, which has 4096 bytes. `out` and `in` follow at a
// distance of 256 bytes.
constexpr const char* kOut = "0x10000001100";
constexpr const char* kIn = "0x10000001300";

TEST(PtxFaults, AModuleWithAddressesOf32BitsIsRefusedAndSaysWhatToDo) {
  try {
    const PtxRun run(".version 6.4\n.target sm_35\n.address_size 32\n.visible .entry k() { ret; }\n");
    FAIL() << "no error";
  } catch (const config::Error& error) {
    EXPECT_STREQ(error.what(), "t.ptx: has addresses of 32 bits; compile it for addresses of 64 bits");
  }
}

TEST(PtxFaults, AnAccessBehindABufferNamesIt) {
  EXPECT_EQ(
      fault_of("ld.global.u32 %r1, [%rd0+256];"),
      fmt::format("4 bytes at 0x10000001200 lies 0 bytes behind the end of 'out' (256 bytes from {0}); the "
                  "address was made from parameter 'out', which points to 'out' (256 bytes from {0}): 0 "
                  "bytes behind its end",
                  kOut));
  EXPECT_EQ(
      fault_of("st.global.v4.u32 [%rd1+16], {%r1, %r1, %r1, %r1};"),
      fmt::format("16 bytes at 0x10000001310 lies 4 bytes behind the end of 'in' (12 bytes from {0}); the "
                  "address was made from parameter 'in', which points to 'in' (12 bytes from {0}): 4 bytes "
                  "behind its end",
                  kIn));
  EXPECT_EQ(fault_of("atom.add.u32 %r1, [%rd0+-4], 1;"),
            fmt::format("4 bytes at 0x100000010fc lies 4 bytes before 'out' (256 bytes from {})", kOut));
}

TEST(PtxFaults, AnAccessThatStartsInABufferAndEndsBehindItSaysBoth) {
  EXPECT_EQ(
      fault_of("ld.global.u64 %rd2, [%rd1+8];"),
      fmt::format(
          "8 bytes at 0x10000001308, of which 0x1000000130f lies 3 bytes behind the end of 'in' (12 bytes "
          "from {})",
          kIn));
}

TEST(PtxFaults, ANullPointerIsOne) {
  EXPECT_EQ(fault_of("mov.u64 %rd2, 0; ld.global.u32 %r1, [%rd2];"),
            "4 bytes at 0x0 lies 1099511627776 bytes before 't.ptx' (4096 bytes from 0x10000000000)");
  EXPECT_EQ(fault_of("mov.u64 %rd2, 0; st.u32 [%rd2+8], %r1;"),
            "4 bytes at 0x8 lies 1099511627768 bytes before 't.ptx' (4096 bytes from 0x10000000000)");
}

TEST(PtxFaults, TheLowestLaneThatIsWrongIsNamed) {
  PtxRun run(
      kernel_text("setp.gt.u32 %p1, %r0, 40; mul.wide.u32 %rd2, %r0, 1024; add.u64 %rd2, %rd2, %rd0;\n@%p1 "
                  "st.global.u32 [%rd2], %r0;"));
  run.block = {8, 4, 2};
  run.grid = {1, 2, 1};
  run.buffer(std::vector<std::uint64_t>(32), "out");
  run.pass(std::uint64_t{0});
  EXPECT_EQ(run.failure(), "");  // %r0 is %tid.x and below 8
  PtxRun linear(
      kernel_text("mov.u32 %r1, %tid.y; mad.lo.u32 %r1, %r1, 8, %r0; setp.gt.u32 %p1, %r1, 20; mul.wide.u32 "
                  "%rd2, %r1, 1024; add.u64 %rd2, %rd2, %rd0;\n@%p1 st.global.u32 [%rd2], %r0;"));
  linear.block = {8, 4, 2};
  linear.buffer(std::vector<std::uint64_t>(32), "out");
  linear.pass(std::uint64_t{0});
  EXPECT_EQ(
      linear.failure(),
      "t.ptx:9: 4 bytes at 0x10000006500 lies 21248 bytes behind the end of 'out' (256 bytes from "
      "0x10000001100); the address was made from parameter 'out', which points to 'out' (256 bytes from "
      "0x10000001100): 21248 bytes behind its end "
      "(kernel k, block (0, 0, 0), thread (5, 2, 0), pc 0x40)");
}

TEST(PtxFaults, MisalignedAccessesAreReportedInEverySpace) {
  EXPECT_EQ(fault_of("ld.global.u32 %r1, [%rd0+2];"), "4 bytes at 0x10000001102, which is not aligned");
  EXPECT_EQ(fault_of("ld.global.v4.u32 {%r1, %r2, %r3, %r4}, [%rd0+8];"),
            "16 bytes at 0x10000001108, which is not aligned");
  EXPECT_EQ(fault_of("atom.global.add.u64 %rd2, [%rd0+4], 1;"),
            "8 bytes at 0x10000001104, which is not aligned");
  const std::string shared = ".shared .align 16 .b8 s[64];";
  EXPECT_EQ(fault_of("ld.shared.u64 %rd2, [s+4];", shared),
            "8 bytes at 0x4 of shared memory, which is not aligned");
  EXPECT_EQ(fault_of(".local .align 16 .b8 l[64]; ld.local.u16 %h1, [l+3];"),
            "2 bytes at 0x3 of local memory, which is not aligned");
  EXPECT_EQ(fault_of("ld.param.u32 %r1, [out+2];"), "4 bytes at 0x2 of parameters, which is not aligned");
}

TEST(PtxFaults, SharedAndLocalMemoryEnd) {
  const std::string shared = ".shared .align 16 .b8 s[64];";
  EXPECT_EQ(fault_of("ld.shared.u32 %r1, [s+64];", shared),
            "4 bytes at 0x40 of the 64 bytes of shared memory");
  EXPECT_EQ(fault_of("ld.shared.u32 %r1, [s+-4];", shared),
            "4 bytes at 0xfffffffc of the 64 bytes of shared memory");
  EXPECT_EQ(fault_of("st.shared.v4.u32 [0xfffffffffffffff0], {%r1, %r1, %r1, %r1}; ld.shared.u32 %r1, [s];",
                     shared),
            "16 bytes at 0xfffffff0 of the 64 bytes of shared memory");
  EXPECT_EQ(fault_of("mov.u32 %r1, 0xfffffff8; st.shared.u32 [%r1+4], %r1; ld.shared.u32 %r1, [s];", shared),
            "4 bytes at 0xfffffffc of the 64 bytes of shared memory");
  EXPECT_EQ(fault_of("ld.shared.u32 %r1, [0];"), "4 bytes at 0x0 of the 0 bytes of shared memory");
  EXPECT_EQ(fault_of(".local .align 16 .b8 l[64]; mov.u64 %rd2, l; st.local.u32 [%rd2+64], %r1;"),
            "4 bytes at 0x40 of the 64 bytes of local memory");
  EXPECT_EQ(fault_of("ld.local.u32 %r1, [0xfffffffffffffffc];"),
            "4 bytes at 0xfffffffc of the 0 bytes of local memory");
}

TEST(PtxFaults, ParametersEndAndAreOnlyRead) {
  EXPECT_EQ(fault_of("mov.b64 %rd2, out; ld.param.u64 %rd3, [%rd2+16];"),
            "8 bytes at 0x10 of the 16 bytes of parameters");
  EXPECT_EQ(fault_of("st.param.u64 [out], %rd2;"), "parameters of a launch cannot be written");
  EXPECT_EQ(fault_of("cvta.param.u64 %rd2, in; st.u64 [%rd2], %rd3;"),
            "parameters of a launch cannot be written");
}

TEST(PtxFaults, TrapAndUnknownTexturesAre) {
  EXPECT_EQ(fault_of("trap;"), "trap");
  EXPECT_EQ(fault_of("setp.eq.u32 %p1, %r0, 99; @%p1 trap; ld.global.u32 %r1, [0];"),
            "4 bytes at 0x0 lies 1099511627776 bytes before 't.ptx' (4096 bytes from 0x10000000000)");
  EXPECT_EQ(fault_of("tex.1d.v4.f32.s32 {%f1, %f2, %f3, %f4}, [t, {%r0}];", ".global .texref t;"),
            "nothing is bound to 't'");
  EXPECT_EQ(fault_of("mov.u64 %rd2, 77; tex.1d.v4.f32.s32 {%f1, %f2, %f3, %f4}, [%rd2, {%r0}];"),
            "0x4d is no texture or surface");
}

TEST(PtxFaults, AMessageNamesTheFunctionThatIsCalled) {
  PtxRun run(
      kernel_text("call f;", ".func f { .reg .u64 %a; mov.u64 %a, 4;\n st.global.u64 [%a], 1; ret; }"));
  run.pass(std::uint64_t{0});
  run.pass(std::uint64_t{0});
  EXPECT_EQ(run.failure(),
            "t.ptx:5: 8 bytes at 0x4, which is not aligned (kernel k, block (0, 0, 0), thread (0, 0, 0), pc "
            "0x8, in f)");
}

const char* const kSpaces =
    ".shared .align 16 .b8 s[512]; .const .align 8 .b64 c[2] = {7, 8}; .global .align 8 .b64 g = 5;";

TEST(PtxWindows, CvtaAndItsReverseGoThereAndBack) {
  for (const Spelling& spelling : spellings_of("cvta")) {
    const Space space = spelling.fields.space;
    const char* const name = space == Space::kShared  ? "s"
                             : space == Space::kLocal ? "l"
                             : space == Space::kConst ? "c"
                             : space == Space::kParam ? "in"
                                                      : "g";
    if (spelling.fields.has(kTo)) continue;
    std::string back = spelling.text;
    back.insert(4, ".to");
    const std::vector<std::uint64_t> words = words_of(
        fmt::format(
            ".local .align 8 .b64 l[2]; mov.u64 %rd2, {0}; {1} %rd3, {0}; {1} %rd4, %rd2; {2} %rd5, %rd3; "
            "st.global.v2.u64 [%rd0], {{%rd2, %rd3}}; st.global.v2.u64 [%rd0+16], {{%rd4, %rd5}};",
            name, spelling.text, back),
        4, {}, kSpaces);
    EXPECT_EQ(words[1], words[2]) << spelling.text;
    EXPECT_EQ(words[0], words[3]) << spelling.text;
  }
}

TEST(PtxWindows, IsspacepKnowsEachWindowLaneByLane) {
  for (const Spelling& spelling : spellings_of("isspacep")) {
    const std::vector<std::uint64_t> words = words_of(
        ".local .align 8 .b64 l[2]; cvta.shared.u64 %rd10, s; cvta.local.u64 %rd11, l; cvta.const.u64 %rd12, "
        "c; "
        "cvta.global.u64 %rd13, g; setp.eq.u32 %p1, %r0, 0; setp.eq.u32 %p2, %r0, 1; setp.eq.u32 %p3, %r0, "
        "2; "
        "selp.b64 %rd14, %rd12, %rd13, %p3; selp.b64 %rd14, %rd11, %rd14, %p2; selp.b64 %rd14, %rd10, %rd14, "
        "%p1; " +
            spelling.text +
            " %p4, %rd14; selp.u64 %rd3, 1, 0, %p4; mul.wide.u32 %rd2, %r0, 8; add.u64 %rd2, %rd0, %rd2; "
            "st.global.u64 "
            "[%rd2], %rd3;",
        32, {}, kSpaces);
    const Space order[] = {Space::kShared, Space::kLocal, Space::kConst, Space::kGlobal};
    for (std::size_t lane = 0; lane < 4; ++lane)
      EXPECT_EQ(words[lane], order[lane] == spelling.fields.space ? 1u : 0u) << spelling.text << lane;
  }
}

// Lanes take turns among global, shared, local, constant and parameter memory.
TEST(PtxWindows, LanesOfOneGenericAccessGoToDifferentMemories) {
  const std::string places =
      ".local .align 8 .b64 l[2]; st.local.u64 [l], 3; st.shared.u64 [s], 2; cvta.shared.u64 %rd10, s; "
      "cvta.local.u64 "
      "%rd11, l; cvta.const.u64 %rd12, c; cvta.param.u64 %rd13, in; rem.u32 %r1, %r0, 5; setp.eq.u32 %p1, "
      "%r1, 1; "
      "setp.eq.u32 %p2, %r1, 2; setp.eq.u32 %p3, %r1, 3; setp.eq.u32 %p4, %r1, 4; mov.u64 %rd14, g; selp.b64 "
      "%rd14, "
      "%rd10, %rd14, %p1; selp.b64 %rd14, %rd11, %rd14, %p2; selp.b64 %rd14, %rd12, %rd14, %p3; selp.b64 "
      "%rd14, %rd13, "
      "%rd14, %p4;\n";
  const std::string back = "mul.wide.u32 %rd2, %r0, 8; add.u64 %rd2, %rd0, %rd2; st.global.u64 [%rd2], %rd3;";
  const std::vector<std::uint64_t> loaded =
      words_of(places + "ld.u64 %rd3, [%rd14];" + back, 32, {}, kSpaces);
  const std::uint64_t wanted[] = {5, 2, 3, 7};
  for (std::size_t lane = 0; lane < 32; ++lane)
    if (lane % 5 < 4) {
      EXPECT_EQ(loaded[lane], wanted[lane % 5]) << lane;
    }
  EXPECT_EQ(loaded[4], loaded[9]);
  EXPECT_GE(loaded[4], DeviceMemory::kFirst);
  const std::vector<std::uint64_t> stored = words_of(
      places +
          "cvt.u64.u32 %rd4, %r0; @!%p4 st.u64 [%rd14], %rd4; mov.u64 %rd3, 99; @!%p4 ld.u64 %rd3, [%rd14];" +
          back,
      32, {}, kSpaces);
  for (std::size_t lane = 0; lane < 32; ++lane) {
    const std::uint64_t last[] = {30, 31, lane, 28, 99};
    EXPECT_EQ(stored[lane], last[lane % 5]) << lane;
  }
}

TEST(PtxWindows, AGenericSumInSharedMemoryKeepsSubnormals) {
  const std::vector<std::uint64_t> words = words_of(
      "mov.u64 %rd2, s; cvta.shared.u64 %rd2, %rd2; st.shared.u32 [s], 3; setp.eq.u32 %p1, %r0, 0; @%p1 "
      "atom.add.f32 "
      "%f1, [%rd2], 0f00000004; ld.shared.u32 %r1, [s]; st.global.u32 [%rd0], %r1;",
      1, {}, kSpaces);
  EXPECT_EQ(words[0], 7u);
}

TEST(PtxWindows, SharedAddressesWrapAtThirtyTwoBits) {
  const std::vector<std::uint64_t> words = words_of(
      "st.shared.u32 [s+8], 42; mov.u32 %r1, 0xfffffffc; ld.shared.u32 %r2, [%r1+12]; mov.u64 %rd2, "
      "0x700000010; ld.shared.u32 %r3, [%rd2+-8]; st.global.v2.u32 [%rd0], {%r2, %r3};",
      1, {}, kSpaces);
  EXPECT_EQ(words[0], 42ULL << 32U | 42U);
}

TEST(PtxNothing, FencesPrefetchesAndWarpBarriersDoNothing) {
  std::string body = "mov.u64 %rd9, 0;\n";
  for (const char* mnemonic : {"fence", "membar", "prefetch", "bar"})
    for (const Spelling& one : spellings_of(mnemonic)) {
      const Opcode opcode = one.fields.opcode;
      if (opcode == Opcode::kFence) body += one.text + ";\n";
      if (opcode == Opcode::kPrefetch) body += one.text + " [%rd9+4];\n";
      if (opcode == Opcode::kBarWarp) body += one.text + " 0xffffffff;\n@%p9 " + one.text + " %r0;\n";
    }
  EXPECT_EQ(words_of(body + "st.global.u64 [%rd0], 6;", 2), (std::vector<std::uint64_t>{6, 0}));
}

}  // namespace
}  // namespace heddle::ptx
