// The blocks of a cluster start in the same cycle, each on an SM of its own, and all of them in one GPC.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>
#include <set>

#include "models/core/base/random.h"
#include "tests/support/machine/sm_driver_fixture.h"
#include "tests/support/machine/test_machine.h"

namespace heddle {
namespace {

using ::testing::ElementsAre;

// TPCs of two SMs, in two GPCs: SMs 0, 1, 4 and 5 are those of the first one.
EngineSpec spec_with_gpcs(std::uint32_t gpcs = 2) {
  EngineSpec spec = test_spec();
  spec.gpcs = {2, gpcs, 1};
  return spec;
}

SmLimits limits_for_clusters(std::uint32_t residency) {
  SmLimits limits = test_limits(residency);
  limits.cluster_sms = BlockShape::kMostCluster;
  return limits;
}

KernelLaunch clustered(std::uint32_t cluster, std::uint64_t blocks, std::uint64_t cycles,
                       std::uint32_t context = 0) {
  KernelLaunch launch = test_kernel(context, blocks, cycles);
  launch.shape.cluster = cluster;
  return launch;
}

// Notes where and when the blocks of each kernel start.
class Starts final : public EngineObserver {
 public:
  struct Start {
    Cycle at;
    SmId sm;
  };
  explicit Starts(FakeGpu& gpu) { gpu.driver().observe(*this); }
  void kernel_event(Cycle, KernelEvent event, KsrId ksr, const KernelLaunch& launch) override {
    if (event == KernelEvent::kLoaded) kernels_[ksr.value] = launch.kernel.value;
  }
  void block_issued(Cycle now, SmId sm, KsrId ksr, BlockId block) override {
    of[kernels_[ksr.value]][block.value] = {now, sm};
  }
  std::vector<std::uint32_t> sms(std::uint64_t kernel) const {
    std::vector<std::uint32_t> list;
    for (const auto& [block, start] : of.at(kernel)) list.push_back(start.sm.value);
    return list;
  }

  std::map<std::uint64_t, std::map<std::uint64_t, Start>> of;  // by kernel and block

 private:
  std::map<std::uint32_t, std::uint64_t> kernels_;  // by KSR
};

class Clusters : public testing::Test {
 protected:
  std::unique_ptr<SmPartitioner> partitioner_ = make_policy<SmPartitioner>("fcfs-m");
  std::unique_ptr<Preemption> drain_ = make_policy<Preemption>("drain");
};

TEST_F(Clusters, StartTogetherOnSmsOfOneGpcAndOfTheGpcsInTurn) {
  FakeGpu gpu(spec_with_gpcs(), limits_for_clusters(1), 8, *partitioner_, *drain_);
  const Starts starts(gpu);
  gpu.launch(Cycle{1}, clustered(4, 8, 50));
  gpu.run();
  EXPECT_THAT(starts.sms(0), ElementsAre(0, 1, 4, 5, 2, 3, 6, 7));
  for (const auto& [block, start] : starts.of.at(0)) EXPECT_EQ(start.at, starts.of.at(0).at(0).at);
}

TEST_F(Clusters, TakeTheSmsOfAGpcThatHoldTheFewestBlocks) {
  FakeGpu gpu(spec_with_gpcs(1), limits_for_clusters(2), 4, *partitioner_, *drain_);
  const Starts starts(gpu);
  gpu.launch(Cycle{1}, clustered(2, 8, 50));
  gpu.run();
  EXPECT_THAT(starts.sms(0), ElementsAre(0, 1, 2, 3, 0, 1, 2, 3));
}

TEST_F(Clusters, WaitUntilAllTheirBlocksHaveRoom) {
  FakeGpu gpu(spec_with_gpcs(1), limits_for_clusters(1), 2, *partitioner_, *drain_);
  gpu.share_sms();
  const Starts starts(gpu);
  gpu.launch(Cycle{1}, test_kernel(0, 1, 500));
  const KernelId pair = gpu.launch(Cycle{2}, clustered(2, 4, 50));
  gpu.run();
  EXPECT_GE(starts.of.at(1).at(0).at, gpu.span(KernelId{0}).ended);
  EXPECT_EQ(starts.of.at(1).at(0).at, starts.of.at(1).at(1).at);
  EXPECT_EQ(gpu.span(pair).done, std::vector<std::uint8_t>(4, 1));
}

// Random kernels with and without clusters, under every partitioner that has no parameters to choose.
TEST_F(Clusters, EndUnderEveryPartitionerAndKeepTheRule) {
  constexpr std::uint32_t kSms = 22;  // eleven TPCs: the GPCs differ by one
  for (const char* const name : {"fcfs-m", "fcfs-s", "even", "shared-fcfs", "left-over", "spatial"}) {
    for (std::uint64_t seed = 0; seed < 20; ++seed) {
      Random random(seed);
      const auto policy = make_policy<SmPartitioner>(name);
      const std::uint32_t gpcs = 1 + static_cast<std::uint32_t>(random.below(4));
      const EngineSpec spec = spec_with_gpcs(gpcs);
      FakeGpu gpu(spec, limits_for_clusters(1 + static_cast<std::uint32_t>(random.below(4))), kSms, *policy,
                  *drain_);
      gpu.share_sms();
      const Starts starts(gpu);
      std::vector<std::uint32_t> clusters;
      for (std::uint32_t i = 0; i < 4; ++i) {
        clusters.push_back(1U << random.below(3));
        gpu.launch(Cycle{1 + 20 * i}, clustered(clusters.back(), clusters.back() * (1 + random.below(30)),
                                                10 + random.below(100), i % 2));
      }
      ASSERT_NO_THROW(gpu.run()) << name << ", seed " << seed;
      for (const auto& [kernel, blocks] : starts.of)
        for (const auto& [block, start] : blocks) {
          const std::uint64_t first = block - block % clusters[kernel];
          EXPECT_EQ(start.at, blocks.at(first).at) << name << ", seed " << seed;
          EXPECT_EQ(spec.gpcs.gpc_of(start.sm), spec.gpcs.gpc_of(blocks.at(first).sm));
          for (std::uint64_t other = first; other < block; ++other)
            EXPECT_NE(start.sm.value, blocks.at(other).sm.value);
        }
    }
  }
}

TEST_F(Clusters, RunToTheirEndWhereOtherBlocksWouldBeSaved) {
  EngineSpec spec = spec_with_gpcs(1);
  spec.save_bytes_per_cycle = 32;
  const auto save = make_policy<Preemption>("switch");
  const auto preemptive = make_policy<SmPartitioner>("ppq");
  for (const std::uint32_t cluster : {1, 2}) {
    FakeGpu gpu(spec, limits_for_clusters(1), 2, *preemptive, *save);
    gpu.swap_in(10);
    gpu.set_context(Cycle{0}, ContextId{1}, ContextView{});
    gpu.launch(Cycle{1}, clustered(cluster, 2, 1000));
    KernelLaunch urgent = test_kernel(1, 2, 50);
    urgent.priority = 5;
    gpu.launch(Cycle{100}, urgent);
    gpu.run();
    EXPECT_EQ(gpu.blocks_saved(), cluster == 1 ? 2U : 0U);
  }
}

TEST(ClusterShape, ThatNoGpcHoldsIsTold) {
  SmLimits limits = test_limits(1);
  BlockShape shape = test_kernel(0, 1, 1).shape;
  EXPECT_TRUE(can_reside(shape, limits));
  shape.cluster = 4;
  EXPECT_FALSE(can_reside(shape, limits));
  EXPECT_THAT(shortage_of(shape, limits), testing::HasSubstr("no network (sm.cluster)"));
  limits.cluster_sms = 2;
  EXPECT_THAT(shortage_of(shape, limits), testing::HasSubstr("4 blocks, and a GPC has 2 SMs"));
  limits.cluster_sms = 4;
  EXPECT_TRUE(can_reside(shape, limits));
}

}  // namespace
}  // namespace heddle
