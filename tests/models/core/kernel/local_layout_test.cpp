#include "models/core/kernel/local_layout.h"

#include <gtest/gtest.h>

#include <set>

namespace heddle::test {
namespace {

// Returns the lines of `words` words of every warp, and expects that no two of them are the same one.
std::set<Address> lines_of(std::uint32_t sms, std::uint32_t slots, Address words) {
  std::set<Address> lines;
  for (std::uint32_t sm = 0; sm < sms; ++sm) {
    const LocalLayout layout(sm, sms, slots);
    for (std::uint32_t slot = 0; slot < slots; ++slot)
      for (Address word = 0; word < words; ++word)
        EXPECT_TRUE(lines.insert(layout.line(word, slot)).second) << sm << " " << slot << " " << word;
  }
  return lines;
}

TEST(LocalLayout, NoTwoWarpsShareALineAndAWordOfAWarpIsOne) {
  struct Shape {
    std::uint32_t sms, slots;
  };
  for (const Shape shape : {Shape{1, 1}, {1, 48}, {2, 8}, {6, 64}, {15, 48}, {16, 64}, {40, 32}, {108, 64}}) {
    const Address words = 40;
    const std::set<Address> lines = lines_of(shape.sms, shape.slots, words);
    EXPECT_EQ(lines.size(), shape.sms * shape.slots * words);
    for (const Address line : lines) {
      EXPECT_EQ(line % LocalLayout::kLineBytes, 0u);
      EXPECT_GE(line, kLocalAddresses);
      EXPECT_LT(line, kCodeAddresses);
    }
  }
}

// Lines go round channels, slices and sets, whose number is `turns`.
TEST(LocalLayout, TheWordsOfAWarpGoRoundAnyNumberOfSlices) {
  const LocalLayout layout(3, 15, 48);
  for (Address turns = 1; turns <= 256; ++turns) {
    std::set<Address> places;
    for (Address word = 0; word < turns; ++word)
      places.insert(layout.line(word, 5) / LocalLayout::kLineBytes % turns);
    EXPECT_EQ(places.size(), turns);
  }
}

TEST(LocalLayout, TheLastByteOfAThreadIsBelowTheCode) {
  const Address most_words = Address{512} * 1024 / 4;  // CUDA C++ Programming Guide: 512 KiB a thread
  EXPECT_LT(LocalLayout(1023, 1024, 64).line(most_words, 63), kCodeAddresses);
}

}  // namespace
}  // namespace heddle::test
