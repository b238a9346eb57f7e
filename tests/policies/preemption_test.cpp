// Preemption policies: what each decides, and on which GPUs.

#include "policies/preemption/i_preemption.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <vector>

#include "models/core/base/random.h"
#include "tests/support/schedules.h"

namespace heddle {
namespace {

using ::testing::Each;
using ::testing::ElementsAre;

constexpr Handover kDrain = Handover::kDrain;
constexpr Handover kSwitch = Handover::kSwitch;
constexpr Handover kFlush = Handover::kFlush;

class GivenCosts final : public HandoverCosts {
 public:
  explicit GivenCosts(std::vector<HandoverCost> costs) : costs_(std::move(costs)) {}
  void read(SmId, KsrId, std::vector<HandoverCost>& costs) const override { costs = costs_; }
  std::uint32_t size() const { return static_cast<std::uint32_t>(costs_.size()); }

 private:
  std::vector<HandoverCost> costs_;
};

HandoverCost block(std::uint64_t elapsed, std::optional<std::uint64_t> drain, std::uint64_t bytes) {
  HandoverCost cost;
  cost.elapsed = elapsed;
  cost.drain_cycles = drain;
  cost.switch_bytes = bytes;
  return cost;
}

struct Chimera {
  double latency = 1000;
  double unknown = 1;
  bool restartable = true;
  double bytes_per_cycle = 10;

  std::vector<Handover> decide(const std::vector<HandoverCost>& blocks) const {
    const GivenCosts costs(blocks);
    std::vector<Handover> answers(blocks.size(), kDrain);
    PolicyRegistry<Preemption>::make({"chimera", {{"latency", latency}, {"unknown", unknown}}})
        ->decide({SmId{0}, KsrId{0}, costs.size(), &costs, restartable, bytes_per_cycle}, answers);
    return answers;
  }
};

TEST(Preemption, EachSimplePolicyLetsEveryBlockGoInItsOwnWay) {
  for (const auto& [name, way] :
       {std::pair{"drain", kDrain}, std::pair{"switch", kSwitch}, std::pair{"flush", kFlush}}) {
    const auto policy = make_policy<Preemption>(name);
    std::vector<Handover> blocks(3, kDrain);
    policy->decide({SmId{1}, KsrId{2}, 3, nullptr}, blocks);
    EXPECT_THAT(blocks, Each(way)) << name;
    for (const Handover answer : {kDrain, kSwitch, kFlush})
      EXPECT_EQ(policy->answers(answer), answer == way) << name;
  }
}

TEST(Preemption, EveryPolicyFitsTimedAndCycleSms) {
  GpuDescription timed;
  GpuDescription cycle;
  cycle.has_cycle_sms = true;
  for (const std::string& name : PolicyCatalogue::instance().names(Preemption::kDecision))
    for (const GpuDescription& gpu : {timed, cycle})
      EXPECT_EQ(PolicyCatalogue::instance().misfit(Preemption::kDecision, {name, {}}, gpu), "") << name;
}

// The slowest block that is drained in time has 900 cycles left, and 2000 bytes are stored in 200 cycles.
TEST(Chimera, FlushesYoungBlocksDrainsOldOnesAndSwitchesThoseBetween) {
  EXPECT_THAT(Chimera{}.decide({
                  block(50, 900, 500),   // drain 0, switch 400, flush 50
                  block(390, 600, 500),  // drain 300, switch 400, flush 390
                  block(500, 450, 500),  // drain 450, switch 400, flush 500
                  block(100, 500, 500),  // drain 400, switch 400, flush 100
              }),
              ElementsAre(kDrain, kDrain, kSwitch, kFlush));
}

TEST(Chimera, DoesNotDrainWhatEndsTooLateAndDoesNotSwitchWhatTakesTooLong) {
  Chimera chimera;
  EXPECT_THAT(chimera.decide({block(5000, 1000, 20), block(5000, 1001, 20)}), ElementsAre(kDrain, kSwitch));
  // Both blocks together take 1001 cycles to store.
  EXPECT_THAT(chimera.decide({block(5000, 1000, 5000), block(5000, 1001, 5010)}),
              ElementsAre(kDrain, kFlush));
}

TEST(Chimera, TakesTheLeastLatencyWhereNothingMeetsTheBound) {
  Chimera chimera;
  chimera.restartable = false;
  EXPECT_THAT(chimera.decide({block(5000, 3000, 10000), block(5000, 1500, 10000)}),
              ElementsAre(kSwitch, kDrain));  // 2000 cycles to store both
  chimera.restartable = true;
  EXPECT_THAT(chimera.decide({block(5000, 3000, 10000), block(5000, 1500, 10000)}), Each(kFlush));
}

TEST(Chimera, FlushesNoKernelThatMayNotRestartAndSwitchesNothingWhereBlocksCannotBeSaved) {
  Chimera chimera;
  const std::vector<HandoverCost> blocks{block(10, 5000, 20), block(10, 900, 20)};
  chimera.restartable = false;
  EXPECT_THAT(chimera.decide(blocks), ElementsAre(kSwitch, kDrain));
  chimera.bytes_per_cycle = 0;
  EXPECT_THAT(chimera.decide(blocks), Each(kDrain));
  chimera.restartable = true;
  EXPECT_THAT(chimera.decide(blocks), ElementsAre(kFlush, kDrain));
}

TEST(Chimera, TakesABlockToRunSoManyTimesItsElapsedTimeWhileNoneHasEnded) {
  Chimera chimera;
  chimera.bytes_per_cycle = 0;
  chimera.latency = 700;
  EXPECT_THAT(chimera.decide({block(700, {}, 0), block(701, {}, 0)}), ElementsAre(kDrain, kFlush));
  chimera.unknown = 0.5;
  EXPECT_THAT(chimera.decide({block(700, {}, 0), block(701, {}, 0)}), Each(kDrain));
}

// ---- against each single way, over random slices

// The cost of a hand-over has two parts. The latency is the core cycles until the last block has left; what
// it is beyond the bound counts first. The lost cycles are those of a block in which the SM does nothing for
// the kernel, or which it spends twice: of a drained block until the last drained block ends, of a switched
// one those of its store and its load, of a flushed one those before the decision.
struct Cost {
  double latency = 0;
  double lost = 0;
};

struct Block {
  double elapsed;
  double left;  // core cycles until its end
};

struct Slice {
  std::vector<Block> blocks;        // as they are
  std::vector<HandoverCost> costs;  // as they are estimated
  double save = 0;                  // core cycles to store all blocks
  bool restartable = true;

  // Returns the cost of handing the blocks over in these ways. `left` has the cycles until each would end.
  Cost cost(const std::vector<Handover>& ways, const std::vector<double>& left, double bound) const {
    Cost sum;
    double slowest = 0;  // of the blocks that can be drained within the bound
    for (const double cycles : left)
      if (cycles <= bound) slowest = std::max(slowest, cycles);
    for (std::size_t i = 0; i < ways.size(); ++i) {
      if (ways[i] == kDrain) {
        sum.latency = std::max(sum.latency, left[i]);
        sum.lost += std::max(0.0, slowest - left[i]);
      } else if (ways[i] == kSwitch) {
        sum.latency = std::max(sum.latency, save);
        sum.lost += 2 * save;
      } else {
        sum.lost += blocks[i].elapsed;
      }
    }
    return sum;
  }
  std::vector<double> estimated() const {
    std::vector<double> left;
    for (const HandoverCost& cost : costs)
      left.push_back(cost.drain_cycles ? static_cast<double>(*cost.drain_cycles)
                                       : static_cast<double>(cost.elapsed));
    return left;
  }
  std::vector<double> actual() const {
    std::vector<double> left;
    for (const Block& block : blocks) left.push_back(block.left);
    return left;
  }
};

// Durations are uniform within a random spread around a mean, and blocks are seen at random times of their
// lives. The estimate is that of HandoverCost.
Slice random_slice(Random& random, double& bytes_per_cycle) {
  Slice slice;
  const double mean = 100 + static_cast<double>(random.below(50'000));
  const double spread = random.unit();
  const std::uint64_t bytes = 512 + random.below(64'000);
  const bool known = random.below(5) != 0;
  bytes_per_cycle = random.below(4) == 0 ? 0 : 1 + 63 * random.unit();
  slice.restartable = random.below(3) != 0;
  const std::uint64_t blocks = 1 + random.below(32);
  for (std::uint64_t i = 0; i < blocks; ++i) {
    const double duration = std::floor(mean * (1 + spread * (2 * random.unit() - 1))) + 1;
    const double elapsed = std::floor(duration * random.unit());
    slice.blocks.push_back({elapsed, duration - elapsed});
    const auto left = static_cast<std::uint64_t>(std::max(0.0, mean - elapsed));
    slice.costs.push_back(block(static_cast<std::uint64_t>(elapsed),
                                known ? std::optional<std::uint64_t>(left) : std::nullopt, bytes));
  }
  if (bytes_per_cycle > 0) slice.save = static_cast<double>(bytes * blocks) / bytes_per_cycle;
  return slice;
}

double beyond(const Cost& cost, double bound) {
  return std::max(0.0, cost.latency - bound);
}

// The estimates of a plan are off by the sums of what they are off for its blocks.
TEST(Chimera, IsNeverWorseThanTheBestSingleWayByMoreThanTheErrorOfItsEstimates) {
  Random random(2026);
  std::uint64_t compared = 0;
  std::uint64_t strictly_better = 0;
  double lost = 0;
  double best_single = 0;
  for (std::uint64_t mix = 0; mix < cases(100); ++mix) {
    SCOPED_TRACE(testing::Message() << "mix " << mix);
    Chimera chimera;
    chimera.latency = 100 + static_cast<double>(random.below(30'000));
    const double bound = chimera.latency;
    const Slice slice = random_slice(random, chimera.bytes_per_cycle);
    chimera.restartable = slice.restartable;
    const std::vector<Handover> chosen = chimera.decide(slice.costs);
    const std::vector<double> estimated = slice.estimated();
    const std::vector<double> actual = slice.actual();
    const Cost mine = slice.cost(chosen, actual, bound);
    const Cost mine_estimated = slice.cost(chosen, estimated, bound);
    double best = HUGE_VAL;
    for (const Handover way : {kDrain, kSwitch, kFlush}) {
      if (way == kSwitch && chimera.bytes_per_cycle == 0) continue;
      if (way == kFlush && !slice.restartable) continue;
      const std::vector<Handover> all(chosen.size(), way);
      const Cost other = slice.cost(all, actual, bound);
      const Cost other_estimated = slice.cost(all, estimated, bound);
      ++compared;
      // By its estimates it is never beyond the bound where a single way is not, nor further beyond it.
      ASSERT_LE(beyond(mine_estimated, bound), beyond(other_estimated, bound));
      ASSERT_LE(beyond(mine, bound), beyond(other, bound) + std::abs(mine.latency - mine_estimated.latency) +
                                         std::abs(other.latency - other_estimated.latency));
      if (beyond(other_estimated, bound) > 0) continue;
      ASSERT_LE(mine_estimated.lost, other_estimated.lost + 1e-6);
      ASSERT_LE(mine.lost, other.lost + std::abs(mine.lost - mine_estimated.lost) +
                               std::abs(other.lost - other_estimated.lost) + 1e-6);
      best = std::min(best, other.lost);
    }
    if (best == HUGE_VAL) continue;
    strictly_better += mine.lost < best ? 1 : 0;
    lost += mine.lost;
    best_single += best;
  }
  EXPECT_GT(compared, cases(100));
  // The estimates are worth something: over all mixes less is lost than by the best single way of each mix.
  EXPECT_GT(strictly_better, cases(100) / 10);
  EXPECT_LT(lost, best_single);
}

// With exact estimates it is never worse at all.
TEST(Chimera, WithExactEstimatesIsNeverWorseThanTheBestSingleWay) {
  Random random(7);
  for (std::uint64_t mix = 0; mix < cases(100); ++mix) {
    SCOPED_TRACE(testing::Message() << "mix " << mix);
    Chimera chimera;
    Slice slice = random_slice(random, chimera.bytes_per_cycle);
    for (std::size_t i = 0; i < slice.blocks.size(); ++i) {
      slice.blocks[i].left = std::floor(slice.blocks[i].left);
      slice.costs[i].drain_cycles = static_cast<std::uint64_t>(slice.blocks[i].left);
    }
    chimera.restartable = slice.restartable;
    const Cost mine = slice.cost(chimera.decide(slice.costs), slice.actual(), chimera.latency);
    for (const Handover way : {kDrain, kSwitch, kFlush}) {
      if (way == kSwitch && chimera.bytes_per_cycle == 0) continue;
      if (way == kFlush && !slice.restartable) continue;
      const Cost other =
          slice.cost(std::vector<Handover>(slice.blocks.size(), way), slice.actual(), chimera.latency);
      ASSERT_LE(beyond(mine, chimera.latency), beyond(other, chimera.latency));
      if (beyond(other, chimera.latency) == 0) {
        ASSERT_LE(mine.lost, other.lost + 1e-6);
      }
    }
  }
}

}  // namespace
}  // namespace heddle
