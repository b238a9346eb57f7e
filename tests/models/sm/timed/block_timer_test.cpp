// The blocks of a timed SM under rates that change, against a model that makes a step in each cycle.

#include "models/sm/timed/block_timer.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "models/core/base/random.h"
#include "tests/support/test_size.h"

namespace heddle {
namespace {

constexpr std::uint32_t kHalf = kFullRate / 2;

BlockTimer::Block block(std::uint64_t number, std::uint32_t ksr) {
  return {number, KsrId{ksr}, BlockId{100 + number}};
}

TEST(BlockTimer, BlocksEndInTheirTimeAtFullRate) {
  BlockTimer timer(2, 4);
  EXPECT_EQ(timer.next_end(), Cycle::never());
  timer.add(block(0, 0), {50, 0}, Cycle{10});
  timer.add(block(1, 1), {20, 0}, Cycle{10});
  timer.add(block(2, 0), {5, 0}, Cycle{25});
  EXPECT_EQ(timer.next_end(), Cycle{30});
  EXPECT_EQ(timer.take_ended(Cycle{30}).number, 1u);  // both end here, in order of their numbers
  EXPECT_EQ(timer.next_end(), Cycle{30});
  EXPECT_EQ(timer.take_ended(Cycle{30}).number, 2u);
  EXPECT_EQ(timer.next_end(), Cycle{60});
  EXPECT_EQ(timer.take_ended(Cycle{60}).block, BlockId{100});
  EXPECT_TRUE(timer.empty());
}

TEST(BlockTimer, AtHalfRateTheRestTakesTwiceAsLong) {
  BlockTimer timer(2, 4);
  timer.add(block(0, 0), {100, 0}, Cycle{0});
  timer.add(block(1, 1), {100, 0}, Cycle{0});
  timer.set_rates({kHalf, kFullRate}, Cycle{40});
  EXPECT_EQ(timer.next_end(), Cycle{100});
  timer.take_ended(Cycle{100});
  EXPECT_EQ(timer.next_end(), Cycle{160});
  timer.set_rates({kFullRate, kFullRate}, Cycle{110});  // 40 + 35 are made
  EXPECT_EQ(timer.next_end(), Cycle{135});
}

TEST(BlockTimer, ABlockThatIsTakenAwayKeepsWhatIsLeftOfIt) {
  BlockTimer timer(1, 4);
  timer.set_rates({kHalf}, Cycle{0});
  timer.add(block(0, 0), {100, 0}, Cycle{3});
  timer.add(block(1, 0), {10, 0}, Cycle{3});
  EXPECT_FALSE(timer.remove(KsrId{0}, BlockId{7}, Cycle{4}));
  const std::optional<Progress> left = timer.remove(KsrId{0}, BlockId{100}, Cycle{4});
  ASSERT_TRUE(left);
  EXPECT_EQ(*left, (Progress{99, kHalf}));
  EXPECT_EQ(timer.next_end(), Cycle{23});
  timer.take_ended(Cycle{23});
  timer.set_rates({kFullRate}, Cycle{30});
  timer.add(block(2, 0), *left, Cycle{30});
  EXPECT_EQ(timer.next_end(), Cycle{130});  // a part of a cycle takes a cycle
}

TEST(BlockTimer, AllBlocksOfAKernelAreTakenAwayTogether) {
  BlockTimer timer(2, 4);
  for (std::uint64_t i = 0; i < 4; ++i) timer.add(block(i, i % 2), {10 + i, 0}, Cycle{0});
  std::vector<BlockTimer::Block> gone;
  timer.remove_all(KsrId{0}, gone, Cycle{0});
  EXPECT_EQ(gone.size(), 2u);
  EXPECT_EQ(timer.next_end(), Cycle{11});
  timer.remove_all(KsrId{0}, gone, Cycle{0});
  EXPECT_EQ(gone.size(), 2u);
  timer.reset();
  EXPECT_TRUE(timer.empty());
}

TEST(BlockTimer, BlocksThatAskForMoreThanTheirSmDrawsWaitForItsPort) {
  constexpr std::uint16_t kHalfOfIt = kFullPort / 2;
  BlockTimer timer(1, 8);
  timer.add(block(0, 0), {100, 0}, Cycle{0}, kHalfOfIt);
  timer.add(block(1, 0), {100, 0}, Cycle{0}, kHalfOfIt);
  EXPECT_EQ(timer.next_end(), Cycle{100});  // two draw what the SM can
  timer.add(block(2, 0), {100, 0}, Cycle{40}, kHalfOfIt);
  timer.add(block(3, 0), {100, 0}, Cycle{40}, kHalfOfIt);
  EXPECT_NEAR(static_cast<double>(timer.next_end().value), 160, 1);  // 60 are left, at half the rate
  timer.set_rates({kHalf}, Cycle{80});
  EXPECT_NEAR(static_cast<double>(timer.next_end().value), 240, 1);  // 40 are left, at a quarter
  const Cycle end = timer.next_end();
  timer.take_ended(end);
  timer.take_ended(end);
  EXPECT_NEAR(static_cast<double>(timer.next_end().value), 240 + 2 * 40, 2);  // the port has room again
}

TEST(BlockTimer, APortIsDividedAmongKernelsAndLimitsNoOther) {
  BlockTimer timer(3, 8);
  timer.add(block(0, 0), {1000, 0}, Cycle{0}, kFullPort);
  timer.add(block(1, 1), {1000, 0}, Cycle{0}, kFullPort / 4);
  timer.add(block(2, 2), {900, 0}, Cycle{0});
  EXPECT_EQ(timer.next_end(), Cycle{900});  // it asks for nothing
  timer.take_ended(Cycle{900});
  EXPECT_EQ(timer.next_end(), Cycle{1000});  // a quarter of the port is less than an equal part
  timer.take_ended(Cycle{1000});
  // Three quarters of 1000 cycles are made.
  EXPECT_NEAR(static_cast<double>(timer.next_end().value), 1250, 1);
}

// Steps every block by its rate in each cycle.
class Stepped {
 public:
  explicit Stepped(std::uint32_t ksrs) : rates_(ksrs, kFullRate) {}
  void add(const BlockTimer::Block& block, Progress left) { blocks_.push_back({block, left}); }
  void set_rates(const std::vector<std::uint32_t>& rates) { rates_ = rates; }
  // Makes a cycle and returns the numbers of the blocks that end with it, in ascending order.
  std::vector<std::uint64_t> step() {
    std::vector<std::uint64_t> ended;
    for (auto& [block, left] : blocks_) {
      const Progress made = progress_in(1, rates_[block.ksr.value]);
      left = made < left ? left - made : Progress{};
      if (left == Progress{}) ended.push_back(block.number);
    }
    blocks_.erase(std::remove_if(blocks_.begin(), blocks_.end(),
                                 [](const auto& entry) { return entry.second == Progress{}; }),
                  blocks_.end());
    std::sort(ended.begin(), ended.end());
    return ended;
  }
  bool empty() const { return blocks_.empty(); }

 private:
  std::vector<std::uint32_t> rates_;
  std::vector<std::pair<BlockTimer::Block, Progress>> blocks_;
};

TEST(BlockTimer, RandomBlocksAndRatesEndAsInSteps) {
  for (std::uint64_t seed = 0; seed < cases(100); ++seed) {
    Random random(seed);
    constexpr std::uint32_t kKsrs = 4;
    BlockTimer timer(kKsrs, 32);
    Stepped stepped(kKsrs);
    std::uint64_t number = 0;
    for (std::uint64_t cycle = 0; cycle < 2000 || !stepped.empty(); ++cycle) {
      if (cycle < 2000 && random.below(30) == 0) {
        const Progress left{1 + random.below(200), static_cast<std::uint32_t>(random.below(kFullRate))};
        const auto ksr = static_cast<std::uint32_t>(random.below(kKsrs));
        timer.add(block(number, ksr), left, Cycle{cycle});
        stepped.add(block(number++, ksr), left);
      }
      if (random.below(40) == 0) {
        std::vector<std::uint32_t> rates;
        for (std::uint32_t i = 0; i < kKsrs; ++i)
          rates.push_back(random.below(3) == 0
                              ? kFullRate
                              : static_cast<std::uint32_t>(1000 + random.below(kFullRate - 1000)));
        timer.set_rates(rates, Cycle{cycle});
        stepped.set_rates(rates);
      }
      std::vector<std::uint64_t> ended;
      ASSERT_GT(timer.next_end(), Cycle{cycle});
      while (timer.next_end() == Cycle{cycle + 1}) ended.push_back(timer.take_ended(Cycle{cycle + 1}).number);
      std::sort(ended.begin(), ended.end());
      ASSERT_EQ(ended, stepped.step()) << "seed " << seed << ", cycle " << cycle;
    }
    EXPECT_TRUE(timer.empty());
  }
}

}  // namespace
}  // namespace heddle
