#include "platforms/import/arrivals/arrival_text.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cctype>
#include <cmath>
#include <iterator>
#include <numeric>

namespace heddle::imported {

namespace {

constexpr std::uint64_t kPsPerMs = 1'000'000'000;
constexpr std::size_t kBufferBytes = 1U << 16;
constexpr double kMostExact = 9e15;  // whole numbers to here are written as such

void append_time(fmt::memory_buffer& to, std::uint64_t ps) {
  fmt::format_to(std::back_inserter(to), "{}", ps / kPsPerMs);
  const std::uint64_t fraction = ps % kPsPerMs;
  if (fraction == 0) return;
  fmt::format_to(std::back_inserter(to), ".{:09}", fraction);
  while (to[to.size() - 1] == '0') to.resize(to.size() - 1);
}

void append_number(fmt::memory_buffer& to, double value) {
  if (value == std::floor(value) && std::abs(value) < kMostExact)
    fmt::format_to(std::back_inserter(to), "{}", static_cast<std::int64_t>(value));
  else
    fmt::format_to(std::back_inserter(to), "{}", value);
}

// "1 request", "2 requests"
std::string requests_text(std::uint64_t count) {
  return fmt::format("{} request{}", count, count == 1 ? "" : "s");
}

double mean_of(const std::vector<double>& values) {
  return std::accumulate(values.begin(), values.end(), 0.0) / static_cast<double>(values.size());
}

bool is_plain(const std::string& text) {
  return !text.empty() && std::isalnum(static_cast<unsigned char>(text.front())) != 0 &&
         std::all_of(text.begin(), text.end(), [](unsigned char c) {
           return std::isalnum(c) != 0 || c == '_' || c == '.' || c == '/' || c == '-';
         });
}

std::string quoted(const std::string& text) {
  if (is_plain(text) || (text.rfind('/', 0) == 0 && is_plain(text.substr(1)))) return text;
  std::string result = "'";
  for (const char c : text) result += c == '\'' ? std::string("''") : std::string(1, c);
  return result + "'";
}

// Returns the name of a parameter, which expressions can name: letters, digits and '_'.
std::string parameter_name(const std::string& column) {
  std::string name = column;
  for (char& c : name)
    if (std::isalnum(static_cast<unsigned char>(c)) == 0) c = '_';
  return std::isdigit(static_cast<unsigned char>(name.front())) != 0 ? "_" + name : name;
}

}  // namespace

void write_arrivals(std::ostream& out, const ArrivalTable& table) {
  fmt::memory_buffer text;
  const auto flush = [&] {
    out.write(text.data(), static_cast<std::streamsize>(text.size()));
    text.clear();
  };
  fmt::format_to(std::back_inserter(text), "time [ms]");
  for (const ArrivalTable::Column& column : table.columns)
    fmt::format_to(std::back_inserter(text), ",{}", column.name);
  text.push_back('\n');
  for (std::size_t i = 0; i < table.times_ps.size(); ++i) {
    append_time(text, table.times_ps[i]);
    for (const ArrivalTable::Column& column : table.columns) {
      text.push_back(',');
      append_number(text, column.values[i]);
    }
    text.push_back('\n');
    if (text.size() > kBufferBytes) flush();
  }
  flush();
}

std::string summary_of(const ArrivalImport& result, const std::string& input, const std::string& output) {
  std::string text = fmt::format("{}: {}, {}", input, result.format, requests_text(result.read));
  if (!result.first_date.empty()) text += fmt::format(" from {} on", result.first_date);
  text += "\n";
  if (const std::string left_out = left_out_text(result.left_out); !left_out.empty())
    text += fmt::format("left out: {}\n", left_out);
  if (!result.columns_left_out.empty())
    text += fmt::format("left out: the columns '{}', which are no parameters\n",
                        fmt::join(result.columns_left_out, "', '"));
  if (result.out_of_order > 0)
    text += fmt::format("sorted: {} stood behind a later one\n", requests_text(result.out_of_order));
  const std::vector<std::uint64_t>& times = result.table.times_ps;
  const double span = static_cast<double>(times.back() - times.front()) / 1e12;
  text += fmt::format("{}: {} over {:.7g}s", output, requests_text(times.size()), span);
  if (span > 0) text += fmt::format(", {:.5g} a second", static_cast<double>(times.size() - 1) / span);
  for (std::size_t i = 0; i < result.table.columns.size(); ++i) {
    const ArrivalTable::Column& column = result.table.columns[i];
    text += fmt::format("{} {} {:.5g}", i == 0 ? "; means:" : ",", column.name, mean_of(column.values));
  }
  return text + "\n";
}

std::string entry_for(const ArrivalTable& table, const std::string& output) {
  std::string text = fmt::format("arrivals: {{kind: times, file: {}}}\n", quoted(output));
  if (table.columns.empty()) return text;
  std::vector<std::string> parameters;
  for (const ArrivalTable::Column& column : table.columns)
    if (parameters.size() < kMostRequestParameters)
      parameters.push_back(
          fmt::format("{}: {{column: {}}}", parameter_name(column.name), quoted(column.name)));
  return text + fmt::format("parameters: {{{}}}\n", fmt::join(parameters, ", "));
}

}  // namespace heddle::imported
