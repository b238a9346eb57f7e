// The parts of the responses of requests: their sums, and what the slowest have in common.

#include <gtest/gtest.h>

#include <numeric>
#include <vector>

#include "models/core/base/random.h"
#include "models/host/requests/account_sums.h"
#include "models/host/requests/server_account.h"

namespace heddle {
namespace {

using Part = RequestPart;
constexpr std::uint32_t kHalf = ServerState::kWhole / 2;

// The service of a request begins, and the next one arrives no earlier than stated.
void begin(ServerAccount& account, std::uint64_t number, std::uint64_t now_ps, std::uint64_t next_ps) {
  account.begin(number, now_ps);
  account.expect_from(next_ps, now_ps);
}

TEST(ServerAccount, ARequestHasTheTimesOfTheStatesThatItsServiceWentThrough) {
  ServerAccount account(2);
  account.arrive(0, 100, 100);
  begin(account, 0, 100, 1000);
  account.set(100, {Part::kHost, 0});
  account.set(130, {Part::kCopyWait, 1});
  account.set(200, {Part::kExecuting, 1, kHalf});
  const RequestAccount& of = account.end(0, 240);
  EXPECT_EQ(of.queue.sum(), 0U);
  EXPECT_EQ(of.service.of(Part::kHost), 30U);
  EXPECT_EQ(of.service.of(Part::kCopyWait, 1), 70U);
  EXPECT_EQ(of.service.of(Part::kCopyWait, 0), 0U);
  EXPECT_EQ(of.service.of(Part::kExecuting), 20U);
  EXPECT_EQ(of.service.of(Part::kSlowed, 1), 20U);
  EXPECT_EQ(of.service.sum(), 140U);
}

TEST(ServerAccount, ARequestThatWaitsHasInItsQueueWhatTheServerDidMeanwhile) {
  ServerAccount account(2);
  account.arrive(0, 0, 0);
  begin(account, 0, 0, 50);
  account.set(0, {Part::kHost, 0});
  account.set(40, {Part::kCopyWait, 1});
  account.set(100, {Part::kExecuting, 1, kHalf});
  account.end(0, 120);
  account.arrive(1, 50, 120);   // found out at the end of the service, as servers do
  account.arrive(2, 110, 120);  // in the middle of a segment of both executing and slowed
  begin(account, 1, 120, 1000);
  account.set(120, {Part::kHost, 0});
  const PartTimes queue = account.end(1, 125).queue;
  EXPECT_EQ(queue.of(Part::kHost), 0U);
  EXPECT_EQ(queue.of(Part::kCopyWait, 1), 50U);
  EXPECT_EQ(queue.of(Part::kExecuting), 10U);
  EXPECT_EQ(queue.of(Part::kSlowed, 1), 10U);
  begin(account, 2, 125, 1000);
  const RequestAccount& last = account.end(2, 130);
  EXPECT_EQ(last.queue.of(Part::kExecuting), 5U);
  EXPECT_EQ(last.queue.of(Part::kSlowed, 1), 5U);
  EXPECT_EQ(last.queue.of(Part::kHost), 5U);
  EXPECT_EQ(last.queue.sum(), 15U);
}

TEST(ServerAccount, ASourceThatWaitedOutsideOfAFullQueueHasAllThatTimeInItsQueue) {
  ServerAccount account(1);
  account.arrive(0, 0, 0);
  begin(account, 0, 0, 10);
  account.end(0, 100);
  begin(account, 1, 100, 10);  // it arrived at 10, and nobody could know before
  account.end(1, 200);
  account.arrive(2, 10, 200);
  begin(account, 2, 200, 1000);
  EXPECT_EQ(account.end(2, 210).queue.sum(), 190U);
}

TEST(ServerAccount, TheRequestThatIsShedBeforeAnotherIsPassedOver) {
  ServerAccount account(1);
  account.arrive(0, 0, 0);
  begin(account, 0, 0, 0);
  account.end(0, 10);
  account.arrive(1, 3, 10);  // shed
  account.arrive(2, 4, 10);
  begin(account, 2, 10, 100);
  EXPECT_EQ(account.end(2, 12).queue.sum(), 6U);
}

TEST(ServerAccount, RequestsThatAreServedTogetherEachHaveTheTimesOfTheirOwnService) {
  ServerAccount account(2);
  account.arrive(0, 0, 0);
  begin(account, 0, 0, 0);
  account.set(0, {Part::kHost, 0});
  account.set(50, {Part::kCopyWait, 1});
  account.arrive(1, 30, 55);
  begin(account, 1, 60, 1000);
  account.set(80, {Part::kExecuting, 0});
  const PartTimes first = account.end(0, 100).service;
  EXPECT_EQ(first.of(Part::kHost), 50U);
  EXPECT_EQ(first.of(Part::kCopyWait, 1), 30U);
  EXPECT_EQ(first.of(Part::kExecuting), 20U);
  EXPECT_TRUE(account.is_serving());
  const RequestAccount second = account.end(1, 130);
  EXPECT_EQ(second.queue.of(Part::kHost), 20U);
  EXPECT_EQ(second.queue.of(Part::kCopyWait, 1), 10U);
  EXPECT_EQ(second.service.of(Part::kCopyWait, 1), 20U);
  EXPECT_EQ(second.service.of(Part::kExecuting), 50U);
  EXPECT_FALSE(account.is_serving());
}

// Whatever the server does, and whenever a request arrives, the parts add up to its response.
TEST(ServerAccount, ThePartsAlwaysAddUpToTheResponse) {
  for (std::uint64_t seed = 1; seed <= 200; ++seed) {
    Random random(seed);
    constexpr std::uint32_t kProcesses = 3;
    ServerAccount account(kProcesses);
    std::vector<std::uint64_t> arrivals{0};
    std::uint64_t now = 0;
    account.arrive(0, 0, 0);
    for (std::size_t served = 0; served < arrivals.size() && served < 40; ++served) {
      now = std::max(now, arrivals[served]);
      const std::uint64_t start = now;
      begin(account, served, now, served + 1 < arrivals.size() ? arrivals[served + 1] : arrivals.back());
      for (std::uint64_t i = random.below(12); i > 0; --i) {
        const auto part = static_cast<Part>(random.below(kFirstCausedPart + 2));
        const auto cause = static_cast<std::uint32_t>(random.below(kProcesses));
        account.set(now, {part, cause, static_cast<std::uint32_t>(random.below(ServerState::kWhole + 1))});
        now += random.below(4) == 0 ? random.below(1'000'000'000'000'000) : random.below(5);
      }
      const RequestAccount of = account.end(served, now);
      ASSERT_EQ(of.service.sum(), now - start) << "seed " << seed;
      ASSERT_EQ(of.queue.sum(), start - arrivals[served]) << "seed " << seed;
      for (std::size_t part = 0; part < kRequestParts; ++part)  // none is below zero
        ASSERT_LE(of.queue.of(static_cast<Part>(part)), start - arrivals[served]) << "seed " << seed;
      for (std::uint64_t i = random.below(3); i > 0 || served + 1 == arrivals.size(); i -= i > 0 ? 1 : 0) {
        const std::uint64_t least = std::max(arrivals.back(), start);
        arrivals.push_back(least + random.below(now - least + 1));
        account.arrive(arrivals.size() - 1, arrivals.back(), now);
      }
    }
  }
}

RequestAccount account_of(std::uint64_t queue, std::uint64_t service) {
  RequestAccount account{PartTimes(2), PartTimes(2)};
  account.queue.add(Part::kCopyWait, 1, queue);
  account.service.add(Part::kExecuting, 0, service);
  return account;
}

TEST(AccountSums, TheSlowestAreSoManyAsTheShareAsksForAndWholeBuckets) {
  AccountSums sums;
  for (int i = 0; i < 99; ++i) sums.add(100, account_of(0, 100));
  sums.add(1'000'000, account_of(999'000, 1000));
  const AccountSums::Sum slowest = sums.slowest(0.01);
  EXPECT_EQ(slowest.requests, 1U);
  EXPECT_EQ(slowest.response_ps, 1e6);
  EXPECT_EQ(slowest.queue_ps[place_of(Part::kCopyWait, 1, 2)], 999'000);
  EXPECT_EQ(slowest.service_ps[place_of(Part::kExecuting, 0, 2)], 1000);
  const AccountSums::Sum all = sums.slowest(1);
  EXPECT_EQ(all.requests, 100U);
  EXPECT_EQ(all.response_ps, 1e6 + 9900);
  EXPECT_EQ(sums.slowest(0.02).requests, 100U);  // the bucket of 100 ps is whole
  EXPECT_EQ(AccountSums().slowest(1).requests, 0U);
}

}  // namespace
}  // namespace heddle
