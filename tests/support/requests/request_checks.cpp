#include "tests/support/requests/request_checks.h"

#include <gtest/gtest.h>

#include <algorithm>

namespace heddle::test {

namespace {

bool is_served(const RequestRecord& record) {
  return record.outcome == RequestOutcome::kServed;
}

// Returns the time at which a request leaves the queue: its service starts, or it is shed or cut off.
std::uint64_t left_queue_ps(const RequestRecord& record) {
  return is_served(record) ? record.start_ps : record.end_ps;
}

void expect_in_order(const RequestSpec& spec, const std::vector<RequestRecord>& records,
                     std::uint64_t ready_ps) {
  std::uint64_t served_until = 0;
  for (std::size_t i = 0; i < records.size(); ++i) {
    const RequestRecord& record = records[i];
    ASSERT_EQ(record.number, i);  // each one once
    EXPECT_GE(record.arrival_ps, i == 0 ? ready_ps : records[i - 1].arrival_ps);
    EXPECT_EQ(record.deadline_ps, spec.deadline_ps == 0 ? 0 : record.arrival_ps + spec.deadline_ps);
    EXPECT_GE(record.end_ps, record.arrival_ps);
    if (spec.duration_ps != kNoTime) {
      EXPECT_LT(record.arrival_ps, ready_ps + spec.duration_ps);
    } else {
      EXPECT_NE(record.outcome, RequestOutcome::kCutOff);
    }
    if (record.outcome == RequestOutcome::kShed) {
      EXPECT_TRUE(spec.sheds && spec.queue_limit != RequestSpec::kUnlimited);
      EXPECT_EQ(record.end_ps, record.arrival_ps);
    }
    if (!is_served(record)) continue;
    EXPECT_GE(record.start_ps, std::max(record.arrival_ps, served_until));
    EXPECT_GE(record.end_ps, record.start_ps);
    served_until = record.end_ps;
  }
}

// At each arrival no more wait than may, and no more are under way than there are clients. A source or
// a client that waits holds one request outside of the queue.
void expect_limits_hold(const RequestSpec& spec, const std::vector<RequestRecord>& records) {
  for (std::size_t i = 0; i < records.size(); ++i) {
    const std::uint64_t now = records[i].arrival_ps;
    std::uint64_t waiting = 0;
    std::uint64_t under_way = 0;
    for (std::size_t j = 0; j <= i; ++j) {
      if (records[j].outcome == RequestOutcome::kShed) continue;
      if (left_queue_ps(records[j]) > now) ++waiting;
      if (records[j].end_ps > now) ++under_way;
    }
    if (spec.queue_limit != RequestSpec::kUnlimited && (spec.sheds || !spec.arrivals.is_closed())) {
      EXPECT_LE(waiting, spec.queue_limit + (spec.sheds ? 0 : 1)) << "request " << i;
    }
    if (spec.arrivals.is_closed()) {
      EXPECT_LE(under_way, spec.arrivals.clients) << "request " << i;
    }
  }
}

void expect_totals(const RequestSpec& spec, const std::vector<RequestRecord>& records,
                   const RequestTotals& totals) {
  RequestCounts all;
  RequestCounts measured;
  std::uint64_t in_time = 0;
  for (const RequestRecord& record : records) {
    all.add(record.outcome);
    if (!record.is_measured) continue;
    measured.add(record.outcome);
    in_time += record.is_in_time() ? 1 : 0;
    EXPECT_GE(record.number, spec.warm_up_requests);
  }
  EXPECT_EQ(totals.all.served, all.served);
  EXPECT_EQ(totals.all.shed, all.shed);
  EXPECT_EQ(totals.all.cut_off, all.cut_off);
  EXPECT_EQ(totals.measured.served, measured.served);
  EXPECT_EQ(totals.measured.shed, measured.shed);
  EXPECT_EQ(totals.measured.cut_off, measured.cut_off);
  EXPECT_LE(measured.all(), spec.window_requests);
  EXPECT_EQ(totals.in_time, in_time);
  EXPECT_EQ(totals.response.histogram.count(), measured.served);
  EXPECT_EQ(totals.accounts.requests(), measured.served);
  EXPECT_EQ(totals.response.histogram.sum(),
            totals.queueing.histogram.sum() + totals.service.histogram.sum());
}

}  // namespace

void expect_account_adds_up(const RequestRecord& record) {
  ASSERT_EQ(record.account != nullptr, is_served(record));
  if (record.account == nullptr) return;
  const PartTimes& queue = record.account->queue;
  const PartTimes& service = record.account->service;
  EXPECT_EQ(queue.sum() + service.sum(), record.response_ps()) << "request " << record.number;
  EXPECT_EQ(queue.sum(), record.queueing_ps()) << "request " << record.number;
  for (std::size_t i = 0; i < kRequestParts; ++i) {
    EXPECT_LE(queue.of(static_cast<RequestPart>(i)), record.queueing_ps()) << "request " << record.number;
    EXPECT_LE(service.of(static_cast<RequestPart>(i)), record.service_ps()) << "request " << record.number;
  }
}

void expect_requests_close(const RequestSpec& spec, std::vector<RequestRecord> records,
                           std::uint64_t ready_ps, const RequestTotals& totals) {
  std::sort(records.begin(), records.end(), [](const auto& a, const auto& b) { return a.number < b.number; });
  if (spec.duration_ps == kNoTime) {
    EXPECT_EQ(records.size(), spec.most_requests);
  }
  expect_in_order(spec, records, ready_ps);
  if (testing::Test::HasFatalFailure()) return;
  expect_limits_hold(spec, records);
  expect_totals(spec, records, totals);
}

}  // namespace heddle::test
