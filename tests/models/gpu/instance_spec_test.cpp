// What an instance of a split GPU has of the whole one.

#include <gtest/gtest.h>

#include "models/gpu/instance_spec.h"
#include "platforms/load/platform_loader.h"
#include "tests/support/machine/cycle_machine.h"

namespace heddle::test {
namespace {

TEST(InstanceSpec, HasTheSmsAndTheShareOfTheMemoryOfItsProfile) {
  const GpuSpec whole = load_platform("a100-timed");
  const GpuSpec part = spec_of(whole, {42, 4, 3, {0}});
  EXPECT_EQ(part.sm.count, 42U);
  EXPECT_EQ(part.memory->dram.map.channels, 20U);
  EXPECT_EQ(part.memory->slices(), 40U);
  EXPECT_EQ(part.device_bytes, 20ULL << 30U);
  EXPECT_DOUBLE_EQ(part.bandwidth.dram_bytes_per_second, whole.bandwidth.dram_bytes_per_second / 2);
  EXPECT_DOUBLE_EQ(part.bandwidth.l2_bytes_per_second, whole.bandwidth.l2_bytes_per_second / 2);
  EXPECT_DOUBLE_EQ(part.dma.device_bytes_per_second, whole.dma.device_bytes_per_second / 2);
  EXPECT_EQ(part.dma.engines, 2U);
  EXPECT_EQ(spec_of(whole, {14, 1, 1, {0}}).dma.engines, 1U) << "both directions share one copy engine";
  EXPECT_EQ(part.engine.ksrs, whole.engine.ksrs);
}

TEST(InstanceSpec, IsTheWholeGpuIfItHasAllOfIt) {
  const GpuSpec whole = gtx480({"mig.memory_slices=6", "mig.copy_engines=2", "mig.profiles.all.sms=15",
                                "mig.profiles.all.memory_slices=6", "mig.profiles.all.copy_engines=2"});
  const GpuSpec part = spec_of(whole, {15, 6, 2, {0}});
  EXPECT_EQ(part.sm.count, whole.sm.count);
  EXPECT_EQ(part.device_bytes, whole.device_bytes);
  EXPECT_EQ(part.memory->dram.map.channels, whole.memory->dram.map.channels);
  EXPECT_EQ(part.memory->dram.map.channel_hash, whole.memory->dram.map.channel_hash);
}

TEST(InstanceSpec, ItsChannelsAreHashedByTheBitsOfTheirNumber) {
  GpuSpec whole = load_platform("a100-timed");
  whole.memory->dram.map.channels = 16;
  whole.memory->dram.map.channel_hash = {{20}, {21}, {22}, {23}};
  whole.instances.memory_slices = 8;
  EXPECT_EQ(spec_of(whole, {1, 4, 1, {0}}).memory->dram.map.channel_hash.size(), 3U);
  EXPECT_EQ(spec_of(whole, {1, 3, 1, {0}}).memory->dram.map.channel_hash.size(), 3U);
  EXPECT_EQ(spec_of(whole, {1, 2, 1, {0}}).memory->dram.map.channel_hash.size(), 2U);
}

TEST(InstanceSpec, AreAskedForByThePolicyOfTheDecision) {
  const GpuSpec whole = load_platform("a100-timed");
  EXPECT_TRUE(instances_of(whole, {}, 2).empty());
  EXPECT_TRUE(instances_of(whole, {{"instances", {"whole", {}}}}, 2).empty());
  EXPECT_EQ(instances_of(whole, {{"instances", {"mig", {}}}}, 2).size(), 2U);
}

}  // namespace
}  // namespace heddle::test
