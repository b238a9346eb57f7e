#include "policies/sm_partitioner/slicer_places.h"

#include <gtest/gtest.h>

#include "tests/support/machine/test_machine.h"

namespace heddle {
namespace {

class SlicerPlacesTest : public testing::Test {
 protected:
  SlicerPlacesTest() { machine_.contexts.resize(3); }
  void comes(std::uint64_t kernel, std::uint32_t context, std::uint32_t tag) {
    KernelView view;
    view.kernel = KernelId{kernel};
    view.context = ContextId{context};
    view.ksr = KsrId{static_cast<std::uint32_t>(kernel)};
    view.tag = tag;
    view.residency = 4;
    view.unissued = 1;
    machine_.kernels.push_back(view);
  }
  void learn(std::uint32_t context, std::uint32_t tag) {
    const KernelKey key{ContextId{context}, tag, 4};
    curves_.begin();
    curves_.add_measurement(key, 1, 1);
    curves_.finish(key);
  }

  MachineView machine_;
  ProfileCurves curves_;
};

TEST_F(SlicerPlacesTest, APlaceTellsWhetherTheNextKernelRunsOtherCode) {
  SlicerPlaces places(true, true);
  machine_.contexts[0].open = true;
  comes(0, 0, 7);
  EXPECT_TRUE(places.update(machine_, curves_).moved);
  EXPECT_FALSE(places.update(machine_, curves_).any);
  machine_.kernels.clear();
  comes(1, 0, 7);
  SlicerPlaces::Changes changes = places.update(machine_, curves_);
  EXPECT_TRUE(changes.any);
  EXPECT_FALSE(changes.moved);
  EXPECT_FALSE(changes.other_code);
  machine_.kernels.clear();
  comes(2, 0, 8);
  changes = places.update(machine_, curves_);
  EXPECT_FALSE(changes.moved);
  EXPECT_TRUE(changes.other_code);
}

TEST_F(SlicerPlacesTest, ACurveServesLaterLaunchesIfItIsRemembered) {
  for (const bool remember : {false, true}) {
    SlicerPlaces places(false, remember);
    curves_.reset();
    learn(0, 7);
    machine_.kernels.clear();
    comes(0, 0, 7);
    comes(1, 1, 7);
    places.update(machine_, curves_);
    EXPECT_EQ(places.any_known(curves_), remember);
    EXPECT_FALSE(places.all_known(curves_));
    learn(0, 7);
    learn(1, 7);
    EXPECT_TRUE(places.all_known(curves_));
  }
}

TEST_F(SlicerPlacesTest, OnlyProfiledPlacesGetSms) {
  SlicerPlaces places(false, false);
  for (std::uint32_t i = 0; i < 3; ++i) comes(i, i, 7);
  places.update(machine_, curves_);
  places.list()[1].profiled = false;
  places.divide(8);
  EXPECT_EQ(places.list()[0].group.count + places.list()[2].group.count, 8u);
  EXPECT_EQ(places.list()[1].group.count, 0u);
  EXPECT_FALSE(places.profile_has_unknown(curves_));
}

TEST_F(SlicerPlacesTest, KernelsRunTogetherOnceAllHaveBeenSeenAndWhileAllHaveBlocks) {
  SlicerPlaces places(false, false);
  comes(0, 0, 7);
  comes(1, 1, 7);
  places.update(machine_, curves_);
  EXPECT_FALSE(places.co_running());
  EXPECT_TRUE(places.co_running());
  machine_.kernels[1].unissued = 0;
  places.update(machine_, curves_);
  EXPECT_FALSE(places.co_running());
}

}  // namespace
}  // namespace heddle
