// Arrivals of requests: exact times, and the moments of those that are drawn.

#include "models/host/requests/arrival_stream.h"

#include <gtest/gtest.h>

#include <cmath>
#include <memory>
#include <vector>

#include "models/core/base/random.h"

namespace heddle {
namespace {

std::vector<std::uint64_t> first_times(const ArrivalSpec& spec, std::size_t count, std::uint64_t seed = 1) {
  ArrivalStream stream(spec, Random(seed));
  std::vector<std::uint64_t> times;
  for (std::size_t i = 0; i < count; ++i) {
    times.push_back(stream.next());
    stream.take();
  }
  return times;
}

struct Moments {
  double mean = 0;
  double variation = 0;  // deviation over mean
};

Moments moments_of_gaps(const ArrivalSpec& spec, std::size_t count) {
  const std::vector<std::uint64_t> times = first_times(spec, count);
  double sum = 0;
  double squares = 0;
  std::uint64_t last = 0;
  for (const std::uint64_t time : times) {
    const auto gap = static_cast<double>(time - last);
    sum += gap;
    squares += gap * gap;
    last = time;
  }
  const double mean = sum / static_cast<double>(count);
  return {mean, std::sqrt(squares / static_cast<double>(count) - mean * mean) / mean};
}

TEST(ArrivalStream, PeriodicArrivalsAreExact) {
  ArrivalSpec spec;
  spec.kind = ArrivalSpec::Kind::kPeriodic;
  spec.least_ps = 1'000'003;
  spec.offset_ps = 17;
  EXPECT_EQ(first_times(spec, 3), (std::vector<std::uint64_t>{17, 1'000'020, 2'000'023}));
}

TEST(ArrivalStream, JitterDelaysAnArrivalWithinItsPeriodAndDoesNotAddUp) {
  ArrivalSpec spec;
  spec.kind = ArrivalSpec::Kind::kPeriodic;
  spec.least_ps = 1000;
  spec.jitter_ps = 400;
  const std::vector<std::uint64_t> times = first_times(spec, 1000);
  bool differs = false;
  for (std::size_t i = 0; i < times.size(); ++i) {
    ASSERT_GE(times[i], 1000 * i);
    ASSERT_LE(times[i], 1000 * i + 400);
    differs = differs || times[i] != 1000 * i;
  }
  EXPECT_TRUE(differs);
}

TEST(ArrivalStream, ATableGivesItsTimesAndThenNone) {
  auto table = std::make_shared<ArrivalTable>();
  table->times_ps = {0, 5, 5, 900};
  ArrivalSpec spec;
  spec.kind = ArrivalSpec::Kind::kTimes;
  spec.table = table;
  EXPECT_EQ(first_times(spec, 5), (std::vector<std::uint64_t>{0, 5, 5, 900, kNoTime}));
}

TEST(ArrivalStream, AClientThinksFromTheEndOfItsLastRequest) {
  ArrivalSpec spec;
  spec.kind = ArrivalSpec::Kind::kClosed;
  spec.mean_ps = 100;
  ArrivalStream stream(spec, Random(1));
  const std::uint64_t first = stream.next();
  stream.take();
  EXPECT_EQ(stream.next(), kNoTime);
  stream.answer(first + 50);
  EXPECT_EQ(stream.next(), first + 150);
}

TEST(ArrivalStream, AClientMayThinkForATimeThatIsUniformBetweenBothBounds) {
  ArrivalSpec spec;
  spec.kind = ArrivalSpec::Kind::kClosed;
  spec.think = ArrivalSpec::Think::kUniform;
  spec.least_ps = 50'000'000;
  spec.most_ps = 850'000'000;
  ArrivalStream stream(spec, Random(1));
  std::uint64_t ended = 0;
  double sum = 0;
  constexpr int kTimes = 100'000;
  for (int i = 0; i < kTimes; ++i) {
    const std::uint64_t thought = stream.next() - ended;
    ASSERT_GE(thought, spec.least_ps);
    ASSERT_LE(thought, spec.most_ps);
    sum += static_cast<double>(thought) / kTimes;
    stream.take();
    stream.answer(ended += thought + 7);
  }
  EXPECT_NEAR(sum, 450e6, 800e6 / std::sqrt(12.0 * kTimes) * 3);
}

TEST(ArrivalStream, GapsHaveTheMomentsOfTheirDistributions) {
  ArrivalSpec spec;
  spec.kind = ArrivalSpec::Kind::kPoisson;
  spec.mean_ps = 1e9;
  const std::size_t count = 100'000;  // the mean of so many gaps is off by 0.3 % in one of three cases
  EXPECT_NEAR(moments_of_gaps(spec, count).mean, 1e9, 1.5e7);
  EXPECT_NEAR(moments_of_gaps(spec, count).variation, 1, 0.02);
  spec.kind = ArrivalSpec::Kind::kGamma;
  spec.variation = 3;
  EXPECT_NEAR(moments_of_gaps(spec, count).mean, 1e9, 5e7);
  EXPECT_NEAR(moments_of_gaps(spec, count).variation, 3, 0.15);
  spec.variation = 0.25;
  EXPECT_NEAR(moments_of_gaps(spec, count).mean, 1e9, 5e6);
  EXPECT_NEAR(moments_of_gaps(spec, count).variation, 0.25, 0.01);
  spec.kind = ArrivalSpec::Kind::kUniform;
  spec.least_ps = 100'000'000;
  spec.most_ps = 300'000'000;
  EXPECT_NEAR(moments_of_gaps(spec, count).mean, 2e8, 1e6);
  EXPECT_NEAR(moments_of_gaps(spec, count).variation, 100.0 / 200 / std::sqrt(3.0), 0.005);
}

TEST(ArrivalStream, TheSeedAloneDecides) {
  ArrivalSpec spec;
  spec.kind = ArrivalSpec::Kind::kPoisson;
  spec.mean_ps = 1e9;
  EXPECT_EQ(first_times(spec, 100, 7), first_times(spec, 100, 7));
  EXPECT_NE(first_times(spec, 100, 7), first_times(spec, 100, 8));
}

}  // namespace
}  // namespace heddle
