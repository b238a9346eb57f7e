#include "models/core/base/bank_counts.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <vector>

#include "models/core/base/random.h"

namespace heddle::test {
namespace {

using Counts = std::array<std::uint32_t, kMostRegisterBanks>;

// Returns the counts of these registers per bank of a register file, counted one by one.
Counts count(const std::vector<std::uint32_t>& registers, std::uint32_t banks, std::uint32_t warp) {
  Counts counts{};
  for (const std::uint32_t id : registers) ++counts[(id + warp) % banks];
  return counts;
}

// With these banks busy at the start, repeated reads give in each cycle what counting one by one gives.
TEST(BankCounts, ReadEachBankOnceACycleAsCountingDoes) {
  Random random(1);
  for (int round = 0; round < 5000; ++round) {
    const std::uint32_t banks = 1u << random.below(6);
    const auto warp = static_cast<std::uint32_t>(random.below(64));
    std::vector<std::uint32_t> registers(random.below(9));
    BankCounts by_register;
    for (std::uint32_t& id : registers) {
      id = static_cast<std::uint32_t>(random.below(random.below(2) == 0 ? 8 : 1024));
      by_register.add(id % kMostRegisterBanks);
    }
    Counts left = count(registers, banks, warp);
    BankCounts counts = BankCounts::of(by_register, banks, warp);
    EXPECT_EQ(counts.conflicts(), std::any_of(left.begin(), left.end(), [](auto n) { return n > 1; }));
    const std::uint32_t taken = static_cast<std::uint32_t>(random.below(banks));
    for (int cycle = 0; cycle < 10; ++cycle) {
      BankCounts busy;
      if (cycle == 0) busy.add(taken);
      std::uint32_t expected = 0;
      for (std::uint32_t bank = 0; bank < banks; ++bank) {
        if (left[bank] == 0 || (cycle == 0 && bank == taken)) continue;
        --left[bank];
        ++expected;
      }
      ASSERT_EQ(counts.read(busy), expected) << banks << " banks, warp " << warp;
    }
    EXPECT_TRUE(counts.empty());
  }
}

TEST(BankCounts, OfOneRegisterAreThoseOfAListOfOne) {
  for (std::uint32_t banks = 1; banks <= kMostRegisterBanks; banks *= 2)
    for (std::uint32_t warp = 0; warp < 64; ++warp)
      for (std::uint32_t number = 0; number < kMostRegisterBanks; ++number) {
        BankCounts one = BankCounts::of_one(number, banks, warp);
        BankCounts busy;
        EXPECT_EQ(one.read(busy), 1u);
        BankCounts expected;
        expected.add((number + warp) % banks);
        EXPECT_TRUE(busy.meets(expected)) << banks << " banks, warp " << warp << ", register " << number;
      }
}

}  // namespace
}  // namespace heddle::test
