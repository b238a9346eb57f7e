// The requests of servers on a timeline, read back as a viewer reads them.

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <map>
#include <sstream>

#include "models/machine/request_timeline.h"
#include "tests/support/trace_decoder.h"

namespace heddle {
namespace {

using trace::Event;
using trace::Trace;

constexpr std::uint64_t kNs = 1000;

RequestRecord served(std::uint64_t number, std::uint64_t arrival_ns, std::uint64_t start_ns,
                     std::uint64_t end_ns) {
  RequestRecord record;
  record.number = number;
  record.arrival_ps = arrival_ns * kNs;
  record.start_ps = start_ns * kNs;
  record.end_ps = end_ns * kNs;
  record.is_measured = true;
  return record;
}

RequestRecord lost(std::uint64_t number, RequestOutcome outcome, std::uint64_t arrival_ns,
                   std::uint64_t end_ns) {
  RequestRecord record = served(number, arrival_ns, 0, end_ns);
  record.start_ps = 0;
  record.outcome = outcome;
  return record;
}

class TimelineOfRequests : public testing::Test {
 protected:
  void draw(const std::vector<RequestTimeline::Server>& servers, const std::vector<RequestRecord>& records) {
    std::ostringstream out;
    Timeline timeline(out);
    RequestTimeline requests(timeline, servers);
    for (const RequestRecord& record : records) requests.add(record);
    requests.finish();
    timeline.flush();
    bytes_ = out.str();
  }
  const Trace& trace() {
    if (!read_) read_.emplace(bytes_);
    return *read_;
  }
  void draw(const std::vector<RequestRecord>& records) { draw({{0, "server", false}}, records); }

  // Returns "NAME begin-end" in nanoseconds for each slice of a track.
  std::vector<std::string> slices(const std::string& track) {
    std::vector<std::string> found;
    for (const Event& event : trace().events) {
      if (event.track != track) continue;
      if (event.type == trace::kBegin) found.push_back(fmt::format("{} {}-", event.name, event.ns));
      if (event.type == trace::kEnd) found.back() += std::to_string(event.ns);
    }
    return found;
  }

  // Returns the values of a counter by time, the last one of each time.
  std::map<std::uint64_t, std::uint64_t> counter(const std::string& track) {
    std::map<std::uint64_t, std::uint64_t> values;
    for (const Event& event : trace().events)
      if (event.track == track && event.type == trace::kCounter) values[event.ns] = event.fields.number(30);
    return values;
  }

  std::optional<Trace> read_;
  std::string bytes_;
};

using Texts = std::vector<std::string>;
using Values = std::map<std::uint64_t, std::uint64_t>;

TEST_F(TimelineOfRequests, ShowWaitingAndServiceApart) {
  draw({served(0, 10, 10, 50), served(1, 20, 50, 70), served(2, 30, 70, 90)});
  EXPECT_EQ(slices("server service"), (Texts{"served 10-50", "served 50-70", "served 70-90"}));
  EXPECT_EQ(slices("server waiting 1"), (Texts{"waits 20-50"}));
  EXPECT_EQ(slices("server waiting 2"), (Texts{"waits 30-70"}));
  for (const Event& event : trace().events) {
    if (event.track != "server service" || event.ns != 50 || event.type != trace::kBegin) continue;
    EXPECT_EQ(event.arguments, (std::map<std::string, std::uint64_t>{{"request", 1}, {"waited_ns", 30}}));
  }
}

RequestRecord generated(std::uint64_t number, std::uint64_t arrival_ns, std::uint64_t start_ns,
                        std::uint64_t first_ns, std::uint64_t end_ns) {
  RequestRecord record = served(number, arrival_ns, start_ns, end_ns);
  record.tokens = TokenRecord{};
  record.tokens->tokens = 4;
  record.tokens->first_ps = first_ns * kNs;
  return record;
}

TEST_F(TimelineOfRequests, ThatAreServedTogetherEachHaveALaneFromTheirArrivalToTheirEnd) {
  draw({{0, "server", false, true}},
       {generated(1, 20, 30, 40, 60), generated(0, 10, 10, 30, 80), generated(2, 70, 80, 90, 100)});
  EXPECT_EQ(slices("server request 1"), (Texts{"waits 20-30", "reads its prompt 30-40", "served 40-60",
                                               "waits 70-80", "reads its prompt 80-90", "served 90-100"}));
  EXPECT_EQ(slices("server request 2"), (Texts{"reads its prompt 10-30", "served 30-80"}));
}

TEST_F(TimelineOfRequests, TheQueueIsThatOfEachMoment) {
  draw({served(0, 10, 10, 50), served(1, 20, 50, 70), served(2, 30, 70, 90), served(3, 60, 90, 95)});
  // Request 3 comes while 2 waits, and 2 leaves while 3 waits.
  EXPECT_EQ(counter("server queue"), (Values{{0, 0}, {20, 1}, {30, 2}, {50, 1}, {60, 2}, {70, 1}, {90, 0}}));
}

TEST_F(TimelineOfRequests, TellDeadlinesThatWereMissed) {
  RequestRecord early = served(0, 0, 0, 40);
  RequestRecord late = served(1, 10, 40, 80);
  RequestRecord unmeasured = served(2, 20, 80, 120);
  unmeasured.is_measured = false;
  for (RequestRecord* record : {&early, &late, &unmeasured})
    record->deadline_ps = record->arrival_ps + 50 * kNs;
  draw({{0, "server", true}}, {early, late, unmeasured});
  EXPECT_EQ(slices("server service"), (Texts{"in time 0-40", "late 40-80", "late (not measured) 80-120"}));
}

TEST_F(TimelineOfRequests, MarkWhatIsShedAndWhatIsCutOff) {
  draw({lost(1, RequestOutcome::kShed, 20, 20), served(0, 10, 10, 50),
        lost(2, RequestOutcome::kCutOff, 30, 50), lost(3, RequestOutcome::kCutOff, 40, 50)});
  std::vector<std::uint64_t> shed;
  for (const Event& event : trace().events)
    if (event.track == "server shed" && event.type == trace::kInstant && event.name == "shed")
      shed.push_back(event.ns);
  EXPECT_EQ(shed, (std::vector<std::uint64_t>{20}));
  EXPECT_EQ(slices("server waiting 1"), (Texts{"cut off 30-50"}));
  EXPECT_EQ(slices("server waiting 2"), (Texts{"cut off 40-50"}));
  EXPECT_EQ(counter("server queue"), (Values{{0, 0}, {30, 1}, {40, 2}, {50, 0}}));
}

TEST_F(TimelineOfRequests, ALongQueueIsACounterWithFewTracks) {
  std::vector<RequestRecord> records;
  for (std::uint64_t i = 0; i < 100; ++i) records.push_back(served(i, i, 1000 * i, 1000 * (i + 1)));
  records[0] = served(0, 0, 0, 1000);
  draw(records);
  EXPECT_EQ(slices("server waiting 8").size(), 1U);
  EXPECT_TRUE(slices("server waiting 9").empty());
  EXPECT_EQ(slices("server service").size(), 100U);
  const Values queue = counter("server queue");
  EXPECT_EQ(queue.at(99), 99U);
  EXPECT_EQ(queue.at(99000), 0U);
}

TEST_F(TimelineOfRequests, ServersOfOneNameHaveTracksOfTheirOwn) {
  RequestRecord other = served(0, 5, 5, 9);
  other.process = 2;
  draw({{0, "server", false}, {2, "server", false}}, {served(0, 1, 1, 3), other});
  EXPECT_EQ(slices("server 0 service"), (Texts{"served 1-3"}));
  EXPECT_EQ(slices("server 2 service"), (Texts{"served 5-9"}));
}

TEST_F(TimelineOfRequests, ARunWithoutServersHasNoTrackOfThem) {
  draw({}, {});
  EXPECT_TRUE(trace().tracks.empty());
}

// The size is that of 10^5 requests at a load where most of them wait, an hour of simulated time.
TEST_F(TimelineOfRequests, ARequestTakesFewBytes) {
  constexpr std::uint64_t kRequests = 100'000;
  constexpr std::uint64_t kGap = 36'000'000;  // ns
  std::vector<RequestRecord> records;
  std::uint64_t free_at = 0;
  for (std::uint64_t i = 0; i < kRequests; ++i) {
    const std::uint64_t arrival = i * kGap;
    const std::uint64_t start = std::max(arrival, free_at);
    free_at = start + (i % 5 == 0 ? 3 * kGap : kGap / 2);
    records.push_back(served(i, arrival, start, free_at));
  }
  draw(records);
  EXPECT_LT(bytes_.size(), 200 * kRequests);
  EXPECT_GT(bytes_.size(), 100 * kRequests);  // so that the number above is near to what it is
  RecordProperty("bytes_per_request", static_cast<int>(bytes_.size() / kRequests));
}

}  // namespace
}  // namespace heddle
