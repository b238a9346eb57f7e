// The order of a trace, what a selection chooses, and the tracks of a timeline.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <sstream>

#include "models/machine/trace_log.h"
#include "models/machine/trace_tracks.h"
#include "tests/support/trace_decoder.h"

namespace heddle::test {

namespace {

std::string name_of_kernel(ContextId context, std::uint32_t tag) {
  return "k" + std::to_string(context.value) + std::to_string(tag);
}

TraceEvent at(std::uint64_t cycle, std::string detail) {
  TraceEvent event;
  event.at = event.since = Cycle{cycle};
  event.detail = std::move(detail);
  return event;
}

TraceLog::Time every(std::uint64_t ps) {
  return [ps](Cycle cycle) { return cycle.value * ps; };
}

TEST(TraceLog, EventsComeInTheOrderOfTimeThenOfBlocksThenOfTheirCalls) {
  TraceLog log({}, name_of_kernel);
  TraceSink& core = log.sink("sm0", TraceClock::kCore);
  TraceSink& dram = log.sink("dram0", TraceClock::kDram);
  log.set_clock(TraceClock::kCore, every(10));
  log.set_clock(TraceClock::kDram, every(4));
  dram.add(at(5, "c"));  // at 20 ps
  dram.add(at(4, "a"));  // at 16 ps
  core.add(at(2, "b"));
  core.add(at(9, "e"));
  core.add(at(4, "d"));
  std::string order;
  const auto write = [&order](const TracedEvent& traced) { order += traced.event->detail; };
  log.take(40, write);
  EXPECT_EQ(order, "abc");
  log.take(1000, write);
  EXPECT_EQ(order, "abcde");
}

TEST(TraceLog, PartsOfASelectionHoldTogetherAndSelectionsAddUp) {
  TraceSelection by_place;
  by_place.sm = 3;
  by_place.warp = 5;
  TraceSelection by_kernel;
  by_kernel.kernel = "k01";
  by_kernel.window = {Cycle{10}, Cycle{20}};
  const TraceLog log({by_place, by_kernel}, name_of_kernel);
  const auto count = [&log](std::uint32_t sm, std::uint32_t warp, std::uint32_t tag) {
    return log.windows(SmId{sm}, warp, ContextId{0}, tag).size();
  };
  EXPECT_EQ(count(3, 5, 0), 1u);
  EXPECT_EQ(count(3, 4, 0), 0u);
  EXPECT_EQ(count(2, 5, 0), 0u);
  EXPECT_EQ(count(2, 4, 1), 1u);
  EXPECT_EQ(count(3, 5, 1), 2u);
  EXPECT_EQ(log.windows(SmId{0}, 0, ContextId{0}, 1).front().last, Cycle{20});
}

TraceEvent of_warp(TraceStage stage, std::uint64_t since, std::uint64_t cycle, std::string detail,
                   std::uint32_t request = 0) {
  TraceEvent event = at(cycle, std::move(detail));
  event.stage = stage;
  event.since = Cycle{since};
  event.sm = SmId{1};
  event.warp = 2;
  event.request = request;
  return event;
}

TEST(TraceTracks, DrawsIssuesWaitsInstructionsAndTheHopsOfRequests) {
  std::stringstream file;
  {
    Timeline timeline(file);
    TraceTracks tracks(timeline, every(1000));
    const auto add = [&tracks](const TraceEvent& event) { tracks.add(event, event.at.value * 1000); };
    add(of_warp(TraceStage::kIssue, 10, 10, "load global 4 B r1"));
    add(of_warp(TraceStage::kRequest, 12, 12, "load", 7));
    add(of_warp(TraceStage::kSend, 15, 15, "", 7));
    add(of_warp(TraceStage::kWait, 11, 19, "scoreboard_memory r1"));
    add(of_warp(TraceStage::kAnswer, 20, 20, "", 7));
    add(of_warp(TraceStage::kWriteBack, 21, 21, ""));
  }
  std::vector<std::string> begins;
  for (const trace::Event& event : trace::Trace(file.str()).events)
    if (event.type == trace::kBegin)
      begins.push_back(event.track + ": " + event.name + " at " + std::to_string(event.ns));
  EXPECT_THAT(begins, testing::UnorderedElementsAre("sm1.warp2 issue 1: load at 10",
                                                    "sm1.warp2 issue 1: waits: scoreboard_memory at 11",
                                                    "sm1.warp2 requests 1: to send at 12",
                                                    "sm1.warp2 requests 1: to answer at 15",
                                                    "sm1.warp2 instructions 1: load at 10"));
}

}  // namespace

}  // namespace heddle::test
