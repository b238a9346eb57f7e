// Memory instructions on an SM with sub-cores in exact cycles: table 2 of Huerta et al., MICRO 2025, which
// was measured on an RTX A6000, with the chip of the RTX 3090.

#include <gtest/gtest.h>

#include "platforms/load/platform_loader.h"
#include "tests/support/sm/subcore_sm.h"

namespace heddle::test {
namespace {

using Script = std::vector<ScriptedInstruction>;
using Cycles = std::vector<std::uint64_t>;

constexpr RegisterId kAddress = 200;

// The SM of the platform, with instruction caches that always hit.
CycleSmSpec sm_of(const char* platform) {
  CycleSmSpec spec = load_platform(platform).sm.cycle_sm();
  spec.instruction_cache.sets = spec.subcore.instruction_cache.sets = 0;
  spec.block_start = spec.warp_start = 0;
  return spec;
}

std::vector<RegisterId> registers(RegisterId first, std::uint32_t count) {
  std::vector<RegisterId> result;
  for (RegisterId i = 0; i < count; ++i) result.push_back(static_cast<RegisterId>(first + i));
  return result;
}

struct Access {
  Operation operation = Operation::kLoad;
  MemorySpace space = MemorySpace::kGlobal;
  bool uniform = false;
};

// All lanes access the same bytes.
ScriptedInstruction access(const Access& how, std::uint32_t count) {
  const bool is_load = how.operation == Operation::kLoad;
  const std::vector<RegisterId> data = registers(10, count);
  std::vector<RegisterId> sources = is_load ? std::vector<RegisterId>{} : data;
  if (!how.uniform) sources.push_back(kAddress);
  ScriptedInstruction scripted = memory(how.operation, how.space, is_load ? data : std::vector<RegisterId>{},
                                        sources, {0}, static_cast<std::uint8_t>(4 * count));
  scripted.code.uniform_address = how.uniform;
  return scripted;
}

// The cycles from the issue of the load, which hits, to that of an instruction that reads its last register.
std::uint64_t load_to_use(const CycleSmSpec& spec, const Access& how, std::uint32_t count) {
  const ScriptedInstruction use = alu(Operation::kFloatFma, {5}, {static_cast<RegisterId>(10 + count - 1)});
  const Cycles cycles = issue_cycles_of({{access(how, count), use, access(how, count), use}}, spec);
  return cycles[3] - cycles[2];
}

// The cycles from the issue of the access to that of an instruction that writes a register that it reads.
std::uint64_t write_after_read(const CycleSmSpec& spec, const Access& how, std::uint32_t count) {
  ScriptedInstruction first = access(how, count);
  // A load with a uniform address reads no register. It is given one, whose read shows when it releases it.
  if (how.operation == Operation::kLoad && how.uniform) first.code.reads(kAddress);
  const RegisterId read = how.operation == Operation::kLoad ? kAddress : RegisterId{10};
  const Cycles cycles = issue_cycles_of({{first, alu(Operation::kFloatFma, {read}, {})}}, spec);
  return cycles[1] - cycles[0];
}

// By width: 32, 64 and 128 bits.
template <class Measure>
Cycles by_width(Measure measure, const CycleSmSpec& spec, const Access& how) {
  return {measure(spec, how, 1), measure(spec, how, 2), measure(spec, how, 4)};
}

TEST(SubcoreMemory, LoadsFromAUniformAddressAreFaster) {
  const CycleSmSpec spec = sm_of("rtx3090-subcore");
  const auto cycles = [&](MemorySpace space, bool uniform) {
    return by_width(load_to_use, spec, {Operation::kLoad, space, uniform});
  };
  EXPECT_EQ(cycles(MemorySpace::kGlobal, false), (Cycles{32, 34, 38}));
  EXPECT_EQ(cycles(MemorySpace::kGlobal, true), (Cycles{29, 31, 35}));
  EXPECT_EQ(cycles(MemorySpace::kShared, false), (Cycles{24, 24, 26}));
  EXPECT_EQ(cycles(MemorySpace::kShared, true), (Cycles{23, 23, 25}));
}

TEST(SubcoreMemory, RegistersOfAnAccessCanBeWrittenWhenItHasReadThem) {
  const CycleSmSpec spec = sm_of("rtx3090-subcore");
  const auto cycles = [&](Operation operation, MemorySpace space, bool uniform) {
    return by_width(write_after_read, spec, {operation, space, uniform});
  };
  EXPECT_EQ(cycles(Operation::kLoad, MemorySpace::kGlobal, false), (Cycles{11, 11, 11}));
  EXPECT_EQ(cycles(Operation::kLoad, MemorySpace::kGlobal, true), (Cycles{9, 9, 9}));
  EXPECT_EQ(cycles(Operation::kLoad, MemorySpace::kShared, false), (Cycles{9, 9, 9}));
  EXPECT_EQ(cycles(Operation::kLoad, MemorySpace::kShared, true), (Cycles{9, 9, 9}));
  EXPECT_EQ(cycles(Operation::kStore, MemorySpace::kGlobal, false), (Cycles{14, 16, 20}));
  EXPECT_EQ(cycles(Operation::kStore, MemorySpace::kGlobal, true), (Cycles{10, 12, 16}));
  EXPECT_EQ(cycles(Operation::kStore, MemorySpace::kShared, false), (Cycles{12, 14, 18}));
  EXPECT_EQ(cycles(Operation::kStore, MemorySpace::kShared, true), (Cycles{10, 12, 16}));
}

// The dependence counter that control bits name for reads falls in the same cycle.
TEST(SubcoreMemory, TheCounterOfReadsFallsWhenTheRegistersHaveBeenRead) {
  const CycleSmSpec spec = sm_of("rtx3090-subcore");
  for (const bool uniform : {false, true}) {
    Script script{access({Operation::kStore, MemorySpace::kShared, uniform}, 1),
                  alu(Operation::kFloatFma, {10}, {})};
    for (ScriptedInstruction& instruction : script) {
      instruction.code.control.is_known = true;
      instruction.code.control.stall = 2;
    }
    script[0].code.control.read_counter = 3;
    script[1].code.control.awaited = 1 << 3;
    const Cycles cycles = issue_cycles_of({script}, spec);
    EXPECT_EQ(cycles[1] - cycles[0], uniform ? 10u : 12u);
  }
}

// The registers of a store are in use when the store has gone to memory and its warp has ended.
TEST(SubcoreMemory, ABlockEndsWhenItsStoresHaveReadTheirRegisters) {
  CycleSmSpec spec = subcore_sm();
  spec.subcore.shared_store = {60, 60};
  const auto ends = [&spec] {
    ScriptedProgram program({{access({Operation::kStore, MemorySpace::kShared, false}, 1)}});
    SmRig rig(spec, 100, {"cggty", {}});
    rig.launch(program, 1);
    rig.run();
    EXPECT_TRUE(rig.core().idle());
    return rig.now().value;
  };
  const std::uint64_t late = ends();
  spec.subcore.shared_store = {};
  EXPECT_GE(late, ends() + 40);
}

// The queue of a sub-core holds the second access, which reads its registers when its turn has come.
TEST(SubcoreMemory, AnAccessBehindAnotherOneReadsLater) {
  CycleSmSpec spec = subcore_sm();
  spec.subcore.shared_load = {9, 9};
  const ScriptedInstruction load = memory(Operation::kLoad, MemorySpace::kShared, {20}, {kAddress}, {0});
  ScriptedInstruction other = memory(Operation::kLoad, MemorySpace::kShared, {21}, {kAddress + 1}, {0});
  const ScriptedInstruction write = alu(Operation::kFloatFma, {kAddress + 1}, {});
  const Cycles cycles = issue_cycles_of({{load, other, write}}, spec);
  // The first one leaves in cycle 11 and the second one four cycles later, two cycles after it has read.
  EXPECT_EQ(cycles[2] - cycles[0], 13u);
}

}  // namespace
}  // namespace heddle::test
