// What the ExecutionUnits book: exact cycles of single instructions, and what never happens among many.

#include "models/sm/collector/execution_units.h"

#include <gtest/gtest.h>

#include <map>
#include <optional>
#include <vector>

#include "models/core/base/random.h"
#include "tests/support/sm/sm_rig.h"

namespace heddle::test {

namespace {

Instruction instruction_of(Operation operation, const std::vector<RegisterId>& written,
                           const std::vector<RegisterId>& read) {
  return alu(operation, written, read).code;
}

UnitInstruction in_unit(const CycleSmSpec& spec, const Instruction& code, std::uint16_t warp = 0) {
  return {&code, 0, warp, spec.operation(code.operation).unit, code.operation};
}

// The units of an SM, and a clock that sleeps as the pipeline does.
class Units {
 public:
  explicit Units(CycleSmSpec spec) : spec_(std::move(spec)), units_(spec_, stats_) {}

  // Books an instruction that reads from the next cycle on. Returns the cycle of its last read.
  Cycle book(const Instruction& code, std::uint16_t warp = 0) {
    const UnitInstruction instruction = in_unit(spec_, code, warp);
    const Cycle read = units_.read(instruction, now_ + 1);
    units_.book(instruction, read);
    return read;
  }
  // Goes on to `cycle`, and notes the results on the way.
  void go_on(Cycle cycle) {
    while (now_ < cycle) {
      now_ = std::min(cycle, units_.next_wake(now_));
      units_.advance(now_);
      if (!units_.has_result(now_)) continue;
      units_.write_back(now_, [this](const UnitInstruction& done) { results.emplace(now_, done); });
    }
  }

  std::multimap<Cycle, UnitInstruction> results;
  const CycleSmSpec& spec() const { return spec_; }
  ExecutionUnits& units() { return units_; }
  Cycle now() const { return now_; }
  std::uint64_t bank_conflicts() const { return stats_.find("sm.bank_conflicts")->value(); }

 private:
  const CycleSmSpec spec_;
  Group stats_{"sm"};
  ExecutionUnits units_;
  Cycle now_{0};
};

TEST(ExecutionUnits, AResultIsWrittenWhenTheStagesAndTheLatencyHavePassed) {
  CycleSmSpec spec = gtx480_sm();
  spec.dispatch_latency = 3;
  spec.result_latency = 2;
  for (const std::uint32_t latency : {1u, 20u, 60u, 64u, 100u, kMostLatency}) {
    spec.operations[static_cast<std::size_t>(Operation::kFloatAdd)].latency = latency;
    Units units(spec);
    const Instruction code = instruction_of(Operation::kFloatAdd, {1}, {2, 3});
    units.go_on(Cycle{100});
    EXPECT_EQ(units.book(code), Cycle{101});
    units.go_on(Cycle{5000});
    ASSERT_EQ(units.results.size(), 1u);
    EXPECT_EQ(units.results.begin()->first, Cycle{102} + 3 + latency + 2) << latency;
  }
}

TEST(ExecutionUnits, ReadsOfOneBankFollowEachOther) {
  Units units(gtx480_sm());
  const Instruction three = instruction_of(Operation::kFloatAdd, {}, {0, 16, 32});  // 16 banks
  const Instruction one = instruction_of(Operation::kFloatAdd, {}, {0});
  EXPECT_EQ(units.book(three), Cycle{3});
  EXPECT_EQ(units.book(one), Cycle{4});
  EXPECT_EQ(units.book(one, 1), Cycle{1});  // register 0 of the next warp is in the next bank
  EXPECT_EQ(units.bank_conflicts(), 1u + 2u + 3u);
}

TEST(ExecutionUnits, ARegisterIsWrittenWhenItsBankIsNotRead) {
  Units units(gtx480_sm());
  const Instruction writes = instruction_of(Operation::kMove, {0}, {});
  const std::uint64_t due = 2 + units.spec().dispatch_latency + 1 + units.spec().result_latency;
  units.book(writes);
  const Instruction reads = instruction_of(Operation::kFloatAdd, {}, {16});
  units.go_on(Cycle{due - 1});
  EXPECT_EQ(units.book(reads), Cycle{due + 1});  // the write came first
  units.go_on(Cycle{50});
  EXPECT_EQ(units.results.begin()->first, Cycle{due});
}

TEST(ExecutionUnits, AUnitTakesAnInstructionInEachInterval) {
  for (const std::uint32_t interval : {1u, 2u, 8u, 33u, 64u, 130u, 1000u}) {
    CycleSmSpec spec = gtx480_sm();
    spec.operations[static_cast<std::size_t>(Operation::kSfu)] = {UnitKind::kSfu, 1, interval};
    Units units(spec);
    const Instruction code = instruction_of(Operation::kSfu, {}, {});
    for (std::uint32_t i = 0; i < spec.unit(UnitKind::kSfu).collectors; ++i) units.book(code);
    units.go_on(Cycle{20000});
    std::uint64_t expected = 2 + spec.dispatch_latency + 1 + spec.result_latency;
    for (const auto& [cycle, instruction] : units.results) {
      EXPECT_EQ(cycle, Cycle{expected}) << interval;
      expected += interval;
    }
    EXPECT_EQ(units.results.size(), spec.unit(UnitKind::kSfu).collectors);
    EXPECT_EQ(units.units().busy_cycles(UnitKind::kSfu, units.now()), 8 * interval);
    EXPECT_EQ(units.units().taken(UnitKind::kSfu, units.now()), 8u);
  }
}

TEST(ExecutionUnits, AShortInstructionGoesBeforeALongOneThatReadsLater) {
  Units units(gtx480_sm());
  const Instruction slow = instruction_of(Operation::kSfu, {1}, {0, 16, 32, 48, 64, 80, 96, 112, 128, 144});
  const Instruction fast = instruction_of(Operation::kSfu, {2}, {3});
  units.book(slow);
  units.book(fast);
  units.go_on(Cycle{100});
  ASSERT_EQ(units.results.size(), 2u);
  EXPECT_EQ(units.results.begin()->second.code, &fast);
}

TEST(ExecutionUnits, AnInstructionThatCannotStartHoldsBackThoseBehindIt) {
  CycleSmSpec spec = gtx480_sm();
  spec.writebacks = 1;
  spec.operations[static_cast<std::size_t>(Operation::kFloatAdd)] = {UnitKind::kSp, 20, 1};
  spec.operations[static_cast<std::size_t>(Operation::kIntAdd)] = {UnitKind::kSp, 19, 1};
  spec.operations[static_cast<std::size_t>(Operation::kMove)] = {UnitKind::kSp, 1, 1};
  Units units(spec);
  const Instruction first = instruction_of(Operation::kFloatAdd, {1}, {});
  const Instruction second = instruction_of(Operation::kIntAdd, {2}, {});
  const Instruction third = instruction_of(Operation::kMove, {3}, {});
  units.book(first);
  units.go_on(Cycle{1});
  units.book(second);  // its result would be due together with that of the first one
  units.book(third);
  units.go_on(Cycle{100});
  const std::uint64_t stages = spec.dispatch_latency + spec.result_latency;
  ASSERT_EQ(units.results.size(), 3u);
  std::map<const Instruction*, std::uint64_t> written;
  for (const auto& [cycle, instruction] : units.results) written[instruction.code] = cycle.value;
  EXPECT_EQ(written[&first], 2 + stages + 20);
  EXPECT_EQ(written[&second], 4 + stages + 19);
  EXPECT_EQ(written[&third], 4 + stages + 1);
}

// Random instructions of all units, in bursts and after pauses, on machines of all widths.
class RandomBookings : public ::testing::TestWithParam<std::uint64_t> {};

TEST_P(RandomBookings, KeepEveryLimitAndLoseNothing) {
  Random random(GetParam());
  const auto number = [&random](std::uint64_t least, std::uint64_t most) {
    return static_cast<std::uint32_t>(least + random.below(most - least + 1));
  };
  CycleSmSpec spec = gtx480_sm();
  spec.register_banks = 1u << number(1, 5);
  spec.writebacks = number(1, kMostWritebacks);
  spec.dispatch_latency = number(0, kMostStages);
  spec.result_latency = number(0, kMostStages);
  for (const UnitKind unit : {UnitKind::kSp, UnitKind::kSfu})
    spec.units[static_cast<std::size_t>(unit)] = {number(1, 4), number(1, 16), number(1, 4)};
  const bool is_slow = random.below(4) == 0;
  for (OperationSpec& operation : spec.operations) {
    operation.latency = number(1, is_slow ? kMostLatency : 30);
    operation.interval = number(1, is_slow ? 200 : 4);
    operation.unit = random.below(3) == 0 ? UnitKind::kSfu : UnitKind::kSp;
  }
  std::vector<Instruction> codes;
  for (int i = 0; i < 30; ++i) {
    std::vector<RegisterId> read;
    for (std::uint64_t n = random.below(5); n > 0; --n)
      read.push_back(static_cast<RegisterId>(number(0, 63)));
    codes.push_back(instruction_of(random.below(2) == 0 ? Operation::kFloatFma : Operation::kIntMul,
                                   {static_cast<RegisterId>(number(0, 63))}, read));
  }
  Units units(spec);
  std::array<std::uint32_t, kUnitKinds> free{};
  std::array<std::uint64_t, kUnitKinds> busy{};
  for (std::size_t i = 0; i < kUnitKinds; ++i) free[i] = spec.units[i].collectors;
  std::multimap<const Instruction*, Cycle> earliest;  // by instruction: the cycle before which no result is
  std::size_t booked = 0;
  for (int step = 0; step < 3000; ++step) {
    units.go_on(units.now() + (random.below(50) == 0 ? number(1, 300) : 1));
    for (std::size_t i = 0; i < kUnitKinds; ++i)
      free[i] += units.units().taken(static_cast<UnitKind>(i), units.now());
    const Instruction& code = codes[random.below(codes.size())];
    const OperationSpec& operation = spec.operation(code.operation);
    const auto unit = static_cast<std::size_t>(operation.unit);
    ASSERT_LE(free[unit], spec.units[unit].collectors);
    if (free[unit] == 0) continue;
    --free[unit];
    busy[unit] += operation.interval;
    ++booked;
    units.book(code, static_cast<std::uint16_t>(random.below(48)));
  }
  units.go_on(units.now() + 100000);
  EXPECT_EQ(units.results.size(), booked);
  EXPECT_EQ(units.units().next_wake(units.now()), Cycle::never());
  for (const UnitKind unit : {UnitKind::kSp, UnitKind::kSfu})
    EXPECT_EQ(units.units().busy_cycles(unit, units.now()), busy[static_cast<std::size_t>(unit)]);
  for (auto at = units.results.begin(); at != units.results.end();) {
    const auto [first, last] = units.results.equal_range(at->first);
    EXPECT_LE(std::distance(first, last), spec.writebacks) << at->first.value;
    BankCounts banks;
    for (; at != last; ++at) {
      const BankCounts mine =
          BankCounts::of_one(at->second.code->written_bank, spec.register_banks, at->second.warp);
      EXPECT_FALSE(banks.meets(mine)) << at->first.value;
      banks.merge(mine);
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Seeds, RandomBookings, ::testing::Range<std::uint64_t>(0, 40));

}  // namespace

}  // namespace heddle::test
