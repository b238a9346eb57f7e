#pragma once
// The requests that a server has served in a run, as plain values. Times are in picoseconds.

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "platforms/run/result/time_summary.h"

namespace heddle {

// The distribution of the response times. `counts` has the requests whose response took at most as long as
// `most_ps` says, and longer than the bucket before, in ascending order and without empty buckets. A bucket
// is at most 1/1024 of its time wide.
struct ResponseBuckets {
  std::vector<std::uint64_t> most_ps;
  std::vector<std::uint64_t> counts;
};

// What a part of the response is in the mean, over the requests of an AccountResult. models/host/requests/
// request_account.h has the parts.
struct PartResult {
  std::string part;
  std::string application;  // that is the cause; empty for a part without one, or if the server itself is
  double queue_ps = 0;      // while the request waited for the server, which served others
  double service_ps = 0;    // of its own service

  double ps() const { return queue_ps + service_ps; }
};

// Where the time of the slowest requests goes. The parts that are not zero add up to the response.
struct AccountResult {
  double slowest = 1;          // the share of the requests that were served, which has been asked for
  std::uint64_t requests = 0;  // so many are at least that share
  double response_ps = 0;      // in the mean
  std::vector<PartResult> parts;

  double queue_ps() const {
    double sum = 0;
    for (const PartResult& part : parts) sum += part.queue_ps;
    return sum;
  }
};

// Of a server whose steps serve many requests at a time (models/host/requests/batch_spec.h).
struct TokensResult {
  std::uint64_t steps = 0;
  std::uint64_t prefill = 0;    // tokens of prompts that were read, some of them again behind an eviction
  std::uint64_t generated = 0;  // tokens
  std::uint64_t evictions = 0;  // of sequences from the cache of keys and values
  double mean_sequences = 0;    // of a step
  std::uint64_t most_sequences = 0;
  std::uint64_t most_cached = 0;       // tokens of which the cache held pages
  std::uint64_t first_limit_ps = 0;    // 0: none, as the next one
  std::uint64_t between_limit_ps = 0;  // of the mean over a request
  std::optional<double> per_second;    // generated for measured requests, over RequestsResult::measured_ps
  // Times of the measured requests:
  TimeSummary first;         // from the arrival to the first token (TTFT)
  TimeSummary between;       // from each token to the next one (TBT)
  TimeSummary mean_between;  // its mean over a request (TPOT)

  bool has_limits() const { return first_limit_ps != 0 || between_limit_ps != 0; }
};

inline constexpr double kAccountShares[] = {1, 0.1, 0.01};

struct RequestsResult {
  // All requests, and of these the measured ones. Of both, arrived = served + shed + unfinished.
  struct Counts {
    std::uint64_t arrived = 0;
    std::uint64_t served = 0;
    std::uint64_t shed = 0;
    std::uint64_t unfinished = 0;  // cut off at the end
  };
  Counts all;
  Counts measured;
  // Measured requests that were served by their deadline and within the limits of their tokens.
  std::uint64_t in_time = 0;
  std::uint64_t deadline_ps = 0;  // 0: none
  // From the begin of the window to its last arrival, or to the end of the last measured service if that is
  // later.
  std::uint64_t measured_ps = 0;
  // Measured arrivals per second; none with fewer than two.
  std::optional<double> arrival_rate;
  // The arrival rate times the mean service time; none for clients, who wait for their answers, and where
  // many requests are in service at a time.
  std::optional<double> offered_load;
  // Requests that had arrived and not ended, at the end of each quarter of the window; empty if it was not
  // full.
  std::vector<std::uint64_t> backlog;
  bool unstable = false;  // the queue grows without bound; see is_unstable()
  // Times of the measured requests that were served.
  TimeSummary response;  // from the arrival to the end
  TimeSummary queueing;  // from the arrival to the start of the service
  TimeSummary service;   // from the start to the end
  ResponseBuckets responses;
  std::optional<TokensResult> tokens;   // none of a server that serves one request after the other
  std::vector<AccountResult> accounts;  // of kAccountShares; empty without a request served
};

// Whether a queue without a limit grows without bound: the backlog has grown in each quarter of the window,
// and requests arrive as fast as they are served or faster. Without a request served the load is unknown, and
// the growth alone decides.
inline bool is_unstable(const std::vector<std::uint64_t>& backlog, std::optional<double> offered_load) {
  for (std::size_t i = 1; i < backlog.size(); ++i)
    if (backlog[i] <= backlog[i - 1]) return false;
  return !backlog.empty() && offered_load.value_or(1) >= 1;
}

}  // namespace heddle
