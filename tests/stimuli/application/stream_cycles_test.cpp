#include <gtest/gtest.h>

#include "stimuli/application/stream_cycles.h"

namespace heddle {
namespace {

constexpr std::uint32_t kA = 0;
constexpr std::uint32_t kB = 1;

ApiCall call(ApiCall::Kind kind, std::uint32_t stream, std::uint32_t event = 0) {
  ApiCall made;
  made.kind = kind;
  made.stream = stream;
  made.event = event;
  return made;
}
ApiCall launch(std::uint32_t stream) {
  return call(ApiCall::Kind::kLaunch, stream);
}
ApiCall record(std::uint32_t stream, std::uint32_t event) {
  return call(ApiCall::Kind::kRecord, stream, event);
}
ApiCall wait(std::uint32_t stream, std::uint32_t event) {
  return call(ApiCall::Kind::kWait, stream, event);
}
ApiCall synchronise(std::uint32_t stream) {
  return call(ApiCall::Kind::kSynchronise, stream);
}

std::vector<std::string> cycles(const std::vector<ApiCall>& calls) {
  ApiProgram program;
  program.streams = {"a", "b"};
  program.events = {"x", "y"};
  program.calls = calls;
  std::vector<std::string> places;
  for (std::size_t i = 0; i < calls.size(); ++i) places.push_back("#" + std::to_string(i));
  return stream_cycles(program, places);
}

TEST(StreamCycles, AWaitForAnEarlierRecordIsNone) {
  EXPECT_TRUE(cycles({launch(kA), record(kA, 0), wait(kB, 0), launch(kB), synchronise(ApiCall::kAllStreams)})
                  .empty());
}

TEST(StreamCycles, AWaitForALaterRecordOfAnotherStreamIsNone) {
  EXPECT_TRUE(cycles({wait(kB, 0), launch(kB), launch(kA), record(kA, 0)}).empty());
}

TEST(StreamCycles, AStreamThatWaitsForItsOwnLaterRecordIsOne) {
  EXPECT_EQ(cycles({wait(kA, 0), record(kA, 0)}).size(), 1U);
}

TEST(StreamCycles, TwoStreamsThatWaitForEachOtherAreOneNamedByItsCalls) {
  const std::vector<std::string> found = cycles({wait(kA, 0), record(kA, 1), wait(kB, 1), record(kB, 0)});
  ASSERT_EQ(found.size(), 1U);
  for (const char* place : {"#0", "#1", "#2", "#3"})
    EXPECT_NE(found[0].find(place), std::string::npos) << found[0];
}

TEST(StreamCycles, AHostThatSynchronisesBeforeTheRecordIsOne) {
  EXPECT_EQ(cycles({wait(kA, 0), synchronise(kA), record(kB, 0)}).size(), 1U);
  EXPECT_TRUE(cycles({wait(kA, 0), synchronise(kB), record(kB, 0)}).empty());
}

TEST(StreamCycles, ASynchronousCopyBehindTheWaitIsOneAndAnAsynchronousOneIsNot) {
  ApiCall copy = call(ApiCall::Kind::kCopyUp, kA);
  EXPECT_EQ(cycles({wait(kA, 0), copy, record(kB, 0)}).size(), 1U);
  copy.asynchronous = true;
  EXPECT_TRUE(cycles({wait(kA, 0), copy, record(kB, 0)}).empty());
}

TEST(StreamCycles, AFreeWaitsForAllStreams) {
  const ApiCall free = call(ApiCall::Kind::kFree, kA);
  EXPECT_EQ(cycles({wait(kB, 0), free, record(kA, 0)}).size(), 1U);
  EXPECT_TRUE(cycles({record(kA, 0), wait(kB, 0), free}).empty());
}

TEST(StreamCycles, FillsAndCopiesAcrossAreInTheirStreamsAndTheHostGoesOn) {
  for (const ApiCall::Kind kind : {ApiCall::Kind::kFill, ApiCall::Kind::kCopyAcross}) {
    EXPECT_TRUE(cycles({wait(kA, 0), call(kind, kA), record(kB, 0)}).empty());
    EXPECT_EQ(cycles({wait(kA, 0), call(kind, kA), record(kA, 1), wait(kB, 1), record(kB, 0)}).size(), 1U);
  }
}

}  // namespace
}  // namespace heddle
