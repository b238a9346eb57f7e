#include "models/core/kernel/account_table.h"

#include <gtest/gtest.h>

namespace heddle {
namespace {

TEST(AccountTable, HasAnElementOfZeroForEveryAccountAndForNone) {
  AccountTable<std::uint64_t> table;
  EXPECT_EQ(table.at(AccountId::none()), 0u);
  EXPECT_EQ(table.at(AccountId{1000}), 0u);
  table[AccountId{3}] += 5;
  table[AccountId::none()] += 7;
  EXPECT_EQ(table.at(AccountId{3}), 5u);
  EXPECT_EQ(table.at(AccountId{2}), 0u);
  EXPECT_EQ(table.at(AccountId::none()), 7u);
  table.clear(AccountId{3});
  table.clear(AccountId{1000});
  EXPECT_EQ(table.at(AccountId{3}), 0u);
  std::uint64_t sum = 0;
  for (const std::uint64_t value : table) sum += value;
  EXPECT_EQ(sum, 7u);
  table.reset();
  EXPECT_EQ(table.at(AccountId::none()), 0u);
}

}  // namespace
}  // namespace heddle
