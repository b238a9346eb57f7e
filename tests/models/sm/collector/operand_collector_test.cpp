// Ports and collectors in exact cycles.

#include "models/sm/collector/operand_collector.h"

#include <gtest/gtest.h>

#include "tests/support/sm/sm_rig.h"

namespace heddle::test {

namespace {

class OperandCollectorTest : public ::testing::Test {
 protected:
  // Returns the spec of an SM that has one SFU with this many operand collectors. The SFU has an initiation
  // interval of 10 cycles, and its port holds two instructions.
  static CycleSmSpec spec_with(std::uint32_t collectors) {
    CycleSmSpec spec = gtx480_sm();
    spec.collect_latency = 0;
    spec.units[static_cast<std::size_t>(UnitKind::kSfu)] = {1, collectors, 2};
    spec.operations[static_cast<std::size_t>(Operation::kSfu)] = {UnitKind::kSfu, 5, 10};
    return spec;
  }

  void issue(const Instruction& code) {
    collector_.issue({&code, 0, 0, unit_of(code), code.operation}, now_);
  }
  void go_on(std::uint64_t cycle) {
    for (; now_.value < cycle; collector_.step(now_)) {
      now_ = now_ + 1;
      units_.advance(now_);
      if (units_.has_result(now_))
        units_.write_back(now_, [this](const UnitInstruction&) { results_.push_back(now_.value); });
    }
  }
  static UnitKind unit_of(const Instruction& code) {
    return is_memory(code.operation) ? UnitKind::kMemory : UnitKind::kSfu;
  }

  const CycleSmSpec spec_ = spec_with(2);
  Group stats_{"sm"};
  ExecutionUnits units_{spec_, stats_};
  OperandCollector collector_{spec_, units_};
  Cycle now_{0};
  std::vector<std::uint64_t> results_;
  const Instruction sfu_ = alu(Operation::kSfu, {}, {1}).code;
  const Instruction load_ = memory(Operation::kLoad, MemorySpace::kGlobal, {}, {1}, {}).code;
  const Instruction slow_load_ = memory(Operation::kLoad, MemorySpace::kGlobal, {}, {2, 18, 34}, {}).code;
};

TEST_F(OperandCollectorTest, APortHoldsWhatHasIssuedInThisCycle) {
  issue(sfu_);
  EXPECT_TRUE(collector_.has_room(UnitKind::kSfu));
  issue(sfu_);
  EXPECT_FALSE(collector_.has_room(UnitKind::kSfu));
  EXPECT_TRUE(collector_.has_room(UnitKind::kSp));
  go_on(1);  // both have their collectors
  EXPECT_TRUE(collector_.has_room(UnitKind::kSfu));
}

TEST_F(OperandCollectorTest, APortIsFullUntilTheUnitHasTakenAnInstruction) {
  issue(sfu_);
  issue(sfu_);
  go_on(1);
  issue(sfu_);  // the collectors are taken
  issue(sfu_);
  // The unit takes the first one in cycle 2, when the third one has its collector, and the second one in 12.
  go_on(2);
  EXPECT_TRUE(collector_.has_room(UnitKind::kSfu));
  issue(sfu_);
  EXPECT_FALSE(collector_.has_room(UnitKind::kSfu));
  EXPECT_EQ(collector_.next_wake(true, now_), Cycle{12});
  go_on(11);
  EXPECT_FALSE(collector_.has_room(UnitKind::kSfu));
  go_on(12);
  EXPECT_TRUE(collector_.has_room(UnitKind::kSfu));
  go_on(100);
  const std::uint64_t first = 2 + 5 + spec_.dispatch_latency + spec_.result_latency;
  EXPECT_EQ(results_, (std::vector<std::uint64_t>{first, first + 10, first + 20, first + 30, first + 40}));
}

TEST_F(OperandCollectorTest, MemoryInstructionsLeaveInTheOrderInWhichTheyHaveTheirOperands) {
  issue(slow_load_);  // reads in cycles 1, 2 and 3
  issue(load_);
  go_on(1);
  EXPECT_FALSE(collector_.has_memory(now_));
  EXPECT_EQ(collector_.next_wake(true, now_), Cycle{2});
  EXPECT_EQ(collector_.next_wake(false, now_), Cycle::never());
  go_on(2);
  ASSERT_TRUE(collector_.has_memory(now_));
  EXPECT_EQ(collector_.memory().code, &load_);
  collector_.leave_memory(now_);
  EXPECT_FALSE(collector_.has_memory(now_));
  go_on(4);
  ASSERT_TRUE(collector_.has_memory(now_));
  EXPECT_EQ(collector_.memory().code, &slow_load_);
}

}  // namespace

}  // namespace heddle::test
