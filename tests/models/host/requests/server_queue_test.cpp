// The queue of a server: who waits, who is shed, and that no request is lost.

#include "models/host/requests/server_queue.h"

#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <vector>

namespace heddle {
namespace {

struct Lost {
  std::uint64_t number;
  RequestOutcome outcome;
  std::uint64_t at_ps;
};

struct Served {
  std::uint64_t number;
  std::uint64_t arrival_ps;
  std::uint64_t start_ps;
  bool is_measured;
};

// Serves all requests of a server whose services take a given time.
struct Rig {
  std::vector<Lost> lost;
  std::vector<Served> served;
  std::uint64_t end_ps = 0;
  std::uint64_t arrived = 0;
  std::optional<Backlog> backlog;

  void run(const RequestSpec& spec, std::uint64_t service_ps) {
    ServerQueue queue(spec, [this](const Request& request, RequestOutcome outcome, std::uint64_t at_ps) {
      lost.push_back({request.number, outcome, at_ps});
    });
    std::uint64_t now = 0;
    for (;;) {
      if (const Request* request = queue.start(now)) {
        served.push_back({request->number, request->arrival_ps, now, request->is_measured});
        now += service_ps;
        queue.end(now);
        continue;
      }
      const std::uint64_t next = queue.next_arrival();
      if (next == kNoTime) break;
      ASSERT_GE(next, now);
      now = next;
    }
    end_ps = now;
    arrived = queue.arrived();
    backlog = queue.backlog();
  }
};

RequestSpec spec_of(std::vector<std::uint64_t> times) {
  auto table = std::make_shared<ArrivalTable>();
  table->times_ps = std::move(times);
  RequestSpec spec;
  spec.arrivals.kind = ArrivalSpec::Kind::kTimes;
  spec.most_requests = table->times_ps.size();
  spec.arrivals.table = table;
  return spec;
}

std::vector<std::uint64_t> starts_of(const Rig& rig) {
  std::vector<std::uint64_t> starts;
  for (const Served& served : rig.served) starts.push_back(served.start_ps);
  return starts;
}

TEST(ServerQueue, ServesInTheOrderOfArrival) {
  Rig rig;
  rig.run(spec_of({0, 10, 20, 500}), 100);
  EXPECT_EQ(starts_of(rig), (std::vector<std::uint64_t>{0, 100, 200, 500}));
  EXPECT_TRUE(rig.lost.empty());
}

TEST(ServerQueue, AFullQueueShedsTheRequestThatArrives) {
  RequestSpec spec = spec_of({0, 10, 20, 30, 150});
  spec.queue_limit = 1;
  Rig rig;
  rig.run(spec, 100);
  ASSERT_EQ(rig.lost.size(), 2u);  // requests 2 and 3 find request 1 waiting
  EXPECT_EQ(rig.lost[0].number, 2u);
  EXPECT_EQ(rig.lost[0].outcome, RequestOutcome::kShed);
  EXPECT_EQ(rig.lost[0].at_ps, 20u);
  EXPECT_EQ(rig.lost[1].number, 3u);
  EXPECT_EQ(starts_of(rig), (std::vector<std::uint64_t>{0, 100, 200}));
}

TEST(ServerQueue, AFullQueueLetsTheSourceWaitAndDelaysWhatFollows) {
  RequestSpec spec = spec_of({0, 10, 20, 150});
  spec.queue_limit = 1;
  spec.sheds = false;
  Rig rig;
  rig.run(spec, 100);
  EXPECT_TRUE(rig.lost.empty());
  EXPECT_EQ(starts_of(rig), (std::vector<std::uint64_t>{0, 100, 200, 300}));
  // Request 2 came at 20 and enters at 100, when request 1 leaves the queue; request 3 comes 80 later.
  EXPECT_EQ(rig.served[2].arrival_ps, 20u);
  EXPECT_EQ(rig.served[3].arrival_ps, 230u);
}

TEST(ServerQueue, ADurationCutsOffWhatWaits) {
  RequestSpec spec = spec_of({0, 10, 20, 30});
  spec.duration_ps = 150;
  Rig rig;
  rig.run(spec, 100);
  EXPECT_EQ(rig.served.size(), 2u);
  ASSERT_EQ(rig.lost.size(), 2u);
  for (const Lost& lost : rig.lost) EXPECT_EQ(lost.outcome, RequestOutcome::kCutOff);
  EXPECT_EQ(rig.end_ps, 200u);  // the request in service is served
}

TEST(ServerQueue, WarmUpAndWindowSayWhatIsMeasured) {
  RequestSpec spec = spec_of({0, 100, 200, 300, 400, 500});
  spec.warm_up_requests = 1;
  spec.window_requests = 3;
  Rig rig;
  rig.run(spec, 10);
  std::string measured;
  for (const Served& served : rig.served) measured += served.is_measured ? '1' : '0';
  EXPECT_EQ(measured, "011100");
}

TEST(ServerQueue, TheBacklogGrowsWhereArrivalsAreFasterThanServices) {
  std::vector<std::uint64_t> times;
  for (std::uint64_t i = 0; i < 400; ++i) times.push_back(50 * i);
  Rig rig;
  rig.run(spec_of(times), 100);
  ASSERT_TRUE(rig.backlog);
  for (std::size_t quarter = 1; quarter < rig.backlog->size(); ++quarter)
    EXPECT_GT((*rig.backlog)[quarter], (*rig.backlog)[quarter - 1]);
}

// Every request that arrives is served, shed or cut off, under any limit, service time and end.
TEST(ServerQueue, LosesNoRequest) {
  for (std::uint64_t seed = 1; seed <= 300; ++seed) {
    Random random(seed);
    RequestSpec spec;
    spec.seed = seed;
    spec.arrivals.kind = random.below(2) == 0 ? ArrivalSpec::Kind::kPoisson : ArrivalSpec::Kind::kClosed;
    spec.arrivals.mean_ps = static_cast<double>(1 + random.below(1000));
    spec.arrivals.clients = static_cast<std::uint32_t>(1 + random.below(5));
    if (random.below(2) == 0) spec.arrivals.think = ArrivalSpec::Think::kExponential;
    if (random.below(2) == 0) spec.queue_limit = random.below(4);
    spec.sheds = random.below(2) == 0;
    if (random.below(2) == 0)
      spec.most_requests = 1 + random.below(300);
    else
      spec.duration_ps = 1 + random.below(100'000);
    Rig rig;
    rig.run(spec, 1 + random.below(1500));
    ASSERT_EQ(rig.served.size() + rig.lost.size(), rig.arrived) << "seed " << seed;
    std::uint64_t last = 0;
    for (const Served& served : rig.served) {
      ASSERT_GE(served.start_ps, served.arrival_ps) << "seed " << seed;
      ASSERT_GE(served.start_ps, last) << "seed " << seed;
      last = served.start_ps;
    }
  }
}

}  // namespace
}  // namespace heddle
