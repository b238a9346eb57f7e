#pragma once
// Times as the text of a trace has them: a number of a unit, or a date. They are kept as whole nanoseconds,
// since 0 of the trace's own clock or since 1970-01-01 UTC.

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "models/core/config/config_units.h"

namespace heddle::imported {

enum class TimeUnit : std::uint8_t { kPs, kNs, kUs, kMs, kS, kDate };

// Returns the unit of "ps", "ns", "us", "ms", "s" or "date", and nothing for another text.
std::optional<TimeUnit> time_unit(std::string_view name);
const std::vector<std::string>& time_unit_names();

// Reads a decimal of 0 or more, or a date. The text is rounded to a whole nanosecond. A time of more than
// 9 x 10^9 s is a problem.
config::detail::Parsed<std::int64_t> parse_trace_time(std::string_view text, TimeUnit unit);

// Reads YYYY-MM-DD, with " " or "T" and HH:MM or HH:MM:SS or HH:MM:SS.FRACTION behind it, and then "Z" or an
// offset from UTC such as +02:00, +0200 or +02. A date without an offset is UTC. Years are 1970 to 2261.
std::optional<std::int64_t> read_date(std::string_view text);

// Returns such a date, in UTC, to the millisecond: "2023-11-16 18:15:46.681".
std::string date_text(std::int64_t ns);

}  // namespace heddle::imported
