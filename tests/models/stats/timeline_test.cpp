#include <gtest/gtest.h>

#include <cstdint>
#include <cstring>
#include <limits>
#include <map>
#include <sstream>
#include <stdexcept>
#include <string>
#include <vector>

#include "models/stats/timeline.h"
#include "tests/support/trace_decoder.h"

namespace heddle {
namespace {

using namespace trace;

template <typename Writes>
std::string written(const Writes& writes) {
  std::ostringstream out;
  {
    Timeline timeline(out);
    writes(timeline);
  }
  return out.str();
}

TEST(Timeline, OfNothingIsOnePacketThatStartsTheSequence) {
  EXPECT_EQ(written([](Timeline&) {}), std::string("\x0a\x04\x50\x01\x68\x01", 6));
}

TEST(Timeline, WritesTheseVeryBytes) {
  const std::string bytes = written([](Timeline& timeline) {
    const TrackId gpu = timeline.process("gpu");
    const TrackId slot = timeline.track(gpu, "s");
    timeline.slice(slot, 1'000, 300'000, timeline.name("b"), {5, false});
  });
  // clang-format off
  const unsigned char expected[] = {
      0x0a, 0x04, 0x50, 0x01, 0x68, 0x01,                                            // sequence 1, cleared
      0x0a, 0x17, 0x50, 0x01, 0xe2, 0x03, 0x12,                                      // track descriptor
      0x08, 0x01, 0x12, 0x03, 'g',  'p',  'u',                                       // uuid 1, "gpu"
      0x1a, 0x07, 0x08, 0x01, 0x32, 0x03, 'g',  'p',  'u',  0x58, 0x03,              // pid 1, "gpu", by rank
      0x0a, 0x10, 0x50, 0x01, 0xe2, 0x03, 0x0b,                                      // track descriptor
      0x08, 0x02, 0x12, 0x01, 's',  0x28, 0x01, 0x60, 0x01, 0x58, 0x03,              // uuid 2, "s" in 1, 1st
      0x0a, 0x0b, 0x50, 0x01, 0x62, 0x07, 0x12, 0x05, 0x08, 0x01, 0x12, 0x01, 'b',   // name 1 is "b"
      0x0a, 0x18, 0x40, 0x01, 0x50, 0x01, 0x68, 0x02, 0x5a, 0x10,                    // 1 ns, needs state
      0x48, 0x01, 0x50, 0x01, 0x58, 0x02,                                            // begin "b" on 2
      0xf9, 0x02, 0x05, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00,                    // flow 5
      0x0a, 0x0b, 0x40, 0xac, 0x02, 0x50, 0x01, 0x5a, 0x04, 0x48, 0x02, 0x58, 0x02,  // 300 ns, end on 2
  };
  // clang-format on
  EXPECT_EQ(testing::PrintToString(bytes),
            testing::PrintToString(std::string(reinterpret_cast<const char*>(expected), sizeof expected)));
}

TEST(Timeline, DescribesTracksWithParentsRanksAndUnits) {
  const Trace trace(written([](Timeline& timeline) {
    const TrackId gpu = timeline.process("gpu");
    const TrackId host = timeline.process("host");
    const TrackId sm = timeline.track(gpu, "sm0");
    timeline.track(sm, "slot 0");
    timeline.counter(host, "queue", "commands");
  }));
  ASSERT_EQ(trace.tracks.size(), 5u);
  EXPECT_EQ(trace.tracks.at(1).message(3).number(1), 1u);  // process ids differ
  EXPECT_EQ(trace.tracks.at(2).message(3).number(1), 2u);
  EXPECT_EQ(trace.tracks.at(2).message(3).text(6), "host");
  EXPECT_FALSE(trace.tracks.at(1).has(5));
  EXPECT_EQ(trace.tracks.at(3).number(5), 1u);
  EXPECT_EQ(trace.tracks.at(4).number(5), 3u);
  EXPECT_EQ(trace.tracks.at(4).text(2), "slot 0");
  EXPECT_LT(trace.tracks.at(3).number(12), trace.tracks.at(4).number(12));
  EXPECT_FALSE(trace.tracks.at(4).has(8));
  EXPECT_EQ(trace.tracks.at(5).number(5), 2u);
  EXPECT_EQ(trace.tracks.at(5).message(8).text(6), "commands");
}

TEST(Timeline, WritesEachNameOnce) {
  const Trace trace(written([](Timeline& timeline) {
    const TrackId gpu = timeline.process("gpu");
    const NameId first = timeline.name("block");
    const NameId other = timeline.name("context switch");
    EXPECT_EQ(timeline.name("block"), first);
    EXPECT_NE(first, other);
    timeline.instant(gpu, 0, other);
    timeline.instant(gpu, 0, first);
  }));
  EXPECT_EQ(trace.names.size(), 2u);
  EXPECT_EQ(trace.events[0].name, "context switch");
  EXPECT_EQ(trace.events[1].name, "block");
  EXPECT_EQ(trace.packets.front().number(13), 1u);
}

TEST(Timeline, AlternatesBeginsAndEndsOnEachTrackInOrderOfTime) {
  const Trace trace(written([](Timeline& timeline) {
    const TrackId gpu = timeline.process("gpu");
    const TrackId slots[] = {timeline.track(gpu, "slot 0"), timeline.track(gpu, "slot 1")};
    const NameId block = timeline.name("block");
    std::uint64_t now[] = {0, 0};
    for (std::uint64_t i = 0; i < 1000; ++i) {  // back to back, lengths from 0 to 4 ns
      const std::uint64_t begin = now[i % 2];
      now[i % 2] += i * 7919 % 4001;
      timeline.slice(slots[i % 2], begin, now[i % 2], block);
    }
  }));
  ASSERT_EQ(trace.events.size(), 2000u);
  std::map<std::string, std::uint64_t> open, latest;
  for (const Event& event : trace.events) {
    EXPECT_GE(event.ns, latest[event.track]);
    latest[event.track] = event.ns;
    EXPECT_EQ(event.type, open[event.track] == 0 ? kBegin : kEnd);
    open[event.track] ^= 1;
  }
  EXPECT_EQ(open["slot 0"] + open["slot 1"], 0u);
}

TEST(Timeline, RoundsTimesDownAndKeepsASliceWithoutLengthAdjacent) {
  const Trace trace(written([](Timeline& timeline) {
    const TrackId gpu = timeline.process("gpu");
    const NameId a = timeline.name("a"), b = timeline.name("b");
    timeline.slice(gpu, 1'999, 2'000, a);
    timeline.slice(gpu, 2'000, 2'999, b);
    timeline.slice(gpu, 2'999, 2'999, a);
    timeline.slice(gpu, 2'999, 4'001, b);
  }));
  std::vector<std::uint64_t> ns, types;
  for (const Event& event : trace.events) {
    ns.push_back(event.ns);
    types.push_back(event.type);
  }
  EXPECT_EQ(ns, (std::vector<std::uint64_t>{1, 2, 2, 2, 2, 2, 2, 4}));
  EXPECT_EQ(types, (std::vector<std::uint64_t>{kBegin, kEnd, kBegin, kEnd, kBegin, kEnd, kBegin, kEnd}));
}

TEST(Timeline, ConnectsEventsByFlows) {
  const Trace trace(written([](Timeline& timeline) {
    const TrackId host = timeline.process("host"), gpu = timeline.process("gpu");
    const NameId launch = timeline.name("launch"), kernel = timeline.name("kernel");
    timeline.slice(host, 0, 1'000, launch, {0x0102030405060708, false});
    timeline.slice(gpu, 5'000, 9'000, kernel, {0x0102030405060708, true});
    timeline.instant(gpu, 9'000, launch, {9, false});
    timeline.instant(gpu, 9'000, launch);
  }));
  const Message& out = trace.events[0].fields;
  const Message& in = trace.events[2].fields;
  EXPECT_EQ(out.number(47), 0x0102030405060708u);
  EXPECT_EQ(out.fields.at(47)[0].wire, 1);
  EXPECT_FALSE(out.has(48));
  EXPECT_EQ(in.number(48), 0x0102030405060708u);
  EXPECT_FALSE(in.has(47));
  EXPECT_FALSE(trace.events[1].fields.has(47));  // an end carries no flow
  EXPECT_EQ(trace.events[4].fields.number(47), 9u);
  EXPECT_FALSE(trace.events[5].fields.has(47));
  EXPECT_EQ(trace.events[5].type, kInstant);
}

TEST(Timeline, WritesTheArgumentsOfASliceAtItsBegin) {
  const std::uint64_t most = std::numeric_limits<std::uint64_t>::max();
  const Trace trace(written([&](Timeline& timeline) {
    const TrackId gpu = timeline.process("gpu");
    const NameId copy = timeline.name("copy");
    const ArgumentId bytes = timeline.argument("bytes"), stream = timeline.argument("stream");
    EXPECT_EQ(timeline.argument("bytes"), bytes);
    timeline.slice(gpu, 1'000, 2'000, copy, {}, {{bytes, 4096}, {stream, 0}});
    timeline.slice(gpu, most, most, copy, {most, true},
                   {{bytes, most}, {bytes, most}, {bytes, most}, {bytes, most}});
  }));
  using Arguments = std::map<std::string, std::uint64_t>;
  ASSERT_EQ(trace.events.size(), 4u);
  EXPECT_EQ(trace.events[0].arguments, (Arguments{{"bytes", 4096}, {"stream", 0}}));
  EXPECT_EQ(trace.events[1].arguments, Arguments{});
  EXPECT_EQ(trace.events[2].fields.fields.at(4).size(), Timeline::kMostArguments);
  EXPECT_EQ(trace.events[2].arguments, (Arguments{{"bytes", most}}));
  EXPECT_EQ(trace.argument_names.size(), 2u);
}

TEST(Timeline, WritesCounterValuesOfEveryKind) {
  const Trace trace(written([](Timeline& timeline) {
    const TrackId load = timeline.counter(timeline.process("gpu"), "load", "warps");
    timeline.value(load, 1'000, 64);
    timeline.value(load, 2'000, std::int64_t{-3});
    timeline.value(load, 3'000, std::uint8_t{200});
    timeline.value(load, 4'000, std::numeric_limits<std::uint64_t>::max());
    timeline.value(load, 5'000, 0.1);
    timeline.value(load, 6'000, 2.0f);
  }));
  ASSERT_EQ(trace.events.size(), 6u);
  const std::vector<std::int64_t> integers = {64, -3, 200, std::numeric_limits<std::int64_t>::max()};
  for (std::size_t i = 0; i < 4; ++i) {
    EXPECT_EQ(trace.events[i].type, kCounter);
    EXPECT_EQ(static_cast<std::int64_t>(trace.events[i].fields.number(30)), integers[i]);
    EXPECT_FALSE(trace.events[i].fields.has(44));
  }
  for (std::size_t i = 4; i < 6; ++i) {
    const std::uint64_t bits = trace.events[i].fields.number(44);
    double value;
    std::memcpy(&value, &bits, sizeof value);
    EXPECT_EQ(value, i == 4 ? 0.1 : 2.0);
    EXPECT_FALSE(trace.events[i].fields.has(30));
  }
}

TEST(Timeline, FitsTheLargestNumbers) {
  const std::uint64_t most = std::numeric_limits<std::uint64_t>::max();
  const Trace trace(written([&](Timeline& timeline) {
    const TrackId load = timeline.counter(timeline.process("gpu"), "load", "warps");
    const TrackId slot = timeline.process("slot");
    const NameId name = timeline.name("x");
    for (int i = 0; i < 5000; ++i) {
      timeline.instant(slot, most, name, {most, true});
      timeline.value(load, most, -1);
    }
  }));
  ASSERT_EQ(trace.events.size(), 10'000u);
  for (const Event& event : trace.events) {
    ASSERT_EQ(event.ns, most / 1000);
    ASSERT_EQ(event.fields.number(event.type == kCounter ? 30 : 48), most);
  }
}

TEST(Timeline, HandsOutEventsInOrderAcrossFullBuffers) {
  constexpr std::uint64_t kSlices = 20'000;  // several buffers
  const Trace trace(written([](Timeline& timeline) {
    const TrackId gpu = timeline.process("gpu");
    NameId name = timeline.name("0");
    for (std::uint64_t i = 0; i < kSlices; ++i) {
      if (i % 5000 == 0) name = timeline.name(std::to_string(i));  // text between events
      timeline.slice(gpu, i * 1'000, i * 1'000 + 500, name);
    }
  }));
  ASSERT_EQ(trace.events.size(), 2 * kSlices);
  for (std::uint64_t i = 0; i < kSlices; ++i) {
    ASSERT_EQ(trace.events[2 * i].ns, i);
    ASSERT_EQ(trace.events[2 * i].name, std::to_string(i / 5000 * 5000));
  }
}

TEST(Timeline, TakesNamesLongerThanItsBuffer) {
  const std::string longest(200'000, 'x');
  const Trace trace(written([&](Timeline& timeline) {
    timeline.instant(timeline.process(longest), 1'000, timeline.name(longest));
    timeline.name("");
  }));
  ASSERT_EQ(trace.events.size(), 1u);
  EXPECT_EQ(trace.events[0].track, longest);
  EXPECT_EQ(trace.events[0].name, longest);
  EXPECT_EQ(trace.names.at(2), "");
}

TEST(Timeline, FlushHandsOverWhatIsWrittenSoFar) {
  std::ostringstream out;
  Timeline timeline(out);
  const TrackId gpu = timeline.process("gpu");
  timeline.instant(gpu, 1'000, timeline.name("x"));
  timeline.flush();
  EXPECT_EQ(Trace(out.str()).events.size(), 1u);
}

TEST(Timeline, LeavesAFailingStreamToTheCaller) {
  std::ostringstream out;
  Timeline timeline(out);
  const TrackId gpu = timeline.process("gpu");
  const NameId name = timeline.name("x");
  out.setstate(std::ios::badbit);
  for (std::uint64_t i = 0; i < 10'000; ++i) timeline.slice(gpu, i, i + 1, name);
  timeline.flush();
  EXPECT_TRUE(out.bad());
}

TEST(Timeline, DoesNotThrowFromItsDestructor) {
  std::ostringstream out;
  {
    Timeline timeline(out);
    timeline.instant(timeline.process("gpu"), 0, timeline.name("x"));
    out.exceptions(std::ios::badbit);
    EXPECT_THROW(out.setstate(std::ios::badbit), std::ios::failure);
  }
  EXPECT_TRUE(out.bad());
}

TEST(Timeline, RefusesOverlappingAndBackwardSlices) {
  std::ostringstream out;
  Timeline timeline(out);
  const TrackId gpu = timeline.process("gpu"), other = timeline.process("other");
  const NameId name = timeline.name("x");
  timeline.slice(gpu, 1'000, 2'000, name);
  EXPECT_THROW(timeline.slice(gpu, 1'999, 3'000, name), std::logic_error);
  EXPECT_THROW(timeline.slice(gpu, 5'000, 4'999, name), std::logic_error);
  EXPECT_NO_THROW(timeline.slice(other, 0, 500, name));
  timeline.slice(gpu, 2'000, 2'001, name);
  timeline.flush();
  EXPECT_EQ(Trace(out.str()).events.size(), 6u);  // refused events leave no trace
}

TEST(Timeline, RefusesEventsOfTheWrongKindAndUnknownTracks) {
  std::ostringstream out;
  Timeline timeline(out);
  const TrackId gpu = timeline.process("gpu"), load = timeline.counter(gpu, "load", "warps");
  const NameId name = timeline.name("x");
  EXPECT_THROW(timeline.value(gpu, 0, 1), std::logic_error);
  EXPECT_THROW(timeline.slice(load, 0, 1, name), std::logic_error);
  EXPECT_THROW(timeline.instant(load, 0, name), std::logic_error);
  EXPECT_THROW(timeline.track(load, "x"), std::logic_error);
  EXPECT_THROW(timeline.instant(TrackId{0}, 0, name), std::logic_error);
  EXPECT_THROW(timeline.value(TrackId{3}, 0, 1.0), std::logic_error);
  EXPECT_THROW(timeline.track(TrackId{3}, "x"), std::logic_error);
  EXPECT_THROW(timeline.instant(gpu, 0, NameId{2}), std::logic_error);
}

TEST(Timeline, RefusesUnknownArgumentsAndMoreThanASliceHas) {
  std::ostringstream out;
  Timeline timeline(out);
  const TrackId gpu = timeline.process("gpu");
  const NameId name = timeline.name("x");
  const Argument one{timeline.argument("one"), 1};
  EXPECT_THROW(timeline.slice(gpu, 0, 1, name, {}, {{ArgumentId{2}, 1}}), std::logic_error);
  EXPECT_THROW(timeline.slice(gpu, 0, 1, name, {}, {one, one, one, one, one}), std::logic_error);
  EXPECT_NO_THROW(timeline.slice(gpu, 0, 1, name, {}, {one, one, one, one}));
  for (int i = 2; i <= 127; ++i) timeline.argument(std::to_string(i));
  EXPECT_THROW(timeline.argument("128"), std::logic_error);
}

}  // namespace
}  // namespace heddle
