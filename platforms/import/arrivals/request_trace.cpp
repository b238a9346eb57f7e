#include "platforms/import/arrivals/request_trace.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <numeric>

#include "models/core/config/config.h"

namespace heddle::imported {

namespace {

constexpr double kMostPs = 1e19;  // of the reader of arrivals

template <class T>
void reorder(std::vector<T>& values, const std::vector<std::uint32_t>& order) {
  std::vector<T> sorted;
  sorted.reserve(values.size());
  for (const std::uint32_t from : order) sorted.push_back(values[from]);
  values = std::move(sorted);
}

}  // namespace

std::string left_out_text(const LeftOut& left_out) {
  std::vector<std::string> parts;
  const auto tell = [&](std::uint64_t count, const char* why) {
    if (count > 0) parts.push_back(fmt::format("{} {}", count, why));
  };
  tell(left_out.failed, "that failed");
  tell(left_out.other_models, "of other models");
  tell(left_out.other_functions, "of other functions");
  tell(left_out.thinned, "by --thin");
  tell(left_out.outside, "outside the window");
  tell(left_out.beyond, "beyond --requests");
  return fmt::format("{}", fmt::join(parts, ", "));
}

RequestTrace::RequestTrace(const std::string& file, const ArrivalOptions& options,
                           std::vector<std::string> parameters, bool has_dates)
    : file_(file),
      options_(options),
      draws_(Random(options.seed).fork("thin")),
      window_(options.from, options.to, has_dates) {
  for (std::string& name : parameters) columns_.push_back({std::move(name), {}, true});
}

void RequestTrace::begin(std::int64_t first_ns) {
  first_ns_ = first_ns;
  window_.begin(first_ns);
  is_begun_ = true;
}

void RequestTrace::add(std::int64_t time_ns, const std::vector<double>& values) {
  ++read_;
  if (!is_begun_) first_ns_ = std::min(first_ns_, time_ns);
  if (options_.thin < 1 && draws_.unit() >= options_.thin) {
    ++left_out_.thinned;
    return;
  }
  if (is_begun_ && !window_.has(time_ns)) {
    ++left_out_.outside;
    return;
  }
  if (times_ns_.size() == kMostRequests)
    throw config::Error(
        {fmt::format("{}: has more than {} requests; --thin, and of counts --from and --to, take fewer",
                     file_, kMostRequests)});
  if (time_ns < latest_ns_) ++out_of_order_;
  latest_ns_ = std::max(latest_ns_, time_ns);
  times_ns_.push_back(time_ns);
  for (std::size_t i = 0; i < columns_.size(); ++i) columns_[i].values.push_back(values[i]);
}

ArrivalTable RequestTrace::finish() {
  if (read_ > 0 && !is_begun_) window_.begin(first_ns_);
  sort();
  keep_window();
  if (times_ns_.empty()) {
    const std::string left_out = left_out_text(left_out_);
    throw config::Error(
        {fmt::format("{}: no request is left{}", file_, left_out.empty() ? "" : "; left out: " + left_out)});
  }
  for (ArrivalTable::Column& column : columns_)
    column.is_whole = std::all_of(column.values.begin(), column.values.end(),
                                  [](double value) { return value == std::floor(value); });
  ArrivalTable table;
  table.times_ps = scaled_times();
  table.columns = std::move(columns_);
  times_ns_ = {};
  return table;
}

// Requests of the same time stay in the order of the file.
void RequestTrace::sort() {
  if (out_of_order_ == 0) return;
  std::vector<std::uint32_t> order(times_ns_.size());
  std::iota(order.begin(), order.end(), 0U);
  std::stable_sort(order.begin(), order.end(),
                   [&](std::uint32_t a, std::uint32_t b) { return times_ns_[a] < times_ns_[b]; });
  reorder(times_ns_, order);
  for (ArrivalTable::Column& column : columns_) reorder(column.values, order);
}

void RequestTrace::keep_window() {
  const auto is_before = [&](std::int64_t time) { return !window_.has(time) && time < window_.origin_ns(); };
  const auto is_inside = [&](std::int64_t time) { return window_.has(time); };
  const auto first = std::partition_point(times_ns_.begin(), times_ns_.end(), is_before);
  const auto last = std::partition_point(first, times_ns_.end(), is_inside);
  const auto start = static_cast<std::size_t>(first - times_ns_.begin());
  const auto inside = static_cast<std::size_t>(last - first);
  const auto kept = static_cast<std::size_t>(std::min<std::uint64_t>(inside, options_.requests));
  left_out_.outside += times_ns_.size() - inside;
  left_out_.beyond += inside - kept;
  const auto keep = [&](auto& values) {
    values.erase(values.begin() + static_cast<std::ptrdiff_t>(start + kept), values.end());
    values.erase(values.begin(), values.begin() + static_cast<std::ptrdiff_t>(start));
  };
  keep(times_ns_);
  for (ArrivalTable::Column& column : columns_) keep(column.values);
}

std::vector<std::uint64_t> RequestTrace::scaled_times() const {
  std::vector<std::uint64_t> times;
  times.reserve(times_ns_.size());
  for (const std::int64_t time : times_ns_) {
    const auto since = static_cast<std::uint64_t>(time - window_.origin_ns());
    const double ps = static_cast<double>(since) * 1e3 / options_.rate_scale;
    if (ps > kMostPs)
      throw config::Error({fmt::format(
          "{}: there are arrivals {:.7g}s behind the first, and a file of arrivals has times to 10^7 s; --to "
          "takes a part, and --rate-scale divides the times",
          file_, ps / 1e12)});
    times.push_back(options_.rate_scale == 1 ? since * 1000
                                             : static_cast<std::uint64_t>(std::floor(ps + 0.5)));
  }
  return times;
}

}  // namespace heddle::imported
