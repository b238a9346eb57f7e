// The service of requests: deadlines, records and accounts of simulated time.

#include "models/host/requests/request_service.h"

#include <gtest/gtest.h>

#include <utility>

namespace heddle {
namespace {

constexpr std::uint64_t kReady = 1'000'000;

struct NotingAccountant : Accountant {
  void waits_for_gpu(std::uint32_t, bool) override {}
  void arrived(std::uint32_t, std::uint64_t number, std::uint64_t arrival_ps) override {
    arrivals.emplace_back(number, arrival_ps);
  }
  void started(std::uint32_t, std::uint64_t number) override { starts.emplace_back(number, 0); }
  void passes(std::uint32_t, std::uint64_t next_arrival_ps) override {
    starts.back().second = next_arrival_ps;
  }
  const RequestAccount& ended(std::uint32_t, std::uint64_t) override { return account; }

  std::vector<std::pair<std::uint64_t, std::uint64_t>> arrivals;
  std::vector<std::pair<std::uint64_t, std::uint64_t>> starts;
  RequestAccount account;
};

// A server whose requests arrive this long after it is ready.
struct Server {
  Server(std::vector<std::uint64_t> arrivals_ps, std::uint64_t deadline_ps, std::uint64_t queue_limit)
      : service(7, spec_of(std::move(arrivals_ps), deadline_ps, queue_limit), kReady,
                {[this](const RequestRecord& record) { records.push_back(record); }, &accountant}) {}

  static RequestSpec spec_of(std::vector<std::uint64_t> arrivals_ps, std::uint64_t deadline_ps,
                             std::uint64_t queue_limit) {
    auto table = std::make_shared<ArrivalTable>();
    table->times_ps = std::move(arrivals_ps);
    RequestSpec spec;
    spec.arrivals.kind = ArrivalSpec::Kind::kTimes;
    spec.most_requests = table->times_ps.size();
    spec.arrivals.table = table;
    spec.deadline_ps = deadline_ps;
    spec.queue_limit = queue_limit;
    return spec;
  }

  NotingAccountant accountant;
  std::vector<RequestRecord> records;
  RequestService service;
};

TEST(RequestService, RecordsSimulatedTime) {
  Server server({100, 300}, 0, RequestSpec::kUnlimited);
  RequestService& service = server.service;
  EXPECT_EQ(service.start(kReady), nullptr);
  EXPECT_EQ(service.next_start_ps(), kReady + 100);
  ASSERT_NE(service.start(kReady + 100), nullptr);
  EXPECT_EQ(service.pass_name(), "request 0");
  EXPECT_EQ(service.deadline_ps(), 0u);
  service.end(kReady + 450);
  ASSERT_NE(service.start(kReady + 450), nullptr);
  service.end(kReady + 500);
  EXPECT_EQ(service.start(kReady + 500), nullptr);
  EXPECT_EQ(service.next_start_ps(), kNoTime);
  ASSERT_EQ(server.records.size(), 2u);
  EXPECT_EQ(server.records[0].process, 7u);
  EXPECT_EQ(server.records[0].arrival_ps, kReady + 100);
  EXPECT_EQ(server.records[0].start_ps, kReady + 100);
  EXPECT_EQ(server.records[0].end_ps, kReady + 450);
  EXPECT_EQ(server.records[0].deadline_ps, 0u);
  EXPECT_EQ(server.records[0].account, &server.accountant.account);
  EXPECT_EQ(server.records[1].arrival_ps, kReady + 300) << "it waited";
  EXPECT_EQ(server.records[1].start_ps, kReady + 450);
}

TEST(RequestService, ADeadlineIsThatOfTheRequestInService) {
  Server server({100}, 50, RequestSpec::kUnlimited);
  EXPECT_EQ(server.service.deadline_ps(), 0u);
  ASSERT_NE(server.service.start(kReady + 100), nullptr);
  EXPECT_EQ(server.service.deadline_ps(), kReady + 150);
  server.service.end(kReady + 160);
  EXPECT_EQ(server.service.deadline_ps(), 0u);
  EXPECT_EQ(server.records[0].deadline_ps, kReady + 150);
  EXPECT_FALSE(server.records[0].is_in_time());
}

TEST(RequestService, WhatIsShedIsRecordedWithoutAService) {
  Server server({100, 110, 120}, 0, 1);
  ASSERT_NE(server.service.start(kReady + 100), nullptr);
  server.service.end(kReady + 200);
  ASSERT_EQ(server.records.size(), 2u);
  const RequestRecord& shed = server.records[1];
  EXPECT_EQ(shed.number, 2u);
  EXPECT_EQ(shed.outcome, RequestOutcome::kShed);
  EXPECT_EQ(shed.start_ps, 0u);
  EXPECT_EQ(shed.end_ps, kReady + 120);
  EXPECT_EQ(shed.account, nullptr);
}

TEST(RequestService, TellsTheAccountantWhoArrivesAndWhenTheNextOneDoes) {
  Server server({100, 300}, 0, RequestSpec::kUnlimited);
  ASSERT_NE(server.service.start(kReady + 100), nullptr);
  server.service.end(kReady + 150);
  ASSERT_NE(server.service.start(kReady + 300), nullptr);
  const std::vector<std::pair<std::uint64_t, std::uint64_t>> arrivals{{0, kReady + 100}, {1, kReady + 300}};
  EXPECT_EQ(server.accountant.arrivals, arrivals);
  const std::vector<std::pair<std::uint64_t, std::uint64_t>> starts{{0, kReady + 300}, {1, kNoTime}};
  EXPECT_EQ(server.accountant.starts, starts);
}

}  // namespace
}  // namespace heddle
