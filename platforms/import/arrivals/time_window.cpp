#include "platforms/import/arrivals/time_window.h"

#include <fmt/format.h>

#include "models/core/config/config.h"
#include "models/core/config/config_units.h"
#include "platforms/import/arrivals/time_text.h"

namespace heddle::imported {

TimeWindow::TimeWindow(const std::string& from, const std::string& to, bool has_dates)
    : stated_from_(read("--from", from, has_dates)), stated_to_(read("--to", to, has_dates)) {}

std::optional<TimeWindow::Bound> TimeWindow::read(const char* option, const std::string& text,
                                                  bool has_dates) {
  if (text.empty()) return std::nullopt;
  if (const auto date = read_date(text)) {
    if (has_dates) return Bound{*date, true};
    throw config::Error(
        {fmt::format("{} {}: the trace has no dates; a time since its first arrival is needed, such as 10s",
                     option, text)});
  }
  const auto time = config::detail::parse_time(text);
  if (!time.ok())
    throw config::Error({fmt::format("{} {}: {}, or a date such as 2023-11-16 18:20", option,
                                     config::detail::shown(text), time.problem)});
  return Bound{static_cast<std::int64_t>(time.value / 1000), false};
}

std::optional<std::int64_t> TimeWindow::absolute(const std::optional<Bound>& bound) const {
  if (!bound) return std::nullopt;
  return bound->is_date ? bound->ns : first_ns_ + bound->ns;
}

void TimeWindow::begin(std::int64_t first_ns) {
  first_ns_ = first_ns;
  from_ = absolute(stated_from_);
  to_ = absolute(stated_to_);
  if (to_ && *to_ <= origin_ns()) throw config::Error({"--to: the window ends before it starts"});
}

}  // namespace heddle::imported
