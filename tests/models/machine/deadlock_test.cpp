// A kernel that cannot end fails the run with a message that states what waits for what.

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/support/machine/cycle_machine.h"
#include "tests/support/sm/sm_rig.h"

namespace heddle::test {
namespace {

using Script = std::vector<ScriptedInstruction>;
using testing::HasSubstr;
using testing::StartsWith;

ScriptedInstruction barrier(std::uint8_t number) {
  ScriptedInstruction instruction = alu(Operation::kBarrier, {}, {});
  instruction.code.barrier = number;
  return instruction;
}

const ScriptedInstruction kEnd = alu(Operation::kExit, {}, {});

ApiProgram scripted(const std::vector<Script>& warps, std::uint64_t blocks = 1) {
  const auto threads = static_cast<std::uint32_t>(kLanes * warps.size());
  return launch_of([warps] { return std::make_unique<ScriptedProgram>(warps); }, {blocks, threads, 16, 0});
}

TEST(Deadlock, WarpsAtDifferentBarriersFailTheRun) {
  const CycleRun stuck = run(gtx480(), scripted({{barrier(0), kEnd}, {barrier(1), kEnd}}));
  EXPECT_EQ(
      stuck.failure,
      "deadlock: nothing can happen any more; scripted waits for stream 'default'\n  sm0: 1 blocks, 2 warps "
      "live: 0 wait for memory, 0 for units, 0 for instructions, 2 at a barrier; 0 requests unanswered");
}

TEST(Deadlock, IsReportedWhileAnotherProcessGoesOn) {
  ApiProgram busy = scripted({{kEnd}});
  busy.name = "busy";
  ApiCall cpu;
  cpu.kind = ApiCall::Kind::kCpu;
  cpu.time_ps = 1'000'000;
  ApiCall repeat;
  repeat.kind = ApiCall::Kind::kRepeat;
  repeat.count = 1'000'000;
  ApiCall finish;
  finish.kind = ApiCall::Kind::kEnd;
  busy.calls = {repeat, cpu, finish};
  const CycleRun stuck =
      run(gtx480(), {process_of(scripted({{barrier(0), kEnd}, {barrier(1), kEnd}})), process_of(busy)});
  EXPECT_THAT(stuck.failure, StartsWith("deadlock: no progress for 2"));
  EXPECT_THAT(stuck.failure, HasSubstr(" cycles\n  sm0: 1 blocks, 2 warps live"));
}

TEST(Deadlock, IsReportedAfterTheStallLimitOfThePlatform) {
  const auto stuck_for = [](const char* limit) {
    ApiProgram busy = scripted({{kEnd}});
    ApiCall cpu;
    cpu.kind = ApiCall::Kind::kCpu;
    cpu.time_ps = 10'000'000'000;  // 7,000,000 core cycles
    busy.calls = {cpu};
    const ApiProgram dead = scripted({{barrier(0), kEnd}, {barrier(1), kEnd}});
    const std::string failure = run(gtx480({limit}), {process_of(dead), process_of(busy)}).failure;
    const std::string start = "deadlock: no progress for ";
    EXPECT_THAT(failure, StartsWith(start));
    return failure.size() > start.size() ? std::stoul(failure.substr(start.size())) : 0;
  };
  // Progress is checked every 20 us, which are 14,000 cycles.
  for (const std::uint64_t limit : {1000u, 100'000u, 600'000u}) {
    const std::uint64_t cycles = stuck_for(fmt::format("stall_limit={}cycles", limit).c_str());
    EXPECT_GE(cycles, limit);
    EXPECT_LE(cycles, limit + 14'010);
  }
}

// A warp whose next instruction lies in another line whenever it is looked at.
class Fleeing final : public KernelProgram {
 public:
  BlockStream& start(BlockId) override { return stream_; }
  void finish(BlockStream&) override {}

 private:
  struct Stream final : BlockStream {
    const Instruction* peek(std::uint32_t, std::uint32_t) override {
      instruction.pc += 128;
      return &instruction;
    }
    void issue(std::uint32_t, IssuedInstruction&) override {}
    Instruction instruction;
  };
  Stream stream_;
};

// The memory path moves fetches all the time.
TEST(Deadlock, FetchesThatLeadToNoInstructionAreNoProgress) {
  const CycleRun stuck = run(gtx480(), launch_of([] { return std::make_unique<Fleeing>(); }, {1, 32, 16, 0}));
  EXPECT_THAT(stuck.failure, StartsWith("deadlock: no progress for 2"));
  EXPECT_THAT(stuck.failure, HasSubstr("1 warps live: 0 wait for memory, 0 for units, 1 for instructions"));
}

TEST(Deadlock, WarpsThatMeetAtEachBarrierInTurnDoNot) {
  const Script warp{barrier(0), barrier(1), barrier(0), alu(Operation::kExit, {}, {})};
  EXPECT_EQ(run(gtx480(), scripted({warp, warp, warp}, 40)).failure, "");
}

}  // namespace
}  // namespace heddle::test
