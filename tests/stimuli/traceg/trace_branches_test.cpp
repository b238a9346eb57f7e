// Branches of traces: which ones a warp takes, and what they cost on an SM.

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "stimuli/traceg/opcodes.h"
#include "tests/support/sm/sm_rig.h"
#include "tests/support/trace_text.h"

namespace heddle {
namespace {

using test::issue_all;
using test::TemporaryFile;
using test::trace_of;

// Returns the numbers of the instructions after which the only warp of a trace takes a branch.
std::vector<std::size_t> taken(const std::string& text, const TraceLimits& limits = {},
                               const std::string& cache = "", bool tells_branches = true) {
  const TemporaryFile file(text);
  TraceProgram program(file.path(), limits, false, cache, tells_branches);
  std::vector<std::size_t> numbers;
  const std::vector<IssuedInstruction> issued = issue_all(program.start(BlockId{0}), 0);
  for (std::size_t i = 0; i < issued.size(); ++i)
    if (issued[i].redirected) numbers.push_back(i);
  return numbers;
}

using Numbers = std::vector<std::size_t>;

// A loop of two rounds, and a branch over an instruction.
const std::vector<std::string> kLoop{"0000 ffffffff 1 R1 MOV 0 0", "0010 ffffffff 0 BRA 0 0",
                                     "0000 ffffffff 1 R1 MOV 0 0", "0010 ffffffff 0 BRA 0 0",
                                     "0020 ffffffff 0 BRA 0 0",    "0040 ffffffff 0 EXIT 0 0"};

TEST(TraceBranches, AreTakenWhereTheNextInstructionIsNotTheFollowingOne) {
  EXPECT_EQ(taken(trace_of(kLoop)), (Numbers{1, 4}));
  EXPECT_EQ(taken(trace_of(kLoop), {}, "", false), Numbers{}) << "nobody asks for them";
  EXPECT_EQ(
      taken(trace_of({"0000 ffffffff 0 BRA 0 0", "0000 ffffffff 0 BRA 0 0", "0010 ffffffff 0 EXIT 0 0"})),
      Numbers{0})
      << "a branch to itself";
}

TEST(TraceBranches, AreCallsReturnsAndChangesToOtherLanes) {
  EXPECT_EQ(
      taken(trace_of({"0000 ffffffff 0 BSSY 0 0", "0010 ffffffff 0 CALL.REL.NOINC 0 0",
                      "0100 ffffffff 1 R1 MOV 0 0", "0110 ffffffff 0 RET.REL.NODEC 0 0",
                      "0020 0000ffff 0 BSYNC 0 0", "0200 0000ffff 0 EXIT 0 0", "0030 ffff0000 0 EXIT 0 0"})),
      (Numbers{1, 3, 4, 5}));
}

TEST(TraceBranches, AreNoneWithoutAControlInstruction) {
  EXPECT_EQ(taken(trace_of({"0000 ffffffff 1 R1 MOV 0 0", "0100 ffffffff 1 R1 MOV 0 0",
                            "0000 ffffffff 0 NOP 0 0", "0020 ffffffff 0 EXIT 0 0"})),
            Numbers{});
}

// The words of control information lie at multiples of 32 bytes.
TEST(TraceBranches, OfPascalSkipWordsThatAreNoInstructions) {
  const std::vector<std::string> pascal{"binary version = 61"};
  EXPECT_EQ(taken(trace_of({"0008 ffffffff 0 BRA 0 0", "0010 ffffffff 0 BRA 0 0", "0018 ffffffff 0 BRA 0 0",
                            "0028 ffffffff 0 BRA 0 0", "0038 ffffffff 0 EXIT 0 0"},
                           pascal)),
            Numbers{3});
}

TEST(TraceBranches, FollowingInstructionsByGeneration) {
  EXPECT_TRUE(follows(SassGeneration::kVolta, 0x10, 0x20));
  EXPECT_FALSE(follows(SassGeneration::kVolta, 0x10, 0x18));
  EXPECT_TRUE(follows(SassGeneration::kPascal, 0x18, 0x28));
  EXPECT_TRUE(follows(SassGeneration::kPascal, 0x18, 0x20)) << "where a trace has no such words";
  EXPECT_FALSE(follows(SassGeneration::kPascal, 0x10, 0x20));
  EXPECT_TRUE(follows(SassGeneration::kKepler, 0x38, 0x48));
  EXPECT_FALSE(follows(SassGeneration::kKepler, 0x18, 0x28));
  EXPECT_FALSE(follows(SassGeneration::kHopper, 0x10, 0x10));
  EXPECT_FALSE(follows(SassGeneration::kHopper, 0x10, 0));
}

TEST(TraceBranches, AreTheSameFromTheCacheAndFromTheSpoolFile) {
  std::vector<std::string> lines;
  for (int round = 0; round < 700; ++round) {
    lines.emplace_back("0000 ffffffff 1 R1 MOV 0 0");
    lines.emplace_back("0010 ffffffff 0 BRA 0 0");
  }
  lines.emplace_back("0020 ffffffff 0 EXIT 0 0");
  const std::string text = trace_of(lines);
  const Numbers expected = taken(text);
  EXPECT_EQ(expected.size(), 699u);
  const TemporaryFile place("");
  const std::string cache = place.folder() + "/cache";
  for (const TraceLimits& limits : {TraceLimits(), TraceLimits{0, 0}, TraceLimits{600, 1 << 20}}) {
    EXPECT_EQ(taken(text, limits), expected);
    EXPECT_EQ(taken(text, limits, cache), expected);
    EXPECT_EQ(taken(text, limits, cache, false), Numbers{});
  }
}

// The next line is looked at after a branch, and its error is that of any line.
TEST(TraceBranches, ABadLineBehindABranchIsToldAtItsPlace) {
  const std::vector<std::pair<std::string, std::string>> lines{
      {"001g ffffffff 0 EXIT 0 0", "expected a PC, found '001g'"},
      {"100000000 ffffffff 0 EXIT 0 0", "expected a PC of at most 32 bits, found '100000000'"},
      {"warp", "warp 0 has 1 of its 2 instructions"}};
  for (const auto& [line, message] : lines) {
    const TemporaryFile file(trace_of({"0000 ffffffff 0 BRA 0 0", line}));
    EXPECT_NE(test::problem_of(file.path()).find(message), std::string::npos)
        << test::problem_of(file.path());
  }
}

// Runs a trace of one warp on an SM where a taken branch costs `branch_latency` cycles, and returns the
// cycles that the run takes. `branches` of the branches in the trace are taken; each of these skips an
// instruction.
std::uint64_t cycles_with_branches(std::uint32_t branches, std::uint32_t branch_latency,
                                   bool tells_branches = true) {
  std::vector<std::string> lines;
  for (std::uint32_t i = 0; i <= 40; ++i) {
    const std::uint32_t skipped = std::min((i + 2) / 3, branches);  // instructions that were branched over
    const char* const opcode = i == 40 ? "EXIT" : i % 3 == 0 ? "BRA" : "NOP";
    lines.push_back(fmt::format("{:04x} ffffffff 0 {} 0 0", 16 * (i + skipped), opcode));
  }
  const TemporaryFile file(trace_of(lines));
  TraceProgram program(file.path(), {}, false, "", tells_branches);
  CycleSmSpec spec = test::gtx480_sm();
  spec.branch_latency = branch_latency;
  test::SmRig rig(spec);
  rig.launch(program, 1);
  return rig.run();
}

TEST(TraceBranches, ThatAreTakenDelayTheFetchOfTheirTargets) {
  for (const std::uint32_t branches : {0u, 1u, 7u})
    for (const std::uint32_t latency : {1u, 12u, 200u}) {
      EXPECT_EQ(cycles_with_branches(branches, latency) - cycles_with_branches(branches, 0),
                branches * latency)
          << branches << " branches of " << latency << " cycles";
      EXPECT_EQ(cycles_with_branches(branches, latency, false), cycles_with_branches(branches, 0, false));
    }
}

}  // namespace
}  // namespace heddle
