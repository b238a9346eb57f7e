#include "models/core/base/distribution.h"

#include <gtest/gtest.h>

#include <cmath>

#include "models/core/base/portable_math.h"

namespace heddle {
namespace {

TEST(PortableMath, TheLogarithmIsThatOfTheLibraryToTwoUnitsInTheLastPlace) {
  Random random(1);
  for (int i = 0; i < 100000; ++i) {
    const double x = std::ldexp(0.5 + random.unit(), static_cast<int>(random.below(2000)) - 1000);
    const double exact = std::log(x);
    EXPECT_NEAR(portable_log(x), exact, 0x1.0p-52 * std::max(0.5, 2 * std::abs(exact))) << x;
  }
  EXPECT_EQ(portable_log(1), 0);
}

TEST(PortableMath, ThePowerIsThatOfTheLibrary) {
  Random random(2);
  for (int i = 0; i < 100000; ++i) {
    const double x = 1400 * random.unit() - 700;
    EXPECT_NEAR(portable_exp(x) / std::exp(x), 1, 0x1.0p-50) << x;
  }
  EXPECT_EQ(portable_exp(0), 1);
}

// The mean of n draws has the deviation d / sqrt(n); five of these are missed once in two million.
void expect_moments(const Distribution& distribution, double mean, double deviation) {
  constexpr int kDraws = 200000;
  Random random(3);
  double sum = 0;
  double squares = 0;
  for (int i = 0; i < kDraws; ++i) {
    const double value = distribution.draw(random);
    sum += value;
    squares += (value - mean) * (value - mean);
  }
  EXPECT_NEAR(sum / kDraws, mean, 5 * deviation / std::sqrt(kDraws) + 1e-12 * mean);
  EXPECT_NEAR(std::sqrt(squares / kDraws), deviation, 0.03 * deviation);
}

TEST(Distribution, DrawsHaveItsMeanAndDeviation) {
  expect_moments(Distribution::constant(4), 4, 0);
  expect_moments(Distribution::uniform(2, 8), 5, 6 / std::sqrt(12.0));
  expect_moments(Distribution::uniform_whole(1, 6), 3.5, std::sqrt(35.0 / 12));
  expect_moments(Distribution::exponential(300), 300, 300);
  expect_moments(Distribution::normal(300, 20), 300, 20);
  expect_moments(Distribution::lognormal(300, 200), 300, 200);
  expect_moments(Distribution::gamma(300, 0.5), 300, 150);
  expect_moments(Distribution::gamma(300, 2), 300, 600);  // a shape below 1
  expect_moments(Distribution::geometric(40), 40, std::sqrt(40.0 * 39));
  expect_moments(Distribution::choice({1, 4, 8}, {2, 1, 1}), 3.5, std::sqrt(20.5 - 12.25));
}

TEST(Distribution, DrawsAreRoundedAndLimited) {
  Distribution tokens = Distribution::lognormal(300, 400);
  EXPECT_FALSE(tokens.is_whole());
  tokens.round();
  tokens.limit(16, 512);
  EXPECT_TRUE(tokens.is_whole());
  Random random(4);
  bool reaches_least = false;
  bool reaches_most = false;
  for (int i = 0; i < 10000; ++i) {
    const double value = tokens.draw(random);
    ASSERT_EQ(value, std::floor(value));
    ASSERT_GE(value, 16);
    ASSERT_LE(value, 512);
    reaches_least = reaches_least || value == 16;
    reaches_most = reaches_most || value == 512;
  }
  EXPECT_TRUE(reaches_least && reaches_most);
}

TEST(Distribution, ASeedGivesTheSameDraws) {
  for (const Distribution& distribution :
       {Distribution::exponential(300), Distribution::lognormal(300, 200), Distribution::gamma(300, 2)}) {
    Random first(5);
    Random second(5);
    for (int i = 0; i < 1000; ++i) ASSERT_EQ(distribution.draw(first), distribution.draw(second));
  }
  EXPECT_FALSE(Distribution::constant(1).draws());
  EXPECT_TRUE(Distribution::geometric(2).draws());
}

// These bits are the same on every machine and compiler.
TEST(Distribution, FirstDrawsAreKnown) {
  Random random(1);
  EXPECT_EQ(Distribution::exponential(1).draw(random), 0x1.ac08eade3a34cp-1);
  EXPECT_EQ(Distribution::normal(0, 1).draw(random), -0x1.ebc70a51bcf02p+0);
  EXPECT_EQ(Distribution::lognormal(300, 200).draw(random), 0x1.310557f473272p+8);
  EXPECT_EQ(Distribution::gamma(300, 0.5).draw(random), 0x1.30215d1cd15d3p+8);
  EXPECT_EQ(Distribution::gamma(300, 2).draw(random), 0x1.850c52ea7237fp+9);
  EXPECT_EQ(Distribution::geometric(40).draw(random), 0x1.7p+4);
}

}  // namespace
}  // namespace heddle
