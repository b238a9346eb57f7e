// Values of signals: four states, any width.

#include "models/stats/waves/logic_vector.h"

#include <gtest/gtest.h>

#include <string>

namespace heddle {
namespace {

std::string text_of(const LogicVector& vector) {
  std::string text;
  for (unsigned bit = vector.width(); bit > 0; --bit) text += vector.state(bit - 1);
  return text;
}

TEST(LogicVector, IsUnknownBeforeItHasAValue) {
  EXPECT_EQ(text_of(LogicVector(3)), std::string(3, 'x')) << "each bit is unknown";
  EXPECT_EQ(LogicVector(3).number(1, 1), std::nullopt);
}

TEST(LogicVector, ShortValuesAreExtendedByTheirFirstDigit) {
  LogicVector vector(6);
  for (const auto& [digits, whole] : {std::pair{"101", "000101"},
                                      {"x01", "xxxx01"},
                                      {"Z1", "zzzzz1"},
                                      {"1x0z10", "1x0z10"},
                                      {"0001", "000001"},
                                      {"00000000101", "000101"}}) {
    EXPECT_TRUE(vector.assign(digits)) << digits;
    EXPECT_EQ(text_of(vector), whole);
  }
}

TEST(LogicVector, RefusesWhatIsNoValueAndIsUnknownThen) {
  LogicVector vector(4);
  for (const char* digits : {"", "10000", "x0000", "12", "1 0", "h"}) {
    vector.assign(std::uint64_t{5});
    EXPECT_FALSE(vector.assign(digits)) << digits;
    EXPECT_EQ(text_of(vector), "xxxx");
  }
}

TEST(LogicVector, NumbersAreCutFromAnyBitOn) {
  LogicVector vector(132);  // three counters of 44 bits in one vector
  const std::uint64_t counters[] = {0xFEDCBA98765, 1, 0xFFFFFFFFFFF};
  std::string digits;
  for (const std::uint64_t counter : counters)
    for (unsigned bit = 44; bit > 0; --bit) digits += (counter >> (bit - 1) & 1U) != 0 ? '1' : '0';
  ASSERT_TRUE(vector.assign(digits));
  EXPECT_EQ(vector.number(88, 44), counters[0]);
  EXPECT_EQ(vector.number(44, 44), counters[1]);
  EXPECT_EQ(vector.number(0, 44), counters[2]);
  EXPECT_EQ(vector.number(40, 64), counters[2] >> 40U | counters[1] << 4U | (counters[0] & 0xFFFFU) << 48U);
}

TEST(LogicVector, OnlyTheBitsThatAreAskedForMustBeKnown) {
  LogicVector vector(70);
  std::string digits(70, '0');
  digits[1] = 'z';  // bit 68
  digits[69] = '1';
  ASSERT_TRUE(vector.assign(digits));
  EXPECT_EQ(vector.number(0, 64), 1u);
  EXPECT_EQ(vector.number(10, 58), 0u);
  EXPECT_EQ(vector.number(10, 59), std::nullopt);
}

}  // namespace
}  // namespace heddle
