// Two applications on one SM: quotas, refills, shares that come free, and memory that is free in pieces.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>

#include "tests/support/sm_driver_fixture.h"

namespace heddle {
namespace {

using ::testing::ElementsAre;

constexpr std::uint32_t kAll = Slice::kUnlimited;

std::unique_ptr<SmPartitioner> fixed(const IntegerLists& quotas) {
  return PolicyRegistry<SmPartitioner>::make({"fixed", {{"quotas", quotas}}});
}

KernelLaunch with_shared(KernelLaunch launch, std::uint32_t bytes) {
  launch.shape.shared_bytes = bytes;
  return launch;
}

// Follows every block; at each issue the application holds less than its quota there.
class Shares final : public EngineObserver {
 public:
  explicit Shares(IntegerLists quotas) : quotas_(std::move(quotas)) {}

  std::uint32_t resident(std::uint32_t sm, std::uint32_t application) const {
    const auto found = resident_.find({sm, application});
    return found == resident_.end() ? 0 : found->second;
  }
  std::uint64_t limited() const { return limited_; }

  void kernel_event(Cycle, KernelEvent, KsrId ksr, const KernelLaunch& launch) override {
    applications_[ksr.value] = launch.context.value;
  }
  void block_issued(Cycle now, SmId sm, KsrId ksr, BlockId) override {
    const std::uint32_t application = applications_.at(ksr.value);
    const std::uint32_t most = quota(sm.value, application);
    const std::uint32_t now_resident = ++resident_[{sm.value, application}];
    HEDDLE_CHECK(now_resident <= most, "shares", now, "SM {}: application {} has {} blocks of {}", sm.value,
                 application, now_resident, most);
    if (now_resident == most) ++limited_;
  }
  void block_done(Cycle, SmId sm, KsrId ksr, BlockId, const SmWork&) override {
    --resident_.at({sm.value, applications_.at(ksr.value)});
  }

 private:
  std::uint32_t quota(std::uint32_t sm, std::uint32_t application) const {
    if (quotas_.empty()) return kAll;
    const std::vector<std::int64_t>& list = quotas_[sm % quotas_.size()];
    if (application >= list.size()) return 0;
    return list[application] < 0 ? kAll : static_cast<std::uint32_t>(list[application]);
  }

  const IntegerLists quotas_;
  std::map<std::uint32_t, std::uint32_t> applications_;                        // by KSR
  std::map<std::pair<std::uint32_t, std::uint32_t>, std::uint32_t> resident_;  // by SM and application
  std::uint64_t limited_ = 0;
};

TEST_F(SmDriverTest, TwoApplicationsOnOneSmEachRunAsIfAloneWithTheirQuota) {
  const auto policy = fixed({{3, 5}});
  Shares shares({{3, 5}});
  gpu(test_spec(), 8, 1, *policy).driver().observe(shares);
  Log log(*gpu_);
  gpu_->share_sms();
  const KernelId a = gpu_->launch(Cycle{0}, test_kernel(0, 9, 20));
  const KernelId b = gpu_->launch(Cycle{0}, test_kernel(1, 10, 50));
  gpu_->run();
  EXPECT_THAT(
      log.issues,
      ElementsAre("5 sm0 k0 b0", "6 sm0 k0 b1", "7 sm0 k0 b2",                                   // A's share
                  "8 sm0 k1 b0", "9 sm0 k1 b1", "10 sm0 k1 b2", "11 sm0 k1 b3", "12 sm0 k1 b4",  // B's
                  "27 sm0 k0 b3", "28 sm0 k0 b4", "29 sm0 k0 b5",  // A refills what A left
                  "49 sm0 k0 b6", "50 sm0 k0 b7", "51 sm0 k0 b8", "60 sm0 k1 b5", "61 sm0 k1 b6",
                  "62 sm0 k1 b7", "63 sm0 k1 b8", "64 sm0 k1 b9"));
  EXPECT_EQ(gpu_->span(a).ended, Cycle{51 + 22});
  EXPECT_EQ(gpu_->span(b).ended, Cycle{64 + 52});
  EXPECT_EQ(counter("set_ups"), 2);
  EXPECT_EQ(counter("drains"), 0);
  EXPECT_EQ(shares.limited(), 3u + 2 * 3 + 1 - 3 + 1 + 5);
  expect_rest();
}

TEST_F(SmDriverTest, AnEndedKernelsShareGoesToTheNextOfItsApplicationAndToNoOther) {
  const auto policy = fixed({{2, 3}});
  Shares shares({{2, 3}});
  gpu(test_spec(), 8, 1, *policy).driver().observe(shares);
  Log log(*gpu_);
  gpu_->share_sms();
  gpu_->launch(Cycle{0}, test_kernel(0, 2, 20));
  gpu_->launch(Cycle{0}, test_kernel(1, 6, 100));
  gpu_->launch(Cycle{3}, test_kernel(0, 2, 20));
  gpu_->run_until(Cycle{12});
  EXPECT_EQ(shares.resident(0, 0), 2u);
  EXPECT_EQ(shares.resident(0, 1), 3u);
  gpu_->run_until(Cycle{31});
  EXPECT_EQ(shares.resident(0, 0), 0u);
  EXPECT_EQ(shares.resident(0, 1), 3u);  // three slots are free, and stay so
  gpu_->run();
  EXPECT_THAT(log.slices, ElementsAre("1 sm0 k0 set up", "1 sm0 k1 set up", "5 sm0 k0 running",
                                      "5 sm0 k1 running", "28 sm0 k0 freed", "28 sm0 k2 set up",
                                      "32 sm0 k2 running", "55 sm0 k2 freed", "213 sm0 k1 freed"));
  EXPECT_EQ(counter("drains"), 0);
  expect_rest();
}

TEST_F(SmDriverTest, WithoutLimitsOneTakesWhatTheOtherLeaves) {
  const auto policy = fixed({});
  Log log(gpu(test_spec(), 4, 1, *policy));
  gpu_->share_sms();
  gpu_->launch(Cycle{0}, test_kernel(0, 3, 20));
  gpu_->launch(Cycle{0}, test_kernel(1, 5, 50));
  gpu_->run();
  EXPECT_THAT(log.issues, ElementsAre("5 sm0 k0 b0", "6 sm0 k0 b1", "7 sm0 k0 b2", "8 sm0 k1 b0",
                                      "27 sm0 k1 b1", "28 sm0 k1 b2", "29 sm0 k1 b3", "60 sm0 k1 b4"));
}

// The application's next kernel has the slice once the one before has nothing left there, though that one
// still runs elsewhere, and though another application keeps the SM busy.
TEST_F(SmDriverTest, ASliceThatRunsOutIsASchedulingPoint) {
  const auto policy = fixed({{1, 1}});
  Log log(gpu(test_spec(), 4, 2, *policy));
  gpu_->share_sms();
  KernelLaunch uneven = test_kernel(0, 2, 40);
  uneven.jitter_permille = 500;
  while (residence_of(uneven, BlockId{0}) + 10 > residence_of(uneven, BlockId{1})) ++uneven.seed;
  const std::uint64_t first_end = 5 + 2 + residence_of(uneven, BlockId{0});
  gpu_->launch(Cycle{0}, uneven);
  gpu_->launch(Cycle{0}, test_kernel(1, 2, 500));
  gpu_->launch(Cycle{0}, test_kernel(0, 1, 7));
  gpu_->run();
  EXPECT_THAT(log.issues, testing::Contains(fmt::format("{} sm0 k2 b0", first_end + 4)));
}

// ---- fragmentation

// Warped-Slicer, Figure 2a, in 12 KiB of shared memory: blocks of A (1 KiB) and of B (2 KiB) alternate.
class Fragmentation : public SmDriverTest {
 protected:
  // Each context's quota grows by one in turn.
  static void alternate(std::size_t call, const MachineView& machine, Partition& partition) {
    const auto turns = static_cast<std::uint32_t>(call);
    partition.take(0);
    for (const KernelView& kernel : machine.kernels)
      if (kernel.unissued + kernel.running > 0)
        partition.slices(0).push_back(
            {kernel.ksr, std::min(4u, 1 + (kernel.context.value == 0 ? turns : turns - 1) / 2)});
  }
};

TEST_F(Fragmentation, BlocksOfBDoNotFitTheHolesThatAlternatingBlocksOfALeave) {
  Scripted policy(alternate);
  SmLimits limits = test_limits(16);
  limits.shared_bytes = 12 << 10;
  gpu_ = std::make_unique<FakeGpu>(test_spec(), limits, 1, policy, *drain_);
  Log log(*gpu_);
  gpu_->share_sms();
  const KernelLaunch b = with_shared(test_kernel(1, 6, 100), 2 << 10);
  gpu_->launch(Cycle{0}, with_shared(test_kernel(0, 4, 30), 1 << 10));
  gpu_->launch(Cycle{0}, b);
  for (std::uint64_t turn = 0; turn < 8; ++turn) gpu_->set_context(Cycle{7 + 2 * turn}, ContextId{0}, {});
  gpu_->run_until(Cycle{60});
  EXPECT_THAT(log.issues, ElementsAre("5 sm0 k0 b0", "6 sm0 k1 b0", "7 sm0 k0 b1", "9 sm0 k1 b1",
                                      "11 sm0 k0 b2", "13 sm0 k1 b2", "15 sm0 k0 b3", "17 sm0 k1 b3"));
  // A has ended: its 4 KiB are free, and no two of them together.
  const SmResources& resources = gpu_->driver().smsrs()[0].resources;
  EXPECT_EQ(resources.used().shared_bytes, 8u << 10);
  EXPECT_TRUE(fits(resources.used(), resources_of(b.shape, limits), limits));
  EXPECT_FALSE(resources.has_room(resources_of(b.shape, limits)));
}

}  // namespace
}  // namespace heddle
