#include "policies/sm_partitioner/fixed.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/support/machine/test_machine.h"
#include "tests/support/schedules.h"

namespace heddle {
namespace {

using ::testing::ElementsAre;

constexpr std::int64_t kAll = PolicyValue::kAll;

Fixed fixed(const IntegerLists& quotas) {
  return Fixed(PolicyParameters({{"quotas", quotas}}));
}

std::vector<std::string> decide(const TestMachine& machine, Fixed policy) {
  return machine.slices(policy);
}

TEST(Fixed, OneListHoldsForEverySm) {
  TestMachine machine(3, {{}, {}});
  machine.kernel(0, 9);
  machine.kernel(1, 9);
  EXPECT_THAT(decide(machine, fixed({{3, 5}})), ElementsAre("0:3 1:5", "0:3 1:5", "0:3 1:5"));
}

TEST(Fixed, ListsGoRoundTheSms) {
  TestMachine machine(5, {{}, {}});
  machine.kernel(0, 9);
  machine.kernel(1, 9);
  EXPECT_THAT(decide(machine, fixed({{8, 0}, {7, 1}, {0, 8}})),
              ElementsAre("0:8", "0:7 1:1", "1:8", "0:8", "0:7 1:1"));
}

TEST(Fixed, ApplicationsIssueInTheirOrderWhoeverCameFirst) {
  TestMachine machine(1, {{}, {}, {}});
  machine.kernel(2, 9);
  machine.kernel(0, 9);
  machine.kernel(1, 9);
  EXPECT_THAT(decide(machine, fixed({{1, 2, kAll}})), ElementsAre("1:1 2:2 0:*"));
}

TEST(Fixed, NoEntryAndAnEmptyListAreNothingThere) {
  TestMachine machine(3, {{}, {}});
  machine.kernel(0, 9);
  machine.kernel(1, 9);
  EXPECT_THAT(decide(machine, fixed({{2}, {}, {0, 4}})), ElementsAre("0:2", "", "1:4"));
}

TEST(Fixed, NoListIsNoLimitForEveryApplication) {
  TestMachine machine(2, {{}, {}});
  machine.kernel(1, 9);
  machine.kernel(0, 9);
  EXPECT_THAT(decide(machine, fixed({})), ElementsAre("1:* 0:*", "1:* 0:*"));
}

TEST(Fixed, OfOneApplicationTheOldestKernelWithBlocksHasTheSlice) {
  TestMachine machine(1, {{}, {}});
  machine.kernel(0, 0);  // every block issued
  machine.kernel(0, 9);
  machine.kernel(0, 9);
  EXPECT_THAT(decide(machine, fixed({{3, 5}})), ElementsAre("1:3"));
}

TEST(Fixed, AKernelKeepsItsSliceUntilItsLastBlockThereHasEnded) {
  TestMachine machine(2, {{}, {}});
  const int first = machine.kernel(0, 0);
  const int second = machine.kernel(0, 9);
  machine.runs(0, first, 1);
  EXPECT_THAT(decide(machine, fixed({{3}})), ElementsAre("0:3", "1:3"));
  machine.runs(1, second, 3);
  EXPECT_THAT(decide(machine, fixed({{3}})), ElementsAre("0:3", "1:3"));
}

TEST(Fixed, AnOlderKernelDoesNotTakeTheSliceOfAYoungerOne) {
  TestMachine machine(1, {{}, {}});
  machine.kernel(0, 9);
  const int younger = machine.kernel(0, 9);
  machine.runs(0, younger, 2);
  EXPECT_THAT(decide(machine, fixed({{3, 5}})), ElementsAre("1:3"));
}

TEST(Fixed, ANewKernelJoinsThoseThatRun) {
  TestMachine machine(2, {{}, {}});
  const int running = machine.kernel(1, 9);
  machine.kernel(0, 9);
  machine.runs(0, running, 5).sets_up(1, running);
  EXPECT_THAT(decide(machine, fixed({{3, 5}})), ElementsAre("1:3 0:5", "1:3 0:5"));
}

std::string misfit(const IntegerLists& quotas, std::uint32_t sms, std::size_t applications) {
  GpuDescription gpu;
  gpu.sms = sms;
  gpu.applications = applications;
  return Fixed::misfit(gpu, PolicyParameters({{Fixed::kQuotas, quotas}}));
}

TEST(Fixed, QuotasThatDoNotSuitTheMachineSayWhy) {
  EXPECT_EQ(misfit({}, 2, 9), "");
  EXPECT_EQ(misfit({{3, 5}}, 2, 2), "");
  EXPECT_EQ(misfit({{3, 5, 7}}, 2, 0), "");
  EXPECT_EQ(misfit({{3, 5, 7}}, 2, 2), "fixed: quotas name 3 applications, of which there are 2");
  EXPECT_EQ(misfit({{3, 0}, {0, kAll}}, 2, 2), "");
  EXPECT_EQ(misfit({{3}, {3}, {3}}, 2, 0), "fixed: quotas has 3 lists for 2 SMs");
  EXPECT_EQ(misfit({{3, 5}}, 2, 3), "fixed: quotas leave application 2 without a block on any SM");
  EXPECT_EQ(misfit({{0, 5}}, 2, 2), "fixed: quotas leave application 0 without a block on any SM");
  EXPECT_EQ(misfit({{}}, 2, 1), "fixed: quotas leave application 0 without a block on any SM");
  EXPECT_EQ(misfit({{}}, 2, 0), "");
}

}  // namespace
}  // namespace heddle
