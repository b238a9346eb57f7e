#pragma once
// A RequestTrace keeps the requests that are taken of a trace: 8 bytes for the time and 8 for each parameter.

#include <cstdint>
#include <limits>
#include <string>
#include <vector>

#include "models/core/base/random.h"
#include "models/host/requests/request_spec.h"
#include "platforms/import/arrivals/arrival_options.h"
#include "platforms/import/arrivals/time_window.h"

namespace heddle::imported {

// Requests that were read and are not in the result, by reason.
struct LeftOut {
  std::uint64_t failed = 0;
  std::uint64_t other_models = 0;
  std::uint64_t other_functions = 0;
  std::uint64_t thinned = 0;
  std::uint64_t outside = 0;  // the window
  std::uint64_t beyond = 0;   // the number of requests that was asked for
};

// Returns the numbers that are not 0, as in "2 that failed, 7 outside the window".
std::string left_out_text(const LeftOut& left_out);

class RequestTrace {
 public:
  static constexpr std::size_t kMostRequests = 100'000'000;  // that are kept before the window is known

  RequestTrace(const std::string& file, const ArrivalOptions& options, std::vector<std::string> parameters,
               bool has_dates);

  // Promises that no request is earlier than this time, so that those outside the window are not kept first.
  void begin(std::int64_t first_ns);

  // Takes a request that was read, in the order of the file; `values` has one for each parameter. Whether it
  // is kept does not depend on the window. Throws config::Error for more than kMostRequests.
  void add(std::int64_t time_ns, const std::vector<double>& values);

  LeftOut& left_out() { return left_out_; }
  std::uint64_t read() const { return read_; }  // requests that were added
  std::int64_t first_ns() const { return first_ns_; }
  std::uint64_t out_of_order() const { return out_of_order_; }  // that stood behind a later one

  // Sorts the requests by time, keeps those of the window and returns them with scaled times. Throws
  // config::Error if none is left, or if one is later than 10^7 s, the most that a file of arrivals has.
  ArrivalTable finish();

 private:
  void sort();
  void keep_window();
  std::vector<std::uint64_t> scaled_times() const;

  const std::string& file_;
  const ArrivalOptions& options_;
  Random draws_;
  TimeWindow window_;
  bool is_begun_ = false;
  std::int64_t first_ns_ = std::numeric_limits<std::int64_t>::max();
  std::int64_t latest_ns_ = std::numeric_limits<std::int64_t>::min();
  std::uint64_t read_ = 0;
  std::uint64_t out_of_order_ = 0;
  LeftOut left_out_;
  std::vector<std::int64_t> times_ns_;
  std::vector<ArrivalTable::Column> columns_;
};

}  // namespace heddle::imported
