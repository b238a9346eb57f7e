#pragma once
// These functions compare the results of an instruction, lane by lane, with a reference.

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <functional>

#include "tests/support/ptx/ptx_edges.h"
#include "tests/support/ptx/ptx_lanes.h"

namespace heddle::ptx {

// The values of all sources in one lane: registers as zero-extended bits, predicates as 0 or 1.
using LaneValues = std::array<std::uint64_t, 5>;
using LaneReference = std::function<std::uint64_t(const LaneValues&)>;

// Returns the instruction with one register per type, for example "add.s32 %s32_0, %s32_1, %s32_2" for the
// types s32, s32, s32.
inline std::string spelled(const std::string& mnemonic, const std::vector<Type>& types) {
  std::string text = mnemonic;
  for (std::size_t i = 0; i < types.size(); ++i)
    text += (i == 0 ? " " : ", ") + register_for(types[i], static_cast<std::uint32_t>(i));
  return text;
}

inline std::size_t pairs_of(const LaneRig& rig) {
  std::size_t pairs = 1;
  for (std::size_t i = 0; i < std::min<std::size_t>(rig.sources(), 2); ++i)
    pairs *= edges_of(rig.source_type(i)).size();
  return pairs;
}

using WarpValues = std::array<LaneValues, kWarpLanes>;

// Fills the sources of all lanes and returns the values. Lane i has pair `start` + i of the edge cases of the
// first two sources while there are such pairs, and random values after that.
inline WarpValues fill(LaneRig& rig, std::size_t start, std::mt19937_64& random) {
  WarpValues values{};
  const std::vector<std::uint64_t> first = edges_of(rig.source_type(0));
  for (std::size_t i = 0; i < rig.sources(); ++i) {
    const std::vector<std::uint64_t> edges = edges_of(rig.source_type(i));
    for (std::size_t lane = 0; lane < kWarpLanes; ++lane) {
      const std::size_t turn = start + lane;
      std::uint64_t value = random_of(rig.source_type(i), random);
      if (i == 0 && turn < pairs_of(rig)) value = edges[turn % first.size()];
      if (i == 1 && turn < pairs_of(rig)) value = edges[turn / first.size()];
      if (i > 1 && random() % 2 == 0) value = edges[random() % edges.size()];
      rig.set(i, lane, value);
      values[lane][i] = rig.source(i, lane);
    }
  }
  return values;
}

// Expects that a run with the lanes `active` changes those lanes as a run with all lanes does, and leaves the
// other lanes unchanged.
inline void expect_inactive_kept(LaneRig& rig, std::uint32_t active) {
  constexpr std::uint64_t kBefore = 0xa5a5a5a5a5a5a5a5U;
  std::array<std::array<std::uint64_t, kWarpLanes>, 3> results{};
  const std::array<std::uint32_t, 3> masks = {kEveryLane, active, 0};
  for (std::size_t run = 0; run < masks.size(); ++run) {
    rig.run(masks[run], kBefore);
    for (std::size_t lane = 0; lane < kWarpLanes; ++lane) results[run][lane] = rig.result(lane);
  }
  for (std::size_t lane = 0; lane < kWarpLanes; ++lane)
    ASSERT_EQ(results[1][lane], results[((active >> lane) & 1U) != 0 ? 0 : 2][lane]) << rig.text();
}

// Expects the values of `reference` in every lane, for all pairs of edge cases and then for 32 * rounds
// random values. Inactive lanes must keep their values.
inline void expect_lanes(const std::string& text, const LaneReference& reference, std::size_t rounds = 64) {
  LaneRig rig(text);
  ASSERT_TRUE(rig.known()) << text;
  std::mt19937_64 random(1);
  const std::size_t end = pairs_of(rig) + 32 * rounds;
  for (std::size_t start = 0; start < end; start += kWarpLanes) {
    const WarpValues values = fill(rig, start, random);
    rig.run(kEveryLane, 0x5a5a5a5a5a5a5a5aU);
    for (std::size_t lane = 0; lane < kWarpLanes; ++lane) {
      const LaneValues& v = values[lane];
      ASSERT_EQ(rig.result(lane), reference(v)) << text
                                                << fmt::format(" of {:#x}, {:#x}, {:#x}, {:#x} gives {:#x}",
                                                               v[0], v[1], v[2], v[3], rig.result(lane));
    }
    expect_inactive_kept(rig, static_cast<std::uint32_t>(random()));
  }
}

}  // namespace heddle::ptx
