// Values of signals of every word size, compared with an oracle of single bits.

#include <gtest/gtest.h>

#include <bitset>

#include "models/core/base/random.h"
#include "models/rtl/rtl_library.h"
#include "tests/support/test_size.h"

namespace heddle::test {
namespace {

constexpr std::size_t kMostBits = 600;
using Bits = std::bitset<kMostBits>;

// A signal whose value lies between guards, and what it should have.
struct Guarded {
  Guarded(std::uint32_t bits, std::uint32_t word_bytes)
      : memory(kMostBits / 8 + 32, 0xa5),
        signal({"s", bits, word_bytes, HEDDLE_RTL_INPUT, 0, memory.data() + 16}),
        bytes((bits + word_bytes * 8 - 1) / (word_bytes * 8) * word_bytes) {
    signal.clear();
  }
  void expect_equal() const {
    for (std::uint32_t i = 0; i < bytes * 8; ++i)
      ASSERT_EQ((memory[16 + i / 8] >> (i % 8)) & 1, i < signal.bits() ? oracle[i] : 0) << "bit " << i;
    for (std::uint32_t i = 0; i < 16; ++i) {
      ASSERT_EQ(memory[i], 0xa5);
      ASSERT_EQ(memory[16 + bytes + i], 0xa5);
    }
  }

  std::vector<std::uint8_t> memory;
  RtlSignal signal;
  std::uint32_t bytes;
  Bits oracle;
};

std::uint64_t slice(const Bits& bits, std::uint32_t low, std::uint32_t count) {
  std::uint64_t value = 0;
  for (std::uint32_t i = 0; i < count; ++i) value |= std::uint64_t{bits[low + i]} << i;
  return value;
}

void write_slice(Bits& bits, std::uint32_t low, std::uint32_t count, std::uint64_t value) {
  for (std::uint32_t i = 0; i < count; ++i) bits[low + i] = (value >> i & 1) != 0;
}

// Returns the width of a signal that fits one word, or one of several words of four bytes.
std::uint32_t random_width(Random& random, std::uint32_t word_bytes) {
  const std::uint64_t most = word_bytes == 4 ? 520 : word_bytes * 8;
  return static_cast<std::uint32_t>(1 + random.below(most));
}

TEST(RtlSignal, SlicesAreThoseOfSingleBits) {
  Random random(7);
  for (std::uint64_t i = 0; i < cases(400); ++i) {
    const std::uint32_t word_bytes = 1u << random.below(4);
    Guarded guarded(random_width(random, word_bytes), word_bytes);
    for (int step = 0; step < 20; ++step) {
      const std::uint32_t bits = guarded.signal.bits();
      const auto low = static_cast<std::uint32_t>(random.below(bits));
      const auto count = static_cast<std::uint32_t>(1 + random.below(std::min(64u, bits - low)));
      const std::uint64_t value = random.next();
      guarded.signal.set(low, count, value);
      write_slice(guarded.oracle, low, count, value);
      const auto from = static_cast<std::uint32_t>(random.below(bits));
      const auto size = static_cast<std::uint32_t>(1 + random.below(std::min(64u, bits - from)));
      ASSERT_EQ(guarded.signal.get(from, size), slice(guarded.oracle, from, size));
      ASSERT_EQ(guarded.signal.is_zero(), guarded.oracle.none());
    }
    guarded.expect_equal();
  }
}

TEST(RtlSignal, AValueOfOneWordIsSetAndReadAtOnce) {
  for (const std::uint32_t word_bytes : {1u, 2u, 4u, 8u}) {
    Guarded guarded(word_bytes * 8 - 3, word_bytes);
    const std::uint64_t value = (std::uint64_t{1} << (word_bytes * 8 - 3)) - 2;
    guarded.signal.set(value);
    EXPECT_EQ(guarded.signal.get(), value);
    guarded.oracle = Bits(value);
    guarded.expect_equal();
  }
}

TEST(RtlSignal, SixtyFourBitsMayStartInAnyWord) {
  Guarded guarded(130, 4);
  for (std::uint32_t low = 0; low <= 66; ++low) {
    guarded.signal.clear();
    guarded.signal.set(low, 64, 0x8123456789abcdefu);
    EXPECT_EQ(guarded.signal.get(low, 64), 0x8123456789abcdefu) << low;
    EXPECT_EQ(guarded.signal.get(low + 60, 4), 8u) << low;
  }
}

TEST(RtlSignal, HexadecimalDigitsHaveNoLeadingZeros) {
  Guarded guarded(130, 4);
  EXPECT_EQ(guarded.signal.hex(), "0");
  guarded.signal.set(0, 64, 0xbeef);
  EXPECT_EQ(guarded.signal.hex(), "beef");
  guarded.signal.set(128, 2, 3);
  EXPECT_EQ(guarded.signal.hex(), "3" + std::string(28, '0') + "beef");
  Guarded byte(5, 1);
  byte.signal.set(0x1f);
  EXPECT_EQ(byte.signal.hex(), "1f");
}

}  // namespace
}  // namespace heddle::test
