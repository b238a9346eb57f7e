// The section `contention` of a platform: what it states, what follows without it, and what is refused.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "platforms/load/platform_loader.h"
#include "tests/support/problems.h"

namespace heddle {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

GpuSpec with(const std::vector<std::string>& settings) {
  config::Document document = load_platform_document("k20-cusched");
  for (const std::string& setting : settings) document.set(setting);
  GpuSpec spec = read_platform(document.root());
  document.finish();
  return spec;
}

TEST(ContentionKeys, WithoutThemKernelsDoNotContendAndBandwidthsAreThosePeaks) {
  const GpuSpec spec = with({});
  EXPECT_FALSE(spec.bandwidth.kernels);
  EXPECT_DOUBLE_EQ(spec.bandwidth.dram_bytes_per_second, spec.memory->peak_bytes_per_second());
  EXPECT_NEAR(spec.bandwidth.dram_bytes_per_second, 208e9, 0.5e9);  // the card's data sheet
  EXPECT_DOUBLE_EQ(spec.bandwidth.l2_bytes_per_second, spec.memory->slices() * 32 * 706e6);
}

TEST(ContentionKeys, AreTakenAsStated) {
  const GpuSpec spec = with({"contention.kernels=on", "contention.dram=150GB/s", "contention.l2=400GB/s"});
  EXPECT_TRUE(spec.bandwidth.kernels);
  EXPECT_DOUBLE_EQ(spec.bandwidth.dram_bytes_per_second, 150e9);
  EXPECT_DOUBLE_EQ(spec.bandwidth.l2_bytes_per_second, 400e9);
}

TEST(ContentionKeys, WithoutThemAnSmDrawsItsPartOfTheBandwidth) {
  const BandwidthSpec bandwidth = with({"contention.dram=130GB/s", "contention.l2=260GB/s"}).bandwidth;
  EXPECT_DOUBLE_EQ(bandwidth.sm_dram_bytes_per_second, 10e9);      // of 13 SMs
  EXPECT_DOUBLE_EQ(bandwidth.sm_l2_bytes_per_second, 32 * 706e6);  // a sector a cycle, more than its part
  const BandwidthSpec wide = with({"contention.l2=1300GB/s"}).bandwidth;
  EXPECT_DOUBLE_EQ(wide.sm_l2_bytes_per_second, 100e9);
}

TEST(ContentionKeys, OfOneSmAreTakenAsStated) {
  const BandwidthSpec bandwidth =
      with({"contention.sm_dram=20GB/s", "contention.sm_l2=40GB/s", "contention.bound=0.8"}).bandwidth;
  EXPECT_DOUBLE_EQ(bandwidth.sm_dram_bytes_per_second, 20e9);
  EXPECT_DOUBLE_EQ(bandwidth.sm_l2_bytes_per_second, 40e9);
  EXPECT_DOUBLE_EQ(bandwidth.bound, 0.8);
}

TEST(ContentionKeys, BadOnesAreReportedAtTheirPlace) {
  const auto problems = [](const std::vector<std::string>& settings) {
    return test::problems_of([&] { with(settings); });
  };
  EXPECT_THAT(problems({"contention.dram=0GB/s"}), ElementsAre(HasSubstr("contention.dram: ")));
  EXPECT_THAT(problems({"contention.l2=5GB"}), ElementsAre(HasSubstr("contention.l2: ")));
  EXPECT_THAT(problems({"contention.sm_dram=0GB/s"}), ElementsAre(HasSubstr("contention.sm_dram: ")));
  EXPECT_THAT(problems({"contention.bound=1.5"}), ElementsAre(HasSubstr("contention.bound: ")));
  EXPECT_THAT(problems({"contention.kernel=on"}), ElementsAre(HasSubstr("did you mean 'kernels'")));
  EXPECT_THAT(problems({"contention.kernels=on", "sm.model=cycle"}),
              ElementsAre(HasSubstr("contention.kernels: cycle SMs contend for a memory that is simulated")));
}

TEST(ContentionKeys, SwitchIsAPolicyOfTimedSmsToo) {
  EXPECT_EQ(with({"policies.preemption=switch"}).policies.at("preemption").name, "switch");
}

}  // namespace
}  // namespace heddle
