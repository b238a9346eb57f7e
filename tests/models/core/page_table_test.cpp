#include "models/core/memory/page_table.h"

#include <gtest/gtest.h>

#include <map>
#include <set>

#include "models/core/base/random.h"
#include "tests/support/test_size.h"

namespace heddle {
namespace {

constexpr std::uint64_t kMiB = 1 << 20;

TEST(PageTables, FramesGoByFirstTouch) {
  PageTables pages(2 * kMiB, 1536 * kMiB, 4);
  PageTables::Recent a, b;
  EXPECT_EQ(pages.frames(), 768u);
  EXPECT_EQ(pages.translate(ContextId{0}, 0x7f0012345678, a), 0x145678u);
  EXPECT_EQ(pages.translate(ContextId{0}, 0x10, b), 0x200010u);
  EXPECT_EQ(pages.translate(ContextId{0}, 0x7f0012345678, b), 0x145678u);
  EXPECT_EQ(pages.translate(ContextId{0}, 0x11, a), 0x200011u);
  EXPECT_EQ(pages.frames_used(), 2u);
}

TEST(PageTables, ContextsShareNoFrame) {
  PageTables pages(4096, kMiB, 3);
  PageTables::Recent recent;
  std::set<Address> frames;
  for (std::uint32_t context = 0; context < 3; ++context)
    for (Address page = 0; page < 5; ++page)
      frames.insert(pages.translate(ContextId{context}, page * 4096, recent));
  EXPECT_EQ(frames.size(), 15u);
  for (std::uint32_t context = 0; context < 3; ++context) EXPECT_EQ(pages.pages(ContextId{context}), 5u);
}

TEST(PageTables, FullMemoryNamesContextAndSize) {
  PageTables pages(2 * kMiB, 4 * kMiB, 2);
  PageTables::Recent recent;
  pages.translate(ContextId{0}, 0, recent);
  pages.translate(ContextId{1}, 0, recent);
  pages.translate(ContextId{1}, 100, recent);
  try {
    pages.translate(ContextId{1}, 0x40000000, recent);
    FAIL() << "there is no third frame";
  } catch (const OutOfDeviceMemory& error) {
    EXPECT_STREQ(error.what(),
                 "device memory is full: context 1 touches address 0x40000000, and all 2 pages of 2048 KiB "
                 "are taken (4096 KiB in all, 2048 KiB of them by this context)");
  }
  EXPECT_EQ(pages.translate(ContextId{0}, 5, recent), 5u) << "what is mapped stays mapped";
}

// Contexts 0 and 2 share the first range, and context 1 has the second one.
TEST(PageTables, AContextHasFramesOfItsRangeAlone) {
  const PageTables::Frames first{0, 4}, second{6 * 4096, 2};
  PageTables pages(4096, 8 * 4096, 5, {first, second, first});
  PageTables::Recent recent;
  const auto frame = [&](std::uint32_t context, Address page) {
    return pages.translate(ContextId{context}, page * 4096, recent) / 4096;
  };
  EXPECT_EQ(frame(0, 70), 0u);
  EXPECT_EQ(frame(1, 70), 6u);
  EXPECT_EQ(frame(2, 70), 1u);
  EXPECT_EQ(frame(3, 70), 2u) << "contexts behind the list take its elements in turn";
  EXPECT_EQ(frame(4, 70), 7u);
  EXPECT_EQ(pages.frames_used(), 5u);
  try {
    frame(1, 71);
    FAIL() << "the range has two frames";
  } catch (const OutOfDeviceMemory& error) {
    EXPECT_STREQ(error.what(),
                 "device memory is full: context 1 touches address 0x47000, and all 2 pages of 4 KiB in its "
                 "memory channels are taken (8 KiB in all, 4 KiB of them by this context)");
  }
  pages.reset();
  EXPECT_EQ(frame(1, 5), 6u);
}

TEST(PageTables, AnUnknownContextIsRefused) {
  PageTables pages(4096, kMiB, 2);
  PageTables::Recent recent;
  EXPECT_THROW(pages.translate(ContextId{2}, 0, recent), InvariantError);
  EXPECT_THROW(pages.translate(ContextId{}, 0, recent), InvariantError);
}

TEST(PageTables, RandomTouchesAreThoseOfAMap) {
  for (std::uint64_t seed = 1; seed <= cases(10); ++seed) {
    Random random(seed);
    PageTables pages(4096, 2000 * 4096, 5);
    std::vector<PageTables::Recent> recent(3);
    std::map<std::pair<std::uint32_t, Address>, Address> known;
    for (int step = 0; step < 20'000; ++step) {
      const auto context = static_cast<std::uint32_t>(random.below(5));
      const Address address = random.below(400 * 4096) + (random.below(2) << 46);
      const auto key = std::pair(context, address / 4096);
      if (known.size() == 2000 && known.count(key) == 0) continue;
      const Address frame = known.emplace(key, known.size() * 4096).first->second;
      ASSERT_EQ(pages.translate(ContextId{context}, address, recent[random.below(3)]),
                frame + address % 4096);
    }
    EXPECT_EQ(pages.frames_used(), known.size());
  }
}

}  // namespace
}  // namespace heddle
