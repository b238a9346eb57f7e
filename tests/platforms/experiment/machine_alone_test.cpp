// An application alone runs on a machine that it shares with nobody.

#include <gtest/gtest.h>

#include "platforms/experiment/experiment.h"

namespace heddle {
namespace {

TEST(MachineAlone, HasTheWholeGpuWhateverContextsHaveBesideEachOther) {
  Overrides overrides;
  overrides.sets = {"l2.ways_of=[8]", "crossbar.outstanding_of=[0, 96]", "dram.channels_of=[[0], [1]]"};
  const Experiment experiment = load_experiment("noisy-neighbours", overrides);
  const MachineSpec together = machine_for(experiment, experiment.variants.front());
  EXPECT_EQ(together.gpu.memory->l2.ways_of.size(), 1u);
  EXPECT_EQ(together.gpu.memory->noc.outstanding_of.size(), 2u);
  EXPECT_EQ(together.gpu.memory->dram.map.channels_of.size(), 2u);
  const MachineSpec alone = machine_alone(experiment, 1);
  EXPECT_TRUE(alone.gpu.memory->l2.ways_of.empty());
  EXPECT_TRUE(alone.gpu.memory->noc.outstanding_of.empty());
  EXPECT_TRUE(alone.gpu.memory->dram.map.channels_of.empty());
}

}  // namespace
}  // namespace heddle
