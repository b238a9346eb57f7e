#include "models/core/memory/device_memory.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>
#include <stdexcept>
#include <vector>

#include "models/core/base/random.h"

namespace heddle {
namespace {

using testing::HasSubstr;
using testing::ThrowsMessage;

constexpr Address kFirst = DeviceMemory::kFirst;

std::vector<unsigned char> read(const DeviceMemory& memory, Address address, std::size_t bytes) {
  std::vector<unsigned char> data(bytes, 0xee);
  memory.read(address, data.data(), bytes);
  return data;
}

TEST(DeviceMemory, TheFirstAllocationLiesAtTheFirstAddressAndTheNextBehindAGap) {
  DeviceMemory memory;
  EXPECT_EQ(memory.allocate(1, "a"), kFirst);
  EXPECT_EQ(memory.allocate(256, "b"), kFirst + 512);
  EXPECT_EQ(memory.allocate(257, "c"), kFirst + 1024);
  EXPECT_EQ(memory.allocate(1, "d"), kFirst + 1024 + 768);
}

TEST(DeviceMemory, AnAllocationOfNothingHasOneByte) {
  DeviceMemory memory;
  const Address at = memory.allocate(0, "empty");
  EXPECT_EQ(memory.find(at)->bytes, 1u);
  EXPECT_NE(memory.allocate(0, "another"), at);
}

TEST(DeviceMemory, TakesTheLowestHoleThatHoldsItWithItsGap) {
  DeviceMemory memory;
  const Address a = memory.allocate(1024, "a");
  const Address b = memory.allocate(1024, "b");
  const Address c = memory.allocate(1024, "c");
  memory.free(a);
  // 2560 bytes are free up to c.
  memory.free(b);
  EXPECT_EQ(memory.allocate(2305, "large"), c + 1024 + 256) << "its gap would lie in c";
  EXPECT_EQ(memory.allocate(2304, "fits"), a);
}

TEST(DeviceMemory, TheSameCallsGiveTheSameAddressesAgain) {
  DeviceMemory memory;
  std::array<std::vector<Address>, 2> rounds;
  for (std::vector<Address>& addresses : rounds) {
    for (const std::uint64_t bytes : {700u, 30u, 4096u}) addresses.push_back(memory.allocate(bytes, "x"));
    for (const Address address : {addresses[1], addresses[0], addresses[2]}) memory.free(address);
  }
  EXPECT_EQ(rounds[0], rounds[1]);
}

TEST(DeviceMemory, WhatWasFreedIsZeroWhenItIsAllocatedAgain) {
  DeviceMemory memory;
  const Address at = memory.allocate(8, "a");
  memory.fill(at, std::byte{7}, 8);
  memory.free(at);
  ASSERT_EQ(memory.allocate(8, "b"), at);
  EXPECT_EQ(read(memory, at, 8), std::vector<unsigned char>(8));
  memory.fill(at, std::byte{7}, 8);
  memory.reset();
  EXPECT_EQ(memory.find(at), nullptr);
}

TEST(DeviceMemory, FindsOnlyWhatHoldsTheWholeRange) {
  DeviceMemory memory;
  const Address at = memory.allocate(100, "a");
  EXPECT_EQ(memory.find(at, 100)->name, "a");
  EXPECT_EQ(memory.find(at + 99)->name, "a");
  EXPECT_EQ(memory.find(at + 100), nullptr);
  EXPECT_EQ(memory.find(at + 100, 0)->name, "a");
  EXPECT_EQ(memory.find(at + 99, 2), nullptr);
  EXPECT_EQ(memory.find(at, 101), nullptr);
  EXPECT_EQ(memory.find(at + 1, ~std::uint64_t{0}), nullptr);
  EXPECT_EQ(memory.find(at - 1, 2), nullptr);
}

TEST(DeviceMemory, TheNearestIsTheOneWhoseEndOrStartIsNearest) {
  DeviceMemory memory;
  EXPECT_EQ(memory.nearest(kFirst), nullptr);
  const Address a = memory.allocate(256, "a");
  const Address b = memory.allocate(256, "b");  // 256 unused bytes lie between a and b
  EXPECT_EQ(memory.nearest(0)->name, "a");
  EXPECT_EQ(memory.nearest(a + 10)->name, "a");
  EXPECT_EQ(memory.nearest(a + 256 + 127)->name, "a") << "128 bytes from either";
  EXPECT_EQ(memory.nearest(a + 256 + 128)->name, "b");
  EXPECT_EQ(memory.nearest(b - 1)->name, "b");
  EXPECT_EQ(memory.nearest(~Address{0})->name, "b");
}

TEST(DeviceMemory, SaysWhereAnAddressLies) {
  DeviceMemory memory;
  EXPECT_EQ(describe(memory, 16), "0x10, and nothing is allocated");
  const Address at = memory.allocate(1024, "levels");
  const std::string levels = "'levels' (1024 bytes from 0x10000000000)";
  EXPECT_EQ(describe(memory, at + 1024 + 12), "0x1000000040c lies 12 bytes behind the end of " + levels);
  EXPECT_EQ(describe(memory, at - 3), "0xfffffffffd lies 3 bytes before " + levels);
  EXPECT_EQ(describe(memory, at + 5), "0x10000000005 lies in " + levels);
}

TEST(DeviceMemory, AccessesThatLeaveTheirAllocationAreErrors) {
  DeviceMemory memory;
  const Address at = memory.allocate(8, "a");
  memory.allocate(8, "b");
  std::array<unsigned char, 600> data{};
  const auto past = ThrowsMessage<std::out_of_range>(
      HasSubstr("9 bytes at 0x10000000008 lies 0 bytes behind the end of 'a' (8 bytes from 0x10000000000)"));
  EXPECT_THAT([&] { memory.read(at, data.data(), 9); }, past);
  EXPECT_THAT([&] { memory.write(at, data.data(), 9); }, past);
  EXPECT_THAT([&] { memory.fill(at, std::byte{0}, 9); }, past);
  EXPECT_THROW(memory.read(at, data.data(), 600), std::out_of_range) << "from one allocation into another";
  EXPECT_THROW(memory.read(at - 1, data.data(), 1), std::out_of_range);
  EXPECT_THROW(DeviceMemory().read(at, data.data(), 1), std::out_of_range);
}

TEST(DeviceMemory, ZerosWhereNothingWasWrittenTakeNoHostMemory) {
  DeviceMemory memory;
  constexpr std::uint64_t kHuge = std::uint64_t{1} << 39;
  const Address at = memory.allocate(kHuge, "huge");
  const std::array<unsigned char, 64> zeros{};
  memory.write(at + kHuge - 64, zeros.data(), 64);
  memory.fill(at, std::byte{0}, kHuge);
  EXPECT_EQ(read(memory, at + kHuge / 2, 3), std::vector<unsigned char>(3));
  EXPECT_TRUE(memory.find(at)->untouched());
  const Address small = memory.allocate(64, "small");
  memory.fill(small, std::byte{1}, 64);
  EXPECT_FALSE(memory.find(small)->untouched());
  memory.write(small, zeros.data(), 63);
  std::vector<unsigned char> expected(64);
  expected[63] = 1;
  EXPECT_EQ(read(memory, small, 64), expected) << "zeros overwrite";
}

// A map from name to bytes is the reference. Allocations must neither overlap nor lose their data.
TEST(DeviceMemory, ABytesPageIsMappedWhereAnAllocationLiesInIt) {
  DeviceMemory memory;
  EXPECT_EQ(memory.mapped_byte(DeviceMemory::kFirst), nullptr);
  const Address at = memory.allocate(3 * DeviceMemory::kPage, "three pages");
  const Address end = at + 3 * DeviceMemory::kPage;
  ASSERT_EQ(at % DeviceMemory::kPage, 0u);
  EXPECT_EQ(memory.mapped_byte(at - 1), nullptr);
  EXPECT_EQ(memory.mapped_byte(end), nullptr);
  const Address next = memory.allocate(1, "a byte of the fourth page");
  EXPECT_EQ(next, end + DeviceMemory::kAlignment);
  ASSERT_NE(memory.mapped_byte(end), nullptr);
  *memory.mapped_byte(end) = std::byte{5};
  EXPECT_EQ(*memory.mapped_byte(end), std::byte{5});
  EXPECT_EQ(*memory.mapped_byte(end + DeviceMemory::kPage - 1), std::byte{0});
  EXPECT_EQ(memory.mapped_byte(end + DeviceMemory::kPage), nullptr);
  EXPECT_EQ(memory.mapped_byte(end - 1), memory.allocations().at(at).data(end - 1));
  memory.reset();
  EXPECT_EQ(memory.mapped_byte(end), nullptr);
}

TEST(DeviceMemory, AgreesWithAMapOfBuffers) {
  Random random(7);
  DeviceMemory memory;
  std::map<Address, std::vector<unsigned char>> model;
  const auto any = [&] { return std::next(model.begin(), static_cast<long>(random.below(model.size()))); };
  for (int step = 0; step < 20'000; ++step) {
    const std::uint64_t what = random.below(8);
    if (model.empty() || (what == 0 && model.size() < 30)) {
      const std::uint64_t bytes = 1 + random.below(2000);
      const Address at = memory.allocate(bytes, "x");
      ASSERT_EQ(at % DeviceMemory::kAlignment, 0u);
      const auto above = model.upper_bound(at);
      ASSERT_TRUE(above == model.end() || at + bytes + DeviceMemory::kAlignment <= above->first);
      ASSERT_TRUE(above == model.begin() ||
                  std::prev(above)->first + std::prev(above)->second.size() + DeviceMemory::kAlignment <= at);
      model[at].resize(bytes);
    } else if (what == 1) {
      const auto chosen = any();
      ASSERT_EQ(read(memory, chosen->first, chosen->second.size()), chosen->second);
      memory.free(chosen->first);
      model.erase(chosen);
    } else {
      auto& [at, bytes] = *any();
      const std::uint64_t from = random.below(bytes.size());
      const std::uint64_t count = random.below(bytes.size() - from + 1);
      const auto value = static_cast<unsigned char>(random.below(4));
      const std::vector<unsigned char> data(count, value);
      if (what < 5)
        memory.write(at + from, data.data(), count);
      else
        memory.fill(at + from, std::byte{value}, count);
      std::copy(data.begin(), data.end(), bytes.begin() + static_cast<long>(from));
    }
  }
  for (const auto& [at, bytes] : model) EXPECT_EQ(read(memory, at, bytes.size()), bytes);
  EXPECT_EQ(memory.allocations().size(), model.size());
}

}  // namespace
}  // namespace heddle
