// The facts about a warp that a warp scheduler can ask for.

#include "models/sm/pipeline/warp_inspector.h"

#include <gtest/gtest.h>

#include "models/sm/sm_core.h"
#include "tests/support/sm/sm_rig.h"

namespace heddle::test {
namespace {

struct Pick {
  std::uint32_t slot = 0;
  WarpView warp;
  Cycle now;
};

// A scheduler that picks the first candidate and records the facts about that warp.
class Reader final : public WarpScheduler {
 public:
  explicit Reader(std::vector<Pick>& picks) : picks_(picks) {}
  std::uint32_t pick(const IssueView& view) override {
    const std::uint32_t slot = lowest(view.candidates);
    picks_.push_back({slot, view.warps->warp(slot), view.now});
    return slot;
  }
  void reset() override {}

 private:
  std::vector<Pick>& picks_;
};

// An SM with one scheduler and a memory that answers in the next cycle.
class ReaderRig final : public MemoryRequestPort, public SmListener {
 public:
  ReaderRig()
      : core_("sm", spec_, gtx480_limits(), 0, 1, 4, SmCore::Deps{*this, *this, meter_, schedulers()},
              stats_) {}

  void start(KernelProgram& program, std::uint32_t ksr, std::uint64_t block, std::uint64_t now) {
    KernelLaunch launch;
    launch.context = ContextId{ksr - 1};
    launch.blocks = block + 1;
    launch.shape = {2 * kLanes, 16, 0};
    core_.residence().set_kernel(KsrId{ksr}, launch, program);
    core_.residence().start(KsrId{ksr}, BlockId{block}, Cycle{now});
    ++running_;
  }
  void run(std::uint64_t from) {
    for (Cycle now{from}; running_ > 0 && now.value < 10000; now = now + 1) {
      std::vector<std::uint64_t> answers;
      answers.swap(sent_);
      for (const std::uint64_t number : answers) core_.answer(number, now);
      core_.tick(now);
    }
    EXPECT_EQ(running_, 0);
  }
  std::vector<Pick> picks;

 private:
  static CycleSmSpec spec() {
    CycleSmSpec spec = gtx480_sm();
    spec.schedulers = 1;
    spec.issue_width = 1;
    spec.instruction_cache.sets = 0;  // fetch always hits
    return spec;
  }
  std::vector<std::unique_ptr<WarpScheduler>> schedulers() {
    std::vector<std::unique_ptr<WarpScheduler>> result;
    result.push_back(std::make_unique<Reader>(picks));
    return result;
  }
  bool can_send(Cycle) const override { return true; }
  void send(const MemoryRequest& request, Cycle) override { sent_.push_back(request.number); }
  void block_done(KsrId, BlockId, const SmWork&, Cycle) override { --running_; }

  const CycleSmSpec spec_ = spec();
  Group stats_{"sm"};
  InstructionMeter meter_{4};
  SmCore core_;
  std::vector<std::uint64_t> sent_;
  int running_ = 0;
};

TEST(WarpInspector, ShowsKernelContextBlockAgeAndTheClassOfTheNextOperation) {
  const std::vector<ScriptedInstruction> warp{
      alu(Operation::kFloatFma, {1}, {2}), alu(Operation::kSfu, {3}, {4}),
      memory(Operation::kLoad, MemorySpace::kGlobal, {5}, {6}, {0x1000}), alu(Operation::kBarrier, {}, {}),
      alu(Operation::kExit, {}, {})};
  const std::vector<OperationClass> classes{OperationClass::kAlu, OperationClass::kSfu,
                                            OperationClass::kMemory, OperationClass::kBarrier,
                                            OperationClass::kAlu};
  ScriptedProgram program({warp, warp});
  ReaderRig rig;
  rig.start(program, 1, 7, 20);
  rig.start(program, 2, 9, 21);
  rig.run(22);
  std::vector<std::size_t> issued(4, 0);
  for (const Pick& pick : rig.picks) {
    const bool first = pick.slot < 2;
    EXPECT_EQ(pick.warp.kernel, KsrId{first ? 1u : 2u});
    EXPECT_EQ(pick.warp.context, ContextId{first ? 0u : 1u});
    EXPECT_EQ(pick.warp.block, BlockId{first ? 7u : 9u});
    EXPECT_EQ(pick.warp.number, pick.slot % 2);
    EXPECT_EQ(pick.warp.started, Cycle{first ? 20u : 21u});
    EXPECT_GT(pick.now, pick.warp.started);
    ASSERT_LT(issued[pick.slot], classes.size());
    EXPECT_EQ(pick.warp.next, classes[issued[pick.slot]++]);
  }
  EXPECT_EQ(issued, std::vector<std::size_t>(4, classes.size()));
}

TEST(WarpInspector, AWarpWithAnEmptyBufferHasNoKnownOperation) {
  const IssueTable table;
  ResidentTable resident;
  resident.blocks.resize(1);
  EXPECT_EQ(WarpInspector(table, resident).warp(0).next, OperationClass::kUnknown);
}

}  // namespace
}  // namespace heddle::test
