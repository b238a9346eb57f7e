// The parts of the SM driver, each by itself: where blocks are placed, how blocks leave an SM, which samples
// are asked for, and which shares of bandwidth SMs are told.

#include <gmock/gmock.h>

#include <string>
#include <utility>
#include <vector>

#include "models/core/base/check.h"
#include "models/engine/block_placer.h"
#include "models/engine/handovers.h"
#include "models/engine/sample_requests.h"
#include "models/engine/share_updates.h"
#include "tests/support/machine/sm_driver_fixture.h"

namespace heddle {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

// Writes down every request to an SM.
class PortLog final : public DispatchPort {
 public:
  void set_up(SmId sm, KsrId, const KernelLaunch&) override { add("set up", sm); }
  void issue(SmId sm, KsrId, BlockId block, const std::shared_ptr<const SavedBlock>&,
             const std::shared_ptr<const ClusterPlaces>&) override {
    add("issue", sm, block);
  }
  void save(SmId sm, KsrId, BlockId block, std::uint32_t) override { add("save", sm, block); }
  void flush(SmId sm, KsrId, BlockId block) override { add("flush", sm, block); }
  void sample(SmId sm, Cycle now) override { add(fmt::format("{} sample", now.value), sm); }
  void limit(SmId sm, KsrId, std::uint32_t) override { add("limit", sm); }
  void halt(SmId sm, KsrId) override { add("halt", sm); }
  void share(SmId sm, const std::shared_ptr<const BandwidthTable>&) override { add("share", sm); }

  std::vector<std::string> take() { return std::exchange(lines_, {}); }

 private:
  void add(const std::string& what, SmId sm) { lines_.push_back(fmt::format("{} sm{}", what, sm.value)); }
  void add(const std::string& what, SmId sm, BlockId block) {
    lines_.push_back(fmt::format("{} sm{} b{}", what, sm.value, block.value));
  }

  std::vector<std::string> lines_;
};

// Two kernels with running slices on every SM of three, which have room for two blocks each.
class DriverParts : public testing::Test {
 protected:
  DriverParts() {
    for (std::uint32_t i = 0; i < 3; ++i) smsrs_.emplace_back(limits_);
    for (std::uint32_t context = 0; context < 2; ++context) {
      ksrs_.load(test_kernel(context, 100, 1), limits_, Cycle{0});
      ksrs_.activate(Cycle{0});
      for (Smsr& smsr : smsrs_) {
        SliceEntry entry;
        entry.slice.kernel = KsrId{context};
        entry.state = SliceState::kRunning;
        smsr.slices.push_back(entry);
      }
    }
  }

  // Puts a block that began at `since` on the SM.
  void issue(SmId sm, SliceEntry& entry, std::uint64_t since = 0) {
    Ksr& ksr = ksrs_[entry.slice.kernel];
    smsrs_[sm.value].resources.take(entry.slice.kernel, BlockId{ksr.issued++}, ksr.need, Cycle{since});
    ++entry.running;
    ++entry.issued;
  }

  const SmLimits limits_ = test_limits(2);
  EngineSpec spec_ = test_spec(2);
  KsrFile ksrs_{2};
  SmsrFile smsrs_;
  PortLog port_;
  EngineObservers observers_;
};

// ---- placement

class Placement : public DriverParts {
 protected:
  // Returns the SMs and kernels of the blocks that a cycle places.
  std::vector<std::string> place(BlockPlacer& placer, std::uint64_t now) {
    std::vector<std::string> placed;
    placer.place(
        Cycle{now},
        [&](KsrId ksr, const std::vector<SmId>& sms) {
          for (const SmId sm : sms) {
            placed.push_back(fmt::format("sm{} k{}", sm.value, ksr.value));
            issue(sm, *smsrs_[sm.value].find(ksr));
          }
        },
        [&](SmId sm) { placed.push_back(fmt::format("sm{} full", sm.value)); });
    return placed;
  }

  std::unique_ptr<SmPartitioner> first_ = make_policy<SmPartitioner>("even");
};

TEST_F(Placement, GivesEachSmABlockInTurnUntilItIsFull) {
  BlockPlacer placer(spec_, *first_, ksrs_, smsrs_);
  EXPECT_FALSE(placer.has_work());
  placer.allow(SmId{1});
  placer.allow(SmId{2});
  EXPECT_THAT(place(placer, 1), ElementsAre("sm1 k0", "sm2 k0"));
  EXPECT_EQ(placer.next_sm(), 0u);
  EXPECT_THAT(place(placer, 2), ElementsAre("sm1 k0", "sm1 full", "sm2 k0", "sm2 full"));
  EXPECT_FALSE(placer.has_work());
  EXPECT_THAT(place(placer, 3), IsEmpty());
}

TEST_F(Placement, PackedFillsTheFirstSmWithOneBlockACycle) {
  spec_.block_placement = BlockPlacement::kPacked;
  for (Smsr& smsr : smsrs_) smsr.slices.pop_back();  // of the second kernel
  BlockPlacer placer(spec_, *first_, ksrs_, smsrs_);
  placer.allow_all();
  EXPECT_THAT(place(placer, 1), ElementsAre("sm0 k0"));
  EXPECT_THAT(place(placer, 2), ElementsAre("sm0 k0", "sm0 full"));
  EXPECT_THAT(place(placer, 3), ElementsAre("sm1 k0"));
}

TEST_F(Placement, InTurnASmAlternatesBetweenItsSlices) {
  const auto alternate = make_policy<SmPartitioner>("shared-fcfs");
  ASSERT_EQ(alternate->issue_order(), IssueOrder::kInTurn);
  BlockPlacer placer(spec_, *alternate, ksrs_, smsrs_);
  placer.allow(SmId{0});
  EXPECT_THAT(place(placer, 1), ElementsAre("sm0 k0"));
  EXPECT_THAT(place(placer, 2), ElementsAre("sm0 k1", "sm0 full"));
}

// ---- hand-over

// Answers with the same list for every slice.
class Answers final : public Preemption {
 public:
  explicit Answers(std::vector<Handover> answers) : answers_(std::move(answers)) {}
  bool answers(Handover) const override { return true; }
  void decide(const HandoverView&, std::vector<Handover>& blocks) override { blocks = answers_; }

 private:
  const std::vector<Handover> answers_;
};

class HandoverParts : public DriverParts {
 protected:
  // Puts two blocks of kernel 0 on SM 0, since cycles 10 and 20.
  HandoverParts() {
    issue(SmId{0}, entry(), 10);
    issue(SmId{0}, entry(), 20);
  }
  SliceEntry& entry() { return smsrs_[0].slices[0]; }
  std::uint64_t count(const std::string& name) { return stats_.find("test." + name)->value(); }

  Group stats_{"test"};
  ShareUpdates shares_{port_, smsrs_, observers_};
  const std::shared_ptr<const SavedBlock> state_ = std::make_shared<SavedBlock>();
};

TEST_F(HandoverParts, EachBlockLeavesAsThePolicySays) {
  ksrs_[KsrId{0}].launch.restartable = true;
  Answers policy({Handover::kSwitch, Handover::kFlush});
  Handovers handovers(spec_, limits_, policy, {ksrs_, smsrs_, port_, shares_, observers_}, stats_);
  handovers.begin(Cycle{50}, SmId{0}, entry());
  EXPECT_EQ(entry().way, HandoverWay::kMixed);
  EXPECT_EQ(entry().left_at, Cycle{50});
  EXPECT_THAT(port_.take(), ElementsAre("save sm0 b0", "flush sm0 b1"));
  const SavedBlocks::Waiting saved = handovers.saved(Cycle{60}, SmId{0}, KsrId{0}, BlockId{0}, state_);
  EXPECT_EQ(saved.contents, state_);
  EXPECT_EQ(saved.elapsed, 50u);
  const SavedBlocks::Waiting flushed = handovers.flushed(Cycle{55}, SmId{0}, KsrId{0}, BlockId{1}, {});
  EXPECT_EQ(flushed.contents, nullptr);
  EXPECT_EQ(entry().running, 0u);
  EXPECT_EQ(count("blocks_saved"), 1u);
  EXPECT_EQ(count("lost_cycles"), 35u);
  handovers.end(Cycle{70}, SmId{0}, entry());
  EXPECT_EQ(count("handover.mixed.cycles"), 20u);
  EXPECT_THROW(handovers.saved(Cycle{80}, SmId{0}, KsrId{0}, BlockId{0}, state_), InvariantError);
}

TEST_F(HandoverParts, ABlockThatMayNotStartOverDrains) {
  Answers policy({Handover::kFlush, Handover::kFlush});
  Handovers handovers(spec_, limits_, policy, {ksrs_, smsrs_, port_, shares_, observers_}, stats_);
  handovers.begin(Cycle{50}, SmId{0}, entry());
  EXPECT_EQ(entry().way, HandoverWay::kDrain);
  EXPECT_THAT(port_.take(), IsEmpty());
  EXPECT_EQ(count("blocks_not_restartable"), 2u);
}

TEST_F(HandoverParts, AHaltCutsBlocksOnSmsShortAndDropsThoseThatWait) {
  Answers policy({Handover::kSwitch, Handover::kDrain});
  Handovers handovers(spec_, limits_, policy, {ksrs_, smsrs_, port_, shares_, observers_}, stats_);
  handovers.begin(Cycle{50}, SmId{0}, entry());
  ksrs_[KsrId{0}].saved.push(handovers.saved(Cycle{60}, SmId{0}, KsrId{0}, BlockId{0}, state_));
  port_.take();
  handovers.halt(Cycle{70}, KsrId{0});
  EXPECT_THAT(port_.take(), ElementsAre("halt sm0")) << "one block still runs there";
  EXPECT_EQ(ksrs_[KsrId{0}].launch.blocks, 2u) << "as many as have been issued";
  EXPECT_EQ(ksrs_[KsrId{0}].done, 1u);
  EXPECT_EQ(count("blocks_dropped"), 1u);
}

// ---- samples

SmSample window(std::uint64_t from, std::uint64_t until) {
  SmSample sample;
  sample.from = Cycle{from};
  sample.until = Cycle{until};
  sample.totals.issue_slots = until - from;
  return sample;
}

TEST(SampleRequests, ThePartitionerSeesAllOfItsPeriodAlsoIfOthersAskInBetween) {
  PortLog port;
  SampleRequests requests(100, 2, true, port);
  std::vector<SmSample> seen(2);
  requests.ask_all(Cycle{10}, true);
  requests.ask(Cycle{10}, SmId{0});
  EXPECT_THAT(port.take(), ElementsAre("10 sample sm0", "10 sample sm1")) << "an SM is asked once in a cycle";
  EXPECT_FALSE(requests.answered(Cycle{12}, SmId{0}, window(0, 11), Cycle{10}, seen[0]));
  EXPECT_TRUE(requests.answered(Cycle{12}, SmId{1}, window(0, 11), Cycle{10}, seen[1]));
  EXPECT_EQ(requests.due(), Cycle{110});
  requests.ask(Cycle{50}, SmId{0});
  EXPECT_FALSE(requests.answered(Cycle{52}, SmId{0}, window(11, 51), Cycle{50}, seen[0]));
  EXPECT_EQ(seen[0].until, Cycle{11}) << "the throttle's sample";
  requests.ask_all(Cycle{110}, true);
  EXPECT_FALSE(requests.answered(Cycle{112}, SmId{0}, window(51, 111), Cycle{110}, seen[0]));
  EXPECT_EQ(seen[0].until, Cycle{111});
  EXPECT_EQ(seen[0].totals.issue_slots, 100u);
  EXPECT_TRUE(requests.answered(Cycle{112}, SmId{1}, window(11, 111), Cycle{110}, seen[1]));
  EXPECT_THROW(requests.answered(Cycle{113}, SmId{1}, window(111, 112), Cycle{110}, seen[1]), InvariantError);
}

// ---- shares of bandwidth

TEST_F(DriverParts, AnSmIsToldItsShareWhenItGetsABlockAndWhenSharesChange) {
  BandwidthShares shares({100e9, 0, true}, 1e9, 2, 3, 0);
  ShareUpdates updates(port_, smsrs_, observers_);
  updates.block_issued(SmId{0}, KsrId{0}, false);
  updates.tell(Cycle{0});
  EXPECT_THAT(port_.take(), IsEmpty()) << "nothing is told before start()";
  updates.start(shares);
  KernelLaunch launch = test_kernel(0, 100, 1000);
  launch.dram_sectors = 2000;  // 64 bytes a cycle
  updates.load(KsrId{0}, launch);
  const auto place = [&](std::uint32_t sm) {
    issue(SmId{sm}, smsrs_[sm].slices[0]);
    updates.block_issued(SmId{sm}, KsrId{0}, false);
  };
  place(0);
  updates.tell(Cycle{1});
  EXPECT_THAT(port_.take(), ElementsAre("share sm0"));
  updates.tell(Cycle{2});
  EXPECT_THAT(port_.take(), IsEmpty()) << "nothing has changed";
  place(1);
  updates.tell(Cycle{3});
  EXPECT_THAT(port_.take(), ElementsAre("share sm0", "share sm1")) << "two blocks ask for more than all";
  updates.block_left(SmId{1}, KsrId{0});
  smsrs_[1].reset();
  updates.tell(Cycle{4});
  EXPECT_THAT(port_.take(), ElementsAre("share sm0")) << "SM 1 has no block";
}

}  // namespace
}  // namespace heddle
