// One suite over every registered resource manager: random blocks of two kernels come to an SM of random
// size, start phases, access registers and shared memory, wait at barriers and end.

#include "policies/resource_manager/i_resource_manager.h"

#include <gtest/gtest.h>

#include "models/core/link/memory_request.h"
#include "tests/support/policy_names.h"
#include "tests/support/test_size.h"

namespace heddle {
namespace {

using WarpMask = ResourceManager::WarpMask;

std::uint32_t lowest(WarpMask mask) {
  return static_cast<std::uint32_t>(__builtin_ctzll(mask));
}

SmLimits random_limits(Random& random) {
  const auto drawn = [&random](std::uint32_t least, std::uint32_t most) {
    return least + static_cast<std::uint32_t>(random.below(most - least + 1));
  };
  SmLimits sm;
  sm.warps = drawn(8, 64);
  sm.threads = sm.warps * sm.warp_size;
  sm.registers = 1024 * drawn(16, 64);
  sm.register_granularity = 1u << drawn(0, 8);
  sm.shared_bytes = 1024 * drawn(8, 64);
  sm.shared_granularity = 1u << drawn(0, 8);
  sm.block_slots = drawn(2, 16);
  sm.threads_per_block = 32 * drawn(1, 8);
  sm.registers_per_thread = drawn(20, 128);
  return sm;
}

BlockShape random_shape(const SmLimits& sm, Random& random) {
  for (;;) {
    const BlockShape shape{static_cast<std::uint32_t>(1 + random.below(sm.threads_per_block)),
                           static_cast<std::uint32_t>(1 + random.below(sm.registers_per_thread)),
                           static_cast<std::uint32_t>(random.below(sm.shared_bytes / 2))};
    if (residency_of(shape, sm).blocks > 0) return shape;
  }
}

// An SM that starts blocks as the engine does, and whose warps end after a number of barriers.
class Sm {
 public:
  Sm(ResourceManager& manager, const SmLimits& sm, std::uint64_t seed)
      : manager_(manager), sm_(sm), limits_(manager.limits(sm)), random_(seed), blocks_(limits_.block_slots) {
    for (std::uint32_t ksr = 0; ksr < shapes_.size(); ++ksr) {
      const BlockShape& shape = shapes_[ksr] = random_shape(sm, random_);
      manager_.set_kernel(ksr, resources_of(shape, limits_).warps,
                          {shape.registers_per_thread, shape.shared_bytes});
    }
  }

  // Returns whether all blocks end. `trace` gets the schedulable warps after each step.
  bool end(std::vector<WarpMask>& trace) {
    constexpr std::uint32_t kBlocks = 30;
    std::uint32_t done = 0;
    for (std::uint32_t started = 0; done < kBlocks;) {
      while (started < kBlocks && start()) ++started;
      check();
      trace.push_back(manager_.schedulable());
      const WarpMask ready = manager_.schedulable() & live() & ~waiting_;
      if (ready == 0) return false;
      done += step(drawn(ready)) ? 1 : 0;
    }
    check();
    EXPECT_EQ(manager_.registers_in_use(), 0u);
    EXPECT_EQ(manager_.shared_bytes_in_use(), 0u);
    return true;
  }

 private:
  struct Block {
    WarpMask warps = 0;
    WarpMask live = 0;
    BlockResources need;
    BlockShape shape;
    std::uint32_t barriers = 0;
  };

  WarpMask live() const {
    WarpMask all = 0;
    for (const Block& block : blocks_) all |= block.live;
    return all;
  }

  std::uint32_t drawn(WarpMask mask) {
    for (std::uint64_t skip = random_.below(static_cast<std::uint64_t>(__builtin_popcountll(mask))); skip > 0;
         --skip)
      mask &= mask - 1;
    return lowest(mask);
  }

  bool start() {
    const BlockShape& shape = shapes_[random_.below(shapes_.size())];
    const BlockResources need = resources_of(shape, limits_);
    if (!fits(used_, need, limits_)) return false;
    std::uint32_t place = 0;
    while (blocks_[place].live != 0) ++place;
    const PhaseNeeds needs{shape.registers_per_thread, shape.shared_bytes};
    const auto ksr = static_cast<std::uint32_t>(&shape - shapes_.data());
    if (live() != 0 && manager_.room(ksr) == 0) return false;
    Block& block = blocks_[place];
    block = {0, 0, need, shape, static_cast<std::uint32_t>(random_.below(4))};
    WarpMask free = ~live();
    for (std::uint32_t i = 0; i < need.warps; ++i, free &= free - 1) block.warps |= free & (~free + 1);
    block.live = block.warps;
    used_ += need;
    for (WarpMask left = block.warps; left != 0; left &= left - 1) needs_[lowest(left)] = needs;
    manager_.start_block(ksr, place, block.warps, needs);
    return true;
  }

  // Returns whether the block of the warp ends.
  bool step(std::uint32_t warp) {
    const WarpMask me = WarpMask{1} << warp;
    const auto at =
        std::find_if(blocks_.begin(), blocks_.end(), [me](const Block& b) { return (b.live & me) != 0; });
    if (manager_.maps()) access(warp);
    if (random_.below(30) == 0) {
      leave_and_go_on(*at);
      return false;
    }
    if (manager_.uses_phases() && random_.below(3) == 0) {
      const BlockShape& shape = at->shape;
      needs_[warp] = {static_cast<std::uint32_t>(random_.below(shape.registers_per_thread + 1)),
                      static_cast<std::uint32_t>(random_.below(shape.shared_bytes + 1))};
      manager_.start_phase(warp, needs_[warp]);
      return false;
    }
    if (at->barriers > 0) {
      waiting_ |= me;
      if ((waiting_ & at->live) != at->live) {
        manager_.wait(warp);
        return false;
      }
      --at->barriers;
      waiting_ &= ~at->live;
      manager_.go_on(at->live);
      return false;
    }
    at->live &= ~me;
    manager_.end_warp(warp);
    if (at->live != 0) {
      --used_.warps;
      return false;
    }
    used_ -= held_at_end(at->need, limits_);
    manager_.end_block(static_cast<std::uint32_t>(at - blocks_.begin()));
    return true;
  }

  // The block leaves the SM, with its warps in any phase and some at a barrier, and comes back.
  void leave_and_go_on(const Block& block) {
    const auto place = static_cast<std::uint32_t>(&block - blocks_.data());
    const std::uint32_t ksr = block.shape.threads == shapes_[0].threads ? 0 : 1;
    std::uint64_t on_chip = manager_.held_by_block(place).on_chip;
    EXPECT_LE(on_chip, manager_.shared_bytes_in_use());
    for (WarpMask left = block.live; left != 0; left &= left - 1)
      on_chip += manager_.held_by_warp(lowest(left)).on_chip;
    EXPECT_LE(on_chip, manager_.registers_in_use() * 4u + manager_.shared_bytes_in_use() +
                           std::uint64_t{sm_.warps} * kStateBytes);
    manager_.remove_block(place);
    EXPECT_EQ(manager_.schedulable() & block.live, 0u);
    EXPECT_EQ(manager_.held_by_block(place).on_chip + manager_.held_by_block(place).in_swap, 0u);
    for (WarpMask left = block.live; left != 0; left &= left - 1)
      EXPECT_EQ(manager_.held_by_warp(lowest(left)).on_chip + manager_.held_by_warp(lowest(left)).in_swap,
                0u);
    manager_.resume_block(ksr, place, block.live, needs_, waiting_ & block.live);
  }

  void access(std::uint32_t warp) {
    Instruction code;
    code.reads(static_cast<RegisterId>(random_.below(256)));
    code.writes(static_cast<RegisterId>(random_.below(256)));
    manager_.read_registers(warp, code);
    manager_.write_registers(warp, code);
    ResourceManager::Addresses addresses{};
    for (Address& address : addresses) address = random_.below(sm_.shared_bytes);
    const auto lanes = static_cast<ResourceManager::Lanes>(random_.next());
    const ResourceManager::Lanes swapped = manager_.access_shared(warp, lanes, addresses);
    EXPECT_EQ(swapped & ~lanes, 0u);
    for (std::uint32_t lane = 0; lane < kLanes; ++lane)
      EXPECT_LT(addresses[lane], (swapped >> lane & 1) != 0 ? manager_.swap_bytes() : sm_.shared_bytes);
  }

  void check() {
    EXPECT_EQ(manager_.swap_bytes() % kLineBytes, 0u);
    for (const SwapTransfer& transfer : manager_.transfers()) {
      EXPECT_LE(transfer.address + transfer.bytes, manager_.swap_bytes());
      EXPECT_EQ(transfer.address % kLineBytes + transfer.bytes % kLineBytes, 0u);
      EXPECT_LT(transfer.block, limits_.block_slots);
    }
    manager_.transfers().clear();
    EXPECT_LE(manager_.registers_in_use(), sm_.registers);
    EXPECT_LE(manager_.shared_bytes_in_use(), sm_.shared_bytes);
    EXPECT_LE(__builtin_popcountll(manager_.schedulable() & ~waiting_), static_cast<int>(sm_.warps));
    EXPECT_EQ(manager_.schedulable() & ~live(), 0u);
  }

  ResourceManager& manager_;
  const SmLimits sm_;
  const SmLimits limits_;
  Random random_;
  std::array<BlockShape, 2> shapes_;
  std::vector<Block> blocks_;
  ResourceManager::WarpNeeds needs_{};  // by warp
  BlockResources used_;
  WarpMask waiting_ = 0;
};

class EveryResourceManager : public testing::TestWithParam<PolicyName> {
 protected:
  std::unique_ptr<ResourceManager> make() const {
    return PolicyRegistry<ResourceManager>::make({GetParam().name, {}});
  }
};

TEST_P(EveryResourceManager, LetsEveryRandomBlockEndAndTakesNoMoreThanTheSmHas) {
  for (std::uint64_t seed = 0; seed < cases(300); ++seed) {
    Random random(seed);
    const SmLimits sm = random_limits(random);
    const auto manager = make();
    if (!manager->manages()) {
      EXPECT_EQ(manager->limits(sm).warps, sm.warps);
      EXPECT_FALSE(manager->limits(sm).by_warp);
      continue;
    }
    manager->attach(sm, {});
    std::vector<WarpMask> first;
    ASSERT_TRUE(Sm(*manager, sm, seed).end(first)) << "seed " << seed;
    manager->reset();
    std::vector<WarpMask> again;
    ASSERT_TRUE(Sm(*manager, sm, seed).end(again));
    ASSERT_EQ(first, again);
  }
}

HEDDLE_CONFORMANCE(EveryResourceManager, ResourceManager);

SmLimits sm_of_twelve_warps() {
  SmLimits sm;
  sm.warps = 12;
  sm.threads = 12 * 32;
  sm.registers = 12 * 1024;
  sm.register_granularity = 64;
  sm.shared_bytes = 3072;
  sm.shared_granularity = 128;
  sm.block_slots = 8;
  sm.threads_per_block = 256;
  sm.registers_per_thread = 63;
  return sm;
}

// The warps of a block of one kernel, of which each SM of the test has room for one and a half.
class WarpLevelManagement : public testing::Test {
 protected:
  WarpLevelManagement() : manager_(PolicyRegistry<ResourceManager>::make({"wlm", {}})) {
    manager_->attach(sm_of_twelve_warps(), {});
  }

  std::unique_ptr<ResourceManager> manager_;
};

TEST_F(WarpLevelManagement, StartsTheWarpsOfABlockForWhichThereAreRegisters) {
  manager_->start_block(0, 0, 0xff, {32, 0});
  manager_->start_block(0, 1, 0xff00, {32, 0});
  EXPECT_EQ(manager_->schedulable(), 0xfffu);
  EXPECT_EQ(manager_->registers_in_use(), 12u * 1024);
  manager_->end_warp(3);
  EXPECT_EQ(manager_->schedulable(), 0x1ff7u);
}

TEST_F(WarpLevelManagement, HasAtMostOneBlockInPart) {
  manager_->start_block(0, 0, 0xff, {32, 0});
  manager_->start_block(0, 1, 0xff00, {40, 0});  // three of its warps have registers
  manager_->start_block(0, 2, 0x10000, {8, 0});  // its warp would have them, too
  EXPECT_EQ(manager_->schedulable(), 0x7ffu);
  for (std::uint32_t warp = 0; warp < 8; ++warp) manager_->end_warp(warp);
  EXPECT_EQ(manager_->schedulable(), 0x1ff00u);
}

TEST_F(WarpLevelManagement, AsksForBlocksThatHaveASlotAndSharedMemory) {
  manager_->set_kernel(0, 8, {32, 0});
  manager_->set_kernel(1, 2, {16, 1024});
  EXPECT_EQ(manager_->room(0), 2u);  // eight warps and a part of eight
  EXPECT_EQ(manager_->room(1), 3u);
  manager_->start_block(0, 0, 0xff, {32, 0});
  EXPECT_EQ(manager_->room(0), 1u);
  EXPECT_EQ(manager_->room(1), 2u);
  manager_->start_block(1, 1, 0x300, {16, 1024});
  manager_->start_block(1, 2, 0xc00, {16, 1024});
  EXPECT_EQ(manager_->room(0), 0u);
  for (const std::uint32_t warp : {0, 1, 2, 3, 8, 9}) manager_->end_warp(warp);
  EXPECT_EQ(manager_->room(1), 1u);  // its shared memory is held to the end of the block
  manager_->end_block(1);
  EXPECT_EQ(manager_->room(1), 2u);
  EXPECT_EQ(manager_->room(0), 1u);
}

TEST_F(WarpLevelManagement, GivesSharedMemoryToBlocksFromTheirStartToTheirEnd) {
  manager_->start_block(0, 0, 0x3, {16, 2048});
  manager_->start_block(0, 1, 0xc, {16, 2048});
  EXPECT_EQ(manager_->schedulable(), 0x3u);
  manager_->end_warp(0);
  manager_->end_warp(1);
  EXPECT_EQ(manager_->schedulable(), 0u);
  manager_->end_block(0);
  EXPECT_EQ(manager_->schedulable(), 0xcu);
}

TEST_F(WarpLevelManagement, LetsAWaitingWarpKeepItsSlotAndRegisters) {
  manager_->start_block(0, 0, 0xff, {32, 0});
  manager_->start_block(0, 1, 0xff00, {32, 0});
  for (std::uint32_t warp = 8; warp < 12; ++warp) manager_->wait(warp);
  EXPECT_EQ(manager_->schedulable(), 0xfffu);
}

// Twelve slots have room for one block of eight warps, not for two (Section 5.2: "free warp slots for a new
// thread block").
TEST(Zorua, AsksForABlockWhenThereAreFreeWarpSlotsForAllItsWarps) {
  for (const std::string waiting_slots : {"held", "free"}) {
    const auto manager =
        PolicyRegistry<ResourceManager>::make({"zorua", {{"waiting_slots", PolicyValue(waiting_slots)}}});
    manager->attach(sm_of_twelve_warps(), {});
    manager->set_kernel(0, 8, {32, 3072});
    EXPECT_EQ(manager->room(0), 1u);
    manager->start_block(0, 0, 0xff, {32, 3072});
    EXPECT_EQ(manager->room(0), 0u);
    for (std::uint32_t warp = 0; warp < 4; ++warp) manager->wait(warp);
    EXPECT_EQ(manager->room(0), waiting_slots == "held" ? 0u : 1u);
    manager->go_on(1);
    EXPECT_EQ(manager->room(0), 0u);
    for (std::uint32_t warp = 4; warp < 8; ++warp) manager->end_warp(warp);
    EXPECT_EQ(manager->room(0), 1u);
  }
}

// Returns the threshold of registers, in sets of 100, after one epoch in which all cycles were of this kind.
double threshold_after(const std::string& idle_cycles, WaitReasons reasons) {
  SmLimits sm = sm_of_twelve_warps();
  sm.registers = 100 * 4 * sm.warp_size;
  const auto manager =
      PolicyRegistry<ResourceManager>::make({"zorua", {{"idle_cycles", PolicyValue(idle_cycles)}}});
  manager->attach(sm, {});
  manager->set_kernel(0, 8, {32, 3072});
  KernelStalls stalls;
  stalls.waiting[reasons] = 1000;
  manager->end_epoch(0, stalls);
  const double before = manager->counts(ManagedResource::kRegisters).threshold;
  manager->end_epoch(0, stalls);
  return manager->counts(ManagedResource::kRegisters).threshold - before;
}

// Table 1: c_idle are cycles without an issue in which the pipeline is not stalled.
TEST(Zorua, MayCountCyclesInWhichSomeWarpWaitsForDataAsIdle) {
  constexpr WaitReasons kAlu = reason(Bucket::kScoreboardAlu);
  constexpr WaitReasons kData = reason(Bucket::kScoreboardMemory);
  constexpr WaitReasons kUnit = reason(Bucket::kPipelineMemory);
  for (const std::string idle_cycles : {"no-memory-wait", "no-stall"}) {
    const bool counts_data = idle_cycles == "no-stall";
    EXPECT_DOUBLE_EQ(threshold_after(idle_cycles, kAlu), 14) << idle_cycles;
    EXPECT_DOUBLE_EQ(threshold_after(idle_cycles, kAlu | kData), counts_data ? 14 : 10) << idle_cycles;
    EXPECT_DOUBLE_EQ(threshold_after(idle_cycles, kData), counts_data ? 10 : 6) << idle_cycles;
    EXPECT_DOUBLE_EQ(threshold_after(idle_cycles, kAlu | kUnit), 10) << idle_cycles;
  }
}

}  // namespace
}  // namespace heddle
