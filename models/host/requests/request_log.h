#pragma once
// The RequestLog counts the requests of the processes of a machine as they end, and hands each one on to
// observers. Its memory does not depend on the number of requests. Pure logic.

#include <cstdint>
#include <functional>
#include <optional>
#include <utility>
#include <vector>

#include "models/host/requests/account_sums.h"
#include "models/host/requests/server_queue.h"
#include "models/stats/group.h"
#include "models/stats/histogram.h"

namespace heddle {

// What a server that generates tokens knows of a request that it has served. Times are in picoseconds.
struct TokenRecord {
  std::uint64_t tokens = 0;          // that were generated; 1 or more
  std::uint64_t first_ps = 0;        // simulated time of the first of them
  std::uint64_t longest_gap_ps = 0;  // between two of them
  std::uint64_t evictions = 0;       // how often its keys and values had to leave the cache
  bool keeps_limits = true;  // BatchSpec: those of the first token and of the mean time between tokens
};

// Times are simulated time in picoseconds.
struct RequestRecord {
  std::uint32_t process = 0;
  std::uint64_t number = 0;  // of the process, from 0 on, in the order of arrival
  std::uint64_t arrival_ps = 0;
  std::uint64_t start_ps = 0;     // of the service; 0 if it was not served
  std::uint64_t end_ps = 0;       // of the service, or when it was shed or cut off
  std::uint64_t deadline_ps = 0;  // 0: none
  RequestOutcome outcome = RequestOutcome::kServed;
  bool is_measured = false;
  RequestValues values{};                   // of the parameters of its RequestSpec
  std::optional<TokenRecord> tokens{};      // none: it was not served, or the server generates none
  const RequestAccount* account = nullptr;  // null: it was not served, or nobody accounts; not to be kept

  std::uint64_t response_ps() const { return end_ps - arrival_ps; }  // this and the next two: if served
  std::uint64_t queueing_ps() const { return start_ps - arrival_ps; }
  std::uint64_t service_ps() const { return end_ps - start_ps; }
  // Whether it was served by its deadline and within the limits of its tokens, as far as it has any.
  bool is_in_time() const {
    return outcome == RequestOutcome::kServed && (deadline_ps == 0 || end_ps <= deadline_ps) &&
           (!tokens || tokens->keeps_limits);
  }
};

const char* name_of(RequestOutcome outcome);  // "served", "shed", "cut-off"

struct RequestCounts {
  std::uint64_t served = 0;
  std::uint64_t shed = 0;
  std::uint64_t cut_off = 0;

  std::uint64_t all() const { return served + shed + cut_off; }
  void add(RequestOutcome outcome);
};

// A distribution of times in picoseconds with its exact moments.
struct TimeDistribution {
  Histogram histogram;
  double sum = 0;
  double sum_of_squares = 0;

  void add(std::uint64_t ps, std::uint64_t count = 1);  // `count` times
  double mean() const { return histogram.count() == 0 ? 0 : sum / static_cast<double>(histogram.count()); }
  double variance() const;  // of the sample; 0 with fewer than two
};

struct RequestTotals {
  RequestCounts all;
  RequestCounts measured;
  // Of the measured requests:
  std::uint64_t in_time = 0;
  std::uint64_t first_arrival_ps = 0;
  std::uint64_t last_arrival_ps = 0;
  std::uint64_t last_end_ps = 0;  // of a service
  TimeDistribution response;      // of those that were served
  TimeDistribution queueing;
  TimeDistribution service;
  AccountSums accounts;
};

class RequestLog {
 public:
  using Observer = std::function<void(const RequestRecord&)>;

  explicit RequestLog(std::size_t processes) : totals_(processes), counters_(processes) {}

  // Registers the counters of a server in `group`. A counter grows when a request ends, also when the request
  // lies outside of the measuring window.
  void add_stats(std::size_t process, Group& group);

  void observe(Observer observer) { observers_.push_back(std::move(observer)); }
  // Takes a request that has ended. A process's requests come in the order in which they end.
  void add(const RequestRecord& record);
  const RequestTotals& totals(std::size_t process) const { return totals_[process]; }
  void reset();  // observers stay, and the counters are their group's to reset

 private:
  struct Counters {
    Counter served, in_time, shed, cut_off, queueing_ns, service_ns;
  };

  void count(Counters& counters, const RequestRecord& record);

  std::vector<RequestTotals> totals_;  // by process
  std::vector<Counters> counters_;     // by process
  std::vector<Observer> observers_;
};

}  // namespace heddle
