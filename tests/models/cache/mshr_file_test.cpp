#include "models/cache/mshr_file.h"

#include <gtest/gtest.h>

#include <map>

#include "models/core/base/random.h"
#include "tests/support/test_size.h"

namespace heddle {
namespace {

TEST(MshrFile, RequestsWaitInOrderUpToTheMerges) {
  MshrFile mshrs(2, 3, 10);
  const MshrFile::Entry entry = mshrs.allocate(4);
  EXPECT_EQ(mshrs.find(4), entry);
  EXPECT_EQ(mshrs.find(8), MshrFile::kNone);
  for (std::uint64_t request = 7; request < 10; ++request) {
    EXPECT_TRUE(mshrs.can_wait(entry));
    mshrs.wait(entry, request);
  }
  EXPECT_FALSE(mshrs.can_wait(entry));
  ASSERT_EQ(mshrs.waiting(entry), 3u);
  for (std::uint32_t i = 0; i < 3; ++i) EXPECT_EQ(mshrs.waiter(entry, i), 7u + i);
  mshrs.release(entry);
  EXPECT_EQ(mshrs.find(4), MshrFile::kNone);
  EXPECT_EQ(mshrs.waiting(mshrs.allocate(4)), 0u);
}

TEST(MshrFile, HoldsAsManyAsItHasEntries) {
  MshrFile mshrs(3, 1, 3);
  for (std::uint32_t a = 0; a < 3; ++a) {
    EXPECT_EQ(mshrs.free_entries(), 3 - a);
    mshrs.allocate(a);
  }
  EXPECT_EQ(mshrs.free_entries(), 0u);
  mshrs.release(mshrs.find(1));
  EXPECT_EQ(mshrs.free_entries(), 1u);
  EXPECT_NE(mshrs.find(2), MshrFile::kNone);
}

TEST(MshrFile, AResetFreesEveryEntry) {
  MshrFile mshrs(3, 1, 3);
  const MshrFile::Entry first = mshrs.allocate(2);
  mshrs.allocate(0);
  mshrs.reset();
  EXPECT_EQ(mshrs.in_use(), 0u);
  for (std::uint32_t place = 0; place < 3; ++place) EXPECT_EQ(mshrs.find(place), MshrFile::kNone);
  EXPECT_EQ(mshrs.allocate(1), first) << "entries are allocated in the order of a new file";
}

TEST(MshrFile, RandomUseFindsWhatAMapFinds) {
  for (std::uint64_t seed = 1; seed <= cases(20); ++seed) {
    Random random(seed);
    const auto entries = 1 + static_cast<std::uint32_t>(random.below(256));
    MshrFile mshrs(entries, 4, 4 * std::size_t{entries});
    std::map<std::uint32_t, MshrFile::Entry> known;
    for (int step = 0; step < 5000; ++step) {
      const auto place = static_cast<std::uint32_t>(random.below(4 * entries));
      const auto found = known.find(place);
      ASSERT_EQ(mshrs.find(place), found == known.end() ? MshrFile::kNone : found->second) << seed;
      if (found != known.end()) {
        mshrs.release(found->second);
        known.erase(found);
      } else if (mshrs.free_entries() > 0) {
        known[place] = mshrs.allocate(place);
        ASSERT_EQ(mshrs.place(known[place]), place);
      }
      ASSERT_EQ(mshrs.in_use(), known.size());
    }
  }
}

}  // namespace
}  // namespace heddle
