#include "models/sm/timed_sm.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "models/sm/timed/residence_time.h"
#include "tests/support/k20.h"
#include "tests/support/rig.h"
#include "tests/support/sm_requests.h"

namespace heddle::test {
namespace {

constexpr std::uint64_t kSetUp = 20;  // on the SM

constexpr std::uint64_t kShares = 10;  // messages in flight
constexpr std::uint32_t kArea = 3;     // of swap space

SmSpec one_sm() {
  SmSpec spec;
  spec.count = 1;
  spec.limits = k20_limits();
  return spec;
}

struct Rig {
  explicit Rig(std::uint64_t shares = 0)
      : clock("clock", 1e9), sm("sm", one_sm(), 3, kSetUp, clock, shares), engine("engine", clock) {
    engine.socket.bind(sm.dispatch);
  }

  void set_up(std::uint32_t ksr, const BlockShape& shape, std::uint64_t cycles, std::uint32_t jitter = 0,
              std::uint64_t kernel = 0) {
    launch.kernel = KernelId{kernel};
    launch.blocks = 100;
    launch.shape = shape;
    launch.block_cycles = cycles;
    launch.jitter_permille = jitter;
    launch.seed = 3;
    engine.send(set_up_request(ksr, launch));
  }
  void issue(std::uint32_t ksr, std::uint64_t block) { engine.send(issue_request(ksr, block)); }
  void halt(std::uint32_t ksr) { engine.send(halt_request(ksr)); }
  void limit(std::uint32_t ksr, std::uint32_t blocks) { engine.send(limit_request(ksr, blocks)); }
  // These requests are sent in cycle `now`.
  void issue_at(std::uint64_t now, std::uint32_t ksr, std::uint64_t block,
                const std::shared_ptr<const SavedBlock>& state = nullptr) {
    run_to(clock, Cycle{now});
    engine.send(issue_request(ksr, block, state));
  }
  void save_at(std::uint64_t now, std::uint32_t ksr, std::uint64_t block) {
    run_to(clock, Cycle{now});
    engine.send(save_request(ksr, block, kArea));
  }
  void share_at(std::uint64_t now, std::uint64_t bytes, std::vector<std::uint32_t> rates) {
    run_to(clock, Cycle{now});
    engine.send(ShareBandwidth{
        std::make_shared<BandwidthTable>(BandwidthTable{bytes * kFullRate, std::move(rates)})});
  }
  // Returns (block, cycle) of each reply of the kind.
  template <class Kind>
  std::vector<std::pair<std::uint64_t, std::uint64_t>> replies() const {
    std::vector<std::pair<std::uint64_t, std::uint64_t>> all;
    for (const auto& reply : engine.replies)
      if (const auto* found = std::get_if<Kind>(&reply.message))
        all.emplace_back(found->block.value, reply.due.value);
    return all;
  }
  // Returns how often a state has been moved.
  std::size_t moved() const {
    return static_cast<std::size_t>(
        std::count_if(engine.replies.begin(), engine.replies.end(),
                      [](const auto& reply) { return std::holds_alternative<StateMoved>(reply.message); }));
  }
  // Returns the state that the SM sent last.
  std::shared_ptr<const SavedBlock> state() const {
    std::shared_ptr<const SavedBlock> last;
    for (const auto& reply : engine.replies)
      if (const auto* saved = std::get_if<BlockSaved>(&reply.message)) last = saved->saved;
    return last;
  }
  // Returns the sample that the SM sends when it is asked in this cycle.
  SmSample sample(std::uint64_t cycle) {
    run_to(clock, Cycle{cycle - 1});
    engine.send(sample_request());
    run_to(clock, Cycle{cycle});
    const Received<SmReply>& reply = engine.replies.back();
    EXPECT_EQ(reply.due.value, cycle + 1);
    return *std::get<SmSampled>(reply.message).sample;
  }
  std::uint64_t counter(const std::string& name) {
    sm.update_stats(clock.now());
    return sm.stats().find("sm." + name)->value();
  }
  std::vector<std::pair<std::uint64_t, std::uint64_t>> done() const {  // (block, cycle)
    return replies<BlockDone>();
  }

  ClockDomain clock;
  TimedSm sm;
  Requester<SmRequest, SmReply> engine;
  KernelLaunch launch;
};

using Done = std::vector<std::pair<std::uint64_t, std::uint64_t>>;

TEST(TimedSm, ASetUpAndABlockTakeTheirTime) {
  Rig rig;
  rig.set_up(1, {256, 32, 0}, 500);  // there at 1
  run_dry();
  ASSERT_EQ(rig.engine.replies.size(), 1u);
  EXPECT_EQ(std::get<SliceReady>(rig.engine.replies[0].message).ksr, KsrId{1});
  EXPECT_EQ(rig.engine.replies[0].due, Cycle{1 + kSetUp + 1});
  run_to(rig.clock, Cycle{99});
  rig.issue(1, 7);  // there at 100
  run_dry();
  EXPECT_EQ(rig.done(), (Done{{7, 100 + 500 + 1}}));
  EXPECT_EQ(rig.counter("blocks_started"), 1u);
  EXPECT_EQ(rig.counter("blocks_done"), 1u);
  EXPECT_EQ(rig.counter("busy_cycles"), 500u);
  EXPECT_EQ(rig.counter("block_cycles"), 500u);
  EXPECT_EQ(rig.counter("slot_cycles"), 8 * 500u);
  EXPECT_TRUE(rig.sm.idle());
}

TEST(TimedSm, BlocksOverlapAndEachEndsInItsTime) {
  Rig rig;
  rig.set_up(0, {1024, 8, 0}, 100);
  run_to(rig.clock, Cycle{49});
  rig.issue(0, 0);  // 50
  run_to(rig.clock, Cycle{79});
  rig.issue(0, 1);  // 80
  run_dry();
  EXPECT_EQ(rig.done(), (Done{{0, 151}, {1, 181}}));
  EXPECT_EQ(rig.counter("busy_cycles"), 130u);
  EXPECT_EQ(rig.counter("block_cycles"), 200u);
}

TEST(TimedSm, BlocksThatEndTogetherAreReportedInOrderOfIssue) {
  Rig rig;
  rig.set_up(0, {64, 8, 0}, 100);
  run_to(rig.clock, Cycle{49});
  for (std::uint64_t block = 0; block < 16; ++block) rig.issue(0, 15 - block);
  run_dry();
  ASSERT_EQ(rig.done().size(), 16u);
  for (std::uint64_t i = 0; i < 16; ++i) EXPECT_EQ(rig.done()[i], std::make_pair(15 - i, std::uint64_t{151}));
}

TEST(TimedSm, JitteredBlocksStayAsLongAsTheirDrawSays) {
  Rig rig;
  rig.set_up(0, {64, 8, 0}, 1000, 400);
  run_to(rig.clock, Cycle{49});
  for (std::uint64_t block = 0; block < 8; ++block) rig.issue(0, block);
  run_dry();
  ASSERT_EQ(rig.done().size(), 8u);
  for (const auto& [block, cycle] : rig.done())
    EXPECT_EQ(cycle, 50 + residence_of(rig.launch, BlockId{block}) + 1) << block;
}

TEST(TimedSm, TwoKernelsShareItsResources) {
  Rig rig;
  rig.set_up(0, {1024, 8, 0}, 100);
  rig.set_up(1, {512, 16, 0}, 30);
  run_to(rig.clock, Cycle{49});
  rig.issue(0, 0);
  rig.issue(1, 0);
  rig.issue(1, 1);  // 2048 threads
  run_dry();
  EXPECT_EQ(rig.done(), (Done{{0, 81}, {1, 81}, {0, 151}}));
}

// Blocks of both kernels are mixed in the order of their ends.
TEST(TimedSm, BlocksOfAHaltedKernelEndAtOnceInOrderOfIssueAndOthersInTheirTime) {
  Rig rig;
  rig.set_up(0, {64, 8, 0}, 100, 400);
  rig.set_up(1, {64, 8, 0}, 90, 400, 1);
  const KernelLaunch other = rig.launch;
  run_to(rig.clock, Cycle{49});
  for (std::uint64_t block = 0; block < 6; ++block) {
    rig.issue(0, 5 - block);  // 50
    rig.issue(1, block);
  }
  run_to(rig.clock, Cycle{50});
  rig.halt(0);  // 51
  run_dry();
  Done expected;
  for (std::uint64_t block = 0; block < 6; ++block) expected.emplace_back(5 - block, 52);
  Done others;
  for (std::uint64_t block = 0; block < 6; ++block)
    others.emplace_back(block, 50 + residence_of(other, BlockId{block}) + 1);
  std::stable_sort(others.begin(), others.end(),
                   [](const auto& a, const auto& b) { return a.second < b.second; });
  expected.insert(expected.end(), others.begin(), others.end());
  EXPECT_EQ(rig.done(), expected);
  EXPECT_TRUE(rig.sm.idle());
  EXPECT_EQ(rig.counter("blocks_done"), 12u);
}

TEST(TimedSm, ASampleHasTheBlocksOfEachKernelAndNothingItDoesNotCount) {
  Rig rig;
  rig.set_up(0, {256, 8, 0}, 100, 0, 7);
  rig.set_up(2, {256, 16, 0}, 30, 0, 8);
  EXPECT_TRUE(rig.sample(40).kernels.empty());
  run_to(rig.clock, Cycle{49});
  rig.issue(0, 0);  // 50 .. 150
  rig.issue(2, 0);  // 50 .. 80
  rig.issue(2, 1);
  const SmSample early = rig.sample(79);
  EXPECT_EQ(early.from, Cycle{40});
  EXPECT_EQ(early.until, Cycle{79});
  EXPECT_EQ(early.totals.buckets, BucketCycles{});
  EXPECT_EQ(early.totals.issue_slots, 0u);
  ASSERT_EQ(early.kernels.size(), 2u);
  EXPECT_EQ(early.find(KernelId{7})->resident, 1u);
  EXPECT_EQ(early.find(KernelId{8})->resident, 2u);
  EXPECT_EQ(early.find(KernelId{8})->counts.blocks, 0u);
  // Blocks end before the window is closed.
  const SmSample late = rig.sample(80);
  EXPECT_EQ(late.cycles(), 1u);
  EXPECT_EQ(late.find(KernelId{8})->resident, 0u);
  EXPECT_EQ(late.find(KernelId{8})->counts.blocks, 2u);
  EXPECT_EQ(late.find(KernelId{8})->counts.warp_instructions, 0u);
  rig.set_up(2, {256, 16, 0}, 30, 0, 9);
  run_to(rig.clock, Cycle{119});
  rig.issue(2, 0);  // 120 .. 150
  const SmSample last = rig.sample(500);
  ASSERT_EQ(last.kernels.size(), 2u);
  EXPECT_EQ(last.find(KernelId{7})->counts.blocks, 1u);
  EXPECT_EQ(last.find(KernelId{9})->counts.blocks, 1u);
  EXPECT_EQ(last.find(KernelId{9})->ksr, KsrId{2});
  EXPECT_TRUE(rig.sm.idle());
}

const std::vector<std::uint32_t> kFull(3, kFullRate);
// A block has 8 warps of 32 registers and a line of state.
constexpr BlockShape kEight{256, 32, 0};
constexpr std::uint64_t kState = 8 * (32 * 128 + 128);

TEST(TimedSm, ABlockThatIsSavedStopsAtOnceAndStaysForTheRestWhenItsStateIsBack) {
  Rig rig(kShares);
  rig.set_up(1, kEight, 500);
  rig.share_at(48, 100, kFull);
  rig.issue_at(99, 1, 7);  // there at 100
  rig.save_at(199, 1, 7);  // 400 are left
  constexpr std::uint64_t kMoves = (kState + 99) / 100;
  run_to(rig.clock, Cycle{200 + kMoves - 1});
  EXPECT_TRUE(rig.replies<BlockSaved>().empty());
  EXPECT_EQ(rig.counter("block_cycles"), 100 + kMoves - 1);  // it keeps its resources until it is stored
  run_to(rig.clock, Cycle{900});
  EXPECT_EQ(rig.replies<BlockSaved>(), (Done{{7, 200 + kMoves + 1}}));
  EXPECT_EQ(rig.state()->left, (Progress{400, 0}));
  EXPECT_EQ(rig.state()->area, kArea);
  EXPECT_TRUE(rig.sm.idle());
  rig.issue_at(999, 1, 7, rig.state());
  run_dry();
  EXPECT_EQ(rig.replies<BlockRestored>(), (Done{{7, 1000 + kMoves + 1}}));
  EXPECT_EQ(rig.done(), (Done{{7, 1000 + kMoves + 400 + 1}}));
  EXPECT_EQ(rig.moved(), 2u);
  EXPECT_EQ(rig.counter("saved_bytes"), kState);
  EXPECT_EQ(rig.counter("restored_bytes"), kState);
  EXPECT_EQ(rig.counter("blocks_saved"), 1u);
  EXPECT_EQ(rig.counter("blocks_started"), 2u);
  EXPECT_EQ(rig.counter("blocks_done"), 1u);
  EXPECT_EQ(rig.counter("block_cycles"), 100 + kMoves + kMoves + 400);
}

TEST(TimedSm, ABlockThatEndsBeforeItIsSavedIsDoneAndOneThatIsHaltedMeanwhileToo) {
  Rig rig(kShares);
  rig.set_up(0, kEight, 500);
  rig.set_up(1, kEight, 500);
  rig.share_at(48, 1, kFull);
  rig.issue_at(99, 0, 7);  // 100 .. 600
  rig.issue_at(99, 1, 8);
  rig.save_at(599, 0, 7);
  rig.save_at(300, 1, 8);  // the clock stays at 599: there at 600, too
  run_dry();
  EXPECT_EQ(rig.done(), (Done{{7, 601}, {8, 601}}));
  EXPECT_EQ(rig.moved(), 2u);
  EXPECT_TRUE(rig.replies<BlockSaved>().empty());

  rig.issue_at(999, 1, 9);
  rig.save_at(1099, 1, 9);
  rig.issue_at(1099, 1, 10);
  run_to(rig.clock, Cycle{1199});
  rig.halt(1);
  run_dry();
  EXPECT_EQ(rig.done(), (Done{{7, 601}, {8, 601}, {9, 1201}, {10, 1201}}));
  EXPECT_EQ(rig.moved(), 3u);
  EXPECT_TRUE(rig.sm.idle());
  EXPECT_EQ(rig.counter("saved_bytes"), 0u);
}

TEST(TimedSm, ABlockThatLeavesBeforeItsStateIsBackLeavesAtOnce) {
  Rig rig(kShares);
  rig.set_up(1, kEight, 500);
  rig.share_at(48, 10, kFull);
  const auto state = std::make_shared<SavedBlock>();
  state->left = {123, 0};
  rig.issue_at(99, 1, 7, state);
  rig.save_at(199, 1, 7);
  run_dry();
  EXPECT_EQ(rig.replies<BlockSaved>(), (Done{{7, 201}}));
  EXPECT_TRUE(rig.replies<BlockRestored>().empty());
  EXPECT_EQ(rig.moved(), 2u);
  EXPECT_EQ(rig.state(), state) << "the state in memory is as it was";
  EXPECT_TRUE(rig.sm.idle());
}

TEST(TimedSm, BlocksOfAKernelThatGetsHalfItsBandwidthTakeTwiceAsLong) {
  Rig rig(kShares);
  rig.set_up(0, kEight, 500);
  rig.set_up(1, kEight, 500);
  rig.issue_at(99, 0, 0);  // 100
  rig.issue_at(99, 1, 1);
  rig.share_at(199, 0, {kFullRate / 2, kFullRate, kFullRate});  // 400 are left
  rig.share_at(599, 0, {kFullRate, kFullRate, kFullRate});      // 200 are left
  run_dry();
  EXPECT_EQ(rig.done(), (Done{{1, 601}, {0, 801}}));
}

// Returns the message of the violated invariant that `run` throws.
std::string failure_of(const std::function<void()>& run) {
  try {
    run();
  } catch (const std::exception& exception) {
    return exception.what();
  }
  return "nothing";
}

TEST(TimedSm, RefusesABlockThatDoesNotFit) {
  Rig rig;
  rig.set_up(0, {1024, 8, 0}, 100);
  run_to(rig.clock, Cycle{49});
  for (std::uint64_t block = 0; block < 3; ++block) rig.issue(0, block);
  const std::string failure = failure_of(run_dry);
  EXPECT_NE(failure.find("sm, cycle 50: block 2 does not fit"), std::string::npos) << failure;
}

TEST(TimedSm, RefusesToPauseBlocks) {
  Rig rig;
  rig.set_up(1, {1024, 8, 0}, 100);
  rig.limit(1, 2);
  const std::string failure = failure_of(run_dry);
  EXPECT_NE(failure.find("a limit of 2 blocks for KSR 1: timed blocks cannot be paused"), std::string::npos)
      << failure;
}

TEST(TimedSm, RefusesToSaveABlockWithoutAShareOfBandwidth) {
  Rig rig;
  rig.set_up(1, kEight, 500);
  rig.issue_at(99, 1, 7);
  rig.save_at(199, 1, 7);
  const std::string failure = failure_of(run_dry);
  EXPECT_NE(failure.find("block 7 is to be saved, and the SM has no share of bandwidth"), std::string::npos)
      << failure;
}

TEST(TimedSm, RefusesABlockBeforeItsSetUp) {
  Rig rig;
  rig.issue(2, 0);
  const std::string failure = failure_of(run_dry);
  EXPECT_NE(failure.find("before its set-up"), std::string::npos) << failure;
}

}  // namespace
}  // namespace heddle::test
