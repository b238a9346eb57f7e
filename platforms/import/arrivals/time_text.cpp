#include "platforms/import/arrivals/time_text.h"

#include <fmt/format.h>

#include <array>
#include <cmath>

#include "platforms/correlate/csv_reader.h"

namespace heddle::imported {

namespace {

using config::detail::Parsed;
using config::detail::shown;

constexpr std::int64_t kSecond = 1'000'000'000;  // in ns
constexpr std::int64_t kDay = 86400 * kSecond;
constexpr std::int64_t kMostNs = 9'000'000'000 * kSecond;
constexpr int kLastYear = 2261;  // the last one that ends within 63 bits of ns

struct UnitScale {
  const char* name;
  TimeUnit unit;
  int digits;  // of a fraction that are whole nanoseconds
};
constexpr std::array<UnitScale, 6> kUnits{{{"ps", TimeUnit::kPs, -3},
                                           {"ns", TimeUnit::kNs, 0},
                                           {"us", TimeUnit::kUs, 3},
                                           {"ms", TimeUnit::kMs, 6},
                                           {"s", TimeUnit::kS, 9},
                                           {"date", TimeUnit::kDate, 9}}};

bool is_digit(char c) {
  return c >= '0' && c <= '9';
}

// Takes text from its start.
class DateScanner {
 public:
  explicit DateScanner(std::string_view text) : text_(text) {}

  bool is_over() const { return text_.empty(); }
  bool skip(char c) {
    if (text_.empty() || text_.front() != c) return false;
    text_.remove_prefix(1);
    return true;
  }
  // Takes exactly `digits` digits of a number that is at least `least` and at most `most`.
  bool number(std::size_t digits, int least, int most, int& value) {
    if (text_.size() < digits) return false;
    value = 0;
    for (std::size_t i = 0; i < digits; ++i) {
      if (!is_digit(text_[i])) return false;
      value = value * 10 + (text_[i] - '0');
    }
    text_.remove_prefix(digits);
    return value >= least && value <= most;
  }
  // Takes the digits of a fraction of a second, in ns. Digits beyond the ninth are left out.
  bool fraction(std::int64_t& ns) {
    std::int64_t scale = kSecond;
    ns = 0;
    if (is_over() || !is_digit(text_.front())) return false;
    while (!is_over() && is_digit(text_.front())) {
      scale /= 10;
      ns += (text_.front() - '0') * scale;
      text_.remove_prefix(1);
    }
    return true;
  }

 private:
  std::string_view text_;
};

bool is_leap(int year) {
  return (year % 4 == 0 && year % 100 != 0) || year % 400 == 0;
}

int days_of(int year, int month) {
  constexpr std::array<int, 12> kDays{31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31};
  return kDays[static_cast<std::size_t>(month - 1)] + (month == 2 && is_leap(year) ? 1 : 0);
}

// The days from 1970-01-01 to the first day of a year.
std::int64_t days_before(int year) {
  const std::int64_t past = year - 1;
  return past * 365 + past / 4 - past / 100 + past / 400 - 719162;
}

bool read_day(DateScanner& scanner, std::int64_t& ns) {
  int year = 0;
  int month = 0;
  int day = 0;
  if (!scanner.number(4, 1970, kLastYear, year) || !scanner.skip('-') || !scanner.number(2, 1, 12, month) ||
      !scanner.skip('-') || !scanner.number(2, 1, days_of(year, month), day))
    return false;
  std::int64_t days = days_before(year) + day - 1;
  for (int before = 1; before < month; ++before) days += days_of(year, before);
  ns = days * kDay;
  return true;
}

bool read_time_of_day(DateScanner& scanner, std::int64_t& ns) {
  int hour = 0;
  int minute = 0;
  int second = 0;
  std::int64_t fraction = 0;
  if (!scanner.number(2, 0, 23, hour) || !scanner.skip(':') || !scanner.number(2, 0, 59, minute))
    return false;
  if (scanner.skip(':')) {
    if (!scanner.number(2, 0, 60, second)) return false;
    if (scanner.skip('.') && !scanner.fraction(fraction)) return false;
  }
  ns += ((hour * 60 + minute) * std::int64_t{60} + second) * kSecond + fraction;
  return true;
}

bool read_offset(DateScanner& scanner, std::int64_t& ns) {
  if (scanner.skip('Z')) return true;
  const bool is_west = scanner.skip('-');
  if (!is_west && !scanner.skip('+')) return true;
  int hours = 0;
  int minutes = 0;
  if (!scanner.number(2, 0, 23, hours)) return false;
  const bool has_minutes = scanner.skip(':') || !scanner.is_over();
  if (has_minutes && !scanner.number(2, 0, 59, minutes)) return false;
  const std::int64_t offset = (hours * std::int64_t{60} + minutes) * 60 * kSecond;
  ns += is_west ? offset : -offset;
  return true;
}

// Reads digits with a fraction exactly. Returns nothing for another text and for numbers of many digits.
std::optional<std::int64_t> read_digits(std::string_view text, int digits) {
  std::int64_t value = 0;
  std::size_t at = 0;
  const auto take = [&] {
    if (value >= kMostNs / 10) return false;  // another digit might not fit
    value = value * 10 + (text[at++] - '0');
    return true;
  };
  while (at < text.size() && is_digit(text[at]))
    if (!take()) return std::nullopt;
  if (at == 0) return std::nullopt;
  bool rounds_up = false;
  if (at < text.size() && text[at] == '.') {
    if (++at == text.size()) return std::nullopt;
    for (; digits > 0 && at < text.size() && is_digit(text[at]); --digits)
      if (!take()) return std::nullopt;
    rounds_up = digits == 0 && at < text.size() && text[at] >= '5' && text[at] <= '9';
    while (at < text.size() && is_digit(text[at])) ++at;
  }
  if (at != text.size()) return std::nullopt;
  for (; digits > 0; --digits) {
    if (value > kMostNs / 10) return std::nullopt;
    value *= 10;
  }
  return value + (rounds_up ? 1 : 0);
}

Parsed<std::int64_t> parse_number(std::string_view text, const UnitScale& unit) {
  if (unit.digits >= 0)
    if (const auto exact = read_digits(text, unit.digits)) return {*exact, ""};
  double number = 0;
  if (!correlate::read_decimal(text, number)) return {0, fmt::format("'{}' is no number", shown(text))};
  if (number < 0) return {0, fmt::format("the time {} is negative", text)};
  const double ns = unit.digits < 0 ? number / 1e3 : number * std::pow(10, unit.digits);
  if (ns > static_cast<double>(kMostNs)) return {0, fmt::format("the time {} is beyond 9 x 10^9 s", text)};
  return {std::llround(ns), ""};
}

}  // namespace

std::optional<TimeUnit> time_unit(std::string_view name) {
  for (const UnitScale& unit : kUnits)
    if (name == unit.name) return unit.unit;
  return std::nullopt;
}

const std::vector<std::string>& time_unit_names() {
  static const std::vector<std::string> names = [] {
    std::vector<std::string> all;
    all.reserve(kUnits.size());
    for (const UnitScale& unit : kUnits) all.emplace_back(unit.name);
    return all;
  }();
  return names;
}

Parsed<std::int64_t> parse_trace_time(std::string_view text, TimeUnit unit) {
  if (unit != TimeUnit::kDate) return parse_number(text, kUnits[static_cast<std::size_t>(unit)]);
  const auto date = read_date(text);
  if (!date) return {0, fmt::format("'{}' is no date such as 2023-11-16 18:15:46.68", shown(text))};
  return {*date, ""};
}

std::optional<std::int64_t> read_date(std::string_view text) {
  DateScanner scanner(text);
  std::int64_t ns = 0;
  if (!read_day(scanner, ns)) return std::nullopt;
  if (scanner.is_over()) return ns;
  if (!scanner.skip('T') && !scanner.skip(' ')) return std::nullopt;
  if (!read_time_of_day(scanner, ns) || !read_offset(scanner, ns) || !scanner.is_over()) return std::nullopt;
  return ns;
}

std::string date_text(std::int64_t ns) {
  const std::int64_t days = ns / kDay - (ns % kDay < 0 ? 1 : 0);
  const std::int64_t ms = (ns - days * kDay) / 1'000'000;
  int year = 1970;
  while (days_before(year + 1) <= days) ++year;
  std::int64_t day = days - days_before(year);
  int month = 1;
  for (; day >= days_of(year, month); ++month) day -= days_of(year, month);
  return fmt::format("{:04}-{:02}-{:02} {:02}:{:02}:{:02}.{:03}", year, month, day + 1, ms / 3'600'000,
                     ms / 60'000 % 60, ms / 1000 % 60, ms % 1000);
}

}  // namespace heddle::imported
