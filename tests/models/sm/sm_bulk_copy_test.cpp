// Copies between shared memory and device memory that pass no registers, and warps that wait for them.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/support/sm/subcore_sm.h"

namespace heddle::test {
namespace {

using testing::ElementsAre;
using testing::SizeIs;

constexpr std::uint32_t kLatency = 32;  // from the issue of a copy to its first line
constexpr std::uint32_t kMemory = 100;  // from a request to its answer

CycleSmSpec copying_sm(std::uint32_t lines = 64, std::uint32_t interval = 1) {
  CycleSmSpec spec = subcore_sm();
  spec.copy_unit = {lines, kLatency, interval};
  return spec;
}

ScriptedInstruction await() {
  ScriptedInstruction scripted = memory(Operation::kLoad, MemorySpace::kShared, {20}, {}, {Address{0}});
  scripted.code.awaits = true;
  return scripted;
}

ScriptedInstruction wait_for_stores(Operation operation) {
  ScriptedInstruction scripted = alu(operation, {}, {});
  scripted.code.copy_groups = 1;
  return scripted;
}

// A block whose kBulkCopy instructions start these copies one after another. An instruction that awaits waits
// until `expected` loads are complete.
class CopyProgram : public ScriptedProgram {
 public:
  CopyProgram(std::vector<std::vector<ScriptedInstruction>> warps, std::vector<BulkCopy> copies,
              std::uint32_t expected = 1)
      : ScriptedProgram(std::move(warps)), copies_(std::move(copies)), expected_(expected) {}

  std::uint32_t completed = 0;

 private:
  void on_issue(std::uint32_t /*warp*/, IssuedInstruction& issued) override {
    if (issued.code->operation == Operation::kBulkCopy) started_ = {copies_[copy_++]};
  }
  bool waits(std::uint32_t /*warp*/) override { return completed < expected_; }
  const std::vector<BulkCopy>& bulk_copies() const override { return started_; }
  void complete(std::uint64_t /*number*/) override { ++completed; }

  std::vector<BulkCopy> copies_;
  std::size_t copy_ = 0;
  std::vector<BulkCopy> started_;
  std::uint32_t expected_;
};

BulkCopy load_of(Address address, std::uint32_t bytes) {
  return {0, false, {{address, bytes}}};
}
BulkCopy store_of(Address address, std::uint32_t bytes) {
  return {0, true, {{address, bytes}}};
}

// Runs one block of the program on an SM. `issues` has the cycles in which it issues.
struct Execution {
  explicit Execution(CopyProgram& program, std::uint32_t warps, const CycleSmSpec& spec = copying_sm())
      : rig(spec, gtx480_limits(), kMemory) {
    rig.shared_bytes = 4096;
    rig.launch(program, warps);
    issues = issue_cycles(rig);
  }
  std::vector<std::uint64_t> sent() const {
    std::vector<std::uint64_t> cycles;
    for (const auto& [index, cycle] : rig.at) cycles.push_back(cycle - issues[0]);
    return cycles;
  }
  SmRig rig;
  std::vector<std::uint64_t> issues;
};

TEST(SmBulkCopies, ALoadAsksForALineInEachCycleAndItsWaiterIssuesWhenTheLastOneHasCome) {
  CopyProgram program({{alu(Operation::kBulkCopy, {}, {}), await(), alu(Operation::kExit, {}, {})}},
                      {load_of(0x10000, 1024)});
  const Execution run(program, 1);
  EXPECT_EQ(run.sent(), (std::vector<std::uint64_t>{32, 33, 34, 35, 36, 37, 38, 39}));
  for (std::size_t i = 0; i < 8; ++i) {
    EXPECT_EQ(run.rig.requests[i].address, 0x10000 + 128 * i);
    EXPECT_EQ(run.rig.requests[i].bytes, 128U);
    EXPECT_EQ(run.rig.requests[i].kind, RequestKind::kLoad);
  }
  EXPECT_EQ(run.issues[1] - run.issues[0], 39 + kMemory);
  EXPECT_EQ(program.completed, 1U);
}

TEST(SmBulkCopies, ALoadAsksForNoMoreLinesThanTheUnitHas) {
  CopyProgram program({{alu(Operation::kBulkCopy, {}, {}), await(), alu(Operation::kExit, {}, {})}},
                      {load_of(0x10000, 512)});
  EXPECT_EQ(Execution(program, 1, copying_sm(2)).sent(),
            (std::vector<std::uint64_t>{32, 33, 32 + kMemory, 33 + kMemory}));
}

TEST(SmBulkCopies, TheIntervalLiesBetweenTwoLines) {
  CopyProgram program({{alu(Operation::kBulkCopy, {}, {}), await(), alu(Operation::kExit, {}, {})}},
                      {load_of(0x10000, 384)});
  EXPECT_EQ(Execution(program, 1, copying_sm(64, 4)).sent(), (std::vector<std::uint64_t>{32, 36, 40}));
}

TEST(SmBulkCopies, EveryWarpOfTheBlockThatWaitsGoesOn) {
  const std::vector<ScriptedInstruction> consumer{await(), alu(Operation::kExit, {}, {})};
  CopyProgram program(
      {{alu(Operation::kBulkCopy, {}, {}), alu(Operation::kExit, {}, {})}, consumer, consumer},
      {load_of(0x10000, 128)});
  const Execution run(program, 3);
  ASSERT_THAT(run.issues, SizeIs(6));
  EXPECT_EQ(run.issues[2] - run.issues[0], kLatency + kMemory);
  EXPECT_EQ(run.issues[3], run.issues[2]);
}

TEST(SmBulkCopies, AWarpWhoseCopyIsUnderWayKeepsItsBlock) {
  CopyProgram program({{alu(Operation::kBulkCopy, {}, {}), alu(Operation::kExit, {}, {})}},
                      {load_of(0x10000, 128)});
  SmRig rig(copying_sm(), gtx480_limits(), kMemory);
  rig.launch(program, 1);
  EXPECT_GE(rig.run(), kLatency + kMemory);
  EXPECT_EQ(program.completed, 1U);
}

TEST(SmBulkCopies, AStoreWritesWholeSectorsAndTheBytesOfOthers) {
  CopyProgram program({{alu(Operation::kBulkCopy, {}, {}), alu(Operation::kBulkCommit, {}, {}),
                        wait_for_stores(Operation::kBulkWait), alu(Operation::kExit, {}, {})}},
                      {store_of(0x10010, 144)});
  const Execution run(program, 1);
  ASSERT_THAT(run.rig.requests, SizeIs(2));
  const MemoryRequest& first = run.rig.requests[0];
  EXPECT_EQ(first.kind, RequestKind::kStore);
  EXPECT_EQ(first.address, 0x10000U);
  EXPECT_EQ(first.bytes, 128U);
  EXPECT_TRUE(first.partial);
  EXPECT_THAT(first.written, ElementsAre(0xffffffffffff0000U, ~std::uint64_t{0}));
  const MemoryRequest& second = run.rig.requests[1];
  EXPECT_EQ(second.address, 0x10080U);
  EXPECT_EQ(second.bytes, 32U);
  EXPECT_FALSE(second.partial);
}

TEST(SmBulkCopies, AWaitForReadsEndsWithTheLastRequestAndAWaitForStoresWithItsAnswer) {
  std::vector<std::uint64_t> waited;
  for (const Operation wait : {Operation::kBulkReadWait, Operation::kBulkWait}) {
    CopyProgram program({{alu(Operation::kBulkCopy, {}, {}), alu(Operation::kBulkCommit, {}, {}),
                          wait_for_stores(wait), alu(Operation::kExit, {}, {})}},
                        {store_of(0x10000, 256)});
    const Execution run(program, 1);
    waited.push_back(run.issues[2] - run.issues[0]);
  }
  EXPECT_EQ(waited[0], 34U);
  EXPECT_EQ(waited[1], 33U + kMemory);
}

TEST(SmBulkCopies, CopiesAndTheirLinesAreCounted) {
  CopyProgram program({{alu(Operation::kBulkCopy, {}, {}), alu(Operation::kBulkCopy, {}, {}), await(),
                        alu(Operation::kExit, {}, {})}},
                      {load_of(0x10000, 256), load_of(0x20000, 128)}, 2);
  Execution run(program, 1);
  const KernelCounts& counts = run.rig.core().residence().work().counts()[AccountId{0}];
  EXPECT_EQ(counts.bulk_copies, 2U);
  EXPECT_EQ(counts.bulk_lines, 3U);
  EXPECT_EQ(counts.loads, 3U);
  EXPECT_EQ(run.rig.accounted(), run.rig.now().value);
}

TEST(SmBulkCopies, AReductionAsksL2ForAtomicsLineByLine) {
  BulkCopy copy = store_of(0x10000, 192);
  copy.reduced_bytes = 4;
  CopyProgram program({{alu(Operation::kBulkCopy, {}, {}), alu(Operation::kBulkCommit, {}, {}),
                        wait_for_stores(Operation::kBulkWait), alu(Operation::kExit, {}, {})}},
                      {copy});
  Execution execution(program, 1);
  ASSERT_THAT(execution.rig.requests, SizeIs(2));
  const MemoryRequest& line = execution.rig.requests[0];
  EXPECT_EQ(line.kind, RequestKind::kAtomic);
  EXPECT_EQ(line.lanes, 32U);
  EXPECT_EQ(line.depth, 4U);  // a step for each sector
  EXPECT_EQ(execution.rig.requests[1].lanes, 16U);
  EXPECT_EQ(program.completed, 1U);
}

}  // namespace
}  // namespace heddle::test
