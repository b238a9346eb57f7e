// Fetches of many warps that compete for few sets of the instruction cache.

#include <gtest/gtest.h>

#include <memory>
#include <vector>

#include "tests/support/sm/sm_rig.h"

namespace heddle::test {
namespace {

constexpr std::uint32_t kWarps = 24;
constexpr std::uint32_t kInstructions = 40;  // per warp

// Warps without branches. The lines of each warp are its own, and fall into the same sets as those of the
// other warps.
class FarApart final : public KernelProgram {
 public:
  explicit FarApart(std::uint32_t stride) : code_(kWarps, std::vector<Instruction>(kInstructions)) {
    for (std::uint32_t warp = 0; warp < kWarps; ++warp)
      for (std::uint32_t i = 0; i < kInstructions; ++i) {
        Instruction& instruction = code_[warp][i];
        instruction.pc = warp * stride + i * 8;
        instruction.operation = i + 1 == kInstructions ? Operation::kExit : Operation::kIntAdd;
      }
  }
  BlockStream& start(BlockId) override { return stream_; }
  void finish(BlockStream&) override {}

 private:
  struct Stream final : BlockStream {
    explicit Stream(const std::vector<std::vector<Instruction>>& all) : code(all), next(kWarps) {}
    const Instruction* peek(std::uint32_t warp, std::uint32_t ahead) override {
      const std::size_t at = next[warp] + ahead;
      return at < kInstructions ? &code[warp][at] : nullptr;
    }
    void issue(std::uint32_t warp, IssuedInstruction& issued) override {
      issued.code = &code[warp][next[warp]++];
      issued.mask = ~std::uint32_t{0};
      issued.ended = next[warp] == kInstructions;
    }
    const std::vector<std::vector<Instruction>>& code;
    std::vector<std::size_t> next;
  };

  std::vector<std::vector<Instruction>> code_;
  Stream stream_{code_};
};

TEST(CollectorFrontEnd, WarpsWhoseLinesReplaceEachOtherAllGoOn) {
  const CycleSmSpec spec = gtx480_sm();
  const std::uint32_t stride = spec.instruction_cache.line_bytes * spec.instruction_cache.sets * 4;
  ASSERT_GT(kWarps, spec.instruction_cache.ways * spec.instruction_cache.mshrs);
  FarApart program(stride);
  SmRig rig(spec, 400);
  rig.launch(program, kWarps);
  rig.run();
  EXPECT_TRUE(rig.core().idle());
  EXPECT_EQ(rig.core().pipeline().issued(), kWarps * kInstructions);
}

// The latency of memory decides which warp is next when a line arrives.
TEST(CollectorFrontEnd, KernelsThatShareACacheOfOneLineAllGoOn) {
  CycleSmSpec spec = gtx480_sm();
  spec.instruction_cache.sets = spec.instruction_cache.ways = 1;
  for (const std::uint32_t kernels : {2u, 3u})
    for (std::uint64_t latency = 1; latency <= 48; ++latency)
      for (const std::uint32_t warps : {1u, 2u, 5u}) {
        std::vector<std::unique_ptr<ScriptedProgram>> programs;
        SmRig rig(spec, latency);
        for (std::uint32_t kernel = 0; kernel < kernels; ++kernel) {
          const std::vector<ScriptedInstruction> warp(kInstructions, alu(Operation::kIntAdd, {1}, {}));
          programs.push_back(std::make_unique<ScriptedProgram>(std::vector(warps, warp)));
          rig.launch(*programs.back(), warps, kernel);
        }
        rig.run();
        ASSERT_TRUE(rig.core().idle()) << kernels << " kernels, " << warps << " warps, latency " << latency;
        ASSERT_EQ(rig.core().pipeline().issued(), kernels * warps * kInstructions);
        ASSERT_LE(rig.requests.size(), rig.core().pipeline().issued())
            << "a line arrives and no warp fetches from it";
      }
}

// Returns the lines that are fetched by the second of two launches of one kernel.
std::uint64_t lines_of_second_launch(bool code_is_dropped) {
  CycleSmSpec spec = gtx480_sm();
  spec.code_is_dropped = code_is_dropped;
  ScriptedProgram program({std::vector<ScriptedInstruction>(40, alu(Operation::kIntAdd, {1}, {2}))});
  SmRig rig(spec);
  rig.launch(program, 1);
  rig.run();
  const std::uint64_t first = rig.requests.size();
  rig.launch(program, 1);
  rig.run();
  EXPECT_EQ(first, 3u);  // 40 instructions of 8 bytes
  return rig.requests.size() - first;
}

// Returns the cycles of a warp of 40 instructions, after `branches` of which it takes a branch.
std::uint64_t cycles_with_branches(std::size_t branches, std::uint32_t branch_latency) {
  CycleSmSpec spec = gtx480_sm();
  spec.branch_latency = branch_latency;
  std::vector<ScriptedInstruction> warp(40, alu(Operation::kNop, {}, {}));
  for (std::size_t i = 0; i < branches; ++i) warp[3 * i].redirected = true;
  ScriptedProgram program({warp});
  SmRig rig(spec);
  rig.launch(program, 1);
  return rig.run();
}

TEST(CollectorFrontEnd, ABranchThatIsTakenDelaysTheFetchOfItsTarget) {
  for (const std::size_t branches : {0u, 1u, 7u})
    for (const std::uint32_t latency : {1u, 5u, 12u, 200u})
      EXPECT_EQ(cycles_with_branches(branches, latency) - cycles_with_branches(branches, 0),
                branches * latency)
          << branches << " branches of " << latency << " cycles";
}

// Returns the cycles of a warp in the slot of another one, which was halted after a branch.
std::uint64_t cycles_behind_halted_branch(std::uint32_t branch_latency) {
  CycleSmSpec spec = gtx480_sm();
  spec.branch_latency = branch_latency;
  ScriptedProgram straight({std::vector<ScriptedInstruction>(40, alu(Operation::kNop, {}, {}))});
  std::vector<ScriptedInstruction> branching(40, alu(Operation::kNop, {}, {}));
  branching[0].redirected = true;
  ScriptedProgram halted({branching});
  SmRig rig(spec);
  rig.launch(halted, 1);
  rig.after_tick = [&rig] {
    if (rig.core().pipeline().issued() == 1) rig.core().residence().halt(KsrId{0}, rig.now());
  };
  rig.run();
  rig.after_tick = nullptr;
  EXPECT_EQ(rig.core().pipeline().issued(), 1u);
  const std::uint64_t start = rig.now().value;
  rig.launch(straight, 1, 1);
  return rig.run() - start;
}

TEST(CollectorFrontEnd, AWarpDoesNotWaitForTheBranchOfOneThatHadItsSlot) {
  EXPECT_EQ(cycles_behind_halted_branch(200), cycles_behind_halted_branch(0));
}

TEST(CollectorFrontEnd, CodeStaysInTheCacheUnlessTheSetUpOfAKernelDropsIt) {
  EXPECT_EQ(lines_of_second_launch(false), 0u);
  EXPECT_EQ(lines_of_second_launch(true), 3u);
}

// Returns the cycles of a warp of so many lines of code, one after the other.
std::uint64_t cycles_of_lines(std::uint32_t lines, std::uint32_t prefetched, std::uint64_t memory_latency,
                              std::size_t* requests = nullptr) {
  CycleSmSpec spec = gtx480_sm();
  spec.prefetched_lines = prefetched;
  spec.instruction_cache.mshrs = 16;
  ScriptedProgram program({std::vector<ScriptedInstruction>(lines * 16, alu(Operation::kNop, {}, {}))});
  SmRig rig(spec, memory_latency);
  rig.launch(program, 1);
  const std::uint64_t cycles = rig.run();
  if (requests != nullptr) *requests = rig.requests.size();
  return cycles;
}

TEST(CollectorFrontEnd, WithoutAStreamBufferEachLineOfCodeTakesTheLatencyOfMemory) {
  EXPECT_EQ(cycles_of_lines(8, 0, 500) - cycles_of_lines(8, 0, 400), 8 * 100u);
}

TEST(CollectorFrontEnd, AStreamBufferHasTheLinesBehindAMissOnTheirWayTogether) {
  EXPECT_EQ(cycles_of_lines(8, 7, 500) - cycles_of_lines(8, 7, 400), 100u);
  EXPECT_EQ(cycles_of_lines(8, 1, 500) - cycles_of_lines(8, 1, 400), 4 * 100u)
      << "a line ahead: two lines for each latency";
}

TEST(CollectorFrontEnd, AStreamBufferStopsWithItsBlock) {
  std::size_t requests = 0;
  cycles_of_lines(2, 8, 100, &requests);
  EXPECT_GE(requests, 2u);
  EXPECT_LE(requests, 2u + 8);
}

}  // namespace
}  // namespace heddle::test
