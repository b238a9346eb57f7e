// Functions that kernels call and no module defines: printf, malloc and free, and assert.

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "stimuli/ptx/execute/device_print.h"
#include "tests/support/ptx/ptx_run.h"

namespace heddle::ptx {
namespace {

const char* const kExternals = R"(
.extern .func (.param .b32 r) vprintf (.param .b64 format, .param .b64 values);
.extern .func (.param .b64 r) malloc (.param .b64 bytes);
.extern .func free (.param .b64 address);
.extern .func __assertfail (.param .b64 what, .param .b64 file, .param .b32 line, .param .b64 function, .param .b64 size);
.global .align 1 .b8 hello[17] = {108, 97, 110, 101, 32, 37, 100, 32, 111, 102, 32, 37, 115, 37, 99, 10, 0};
.global .align 1 .b8 name[5] = {116, 104, 105, 115, 0};
.global .align 1 .b8 file[5] = {97, 46, 99, 117, 0};
)";

TEST(PtxExternals, VprintfPrintsLaneByLaneAndCountsItsValues) {
  PtxRun run(kernel_text(
      ".local .align 8 .b8 v[24]; cvta.local.u64 %rd2, v; mov.u64 %rd3, name; mov.u64 %rd4, hello; "
      "st.local.u32 [v], %r0; st.local.u64 [v+8], %rd3; st.local.u32 [v+16], 33; setp.gt.u32 %p1, "
      "%r0, 1; @%p1 bra NO; call (%r1), vprintf, (%rd4, %rd2); st.global.u32 [%rd0], %r1;\nNO:",
      kExternals));
  const Address out = run.buffer(std::vector<std::uint32_t>(1), "out");
  run.pass(std::uint64_t{0});
  run.execute();
  EXPECT_EQ(run.printed(), "lane 0 of this!\nlane 1 of this!\n");
  EXPECT_EQ(run.read<std::uint32_t>(out, 1)[0], 3u);
}

TEST(PtxExternals, VprintfOfAWildPointerIsAFault) {
  PtxRun run(kernel_text("mov.u64 %rd2, hello; call (%r1), vprintf, (%rd2, 16);", kExternals));
  run.pass(std::uint64_t{0});
  run.pass(std::uint64_t{0});
  EXPECT_NE(run.failure().find("4 bytes at 0x10 lies 1099511627760 bytes before 't.ptx'"), std::string::npos);
}

TEST(PtxExternals, AFailedAssertionIsAFaultThatQuotesIt) {
  PtxRun run(kernel_text(
      "setp.eq.u32 %p1, %r0, 7; mov.u64 %rd2, name; mov.u64 %rd3, file; @%p1 call __assertfail, (%rd2, "
      "%rd3, 42, %rd2, 1);",
      kExternals));
  run.pass(std::uint64_t{0});
  run.pass(std::uint64_t{0});
  const std::string message = run.failure();
  EXPECT_EQ(
      message.substr(message.find(' ') + 1),
      "assertion `this' failed in this, a.cu:42 (kernel k, block (0, 0, 0), thread (7, 0, 0), pc 0x30)");
}

TEST(PtxExternals, MallocGivesEachLaneItsOwnAndFreeTakesItBack) {
  PtxRun run(kernel_text(
      "call (%rd2), malloc, (24); st.global.u32 [%rd2+20], %r0; ld.global.u32 %r1, [%rd2+20]; call free, "
      "(%rd2); mul.wide.u32 %rd3, %r0, 4; add.u64 %rd3, %rd0, %rd3; st.global.u32 [%rd3], %r1; call "
      "free, (0);",
      kExternals));
  const Address out = run.buffer(std::vector<std::uint32_t>(32), "out");
  run.pass(std::uint64_t{0});
  const std::size_t before = run.memory().allocations().size();
  run.execute();
  EXPECT_EQ(run.memory().allocations().size(), before);
  for (std::uint32_t lane = 0; lane < 32; ++lane) EXPECT_EQ(run.read<std::uint32_t>(out, 32)[lane], lane);
}

TEST(PtxExternals, WhatMallocDidNotGiveCannotBeFreedAndTooMuchIsNull) {
  PtxRun wrong(kernel_text("call free, (%rd0);", kExternals));
  wrong.buffer(std::vector<std::uint32_t>(1), "out");
  wrong.pass(std::uint64_t{0});
  EXPECT_NE(wrong.failure().find("free of 0x10000001200, which malloc did not give (kernel k"),
            std::string::npos)
      << wrong.failure();
  EXPECT_EQ(
      words_of("call (%rd2), malloc, (-1); st.global.u64 [%rd0+8], %rd2; call (%rd3), malloc, (0x40000001); "
               "st.global.u64 [%rd0], %rd3;",
               2, {}, kExternals),
      (std::vector<std::uint64_t>{0, 0}));
}

TEST(PtxExternals, AccessAfterFreeIsAFault) {
  PtxRun run(kernel_text(
      "setp.eq.u32 %p1, %r0, 0; @!%p1 exit; call (%rd2), malloc, (24); st.global.u32 [%rd2], %r0; call "
      "free, (%rd2); ld.global.u32 %r1, [%rd2];",
      kExternals));
  run.pass(std::uint64_t{0});
  run.pass(std::uint64_t{0});
  EXPECT_NE(run.failure().find("4 bytes at "), std::string::npos);
}

// Packs values one after another, each aligned to its size.
class Packed {
 public:
  template <typename T>
  Packed& add(T value) {
    bytes_.resize((bytes_.size() + sizeof(T) - 1) / sizeof(T) * sizeof(T) + sizeof(T));
    std::memcpy(bytes_.data() + bytes_.size() - sizeof(T), &value, sizeof(T));
    return *this;
  }
  PrintedValues values() const {
    PrintedValues result;
    result.word = [this](std::uint64_t offset, std::uint32_t bytes) {
      std::uint64_t value = 0;
      EXPECT_LE(offset + bytes, bytes_.size());
      std::memcpy(&value, bytes_.data() + offset, bytes);
      return value;
    };
    result.text = [](std::uint64_t address) { return "text at " + std::to_string(address); };
    return result;
  }

 private:
  std::vector<std::byte> bytes_;
};

template <typename... Values>
std::string printed(const std::string& format, Values... values) {
  Packed packed;
  (packed.add(values), ...);
  const PrintedText text = device_print(format, packed.values());
  return fmt::format("{}|{}", text.text, text.values);
}

TEST(PtxPrint, EveryConversionPrintsAsInC) {
  EXPECT_EQ(printed("%d %i", -5, 7), "-5 7|2");
  EXPECT_EQ(printed("%u %o %x %X", -1, 8, 255, 255), "4294967295 10 ff FF|4");
  EXPECT_EQ(printed("%c%c", 104, 105), "hi|2");
  EXPECT_EQ(printed("%s", std::uint64_t{16}), "text at 16|1");
  EXPECT_EQ(printed("%p %p", std::uint64_t{0xabc}, std::uint64_t{0}), "0xabc (nil)|2");
  EXPECT_EQ(printed("%f %F", 1.5, -0.25), "1.500000 -0.250000|2");
  EXPECT_EQ(printed("%e %E", 1500.0, 1500.0), "1.500000e+03 1.500000E+03|2");
  EXPECT_EQ(printed("%g %G", 1e-10, 1e-10), "1e-10 1E-10|2");
  EXPECT_EQ(printed("%a %A", 1.0, 1.0), "0x1p+0 0X1P+0|2");
  EXPECT_EQ(printed("100%%"), "100%|0");
}

TEST(PtxPrint, LengthsSayHowWideAValueIs) {
  EXPECT_EQ(printed("%ld %lld %d", -(std::int64_t{1} << 40), std::int64_t{1} << 50, 3),
            "-1099511627776 1125899906842624 3|3");
  EXPECT_EQ(printed("%d %lu %zu %jd %tx", 1, ~std::uint64_t{0}, std::uint64_t{5}, std::int64_t{-6},
                    std::uint64_t{255}),
            "1 18446744073709551615 5 -6 ff|5");
  EXPECT_EQ(printed("%hd %hhd %hu %hhx", 0x18000, 0x1ff, 0x1ffff, 0x1ab), "-32768 -1 65535 ab|4");
  EXPECT_EQ(printed("%d %f %d", 1, 2.0, 3), "1 2.000000 3|3");
}

TEST(PtxPrint, FlagsWidthsAndPrecisions) {
  EXPECT_EQ(printed("[%5d][%-5d][%05d][%+d][% d][%#x]", 1, 2, 3, 4, 5, 6),
            "[    1][2    ][00003][+4][ 5][0x6]|6");
  EXPECT_EQ(printed("[%8.3f][%.0f][%.2s]", 3.14159, 2.5, std::uint64_t{1}), "[   3.142][2][te]|3");
  EXPECT_EQ(printed("[%*d][%-*d][%*d]", 4, 7, 4, 8, -4, 9), "[   7][8   ][9   ]|3");
  EXPECT_EQ(printed("[%.*f][%.*f]", 1, 0.25, -1, 0.25), "[0.2][0.250000]|2");
  EXPECT_EQ(printed("[%12p]", std::uint64_t{16}), "[        0x10]|1");
}

TEST(PtxPrint, WhatIsNoConversionIsPrintedUnchanged) {
  EXPECT_EQ(printed("%y %"), "%y %|0");
  EXPECT_EQ(printed("%5n%d", 3), "%5n3|1");
  EXPECT_EQ(printed("%99999d", 1).size(), 9999u + 2);
}

}  // namespace
}  // namespace heddle::ptx
