#include "models/l2/l2_slice.h"

#include <gtest/gtest.h>

#include "models/host/system_memory.h"
#include "tests/support/machine/gtx480_memory.h"
#include "tests/support/machine/memory_sink.h"
#include "tests/support/machine/protocol_checker.h"
#include "tests/support/machine/traffic_source.h"
#include "tests/support/rig.h"

namespace heddle::test {
namespace {

using Requests = std::vector<TrafficSource::Request>;
constexpr std::uint64_t kDram = 50;  // cycles of the sink

L2Spec spec() {
  L2Spec spec = gtx480_l2();
  spec.request_latency = 0;
  spec.hash = false;
  return spec;
}

TrafficSource::Request read(Address address, std::uint32_t bytes = 32, Cycle from = Cycle{1}) {
  return {tlm::TLM_READ_COMMAND, address, bytes, from};
}
TrafficSource::Request write(Address address, std::uint32_t bytes, Cycle from = Cycle{1}) {
  return {tlm::TLM_WRITE_COMMAND, address, bytes, from};
}
TrafficSource::Request atomic(Address address, std::uint8_t lanes, Cycle from, std::uint8_t depth = 0) {
  TrafficSource::Request request = read(address, 32, from);
  request.kind = RequestKind::kAtomic;
  request.lanes = lanes;
  request.depth = depth;
  return request;
}

struct Rig {
  // The slice is in half 0, to which SM 0 belongs.
  explicit Rig(const Requests& traffic, const L2Spec& l2 = spec(),
               const MemorySink::Options& memory = {1, 1, kDram}, SmId sm = SmId{0})
      : clock("clock", 700e6),
        source("source", clock, traffic, sm),
        slice("slice", l2, {clock, {}}),
        sink("sink", clock, memory),
        above("above"),
        below("below") {
    source.memory().bind(above.target);
    above.initiator.bind(slice.crossbar());
    slice.dram().bind(below.target);
    below.initiator.bind(sink.socket());
  }
  // Returns the cycles from the tick that sends the request to the tick that finds its answer.
  std::uint64_t latency(std::uint64_t number) const {
    for (const auto& done : source.done())
      if (done.number == number) return done.answered - done.sent;
    ADD_FAILURE() << number << " was not answered";
    return 0;
  }
  std::uint64_t counter(const std::string& path) {
    slice.update_stats(clock.now());
    const Counter* counter = slice.stats().find("slice." + path);
    EXPECT_NE(counter, nullptr) << path;
    return counter == nullptr ? 0 : counter->value();
  }
  void expect_clean() {
    EXPECT_TRUE(slice.idle());
    EXPECT_EQ(slice.requests_in_use(), 0u);
    for (const ProtocolChecker* checker : {&above, &below}) {
      EXPECT_TRUE(checker->idle());
      EXPECT_EQ(checker->requests(), checker->responses());
    }
  }

  ClockDomain clock;
  TrafficSource source;
  L2Slice slice;
  MemorySink sink;
  ProtocolChecker above, below;
};

// The links take a cycle each way. The sink takes a cycle each way and its 50 cycles. A hit takes 10 cycles
// in the slice.
TEST(L2Slice, LatencyOfAMissAndAHit) {
  Rig rig({read(0, 32, Cycle{10}), read(0, 32, Cycle{200}), read(128, 128, Cycle{400}),
           read(128, 128, Cycle{600})});
  run_dry();
  EXPECT_EQ(rig.latency(0), 1 + (1 + kDram + 1) + 1);
  EXPECT_EQ(rig.latency(1), 1u + 10 + 1);
  // The third of four accesses causes the request for the second burst. The reply to a hit waits for the
  // fourth access.
  EXPECT_EQ(rig.latency(2), 1 + 2 + (1 + kDram + 1) + 1);
  EXPECT_EQ(rig.latency(3), 1u + 3 + 10 + 1);
  EXPECT_EQ(rig.counter("accesses"), 10u);
  EXPECT_EQ(rig.counter("hits"), 5u);
  EXPECT_EQ(rig.counter("fills"), 3u);
  rig.expect_clean();
}

TEST(L2Slice, TheFixedWayComesBeforeTheTags) {
  L2Spec l2 = spec();
  l2.request_latency = 120;
  Rig rig({read(0, 32, Cycle{10}), read(0, 32, Cycle{500})}, l2);
  run_dry();
  EXPECT_EQ(rig.latency(0), 120 + 1 + (1 + kDram + 1) + 1);
  EXPECT_EQ(rig.latency(1), 120u + 1 + 10 + 1);
}

constexpr std::uint64_t kFar = 70;  // cycles to the other half

L2Spec halves() {
  L2Spec l2 = spec();
  l2.far_latency = kFar;
  l2.far_bytes = 32;
  return l2;
}

TEST(L2Slice, AReadOfTheOtherHalfCrossesOnceAndLeavesACopyUntilAWrite) {
  const Requests traffic{read(0, 32, Cycle{10}), read(0, 32, Cycle{300}), write(0, 32, Cycle{500}),
                         read(0, 32, Cycle{700}), read(0, 32, Cycle{900})};
  Rig rig(traffic, halves(), {1, 1, kDram}, SmId{1});
  run_dry();
  EXPECT_EQ(rig.latency(0), 1 + (1 + kDram + 1) + kFar + 1);
  EXPECT_EQ(rig.latency(1), 1u + 10 + 1);
  EXPECT_EQ(rig.latency(2), 1u + 10 + kFar + 1);
  EXPECT_EQ(rig.latency(3), 1u + 10 + kFar + 1);
  EXPECT_EQ(rig.latency(4), 1u + 10 + 1);
  EXPECT_EQ(rig.counter("far_accesses"), 5u);
  EXPECT_EQ(rig.counter("crossings"), 3u);
  rig.expect_clean();
}

TEST(L2Slice, AReadOfItsOwnHalfDoesNotCross) {
  Rig rig({read(0, 32, Cycle{10}), read(0, 32, Cycle{300})}, halves());
  run_dry();
  EXPECT_EQ(rig.latency(0), 1 + (1 + kDram + 1) + 1);
  EXPECT_EQ(rig.latency(1), 1u + 10 + 1);
  EXPECT_EQ(rig.counter("far_accesses"), 0u);
}

// The second read comes 20 cycles after the first one and leaves with it, a cycle later.
TEST(L2Slice, AReadWaitsForTheCopyThatAnotherReadHasOnItsWay) {
  const Requests traffic{write(0, 32, Cycle{10}), read(0, 32, Cycle{300}), read(0, 32, Cycle{320})};
  Rig rig(traffic, halves(), {1, 1, kDram}, SmId{1});
  run_dry();
  EXPECT_EQ(rig.latency(1), 1u + 10 + kFar + 1);
  EXPECT_EQ(rig.latency(2), 1u + 10 + kFar + 1 - 20 + 1);
  EXPECT_EQ(rig.counter("crossings"), 2u);
}

// Each line has four sectors, which cross in four cycles. A second crossing that starts at the same time
// waits for them, as the third one waits for both.
TEST(L2Slice, DataCrossAtTheWidthOfTheWayBetweenTheHalves) {
  L2Spec l2 = halves();
  l2.far_bytes = 8;
  Requests traffic;
  for (Address line = 0; line < 3; ++line) traffic.push_back(write(line * 128, 128, Cycle{10}));
  for (Address line = 0; line < 3; ++line) traffic.push_back(read(line * 128, 128, Cycle{600}));
  Rig rig(traffic, l2, {1, 1, kDram}, SmId{1});
  run_dry();
  const auto& done = rig.source.done();
  ASSERT_EQ(done.size(), 6u);
  EXPECT_EQ(done[4].answered - done[3].answered, 16u);
  EXPECT_EQ(done[5].answered - done[4].answered, 16u);
}

TEST(L2Slice, ALineThatACopyHasLeftIsAHitAndIsClean) {
  L2Spec l2 = spec();
  l2.copies_stay = true;
  Requests traffic{read(0, 128, Cycle{10})};
  for (Address i = 1; i <= 8; ++i) traffic.push_back(read(i * 64 * 128, 32, Cycle{100 * i}));
  Rig rig(traffic, l2);
  rig.slice.place(0);
  run_dry();
  EXPECT_EQ(rig.latency(0), 1u + 3 + 10 + 1);
  EXPECT_EQ(rig.counter("copied_lines"), 1u);
  EXPECT_EQ(rig.counter("write_backs"), 0u) << "DRAM has the copy's data";
  rig.expect_clean();
}

// The case has 64 hits of four sectors each. A request takes four cycles, whether the tags or the replies are
// the limit.
TEST(L2Slice, ASectorACycle) {
  Requests traffic{read(0, 128, Cycle{1})};
  for (std::uint32_t i = 0; i < 64; ++i) traffic.push_back(read(0, 128, Cycle{300}));
  for (std::uint32_t i = 0; i < 64; ++i) traffic.push_back(write(0, 128, Cycle{1000}));
  for (std::uint32_t i = 0; i < 64; ++i) traffic.push_back(read(0, 32, Cycle{2000}));
  Rig rig(traffic);
  run_dry();
  const auto& done = rig.source.done();
  ASSERT_EQ(done.size(), 193u);
  for (std::size_t i = 2; i < 65; ++i) EXPECT_EQ(done[i].answered - done[i - 1].answered, 4u) << i;
  for (std::size_t i = 66; i < 129; ++i) EXPECT_EQ(done[i].answered - done[i - 1].answered, 4u) << i;
  for (std::size_t i = 130; i < 193; ++i) EXPECT_EQ(done[i].answered - done[i - 1].answered, 1u) << i;
  rig.expect_clean();
}

TEST(L2Slice, AWriteIsAnsweredWithoutDram) {
  Rig rig({write(0, 128, Cycle{10})});
  run_dry();
  EXPECT_EQ(rig.latency(0), 1u + 3 + 10 + 1);
  EXPECT_EQ(rig.below.requests(), 0u);
  rig.expect_clean();
}

// Lines at a distance of 64 sets are in one set of 8 ways. The ninth line evicts the first one, and so on.
TEST(L2Slice, DirtyLinesAreWrittenBackByBursts) {
  Requests traffic;
  for (Address i = 0; i < 24; ++i) traffic.push_back(write(i * 64 * 128, i % 2 == 0 ? 128 : 32));
  Rig rig(traffic);
  run_dry();
  EXPECT_EQ(rig.counter("write_backs"), 8u * 2 + 8);
  EXPECT_EQ(rig.counter("write_back_bytes"), 8u * 128 + 8 * 32);
  ASSERT_EQ(rig.sink.seen.size(), 24u);
  EXPECT_TRUE(rig.sink.seen[0].write);
  EXPECT_EQ(rig.sink.seen[1].address, 64u);
  EXPECT_EQ(rig.sink.seen[1].bytes, 64u);
  EXPECT_EQ(rig.sink.seen[2].address, 64u * 128);
  EXPECT_EQ(rig.sink.seen[2].bytes, 32u);
  EXPECT_FALSE(rig.sink.seen[0].partial);
  rig.expect_clean();
}

TEST(L2Slice, RequestsForABurstOnItsWayShareIt) {
  L2Spec l2 = spec();
  l2.merges = 3;
  Rig rig({read(0, 32), read(32, 32), read(0, 64), read(0, 32), read(0x2000, 32)}, l2);
  run_dry();
  EXPECT_EQ(rig.below.requests(), 2u);
  EXPECT_EQ(rig.counter("mshr_merges"), 2u);
  EXPECT_EQ(rig.counter("pending_hits"), 3u);
  // The requests are sent in cycles 1 to 5, and the fill is complete at 2 + 52. One reply leaves per cycle,
  // and the reply of 64 bytes takes two cycles.
  EXPECT_EQ(rig.latency(0), 54u);
  EXPECT_EQ(rig.source.done()[1].number, 1u);
  EXPECT_EQ(rig.source.done()[1].answered, Cycle{56});
  EXPECT_EQ(rig.source.done()[2].answered, Cycle{57});
  // The fourth request finds no place in the MSHR from cycle 6 until the fill completes at 54.
  EXPECT_EQ(rig.counter("stall_cycles.merge"), 54u - 6);
  EXPECT_EQ(rig.source.done()[3].answered, Cycle{54 + 10 + 1});
  EXPECT_EQ(rig.counter("hits"), 1u);
  rig.expect_clean();
}

TEST(L2Slice, ASetWithAllWaysReservedStalls) {
  Requests traffic;
  for (Address i = 0; i < 9; ++i) traffic.push_back(read(i * 64 * 128));
  Rig rig(traffic);
  run_dry();
  // The ninth request comes in cycle 10, and the first fill in cycle 2 + 52.
  EXPECT_EQ(rig.counter("stall_cycles.reserved"), 54u - 10);
  EXPECT_EQ(rig.latency(8), 54u - 9 + 52 + 1);
  rig.expect_clean();
}

TEST(L2Slice, FullMshrsStall) {
  L2Spec l2 = spec();
  l2.mshrs = 4;
  Requests traffic;
  for (Address i = 0; i < 5; ++i) traffic.push_back(read(i * 128));
  Rig rig(traffic, l2);
  run_dry();
  EXPECT_EQ(rig.counter("stall_cycles.mshr"), 54u - 6);
  rig.expect_clean();
}

TEST(L2Slice, AFullQueueToDramStalls) {
  L2Spec l2 = spec();
  l2.dram_queue = 6;
  Requests traffic;
  for (Address i = 0; i < 20; ++i) traffic.push_back(read(i * 128));
  Rig rig(traffic, l2, {0, 20, kDram});
  run_dry();
  EXPECT_GT(rig.counter("stall_cycles.dram_queue"), 100u);
  EXPECT_EQ(rig.source.done().size(), 20u);
  rig.expect_clean();
}

TEST(L2Slice, AtomicsHoldThePortForTheirLanes) {
  Rig rig({read(0, 32), atomic(0, 32, Cycle{200}), read(0, 32, Cycle{201}), read(64, 32, Cycle{202})});
  run_dry();
  EXPECT_EQ(rig.latency(1), 1u + 31 + 10 + 1);
  EXPECT_EQ(rig.latency(2), 32u + 10 + 1);  // the request is behind the atomic
  EXPECT_EQ(rig.counter("atomics"), 1u);
  rig.expect_clean();
}

TEST(L2Slice, AStepOfAnAtomicServesALaneOfEachWordOfASector) {
  L2Spec parallel = spec();
  parallel.atomic_sectors = true;
  parallel.atomic_cycles = 3;
  Rig rig({read(0, 32), atomic(0, 32, Cycle{200}, 4), read(0, 32, Cycle{201})}, parallel);
  run_dry();
  EXPECT_EQ(rig.latency(1), 1u + 11 + 10 + 1);  // four steps of three cycles
}

TEST(L2Slice, AnAtomicOfManySectorsTakesAtLeastACycleForEach) {
  L2Spec parallel = spec();
  parallel.atomic_sectors = true;
  TrafficSource::Request line = atomic(0, 4, Cycle{300}, 1);
  line.bytes = 128;
  Rig rig({read(0, 128), line}, parallel);
  run_dry();
  EXPECT_EQ(rig.latency(1), 1u + 3 + 10 + 1);
}

TEST(L2Slice, FillsOfSectorsMoveHalfTheBytesInTwiceTheRequests) {
  L2Spec l2 = spec();
  l2.fill_bytes = 32;
  Requests traffic;
  for (Address i = 0; i < 100; ++i) traffic.push_back(read(i * 128, 128));
  Rig rig(traffic, l2);
  run_dry();
  EXPECT_EQ(rig.below.requests(), 400u);
  EXPECT_EQ(rig.counter("fill_bytes"), 12'800u);
  EXPECT_EQ(rig.counter("misses"), 400u);
  rig.expect_clean();
}

// With a DRAM of bursts of 32 B, each dirty sector of a line is a write-back of its own.
class L2SliceBursts : public testing::TestWithParam<std::uint32_t> {};

TEST_P(L2SliceBursts, LimitTheLengthOfWriteBacks) {
  const std::uint32_t burst = GetParam();
  L2Spec l2 = spec();
  l2.burst_bytes = burst;
  l2.fill_bytes = 32;
  l2.dram_queue = l2.most_transfers();
  Requests traffic;
  for (Address i = 0; i <= l2.ways; ++i) traffic.push_back(write(i * l2.sets * 128, 128, Cycle{1 + 500 * i}));
  Rig rig(traffic, l2);
  run_dry();
  EXPECT_EQ(rig.below.requests(), 128 / burst);
  EXPECT_EQ(rig.counter("write_backs"), 128 / burst);
  EXPECT_EQ(rig.counter("write_back_bytes"), 128u);
  rig.expect_clean();
}

INSTANTIATE_TEST_SUITE_P(Sizes, L2SliceBursts, testing::Values(64u, 32u));

TEST(L2Slice, HitsPassMissesThatWait) {
  Rig rig({read(0, 32, Cycle{1}), read(128, 32, Cycle{200}), read(0, 32, Cycle{201})});
  run_dry();
  EXPECT_EQ(rig.source.done()[1].number, 2u);
  EXPECT_EQ(rig.source.done()[2].number, 1u);
}

// Another memory model completes a request within the call. It cannot be slowed down, so the slice limits its
// requests.
TEST(L2Slice, AMemoryThatCompletesAtOnceWillDo) {
  L2Spec l2 = spec();
  l2.return_queue = 1;
  l2.reply_queue = 1;
  l2.hit_latency = 0;
  Requests traffic;
  for (Address i = 0; i < 300; ++i) traffic.push_back(read(i * 128, 128));
  ClockDomain clock("clock", 700e6);
  TrafficSource source("source", clock, traffic);
  L2Slice slice("slice", l2, {clock, {}});
  SystemMemory memory("memory", sc_core::sc_time(1, sc_core::SC_NS));
  ProtocolChecker below("below");
  source.memory().bind(slice.crossbar());
  slice.dram().bind(below.target);
  below.initiator.bind(memory.socket);
  run_dry();
  EXPECT_EQ(source.done().size(), 300u);
  EXPECT_EQ(below.responses(), 600u);
  EXPECT_TRUE(slice.idle() && below.idle());
}

TEST(L2Slice, ARequestThatIsNotWholeSectorsStopsTheRun) {
  Rig rig({read(16, 32)});
  EXPECT_ANY_THROW(run_dry());
}

TEST(L2Slice, ASleepingSliceCostsNothing) {
  Rig rig({read(0, 128, Cycle{10}), read(0, 128, Cycle{100'000})});
  run_dry();
  const Counter* ticks = &rig.clock.activity().ticks;
  ASSERT_NE(ticks, nullptr);
  EXPECT_LE(ticks->value(), 30u);
}

}  // namespace
}  // namespace heddle::test
