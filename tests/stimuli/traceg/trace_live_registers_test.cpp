// The live registers of a warp of a trace are those that the rest of the trace reads before it writes them.

#include <gtest/gtest.h>

#include "tests/support/trace_text.h"

namespace heddle {
namespace {

using test::TemporaryFile;
using test::trace_of;

// Returns the live bytes of the warp before each of the instructions.
std::vector<std::uint32_t> live_bytes(const std::vector<std::string>& instructions,
                                      const TraceLimits& limits = {}) {
  const TemporaryFile file(trace_of(instructions));
  TraceProgram program(file.path(), limits);
  BlockStream& stream = program.start(BlockId{0});
  std::vector<std::uint32_t> bytes;
  IssuedInstruction issued;
  for (; stream.peek(0, 0) != nullptr; stream.issue(0, issued))
    bytes.push_back(stream.live_register_bytes(0).value());
  program.finish(stream);
  return bytes;
}

constexpr std::uint32_t kRegister = 4 * 32;  // bytes of one register of all lanes of a warp

TEST(TraceLiveRegisters, AValueIsLiveFromItsWriteToItsLastRead) {
  EXPECT_EQ(live_bytes({"0000 ffffffff 1 R1 MOV 0 0", "0010 ffffffff 1 R2 MOV 0 0",
                        "0020 ffffffff 1 R3 FADD 2 R1 R2 0", "0030 ffffffff 1 R1 FADD 2 R3 R2 0",
                        "0040 ffffffff 1 R2 FADD 2 R1 R3 0", "0050 ffffffff 0 EXIT 0 0"}),
            (std::vector<std::uint32_t>{0, kRegister, 2 * kRegister, 2 * kRegister, 2 * kRegister, 0}));
}

TEST(TraceLiveRegisters, LanesThatDoNotReadAValueDoNotHoldIt) {
  EXPECT_EQ(live_bytes({"0000 ffffffff 1 R1 MOV 0 0", "0010 0000000f 1 R2 FADD 1 R1 0",
                        "0020 fffffff0 1 R1 MOV 0 0", "0030 ffffffff 1 R3 FADD 1 R1 0",
                        "0040 ffffffff 0 EXIT 0 0"}),
            (std::vector<std::uint32_t>{0, 4 * 4, 4 * 4, kRegister, 0}));
}

// The trace reads R4, and no instruction names R5, R6 or R7. An operand of 128 bits in R4 to R7 would be
// recorded in this way, so that four registers count as live.
TEST(TraceLiveRegisters, AWideOperandCountsWithTheRegistersThatAreNotNamed) {
  EXPECT_EQ(live_bytes({"0000 ffffffff 1 R4 MOV 0 0", "0010 ffffffff 1 R8 FADD 1 R4 0",
                        "0020 ffffffff 1 R9 FADD 1 R8 0", "0030 ffffffff 0 EXIT 0 0"}),
            (std::vector<std::uint32_t>{0, 4 * kRegister, kRegister, 0}));
}

TEST(TraceLiveRegisters, TheSpoolFileIsReadToTheEnd) {
  std::vector<std::string> instructions{"0000 ffffffff 1 R1 MOV 0 0"};
  for (int i = 0; i < 2000; ++i) instructions.emplace_back("0010 ffffffff 1 R2 FADD 1 R3 0");
  instructions.emplace_back("0020 ffffffff 1 R3 FADD 1 R1 0");
  instructions.emplace_back("0030 ffffffff 0 EXIT 0 0");
  TraceLimits small;
  small.block_bytes = 1000;
  EXPECT_EQ(live_bytes(instructions, small), live_bytes(instructions));
  EXPECT_EQ(live_bytes(instructions)[1], 2 * kRegister);
}

}  // namespace
}  // namespace heddle
