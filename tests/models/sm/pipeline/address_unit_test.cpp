// What a memory instruction accesses, as the address unit finds it at issue, and the entries that it gives.

#include "models/sm/pipeline/address_unit.h"

#include <gtest/gtest.h>

#include "models/core/kernel/address_spaces.h"
#include "tests/support/sm/sm_rig.h"

namespace heddle::test {
namespace {

constexpr Address kSwap = Address{1} << 40;

class AddressUnitTest : public testing::Test {
 protected:
  AddressUnitTest() {
    spec_.load_entries = 3;
    spec_.shared_banks = 32;
  }
  // Prepares an access of 4 bytes of each lane of the mask, `stride` bytes apart from `first` on.
  const AddressUnit::Entry& prepare(MemorySpace space, Operation operation, Address first, Address stride,
                                    std::uint32_t mask = ~0u, std::uint32_t swapped = 0) {
    code_.space = space;
    code_.operation = operation;
    code_.bytes = 4;
    IssuedInstruction issued;
    issued.code = &code_;
    issued.mask = mask;
    for (std::uint32_t lane = 0; lane < kLanes; ++lane) issued.addresses[lane] = first + lane * stride;
    entry_ = unit().prepare(issued, {5, ContextId{1}, AccountId{2}}, Cycle{40}, swapped);
    return unit()[entry_];
  }
  AddressUnit& unit() {
    if (!unit_) unit_.emplace(spec_, LocalLayout(0, 1, 48), kSwap);
    return *unit_;
  }

  CycleSmSpec spec_ = gtx480_sm();
  Instruction code_;
  std::optional<AddressUnit> unit_;
  std::uint32_t entry_ = 0;
};

TEST_F(AddressUnitTest, AnInstructionHasAnEntryUntilItIsGivenBack) {
  EXPECT_TRUE(unit().idle());
  for (std::uint32_t i = 0; i < 3; ++i) {
    ASSERT_TRUE(unit().has_entry());
    prepare(MemorySpace::kGlobal, Operation::kLoad, 0, 4);
  }
  EXPECT_FALSE(unit().has_entry());
  EXPECT_TRUE(unit().holds(AccountId{2}));
  EXPECT_FALSE(unit().holds(AccountId{1}));
  for (std::uint32_t i = 0; i < 3; ++i) unit().give_back(i);
  EXPECT_TRUE(unit().idle());
  EXPECT_FALSE(unit().holds(AccountId{2}));
}

TEST_F(AddressUnitTest, AnEntryIsNewForEachInstruction) {
  AddressUnit::Entry& entry =
      const_cast<AddressUnit::Entry&>(prepare(MemorySpace::kShared, Operation::kLoad, 0, 8, ~0u, 1));
  entry.next = entry.pending = 7;
  unit().give_back(entry_);
  const AddressUnit::Entry& again = prepare(MemorySpace::kGlobal, Operation::kLoad, 256, 0, 1);
  EXPECT_EQ(&again, &entry);
  EXPECT_EQ(again.next, 0u);
  EXPECT_EQ(again.pending, 1u);
  EXPECT_EQ(again.passes, 0u);
  EXPECT_FALSE(again.swapped);
  EXPECT_EQ(again.issued, Cycle{40});
  EXPECT_EQ(again.owner.warp, 5u);
  ASSERT_EQ(again.lines.count, 1u);
  EXPECT_EQ(again.lines.access[0].line, 256u);
  EXPECT_EQ(again.lines.access[0].sectors, 0b0001);
}

TEST_F(AddressUnitTest, AnInstructionWithoutALaneAccessesNothing) {
  for (const MemorySpace space : {MemorySpace::kGlobal, MemorySpace::kShared}) {
    const AddressUnit::Entry& entry = prepare(space, Operation::kLoad, 0, 4, 0);
    EXPECT_EQ(entry.lines.count, 0u);
    EXPECT_EQ(entry.passes, 0u);
  }
}

TEST_F(AddressUnitTest, ConstantsLieInTheirOwnAddresses) {
  EXPECT_EQ(prepare(MemorySpace::kConstant, Operation::kLoad, 512, 4).lines.access[0].line,
            kConstantAddresses + 512);
  EXPECT_EQ(prepare(MemorySpace::kConstant, Operation::kLoad, 512, 0, 0b11).lines.access[0].line,
            kConstantAddresses + 512);
}

TEST_F(AddressUnitTest, SharedMemoryTakesAPassForEachWordOfABank) {
  EXPECT_EQ(prepare(MemorySpace::kShared, Operation::kLoad, 0, 4).passes, 1u);
  EXPECT_EQ(prepare(MemorySpace::kShared, Operation::kLoad, 0, 8).passes, 2u);
  const AddressUnit::Entry& worst = prepare(MemorySpace::kShared, Operation::kStore, 0, 128);
  EXPECT_EQ(worst.passes, 32u);
  EXPECT_EQ(worst.lines.count, 0u);
}

// Lanes 0 to 7 access one bank each, the others lines of swap space.
TEST_F(AddressUnitTest, LanesWhoseSharedMemoryIsInSwapSpaceAccessItsLines) {
  const AddressUnit::Entry& entry = prepare(MemorySpace::kShared, Operation::kLoad, 0, 128, ~0u, 0xffffff00u);
  EXPECT_TRUE(entry.swapped);
  EXPECT_EQ(entry.passes, 8u);
  ASSERT_EQ(entry.lines.count, 24u);
  EXPECT_EQ(entry.lines.access[0].line, kSwap + 8 * 128);
  EXPECT_EQ(entry.lines.access[23].line, kSwap + 31 * 128);
}

TEST_F(AddressUnitTest, AMergedAtomicIsThatOfTheLowestLane) {
  code_.mergeable = true;
  spec_.merges_atomics = true;
  const AddressUnit::Entry& entry = prepare(MemorySpace::kGlobal, Operation::kAtomic, 64, 0, 0b11100);
  ASSERT_EQ(entry.lines.count, 1u);
  EXPECT_EQ(entry.lines.access[0].lanes[2], 1);
  EXPECT_EQ(entry.lines.access[0].depth[2], 1);
}

TEST_F(AddressUnitTest, AnAtomicThatIsNotMergedCountsTheLanesOfAWord) {
  code_.mergeable = true;
  const AddressUnit::Entry& entry = prepare(MemorySpace::kGlobal, Operation::kAtomic, 64, 0, 0b11100);
  EXPECT_EQ(entry.lines.access[0].lanes[2], 3);
  EXPECT_EQ(entry.lines.access[0].depth[2], 3);
}

TEST_F(AddressUnitTest, ATransferIsWholeLinesOfSwapSpaceOrOfASavedBlock) {
  const MemoryOwner owner{9, ContextId{1}, AccountId{2}};
  const AddressUnit::Entry& swapped = unit()[unit().prepare_swap(true, 256, 3, owner, Cycle{1})];
  const AddressUnit::Entry& saved = unit()[unit().prepare_saved(false, kSavedAddresses, 2, owner, Cycle{1})];
  EXPECT_EQ(swapped.code->space, MemorySpace::kSwap);
  EXPECT_EQ(swapped.code->operation, Operation::kLoad);
  EXPECT_EQ(saved.code->space, MemorySpace::kSaved);
  EXPECT_EQ(saved.code->operation, Operation::kStore);
  ASSERT_EQ(swapped.lines.count, 3u);
  ASSERT_EQ(saved.lines.count, 2u);
  for (std::uint32_t i = 0; i < 3; ++i) {
    EXPECT_EQ(swapped.lines.access[i].line, kSwap + 256 + 128 * i);
    EXPECT_EQ(swapped.lines.access[i].sectors, 0b1111);
  }
  EXPECT_EQ(saved.lines.access[1].line, kSavedAddresses + 128);
}

}  // namespace
}  // namespace heddle::test
