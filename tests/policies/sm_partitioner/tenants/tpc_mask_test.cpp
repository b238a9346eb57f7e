#include <gmock/gmock.h>

#include "tests/support/machine/sm_driver_fixture.h"
#include "tests/support/machine/test_machine.h"

namespace heddle {
namespace {

using ::testing::ElementsAre;

PolicyChoice masks(IntegerLists tpcs, double sms_per_tpc = 2) {
  return {"tpc-mask", {{"tpcs", std::move(tpcs)}, {"sms_per_tpc", sms_per_tpc}}};
}

std::string misfit(const PolicyChoice& choice, std::uint32_t sms, std::size_t applications) {
  GpuDescription gpu;
  gpu.sms = sms;
  gpu.applications = applications;
  return PolicyCatalogue::instance().misfit("sm_partitioner", choice, gpu);
}

TEST(TpcMask, EachApplicationHasTheSmsOfItsTpcsAndMasksMayOverlap) {
  const auto policy = PolicyRegistry<SmPartitioner>::make(masks({{0}, {0, 2}}));
  TestMachine machine(7, {{}, {}, {}});
  machine.kernel(0, 9);
  machine.kernel(1, 9);
  machine.kernel(2, 9);  // has no mask
  EXPECT_THAT(machine.slices(*policy),
              ElementsAre("0:* 1:* 2:*", "0:* 1:* 2:*", "2:*", "2:*", "1:* 2:*", "1:* 2:*", "2:*"));
}

TEST(TpcMask, AllIsEveryTpcAndATpcMayBeOneSm) {
  const auto policy = PolicyRegistry<SmPartitioner>::make(masks({{PolicyValue::kAll}, {1}}, 1));
  TestMachine machine(3, {{}, {}});
  machine.kernel(0, 9);
  machine.kernel(1, 9);
  EXPECT_THAT(machine.slices(*policy), ElementsAre("0:*", "0:* 1:*", "0:*"));
}

TEST(TpcMask, OnASharedTpcTheOlderKernelGoesFirst) {
  const auto policy = PolicyRegistry<SmPartitioner>::make(masks({{0}, {0, 1}}, 1));
  const auto drain = make_policy<Preemption>("drain");
  FakeGpu gpu(test_spec(), test_limits(1), 2, *policy, *drain);
  gpu.share_sms();
  const Log log(gpu);
  gpu.launch(Cycle{0}, test_kernel(0, 2, 20));
  gpu.launch(Cycle{0}, test_kernel(1, 3, 40));
  gpu.run();
  EXPECT_THAT(log.issues,
              ElementsAre("5 sm0 k0 b0", "5 sm1 k1 b0", "27 sm0 k0 b1", "47 sm1 k1 b1", "49 sm0 k1 b2"));
}

TEST(TpcMask, AMaskThatTheGpuDoesNotHaveIsOneMessage) {
  EXPECT_EQ(misfit(masks({{0}, {6}}), 13, 2), "");
  EXPECT_EQ(misfit(masks({{0}, {7}}), 13, 2),
            "tpc-mask: application 1 has TPC 7, and 13 SMs have 7 TPCs of 2");
  EXPECT_EQ(misfit(masks({{0}, {}}), 13, 2), "tpc-mask: tpcs leaves application 1 without a TPC");
  EXPECT_EQ(misfit(masks({{0}, {1}, {2}}), 13, 2), "tpc-mask: tpcs has 3 lists for 2 applications");
}

}  // namespace
}  // namespace heddle
