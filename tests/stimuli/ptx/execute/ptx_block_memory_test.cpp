// The memories of a block, access by access.

#include "stimuli/ptx/execute/block_memory.h"

#include <gmock/gmock.h>

#include "stimuli/ptx/execute/generic_addresses.h"
#include "tests/support/ptx/step_rig.h"

namespace heddle::ptx {
namespace {

using testing::HasSubstr;
using Kind = Step::Kind;

const char* const kShared = ".shared .align 4 .b8 s[256];";

struct MemoryRig : StepRig {
  using StepRig::StepRig;

  IssuedInstruction access(const WarpStep& at) {
    IssuedInstruction issued = issue(at);
    memory.access(at, issued);
    return issued;
  }

  BlockMemory memory{state, faults};
};

TEST(PtxBlockMemory, SharedMemoryHoldsWhatLanesStoreUntilTheNextBlockStarts) {
  MemoryRig rig("mov.u64 %rd3, s; st.shared.u32 [%rd2], %r1; ld.shared.u32 %r2, [%rd2+4];", kShared);
  rig.memory.start();
  EXPECT_EQ(rig.memory.shared_bytes(), 256u);
  const WarpStep store = rig.at(Kind::kStore);
  for (std::uint32_t lane = 0; lane < kLanes; ++lane) {
    set_lane(store, store.step.source[0], lane, std::uint64_t{4} * lane);
    set_lane(store, store.step.source[1], lane, 100 + lane);
  }
  const IssuedInstruction stored = rig.access(store);
  EXPECT_EQ(stored.addresses[31], 124u);
  const WarpStep load = rig.at(Kind::kLoad, 2);
  const IssuedInstruction loaded = rig.access(load);
  EXPECT_EQ(loaded.addresses[3], 16u);
  EXPECT_EQ(lane_of<std::uint32_t>(load, load.step.destination[0], 3), 104u);
  EXPECT_EQ(lane_of<std::uint32_t>(load, load.step.destination[0], 31), 0u);
  rig.memory.start();
  rig.access(load);
  EXPECT_EQ(lane_of<std::uint32_t>(load, load.step.destination[0], 3), 0u);
}

TEST(PtxBlockMemory, EveryThreadHasLocalMemoryOfItsOwn) {
  MemoryRig rig(".local .align 8 .b8 l[8]; st.local.u32 [l+4], %r1; ld.local.u32 %r2, [l+4];", "", 64);
  rig.memory.start();
  for (std::uint32_t warp = 0; warp < 2; ++warp) {
    const WarpStep store = rig.at(Kind::kStore, 0, kEveryLane, warp);
    for (std::uint32_t lane = 0; lane < kLanes; ++lane)
      set_lane(store, store.step.source[1], lane, 32 * warp + lane);
    EXPECT_EQ(rig.access(store).addresses[9], 4u);
  }
  for (std::uint32_t warp = 0; warp < 2; ++warp) {
    const WarpStep load = rig.at(Kind::kLoad, 2, kEveryLane, warp);
    rig.access(load);
    for (std::uint32_t lane = 0; lane < kLanes; ++lane)
      ASSERT_EQ(lane_of<std::uint32_t>(load, load.step.destination[0], lane), 32 * warp + lane);
  }
}

TEST(PtxBlockMemory, AtomicsOfOneWarpFollowEachOtherFromTheLowestActiveLaneOn) {
  MemoryRig rig("atom.shared.add.u32 %r2, [s+8], 3;", kShared);
  rig.memory.start();
  const WarpStep add = rig.at(Kind::kAtomic, 0, 0xf0f0f0f0U);
  rig.access(add);
  EXPECT_EQ(lane_of<std::uint32_t>(add, add.step.destination[0], 4), 0u);
  EXPECT_EQ(lane_of<std::uint32_t>(add, add.step.destination[0], 12), 12u);
  EXPECT_EQ(lane_of<std::uint32_t>(add, add.step.destination[0], 31), 45u);
}

TEST(PtxBlockMemory, AGenericAccessShowsTheSmTheSpaceOfTheLowestLaneAndServesAll) {
  MemoryRig rig("mov.u64 %rd3, s; st.u32 [%rd2], %r1;", kShared);
  rig.memory.start();
  const Address buffer = rig.run.memory().allocate(128, "buffer");
  const WarpStep store = rig.at(Kind::kStore);
  for (std::uint32_t lane = 0; lane < kLanes; ++lane) {
    const std::uint64_t base = lane < 8 ? kSharedWindow : buffer;
    set_lane(store, store.step.source[0], lane, base + std::uint64_t{4} * lane);
    set_lane(store, store.step.source[1], lane, 7 + lane);
  }
  const IssuedInstruction issued = rig.access(store);
  EXPECT_EQ(issued.mask, 0xffU);
  EXPECT_EQ(issued.code->space, MemorySpace::kShared);
  EXPECT_EQ(issued.addresses[7], 28u);
  EXPECT_EQ(rig.run.read<std::uint32_t>(buffer, 32)[31], 38u);
  EXPECT_EQ(rig.run.read<std::uint32_t>(buffer, 32)[7], 0u);
  std::uint32_t word = 0;
  rig.memory.read_generic(store, 0, kSharedWindow + 28, &word, sizeof(word));
  EXPECT_EQ(word, 14u);
}

TEST(PtxBlockMemory, LanesOfOneAccessMayReachSeveralAllocations) {
  MemoryRig rig("ld.global.u32 %r1, [%rd2];");
  const Address one = rig.run.buffer(std::vector<std::uint32_t>{11}, "one");
  const Address two = rig.run.buffer(std::vector<std::uint32_t>{22}, "two");
  const WarpStep load = rig.at(Kind::kLoad, 2);
  for (std::uint32_t lane = 0; lane < kLanes; ++lane)
    set_lane(load, load.step.source[0], lane, lane % 2 == 0 ? one : two);
  EXPECT_EQ(rig.access(load).addresses[5], two);
  EXPECT_EQ(lane_of<std::uint32_t>(load, load.step.destination[0], 4), 11u);
  EXPECT_EQ(lane_of<std::uint32_t>(load, load.step.destination[0], 5), 22u);
}

TEST(PtxBlockMemory, AFaultNamesTheFirstLaneThatIsMisplaced) {
  MemoryRig rig(
      "mov.u64 %rd3, s; st.shared.u32 [%rd2], %r1; ld.param.u32 %r1, [%rd2]; ld.global.u64 %rd3, [%rd2];",
      kShared);
  rig.memory.start();
  const WarpStep store = rig.at(Kind::kStore, 0, 0xfff0U);
  for (std::uint32_t lane = 0; lane < kLanes; ++lane)
    set_lane(store, store.step.source[0], lane, std::uint64_t{lane == 6 ? 2U : lane == 9 ? 256U : 0U});
  const std::string misaligned = fault_of([&] { rig.access(store); });
  EXPECT_THAT(misaligned, HasSubstr("4 bytes at 0x2 of shared memory, which is not aligned"));
  EXPECT_THAT(misaligned, HasSubstr("thread (6, 0, 0)"));
  set_lane(store, store.step.source[0], 6, std::uint64_t{4});
  const std::string outside = fault_of([&] { rig.access(store); });
  EXPECT_THAT(outside, HasSubstr("4 bytes at 0x100 of the 256 bytes of shared memory"));
  EXPECT_THAT(outside, HasSubstr("thread (9, 0, 0)"));
  const WarpStep global = rig.at(Kind::kLoad, 3, 0x10U);
  set_lane(global, global.step.source[0], 4, DeviceMemory::kFirst + (std::uint64_t{1} << 20U));
  EXPECT_THAT(fault_of([&] { rig.access(global); }), HasSubstr("8 bytes at 0x10000100000 lies"));
}

TEST(PtxBlockMemory, StringsEndAtTheirZero) {
  MemoryRig rig("trap;");
  const std::vector<char> text{'h', 'e', 'd', 'd', 'l', 'e', 0, 'x'};
  const Address at = rig.run.buffer(text, "text");
  const WarpStep step = rig.at(Kind::kTrap);
  EXPECT_EQ(rig.memory.read_string(step, 3, at), "heddle");
  EXPECT_EQ(rig.memory.read_string(step, 3, at + 6), "");
  EXPECT_THAT(fault_of([&] { rig.memory.read_string(step, 3, at + 7); }), HasSubstr("1 bytes at"));
}

}  // namespace
}  // namespace heddle::ptx
