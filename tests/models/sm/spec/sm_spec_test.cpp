#include "models/sm/spec/sm_spec.h"

#include <gtest/gtest.h>

#include "models/sm/spec/cycle_spec.h"

namespace heddle::test {
namespace {

TEST(SmSpec, OfATimedSmExecutesNothing) {
  SmSpec spec;
  EXPECT_EQ(spec.execution(), nullptr);
  spec.add_mapping_stage(2);
  EXPECT_THROW(static_cast<void>(spec.cycle_sm()), std::bad_variant_access);
}

TEST(SmSpec, ShowsWhatItsModelExecutesWith) {
  SmSpec spec;
  spec.model = CycleSmSpec{};
  ASSERT_NE(spec.execution(), nullptr);
  spec.execution()->schedulers = 4;
  spec.execution()->units[static_cast<std::size_t>(UnitKind::kSfu)].count = 3;
  EXPECT_EQ(spec.cycle_sm().schedulers, 4u);
  const SmSpec copy = spec;
  EXPECT_EQ(copy.execution()->unit(UnitKind::kSfu).count, 3u);
  EXPECT_NE(copy.execution(), spec.execution());
}

TEST(SmSpec, ReadsAMappingTableBeforeUnitsAndMemories) {
  SmSpec spec;
  spec.model = CycleSmSpec{};
  spec.cycle_sm().dispatch_latency = 1;
  spec.cycle_sm().memory_latency = 5;
  spec.cycle_sm().shared_latency = 20;
  spec.add_mapping_stage(2);
  EXPECT_EQ(spec.cycle_sm().dispatch_latency, 3u);
  EXPECT_EQ(spec.cycle_sm().memory_latency, 7u);
  EXPECT_EQ(spec.cycle_sm().shared_latency, 22u);
  EXPECT_EQ(spec.cycle_sm().result_latency, 0u);
}

}  // namespace
}  // namespace heddle::test
