// The streams and events of a captured program become those of an application, with the waits of CUDA's
// default stream.

#include "stimuli/capture/replay/replay_streams.h"

#include <gtest/gtest.h>

#include <string>

namespace heddle::capture {
namespace {

// Returns the calls as text, as in "launch 1, record 1 e0, wait 0 e0, all".
std::string shown(const ApiProgram& program) {
  std::string text;
  for (const ApiCall& call : program.calls) {
    if (!text.empty()) text += ", ";
    const std::string stream = std::to_string(call.stream);
    const std::string event = " e" + std::to_string(call.event);
    if (call.kind == ApiCall::Kind::kLaunch) text += "launch " + stream;
    if (call.kind == ApiCall::Kind::kRecord) text += "record " + stream + event;
    if (call.kind == ApiCall::Kind::kWait) text += "wait " + stream + event;
    if (call.kind == ApiCall::Kind::kSynchronise)
      text += call.stream == ApiCall::kAllStreams ? "all" : "synchronise " + stream;
  }
  return text;
}

class ReplayStreamsTest : public testing::Test {
 protected:
  void launch(std::uint32_t stream) {
    ApiCall call;
    call.kind = ApiCall::Kind::kLaunch;
    call.stream = streams_.use(stream);
    program_.calls.push_back(call);
  }

  ApiProgram program_;
  ReplayStreams streams_{program_};
};

TEST_F(ReplayStreamsTest, TheDefaultStreamAloneWaitsForNothing) {
  launch(0);
  launch(0);
  EXPECT_EQ(shown(program_), "launch 0, launch 0");
  EXPECT_EQ(program_.streams.size(), 1u);
  EXPECT_TRUE(program_.events.empty());
}

TEST_F(ReplayStreamsTest, TheDefaultStreamWaitsForWhatOthersWereAsked) {
  streams_.create(1, false);
  streams_.create(2, false);
  launch(1);
  launch(0);
  launch(0);
  EXPECT_EQ(shown(program_), "launch 1, record 1 e0, wait 0 e0, launch 0, launch 0");
}

TEST_F(ReplayStreamsTest, OthersWaitForTheDefaultStreamOnce) {
  launch(0);
  streams_.create(1, false);
  launch(0);
  launch(1);
  launch(1);
  EXPECT_EQ(shown(program_), "launch 0, launch 0, record 0 e0, wait 1 e0, launch 1, launch 1");
}

TEST_F(ReplayStreamsTest, AStreamThatWaitsForNoneIsWaitedForByNone) {
  streams_.create(1, true);
  launch(0);
  launch(1);
  launch(0);
  EXPECT_EQ(shown(program_), "launch 0, launch 1, launch 0");
}

TEST_F(ReplayStreamsTest, NothingIsWaitedForThatTheHostHasWaitedFor) {
  streams_.create(1, false);
  launch(1);
  EXPECT_TRUE(streams_.synchronise_stream(1));
  launch(0);
  streams_.synchronise();
  launch(1);
  EXPECT_EQ(shown(program_), "launch 1, synchronise 1, launch 0, all, launch 1");
}

TEST_F(ReplayStreamsTest, DestroyedStreamsAndEventsAreUsedAgain) {
  for (std::uint32_t round = 1; round <= 5; ++round) {
    EXPECT_TRUE(streams_.create(round, true));
    launch(round);
    EXPECT_TRUE(streams_.record(10 + round, round));
    streams_.destroy_event(10 + round);
    EXPECT_TRUE(streams_.destroy(round));
  }
  EXPECT_EQ(program_.streams.size(), 2u);
  EXPECT_EQ(program_.events.size(), 1u);
}

TEST_F(ReplayStreamsTest, TheHostWaitsForAnEventWhereItsStreamHasGoneOn) {
  streams_.create(1, true);
  launch(1);
  EXPECT_TRUE(streams_.record(7, 1));
  launch(1);
  EXPECT_TRUE(streams_.synchronise_event(7));
  EXPECT_EQ(shown(program_), "launch 1, record 1 e0, launch 1, wait 2 e0, synchronise 2");
}

TEST_F(ReplayStreamsTest, TheHostWaitsForTheStreamWhereTheEventIsItsLast) {
  streams_.create(1, true);
  EXPECT_TRUE(streams_.record(7, 1));
  EXPECT_TRUE(streams_.synchronise_event(7));
  EXPECT_EQ(shown(program_), "record 1 e0, synchronise 1");
}

TEST_F(ReplayStreamsTest, WhatDoesNotExistIsRefused) {
  EXPECT_FALSE(streams_.record(1, 3));
  EXPECT_FALSE(streams_.wait(1, 0));
  EXPECT_FALSE(streams_.synchronise_event(1));
  EXPECT_FALSE(streams_.synchronise_stream(3));
  EXPECT_FALSE(streams_.destroy(0));
  EXPECT_TRUE(streams_.create(3, false));
  EXPECT_FALSE(streams_.create(3, false));
}

}  // namespace
}  // namespace heddle::capture
