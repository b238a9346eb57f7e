// What the submitter has written to rings and the GPU has not completed.

#include "models/host/submission/submitted_commands.h"

#include <gtest/gtest.h>

#include <map>
#include <tuple>

namespace heddle {
namespace {

using Entry = SubmittedCommands::Entry;
using Place = std::pair<std::uint32_t, std::uint32_t>;  // process and lane

// Two processes with three lanes, and what the GPU has written for each lane.
struct Rig {
  Rig() {
    commands.add_process(3);
    commands.add_process(3);
  }

  void push(std::uint32_t process, std::uint32_t lane, std::uint64_t value, std::uint64_t submitted_ps = 0,
            bool is_launch = false) {
    Entry entry;
    entry.value = value;
    entry.submitted_ps = submitted_ps;
    entry.is_launch = is_launch;
    entry.launch.blocks = value;
    commands.push(process, lane, entry);
  }

  bool complete(std::uint64_t now) {
    return commands.complete(
        now,
        [this](std::uint32_t process, std::uint32_t lane) {
          return fences[{process, lane}];
        },
        [this](std::uint32_t process, std::uint32_t lane) {
          return words[{process, lane}];
        },
        [this](std::uint32_t process, std::uint32_t lane, const Entry& entry, std::uint64_t from_ps) {
          completed.emplace_back(process, lane, entry.value, from_ps);
        });
  }

  SubmittedCommands commands;
  std::map<Place, std::uint64_t> fences;
  std::map<Place, std::uint64_t> words;
  std::vector<std::tuple<std::uint32_t, std::uint32_t, std::uint64_t, std::uint64_t>> completed;
};

TEST(SubmittedCommands, AFenceCompletesWhatCameBeforeIt) {
  Rig rig;
  for (std::uint64_t value = 1; value <= 3; ++value) rig.push(0, 1, value);
  EXPECT_FALSE(rig.complete(10));
  rig.fences[{0, 1}] = 2;
  EXPECT_TRUE(rig.complete(20));
  ASSERT_EQ(rig.completed.size(), 2u);
  EXPECT_FALSE(rig.commands.is_free(0, 1));
  rig.fences[{0, 1}] = 3;
  EXPECT_TRUE(rig.complete(30));
  EXPECT_TRUE(rig.commands.is_free(0, 1));
  EXPECT_FALSE(rig.complete(40));
}

// A command cannot run before it was submitted, nor before the one before it on its lane was seen to end.
TEST(SubmittedCommands, ACommandRunsFromTheEndOfTheOneBeforeIt) {
  Rig rig;
  rig.push(0, 0, 1, 5);
  rig.push(0, 0, 2, 6);
  rig.push(0, 0, 3, 60);
  rig.fences[{0, 0}] = 1;
  rig.complete(50);
  rig.fences[{0, 0}] = 3;
  rig.complete(70);
  using Line = std::tuple<std::uint32_t, std::uint32_t, std::uint64_t, std::uint64_t>;
  EXPECT_EQ(rig.completed, (std::vector<Line>{{0, 0, 1, 5}, {0, 0, 2, 50}, {0, 0, 3, 70}}));
}

TEST(SubmittedCommands, PiecesWriteTheWordOfTheirLane) {
  Rig rig;
  EXPECT_EQ(rig.commands.next_word(1, 2), 1u);
  EXPECT_EQ(rig.commands.next_word(1, 2), 2u);
  EXPECT_EQ(rig.commands.next_word(1, 1), 1u);
  Entry piece;
  piece.has_own_word = true;
  piece.value = 1;
  rig.commands.push(1, 2, piece);
  rig.fences[{1, 2}] = 9;
  EXPECT_FALSE(rig.complete(10)) << "the fence of the stream says nothing of its pieces";
  rig.words[{1, 2}] = 1;
  EXPECT_TRUE(rig.complete(20));
}

TEST(SubmittedCommands, FreeLanesAreFoundFromALaneOn) {
  Rig rig;
  EXPECT_EQ(rig.commands.free_lane(0, 1), 1u);
  rig.push(0, 1, 1);
  EXPECT_EQ(rig.commands.free_lane(0, 1), 2u);
  rig.push(0, 2, 1);
  EXPECT_EQ(rig.commands.free_lane(0, 1), 3u) << "there is none";
  EXPECT_EQ(rig.commands.free_lane(1, 1), 1u);
}

TEST(SubmittedCommands, TheOldestLaunchIsThatOfAllLanes) {
  Rig rig;
  EXPECT_EQ(rig.commands.oldest_launch(0).blocks, 0u);
  rig.push(0, 2, 1);           // a copy
  rig.push(0, 2, 7, 0, true);  // launched first
  rig.push(0, 0, 5, 0, true);
  rig.push(1, 0, 3, 0, true);
  EXPECT_EQ(rig.commands.oldest_launch(0).blocks, 7u);
  rig.fences[{0, 2}] = 7;
  rig.complete(10);
  EXPECT_EQ(rig.commands.oldest_launch(0).blocks, 5u);
  rig.commands.reset();
  EXPECT_EQ(rig.commands.oldest_launch(0).blocks, 0u);
  EXPECT_FALSE(rig.complete(20));
}

}  // namespace
}  // namespace heddle
