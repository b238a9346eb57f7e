#include "models/core/base/lazy_array.h"

#include <gtest/gtest.h>
#include <sys/resource.h>

#include <cstdint>

namespace heddle {
namespace {

long page_faults() {
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  return usage.ru_minflt;
}

struct Element {
  std::uint64_t number;
  std::uint64_t other;
};

TEST(LazyArray, StartsWithZeros) {
  const LazyArray<Element> array(1000);
  for (std::size_t i = 0; i < array.size(); ++i) {
    EXPECT_EQ(array[i].number, 0u);
    EXPECT_EQ(array[i].other, 0u);
  }
}

TEST(LazyArray, TakesMemoryOnlyWhereItIsWritten) {
  constexpr std::size_t kElements = std::size_t{64} << 20;  // 1 GiB, 262,144 pages
  const long before = page_faults();
  LazyArray<Element> array(kElements);
  array[0].number = 1;
  array[kElements - 1].number = 2;
  EXPECT_LT(page_faults() - before, 100);
  EXPECT_EQ(array[kElements / 2].number, 0u);
}

TEST(LazyArray, MayBeEmpty) {
  EXPECT_EQ(LazyArray<Element>(0).size(), 0u);
}

}  // namespace
}  // namespace heddle
