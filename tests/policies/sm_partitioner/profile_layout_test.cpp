#include "policies/sm_partitioner/profile_layout.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <vector>

namespace heddle {
namespace {

using ::testing::ElementsAre;

std::vector<std::uint32_t> counts(std::uint32_t residency, std::size_t sms, std::size_t phase = 0) {
  std::vector<std::uint32_t> result;
  for (std::size_t i = 0; i < sms; ++i) result.push_back(profile_blocks(residency, sms, i, phase));
  return result;
}

TEST(ProfileLayout, SmsAreDividedIntoContiguousGroupsAndTheFirstGetWhatDoesNotDivide) {
  for (std::size_t sms = 1; sms <= 20; ++sms)
    for (std::size_t kernels = 1; kernels <= sms; ++kernels) {
      const ProfileLayout layout(kernels, sms);
      EXPECT_EQ(layout.turns(), 1);
      std::size_t next = 0;
      for (std::size_t kernel = 0; kernel < kernels; ++kernel) {
        const SmGroup group = layout.group(kernel);
        EXPECT_EQ(layout.turn(kernel), 0);
        EXPECT_EQ(group.first, next);
        EXPECT_EQ(group.count, sms / kernels + (kernel < sms % kernels ? 1 : 0));
        next = group.first + group.count;
      }
      EXPECT_EQ(next, sms);
    }
}

TEST(ProfileLayout, MoreKernelsThanSmsTakeTurnsAndTheLastTurnHasAllSms) {
  const ProfileLayout layout(5, 4);
  EXPECT_EQ(layout.turns(), 2);
  for (std::size_t kernel = 0; kernel < 4; ++kernel) {
    EXPECT_EQ(layout.turn(kernel), 0);
    EXPECT_EQ(layout.group(kernel).first, kernel);
    EXPECT_EQ(layout.group(kernel).count, 1);
  }
  EXPECT_EQ(layout.turn(4), 1);
  EXPECT_EQ(layout.group(4).first, 0);
  EXPECT_EQ(layout.group(4).count, 4);
}

TEST(ProfileLayout, SuccessiveSmsHoldOneMoreBlockUpToTheResidency) {  // two kernels on 16 SMs: Figure 4
  EXPECT_THAT(counts(8, 8), ElementsAre(1, 2, 3, 4, 5, 6, 7, 8));
  EXPECT_EQ(profile_phases(8, 8), 1);
}

TEST(ProfileLayout, FewerCountsThanSmsStartOver) {
  EXPECT_THAT(counts(3, 8), ElementsAre(1, 2, 3, 1, 2, 3, 1, 2));
  EXPECT_THAT(counts(1, 4), ElementsAre(1, 1, 1, 1));
  EXPECT_THAT(counts(3, 8, 1), ElementsAre(1, 2, 3, 1, 2, 3, 1, 2)) << "while others go on";
  EXPECT_EQ(profile_phases(3, 8), 1);
}

TEST(ProfileLayout, MoreCountsThanSmsFollowInPhasesThatOnlyAddBlocks) {
  EXPECT_EQ(profile_phases(8, 4), 2);
  EXPECT_THAT(counts(8, 4, 0), ElementsAre(1, 2, 3, 4));
  EXPECT_THAT(counts(8, 4, 1), ElementsAre(5, 6, 7, 8));
  EXPECT_EQ(profile_phases(8, 5), 2);
  EXPECT_THAT(counts(8, 5, 1), ElementsAre(6, 7, 8, 8, 8));
  EXPECT_EQ(profile_phases(8, 1), 8);
}

}  // namespace
}  // namespace heddle
