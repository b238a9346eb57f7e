// An SM whose resource manager keeps some registers and some shared memory in swap space.

#include <gtest/gtest.h>

#include "tests/support/sm/sm_rig.h"

namespace heddle::test {
namespace {

using Script = std::vector<ScriptedInstruction>;
constexpr RegisterId kSwapped = 9;
constexpr Address kSwappedShared = 4096;  // shared memory from here on is in swap space

// Keeps one register of each warp, and the upper part of shared memory, in swap space.
class OneRegisterInSwap : public ResourceManager {
 public:
  bool manages() const override { return true; }
  bool maps() const override { return true; }
  std::uint32_t epoch() const override { return 1u << 30; }
  std::uint64_t swap_bytes() const override { return 1u << 20; }

  void start_block(std::uint32_t, std::uint32_t, WarpMask warps, const PhaseNeeds&) override {
    schedulable_ |= warps;
  }
  void end_warp(std::uint32_t warp) override { schedulable_ &= ~(WarpMask{1} << warp); }
  WarpMask schedulable() const override { return schedulable_; }
  void wait(std::uint32_t) override { ++waits; }
  void go_on(WarpMask) override { ++continues; }

  bool read_registers(std::uint32_t warp, const Instruction& code) override {
    for (const RegisterId id : code.sources())
      if (id == kSwapped) transfers_.push_back({true, static_cast<std::uint8_t>(warp), 0, 128, 0});
    return !transfers_.empty();
  }
  bool write_registers(std::uint32_t, const Instruction& code) override {
    for (const RegisterId id : code.destinations())
      if (id == kSwapped) transfers_.push_back({false, 0, 0, 128, 0});
    return !transfers_.empty();
  }
  Lanes access_shared(std::uint32_t, Lanes lanes, Addresses& addresses) override {
    Lanes swapped = 0;
    for (std::uint32_t lane = 0; lane < kLanes; ++lane)
      if ((lanes >> lane & 1) != 0 && addresses[lane] >= kSwappedShared) swapped |= Lanes{1} << lane;
    return swapped;
  }
  std::vector<SwapTransfer>& transfers() override { return transfers_; }

  std::uint32_t waits = 0;
  std::uint32_t continues = 0;

 private:
  WarpMask schedulable_ = 0;
  std::vector<SwapTransfer> transfers_;
};

CycleSmSpec spec() {
  CycleSmSpec spec = gtx480_sm();
  spec.instruction_cache.sets = 0;  // fetch always hits
  return spec;
}

struct Swap {
  explicit Swap(const Script& warp)
      : manager(new OneRegisterInSwap),
        program({warp}),
        rig(spec(), 100, {"gto", {}}, std::unique_ptr<ResourceManager>(manager)) {
    rig.launch(program, 1);
    cycles = rig.run();
  }
  KernelCounts counts() { return rig.core().residence().work().of(KsrId{0}); }

  OneRegisterInSwap* manager;
  ScriptedProgram program;
  SmRig rig;
  std::uint64_t cycles = 0;
};

// Returns the cycles of each further instruction in a chain.
std::uint64_t per_instruction(const ScriptedInstruction& instruction) {
  return (Swap(Script(40, instruction)).cycles - Swap(Script(20, instruction)).cycles) / 20;
}

// One cycle to the load/store unit, two to the first access and 35 of L1, before the instruction can issue.
TEST(SwapSpace, ASourceThatIsInSwapSpaceIsLoadedThroughL1BeforeTheIssue) {
  const std::uint64_t on_chip = per_instruction(alu(Operation::kFloatFma, {1}, {1, 2}));
  const std::uint64_t swapped = per_instruction(alu(Operation::kFloatFma, {1}, {1, kSwapped}));
  EXPECT_EQ(swapped - on_chip, 1u + 2 + 35);
}

TEST(SwapSpace, TheLoadOfASourceThatMissesTakesTheMemorysLatency) {
  const std::uint64_t on_chip = Swap({alu(Operation::kFloatFma, {1}, {1, 2})}).cycles;
  Swap swap({alu(Operation::kFloatFma, {1}, {1, kSwapped})});
  EXPECT_EQ(swap.cycles - on_chip, 2u + 35 + 100);  // it could not issue in the first cycle, either
  ASSERT_EQ(swap.rig.requests.size(), 1u);
  EXPECT_EQ(swap.rig.requests[0].kind, RequestKind::kSwapLoad);
  EXPECT_EQ(swap.rig.requests[0].bytes, 128u);
  EXPECT_EQ(swap.counts().swap_loads, 1u);
  EXPECT_EQ(swap.counts().swap_load_hits, 0u);
  EXPECT_EQ(swap.counts().l1_accesses, 0u);
}

TEST(SwapSpace, AResultThatBelongsThereIsStoredAndHoldsNobodyBack) {
  const std::uint64_t on_chip = Swap({alu(Operation::kFloatFma, {3}, {1, 2})}).cycles;
  Swap swap({alu(Operation::kFloatFma, {kSwapped}, {1, 2})});
  EXPECT_EQ(swap.cycles, on_chip);
  for (int i = 0; i < 100; ++i) swap.rig.core().tick(swap.rig.now() + i);
  EXPECT_EQ(swap.counts().swap_stores, 1u);
  EXPECT_EQ(swap.counts().swap_requests, 1u);
}

std::vector<Address> lanes(Address base, Address stride) {
  std::vector<Address> result;
  for (Address lane = 0; lane < kLanes; ++lane) result.push_back(base + stride * lane);
  return result;
}

TEST(SwapSpace, LanesOfSharedMemoryInSwapSpaceAreLineAccessesAfterThePassesOfTheOthers) {
  // The upper 16 lanes touch 64 bytes of one line of swap space.
  Swap swap({memory(Operation::kLoad, MemorySpace::kShared, {1}, {2}, lanes(kSwappedShared - 64, 4))});
  EXPECT_EQ(swap.counts().shared_passes, 1u);
  EXPECT_EQ(swap.counts().swap_loads, 1u);
  ASSERT_EQ(swap.rig.requests.size(), 1u);
  EXPECT_EQ(swap.rig.requests[0].kind, RequestKind::kSwapLoad);
}

TEST(SwapSpace, AnAtomicOfSharedMemoryInSwapSpaceIsALoadAndAStore) {
  Swap swap({memory(Operation::kAtomic, MemorySpace::kShared, {1}, {2}, lanes(kSwappedShared, 128))});
  EXPECT_EQ(swap.counts().shared_passes, 0u);
  EXPECT_EQ(swap.counts().swap_loads, 32u);
  EXPECT_EQ(swap.counts().swap_stores, 32u);
  EXPECT_EQ(swap.counts().atomics, 0u);
}

TEST(SwapSpace, TheManagerHearsOfAWarpThatWaitsAtAFenceForItsStores) {
  const ScriptedInstruction store = memory(Operation::kStore, MemorySpace::kGlobal, {}, {1}, {0x1000});
  const ScriptedInstruction fence = alu(Operation::kFence, {}, {});
  Swap swap({store, fence, alu(Operation::kIntAdd, {1}, {2})});
  EXPECT_EQ(swap.manager->waits, 1u);
  EXPECT_EQ(swap.manager->continues, 1u);
}

TEST(SwapSpace, AHaltedWarpStaysUntilItsLoadsFromSwapSpaceHaveCome) {
  auto* manager = new OneRegisterInSwap;
  ScriptedProgram program({Script(10, alu(Operation::kFloatFma, {1}, {1, kSwapped}))});
  SmRig rig(spec(), 100, {"gto", {}}, std::unique_ptr<ResourceManager>(manager));
  rig.launch(program, 1);
  rig.after_tick = [&, halted = false]() mutable {
    if (halted || rig.requests.empty()) return;
    halted = true;
    rig.core().residence().halt(KsrId{0}, rig.now());
    EXPECT_EQ(rig.core().residence().table().resident, 1u);
  };
  rig.run();
  EXPECT_EQ(rig.core().residence().table().resident, 0u);
  EXPECT_EQ(rig.core().residence().work().of(KsrId{0}).warp_instructions, 0u);
}

}  // namespace
}  // namespace heddle::test
