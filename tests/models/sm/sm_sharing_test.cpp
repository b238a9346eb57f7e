// Two applications on one SM: quotas, refills, shares that become free, and fragmented memory.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>

#include "policies/sm_partitioner/fixed.h"
#include "tests/support/machine/sm_driver_fixture.h"

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

// Observes every block, and expects at each issue that the application holds fewer blocks than its quota on
// the SM.
class Shares final : public EngineObserver {
 public:
  explicit Shares(IntegerLists quotas) : quotas_(std::move(quotas)) {}

  std::uint32_t resident(std::uint32_t sm, std::uint32_t application) const {
    const auto found = resident_.find({sm, application});
    return found == resident_.end() ? 0 : found->second;
  }
  std::uint64_t limited() const { return limited_; }  // issues that fill a quota
  std::uint64_t shared() const { return shared_; }    // issues beside blocks of another application

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
    for (const auto& [where, blocks] : resident_)
      if (where.first == sm.value && where.second != application && blocks > 0) {
        ++shared_;
        break;
      }
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
  std::uint64_t shared_ = 0;
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
  EXPECT_EQ(shares.limited(), 7u + 6u);  // A's issues from the third on, B's from the fifth on
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
  EXPECT_EQ(shares.resident(0, 1), 3u);  // three slots stay free
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

// The next kernel of the application gets the slice when the previous kernel has no block left there, even if
// that kernel still runs on other SMs and another application keeps the SM busy.
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

// The example of Warped-Slicer, Figure 2a, in 12 KiB of shared memory: blocks of A (1 KiB) and B (2 KiB)
// alternate, because at each scheduling point one of the two quotas grows.
TEST_F(SmDriverTest, BlocksOfBDoNotFitTheHolesThatAlternatingBlocksOfALeave) {
  Scripted policy([](std::size_t call, const MachineView& machine, Partition& partition) {
    partition.take(0);
    const auto turns = static_cast<std::uint32_t>(call);
    for (const KernelView& kernel : machine.kernels)
      if (kernel.unissued + kernel.running > 0)
        partition.slices(0).push_back({kernel.ksr, 1 + (kernel.context.value == 0 ? turns : turns - 1) / 2});
  });
  SmLimits limits = test_limits(16);
  limits.shared_bytes = 12 << 10;
  gpu_ = std::make_unique<FakeGpu>(test_spec(), limits, 1, policy, *drain_);
  Log log(*gpu_);
  gpu_->share_sms();
  const KernelLaunch b = with_shared(test_kernel(1, 6, 100), 2 << 10);
  gpu_->launch(Cycle{0}, with_shared(test_kernel(0, 4, 30), 1 << 10));
  gpu_->launch(Cycle{0}, b);
  for (std::uint64_t turn = 0; turn < 12; ++turn) gpu_->set_context(Cycle{7 + 2 * turn}, ContextId{0}, {});
  gpu_->run_until(Cycle{107});
  EXPECT_THAT(log.issues, ElementsAre("5 sm0 k0 b0", "6 sm0 k1 b0", "9 sm0 k0 b1", "11 sm0 k1 b1",
                                      "13 sm0 k0 b2", "15 sm0 k1 b2", "17 sm0 k0 b3", "19 sm0 k1 b3"));
  // A ended at 49. Its 4 KiB are free, but no two of the free KiB are adjacent.
  const SmResources& resources = gpu_->driver().smsrs()[0].resources;
  EXPECT_EQ(resources.used().shared_bytes, 8u << 10);
  EXPECT_TRUE(fits(resources.used(), resources_of(b.shape, limits), limits));
  EXPECT_FALSE(resources.has_room(resources_of(b.shape, limits)));
  log.issues.clear();
  // The first block of B ends at 108 between two of the holes.
  gpu_->run();
  EXPECT_THAT(log.issues, ElementsAre("108 sm0 k1 b4", "109 sm0 k1 b5"));
}

// ---- any quotas

std::string misfit(const IntegerLists& quotas, std::size_t sms, std::size_t applications) {
  GpuDescription gpu;
  gpu.sms = static_cast<std::uint32_t>(sms);
  gpu.applications = applications;
  return Fixed::misfit(gpu, PolicyParameters({{Fixed::kQuotas, quotas}}));
}

// Returns random quotas: one to `sms` lists, in which every application has a quota above 0 somewhere.
IntegerLists random_quotas(Random& random, std::size_t sms, std::size_t applications) {
  IntegerLists quotas(1 + random.below(sms));
  do {
    for (std::vector<std::int64_t>& list : quotas) {
      list.resize(random.below(4) == 0 ? random.below(applications + 1) : applications);
      for (std::int64_t& entry : list) entry = static_cast<std::int64_t>(random.below(6)) - 1;
    }
  } while (!misfit(quotas, sms, applications).empty());
  return quotas;
}

TEST(SmSharing, AnyKernelsEndWithinAnyQuotas) {
  const auto drain = make_policy<Preemption>("drain");
  std::uint64_t limited = 0;
  std::uint64_t shared = 0;
  for (std::uint64_t seed = 0; seed < cases(600); ++seed) {
    SCOPED_TRACE(testing::Message() << "seed " << seed);
    Schedule schedule = random_schedule(seed);
    Random random(seed + 1000000);
    schedule.limits.block_slots = static_cast<std::uint32_t>(1 + random.below(16));
    for (Schedule::Arrival& arrival : schedule.arrivals) {
      arrival.launch.shape.shared_bytes = static_cast<std::uint32_t>(random.below(16000));
      arrival.launch.shape.registers_per_thread = static_cast<std::uint32_t>(1 + random.below(60));
    }
    const IntegerLists quotas = random_quotas(random, schedule.sms, schedule.contexts.size());
    const auto policy = fixed(quotas);
    FakeGpu gpu(schedule.spec, schedule.limits, schedule.sms, *policy, *drain);
    Shares shares(quotas);
    gpu.driver().observe(shares);
    gpu.share_sms();
    schedule.feed(gpu);
    ASSERT_NO_THROW(gpu.run());
    for (const KernelSpan& span : gpu.spans()) ASSERT_NE(span.ended, Cycle::never());
    ASSERT_EQ(gpu.driver().stats().find("driver.drains")->value(), 0u);
    for (const Smsr& smsr : gpu.driver().smsrs()) {
      ASSERT_EQ(smsr.resources.used().blocks, 0u);
      ASSERT_TRUE(smsr.slices.empty());
    }
    limited += shares.limited();
    shared += shares.shared();
  }
  EXPECT_GT(limited, 1000u);  // blocks that filled a quota
  EXPECT_GT(shared, 1000u);   // blocks issued beside another application's
}

}  // namespace
}  // namespace heddle
