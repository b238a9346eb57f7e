#include "models/core/base/gpc_map.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>
#include <vector>

#include "models/sm/spec/sm_spec.h"

namespace heddle {
namespace {

using ::testing::ElementsAre;
using Place = std::uint32_t (GpcMap::*)(SmId) const;

// Returns where the first SMs are.
std::vector<std::uint32_t> places(const GpcMap& map, Place place, std::uint32_t sms) {
  std::vector<std::uint32_t> of;
  for (std::uint32_t i = 0; i < sms; ++i) of.push_back((map.*place)(SmId{i}));
  return of;
}

TEST(GpcMap, TpcsBelongToTheGpcsInTurnAndTheGpcsToTheHalves) {
  const GpcMap map{2, 3, 1};
  EXPECT_THAT(places(map, &GpcMap::tpc_of, 8), ElementsAre(0, 0, 1, 1, 2, 2, 3, 3));
  EXPECT_THAT(places(map, &GpcMap::gpc_of, 8), ElementsAre(0, 0, 1, 1, 2, 2, 0, 0));
  EXPECT_THAT(places(map, &GpcMap::half_of, 8), ElementsAre(0, 0, 1, 1, 0, 0, 0, 0));
}

TEST(GpcMap, TheTpcsOfAGpcBelongToItsCpcsInTurn) {
  EXPECT_THAT(places(GpcMap{1, 2, 3}, &GpcMap::cpc_of, 8), ElementsAre(0, 3, 1, 4, 2, 5, 0, 3));
}

TEST(GpcMap, WithoutTpcsTheSmsBelongToTheHalvesInTurn) {
  EXPECT_THAT(places(SmSpec{}.gpcs(), &GpcMap::half_of, 3), ElementsAre(0, 0, 0)) << "a GPU of one GPC";
  SmSpec sms;
  sms.count = 3;
  EXPECT_THAT(places(sms.gpcs(), &GpcMap::half_of, 3), ElementsAre(0, 1, 0));
}

// NVIDIA H100 white paper: 132 SMs in 66 TPCs; most GPCs have 16 SMs, some have 18.
TEST(GpcMap, AnH100HasSixGpcsOfSixteenSmsAndTwoOfEighteen) {
  SmSpec sms;
  sms.count = 132;
  sms.tpc = 2;
  sms.cpc = 6;
  sms.gpc = 18;
  std::map<std::uint32_t, int> of_gpc, of_cpc, gpcs;
  for (std::uint32_t i = 0; i < sms.count; ++i) {
    ++of_gpc[sms.gpcs().gpc_of(SmId{i})];
    ++of_cpc[sms.gpcs().cpc_of(SmId{i})];
  }
  for (const auto& [gpc, count] : of_gpc) ++gpcs[static_cast<std::uint32_t>(count)];
  EXPECT_THAT(gpcs, ElementsAre(std::pair(16u, 6), std::pair(18u, 2)));
  EXPECT_EQ(of_cpc.size(), 24u);
  for (const auto& [cpc, count] : of_cpc) EXPECT_TRUE(count == 4 || count == 6) << cpc;
}

}  // namespace
}  // namespace heddle
