// Energy is arithmetic over counters: by hand for a kernel of three instructions and for ten requests to
// DRAM, and exact for all counts.

#include "models/energy/energy_model.h"

#include <gtest/gtest.h>

#include <limits>
#include <map>
#include <set>
#include <stdexcept>

#include "models/core/base/random.h"
#include "tests/support/dram/gddr5.h"
#include "tests/support/machine/energy.h"
#include "tests/support/sm/sm_rig.h"

namespace heddle::test {
namespace {

// Two SMs, three slices and one channel; periods of 1000, 1100, 1200 and 500 ps.
EnergyMachine small_machine() {
  return {2, 3, 1, 1, {1000, 1100, 1200, 500}};
}

std::uint64_t fj_of(const std::string& event) {
  return 1009 * (event_number(event) + 1);
}

std::uint64_t part_dynamic(const Energy& energy, EnergyPart part) {
  return energy.parts[static_cast<std::size_t>(part)].dynamic;
}

// The counts of KSR 0 of the SM, at "kernel.sm.<counter>"; everything else of a kernel is 0.
CounterAt counters_of(const KernelCounts& counts) {
  return [counts](const std::string& path) -> std::optional<std::uint64_t> {
    const std::string of_sm = "kernel.sm.";
    if (path.rfind(of_sm, 0) != 0) return 0;
    for (const KernelCounts::Field& field : KernelCounts::fields())
      if (path == of_sm + field.name) return counts.*field.value;
    return std::nullopt;
  };
}

// A multiply-add of 20 lanes with three sources, a special function of all lanes, and a load of 8 lanes from
// shared memory.
std::vector<ScriptedInstruction> three_instructions() {
  ScriptedInstruction fma = alu(Operation::kFloatFma, {2}, {0, 1, 2});
  fma.mask = 0xfffff;
  ScriptedInstruction load = memory(Operation::kLoad, MemorySpace::kShared, {4}, {3}, {});
  load.mask = 0xff;
  for (Address lane = 0; lane < kLanes; ++lane) load.addresses.push_back(4 * lane);
  return {fma, alu(Operation::kSfu, {3}, {2}), load};
}

TEST(EnergyModel, AKernelOfThreeInstructionsCostsWhatIsCountedByHand) {
  CycleSmSpec spec = gtx480_sm();
  spec.instruction_cache.sets = 0;  // every fetch hits
  ScriptedProgram program({three_instructions()});
  SmRig rig(spec);
  rig.shared_bytes = 1024;
  rig.launch(program, 1);
  rig.run();
  const auto counts = kernel_counts("kernel", counters_of(rig.core().residence().work().of(KsrId{0})));
  ASSERT_TRUE(counts);
  const Energy energy = EnergyModel(numbered_energies(), small_machine()).price(*counts);

  // An instruction and its lanes on each of three units, and two fetches of up to two instructions each.
  EXPECT_EQ(part_dynamic(energy, EnergyPart::kSm), fj_of("sp_instruction") + 20 * fj_of("sp_lane") +
                                                       fj_of("sfu_instruction") + 32 * fj_of("sfu_lane") +
                                                       fj_of("memory_instruction") +
                                                       8 * fj_of("memory_lane") + 2 * fj_of("fetch"));
  // Sources: 3, 1 and 1; a destination each.
  EXPECT_EQ(part_dynamic(energy, EnergyPart::kRegisterFile),
            3 * fj_of("operand_collector") + 5 * fj_of("register_read") + 3 * fj_of("register_write"));
  EXPECT_EQ(part_dynamic(energy, EnergyPart::kSharedMemory), fj_of("shared_pass"));
  EXPECT_EQ(energy.total(), part_dynamic(energy, EnergyPart::kSm) +
                                part_dynamic(energy, EnergyPart::kRegisterFile) +
                                part_dynamic(energy, EnergyPart::kSharedMemory));
}

// Returns the events of four warps that each issue `times` instructions of the tensor unit.
EventCounts counts_of_products(Operation operation, std::uint8_t products, std::size_t times) {
  CycleSmSpec spec = gtx480_sm();
  spec.units[static_cast<std::size_t>(UnitKind::kTensor)] = {4, 4, 1};
  spec.operations[static_cast<std::size_t>(operation)] = {UnitKind::kTensor, 16, 4};
  ScriptedInstruction product = alu(operation, {}, {1, 2});
  product.code.tensor_products = products;
  ScriptedProgram program(
      std::vector<std::vector<ScriptedInstruction>>(4, std::vector<ScriptedInstruction>(times, product)));
  SmRig rig(spec);
  rig.launch(program, 4);
  rig.run();
  return kernel_counts("kernel", counters_of(rig.core().residence().work().of(KsrId{0}))).value();
}

TEST(EnergyModel, AProductOfAWarpgroupCostsAsManyProductsAsTheMmasOfItsWarps) {
  const std::size_t product = event_number("tensor_product");
  const std::size_t instruction = event_number("tensor_instruction");
  const EventCounts group = counts_of_products(Operation::kTensorGroup, 64, 1);  // m64n256k16
  const EventCounts mma = counts_of_products(Operation::kTensorWide, 2, 32);     // 32 times m16n8k16
  EXPECT_EQ(group.events[product], 256u);
  EXPECT_EQ(mma.events[product], 256u);
  EXPECT_EQ(group.events[instruction], 4u);
  EXPECT_EQ(mma.events[instruction], 128u);
}

TEST(EnergyModel, APredicateIsNoRegisterOfTheFile) {
  Instruction code;
  code.writes(7);
  code.writes_predicate(kFirstPredicateName);
  code.reads(1);
  code.reads(1);  // named twice, read once
  code.reads(2);
  code.reads_predicate(kFirstPredicateName);
  EXPECT_EQ(code.register_reads, 2);
  EXPECT_EQ(code.register_writes, 1);
}

// The counters of one channel as the machine has them, and 0 for all others.
CounterAt counters_of(const Group& dram) {
  return [&dram](const std::string& path) -> std::optional<std::uint64_t> {
    const std::string of_dram = "gpu.dram0.";
    if (path.rfind(of_dram, 0) != 0) return 0;
    const Counter* counter = dram.find("dram." + path.substr(of_dram.size()));
    return counter == nullptr ? std::nullopt : std::optional(counter->value());
  };
}

// Ten requests to one bank: six reads of row 0, two writes to row 1, and two reads of row 2.
NextRequest ten_requests() {
  return [i = std::uint64_t{0}](DramRequest& request) mutable {
    constexpr std::uint64_t kRow = std::uint64_t{1} << 16;    // gddr5.h's map: the lowest bit of the row
    constexpr std::uint64_t kColumn = std::uint64_t{1} << 9;  // above the lower bit of the bank group
    if (i == 10) return false;
    const std::uint64_t row = i < 6 ? 0 : i < 8 ? 1 : 2;
    request = {row * kRow + i * kColumn % (8 * kColumn), row == 1, i};
    ++i;
    return true;
  };
}

TEST(EnergyModel, TenRequestsToDramCostTheirCommandsAndTheTimeWithARowOpen) {
  const DramSpec spec = gddr5_spec();
  const auto dram = make_controller(spec, {"fcfs", {}});
  const ChannelRun run = run_channel(*dram, ten_requests(), 16);
  ASSERT_EQ(run.requests, 10u);
  constexpr std::uint64_t kEnd = 3000;
  dram->account_until(Cycle{kEnd});
  EventCounts counts = machine_counts({0, 0, 1, 1, {1, 1, 1, 1}}, counters_of(dram->part(0).stats().group()));
  const Energy energy = EnergyModel(numbered_energies(), small_machine()).price(counts);
  const Energy::Part& part = energy.parts[static_cast<std::size_t>(EnergyPart::kDram)];
  // Row 0, row 1 and row 2 are opened once each, and no refresh is due.
  EXPECT_EQ(part.dynamic, 3 * fj_of("dram_activate") + 8 * fj_of("dram_read") + 2 * fj_of("dram_write"));
  EXPECT_EQ(energy.dynamic(), part.dynamic);

  // The first row is opened in cycle 1. Two precharges leave the bank closed for tRP each.
  const std::uint64_t closed = 1 + 2 * spec.timing["rp"];
  const std::uint64_t open_fj = 370 * (static_number("dram_open") + 1) * 500;
  const std::uint64_t closed_fj = 370 * (static_number("dram_closed") + 1) * 500;
  EXPECT_EQ(part.standing, (kEnd - closed) * open_fj + closed * closed_fj);
}

TEST(EnergyModel, ARefreshIsCountedAndClosesTheRows) {
  DramSpec spec = gddr5_spec(kGtx480Map, true);
  const auto dram = make_controller(spec);
  run_channel(*dram, reads(1, [](std::uint64_t) { return Address{0}; }), 1);
  const std::uint64_t refi = spec.timing["refi"];
  dram->account_until(Cycle{2 * refi + 100});
  const EventCounts counts =
      machine_counts({0, 0, 1, 1, {1, 1, 1, 1}}, counters_of(dram->part(0).stats().group()));
  EXPECT_EQ(counts.events[event_number("dram_refresh")], 2u);
  // The row is open from cycle 1 to the precharge of the first refresh.
  EXPECT_EQ(counts.millicycles[static_number("dram_open")], 1000 * (refi - 1));
  EXPECT_EQ(counts.millicycles[static_number("dram_closed")], 1000 * (refi + 101));
}

EventCounts random_counts(Random& random) {
  EventCounts counts;
  for (std::uint64_t& count : counts.events) count = random.below(1'000'000'000);
  for (std::uint64_t& cycles : counts.millicycles) cycles = 1000 * random.below(1'000'000'000);
  return counts;
}

TEST(EnergyModel, PartsAndIntervalsAddUpToTheTotalExactly) {
  Random random(1);
  EnergySpec spec = numbered_energies();
  for (EnergySpec::Cost& cost : spec.events) cost.value = static_cast<double>(random.below(100'000)) / 7;
  for (EnergySpec::Cost& cost : spec.powers) cost.value = static_cast<double>(random.below(100'000)) / 7;
  const EnergyModel model(spec, small_machine());
  EventCounts all;
  std::uint64_t sum = 0;
  for (int interval = 0; interval < 100; ++interval) {
    const EventCounts grown = random_counts(random);
    for (std::size_t i = 0; i < kEnergyEvents; ++i) all.events[i] += grown.events[i];
    for (std::size_t i = 0; i < kStaticPowers; ++i) all.millicycles[i] += grown.millicycles[i];
    sum += model.price(grown).total();
  }
  const Energy energy = model.price(all);
  EXPECT_EQ(energy.total(), sum);
  std::uint64_t parts = 0;
  for (const Energy::Part& part : energy.parts) parts += part.dynamic + part.standing;
  EXPECT_EQ(energy.total(), parts);
  EXPECT_GT(energy.dynamic(), 0u);
  EXPECT_GT(energy.standing(), 0u);
}

TEST(EnergyModel, AStaticPowerIsRoundedToWholeFemtojoulesOfACycle) {
  EnergySpec spec;
  spec.powers[static_number("sm_awake")].value = 1234.5678;  // mW
  spec.events[event_number("fetch")].value = 2.4;            // fJ
  const EnergyModel model(spec, small_machine());
  EXPECT_EQ(model.cycle_fj(static_number("sm_awake")), 1'234'568u);
  EXPECT_EQ(model.event_fj(event_number("fetch")), 2u);
}

TEST(EnergyModel, APowerIsThatOfEachSliceSmAndChannel) {
  std::map<std::string, std::uint64_t> asked;
  const EventCounts counts = machine_counts(small_machine(), [&](const std::string& path) {
    ++asked[path];
    return std::optional<std::uint64_t>(1);
  });
  EXPECT_EQ(counts.millicycles[static_number("sm_awake")], 2000u);
  EXPECT_EQ(counts.millicycles[static_number("l2_slice")], 3000u);
  EXPECT_EQ(counts.millicycles[static_number("dram_open")], 1000u);
  EXPECT_EQ(counts.millicycles[static_number("other")], 1000u);
  EXPECT_EQ(counts.events[event_number("l2_sector")], 3u);
  EXPECT_EQ(counts.events[event_number("pcie_byte")], 2u);
  EXPECT_EQ(asked["gpu.sm1.sp_lanes"], 1u);
  EXPECT_EQ(asked["gpu.l2_2.accesses"], 1u);
  EXPECT_EQ(asked["gpu.dram0.commands.ACT"], 1u);
}

TEST(EnergyModel, EachPseudoChannelCounts) {
  EnergyMachine machine = small_machine();
  machine.channels = machine.pseudo_channels = 2;
  EXPECT_EQ(energy_paths(machine).events[event_number("dram_read")],
            (std::vector<std::string>{"gpu.dram0_0.reads", "gpu.dram0_1.reads", "gpu.dram1_0.reads",
                                      "gpu.dram1_1.reads"}));
}

TEST(EnergyModel, ACounterThatIsMissingIsNamed) {
  const CounterAt none = [](const std::string&) -> std::optional<std::uint64_t> { return std::nullopt; };
  try {
    machine_counts(small_machine(), none);
    FAIL() << "nothing is counted";
  } catch (const std::invalid_argument& error) {
    EXPECT_STREQ(error.what(), "no counter gpu.sm0.sp_instructions");
  }
  EXPECT_FALSE(kernel_counts("applications.a.k", none));
}

TEST(EnergyModel, MoreThanTheSumHoldsIsRefused) {
  const EnergyModel model(numbered_energies(), small_machine());
  EventCounts counts;
  counts.events[0] = std::numeric_limits<std::uint64_t>::max() / 1009;
  EXPECT_EQ(model.price(counts).total(), counts.events[0] * 1009);
  counts.events[0] += 1;
  EXPECT_THROW(model.price(counts), std::overflow_error);
  counts.events[0] -= 1;
  counts.millicycles[static_number("other")] = 1'000'000;  // each part fits, and their total does not
  EXPECT_THROW(model.price(counts), std::overflow_error);
}

TEST(EnergyTable, NamesDifferAndEveryRowIsCounted) {
  std::set<std::string> names;
  for (const EnergyEvent& event : energy_events()) {
    EXPECT_TRUE(names.insert(event.name).second) << event.name;
    EXPECT_FALSE(event.machine.empty()) << event.name;
    EXPECT_FALSE(event.description.empty()) << event.name;
  }
  for (const StaticPower& power : static_powers()) {
    EXPECT_TRUE(names.insert(power.name).second) << power.name;
    EXPECT_EQ(power.machine.size(), 1u) << power.name;
  }
  EXPECT_THROW(event_number("lane"), std::invalid_argument);
}

}  // namespace
}  // namespace heddle::test
