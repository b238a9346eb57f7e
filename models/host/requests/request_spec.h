#pragma once
// A RequestSpec says which requests a host process serves: when they arrive, what their parameters are, where
// they wait, and which of them are measured. A request is one pass of the process's program, or is served in
// many passes together with others (batch_spec.h). Times are in picoseconds from the moment at which the
// process is ready: its context is open, and its setup is done.

#include <array>
#include <cstdint>
#include <limits>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "models/core/base/distribution.h"
#include "models/host/requests/batch_spec.h"

namespace heddle {

constexpr std::uint64_t kNoTime = std::numeric_limits<std::uint64_t>::max();

// The times of arrivals and the parameters that a file of CSV has.
struct ArrivalTable {
  std::vector<std::uint64_t> times_ps;  // in order
  struct Column {
    std::string name;
    std::vector<double> values;  // one for each time
    bool is_whole = true;        // all values are whole numbers
  };
  std::vector<Column> columns;
};

struct ArrivalSpec {
  enum class Kind : std::uint8_t {
    kClosed,    // each client sends its next request after a think time from the end of its last one
    kPeriodic,  // one in each period
    kPoisson,   // exponential times between arrivals
    kUniform,   // uniform times between arrivals
    kGamma,     // gamma times between arrivals
    kTimes,     // those of a table
  };
  Kind kind = Kind::kPoisson;
  enum class Think : std::uint8_t { kFixed, kExponential, kUniform };
  std::uint32_t clients = 1;    // kClosed, 1 or more
  Think think = Think::kFixed;  // kClosed: how think times are distributed
  double mean_ps = 0;           // kClosed but kUniform: think time; kPoisson, kGamma: time between arrivals
  double variation = 1;         // kGamma: deviation of the time between arrivals over its mean
  std::uint64_t least_ps = 0;   // kUniform, also of think times; kPeriodic: the period
  std::uint64_t most_ps = 0;    // kUniform, also of think times
  std::uint64_t offset_ps = 0;  // kPeriodic: before the first period
  std::uint64_t jitter_ps = 0;  // kPeriodic: an arrival is up to so much later, less than a period
  std::shared_ptr<const ArrivalTable> table;  // kTimes

  bool is_closed() const { return kind == Kind::kClosed; }
  bool draws() const {  // whether a seed changes the times
    return kind == Kind::kPoisson || kind == Kind::kUniform || kind == Kind::kGamma ||
           (is_closed() && think != Think::kFixed) || jitter_ps > 0;
  }
};

// A parameter of a request: drawn, or a column of the table of arrivals.
struct RequestParameter {
  std::string name;
  Distribution distribution;
  std::optional<std::size_t> column;  // of ArrivalTable::columns

  bool is_whole(const ArrivalSpec& arrivals) const {
    return column ? arrivals.table->columns[*column].is_whole : distribution.is_whole();
  }
};

constexpr std::size_t kMostRequestParameters = 8;
using RequestValues = std::array<double, kMostRequestParameters>;  // by parameter

struct RequestSpec {
  static constexpr std::uint64_t kUnlimited = std::numeric_limits<std::uint64_t>::max();

  ArrivalSpec arrivals;
  std::optional<BatchSpec> batch;            // none: each pass serves one request
  std::vector<RequestParameter> parameters;  // at most kMostRequestParameters
  std::uint64_t seed = 0;
  // The process ends when so many requests have arrived and those that were not shed have been served, or
  // when `duration_ps` has passed. The requests in service at that time are served, and those that wait are
  // cut off. One of both has a value.
  std::uint64_t most_requests = kUnlimited;
  std::uint64_t duration_ps = kNoTime;
  // The most requests that wait for the process, without those in service. Beyond it a request is shed, or
  // its source waits with it and with all later ones until there is room.
  std::uint64_t queue_limit = kUnlimited;
  bool sheds = true;
  std::uint64_t deadline_ps = 0;  // from the arrival; 0: none
  // The measured requests: those behind the warm-up, which is a number of requests or a time, that arrive in
  // the window, which is a number or a time, too. Without a window all that arrive behind the warm-up.
  std::uint64_t warm_up_requests = 0;
  std::uint64_t warm_up_ps = 0;
  std::uint64_t window_requests = kUnlimited;
  std::uint64_t window_ps = kNoTime;

  // Whether a request that was served may have been late.
  bool has_limits() const { return deadline_ps != 0 || (batch && batch->has_limits()); }
  bool draws() const {  // whether the seed changes anything
    for (const RequestParameter& parameter : parameters)
      if (!parameter.column && parameter.distribution.draws()) return true;
    return arrivals.draws();
  }
};

}  // namespace heddle
