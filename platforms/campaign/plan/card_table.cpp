#include "platforms/campaign/plan/card_table.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <charconv>
#include <cmath>
#include <sstream>

#include "models/core/config/config.h"
#include "models/core/config/input_file.h"

namespace heddle {

namespace {

using Cells = std::vector<std::string>;

constexpr std::size_t kTimeColumn = 4;
constexpr const char* kOptionalColumn = "accel_sim";

Cells split(const std::string& text, char separator) {
  Cells cells;
  std::size_t start = 0;
  for (;;) {
    const std::size_t end = std::min(text.find(separator, start), text.size());
    cells.push_back(text.substr(start, end - start));
    if (end == text.size()) return cells;
    start = end + 1;
  }
}

Cells head_of(const std::string& unit) {
  return {"suite", "benchmark", "launch", "parameters", unit, "launch_bound"};
}

[[noreturn]] void fail_at(const std::string& place, const std::string& message) {
  throw config::Error({place + ": " + message});
}

// Returns the unit that the head of the table states.
std::string unit_of(const Cells& head, const std::string& file) {
  for (const char* unit : {"us", "cycles"}) {
    Cells known = head_of(unit);
    if (head == known) return unit;
    known.emplace_back(kOptionalColumn);
    if (head == known) return unit;
  }
  fail_at(file,
          "the head of the table is not suite,benchmark,launch,parameters,us,launch_bound, or with cycles "
          "for us, or with accel_sim behind it");
}

// Whether the text is a name or a number.
bool is_word(const std::string& text) {
  return !text.empty() && std::all_of(text.begin(), text.end(), [](unsigned char c) {
    return std::isalnum(c) != 0 || c == '_' || c == '.' || c == '+' || c == '-';
  });
}

std::vector<Assignment> parameters_of(const std::string& text, const std::string& place) {
  std::vector<Assignment> parameters;
  for (const std::string& part : split(text, ';')) {
    const std::size_t equals = part.find('=');
    if (equals == std::string::npos || !is_word(part.substr(0, equals)) || !is_word(part.substr(equals + 1)))
      fail_at(place, fmt::format("parameters have the form n=48;block_x=8, not '{}'", text));
    parameters.push_back({"parameters." + part.substr(0, equals), part.substr(equals + 1)});
  }
  return parameters;
}

double measured_of(const std::string& text, const std::string& unit, const std::string& place) {
  double measured = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), measured);
  const bool is_number = error == std::errc() && end == text.data() + text.size();
  if (!is_number || !std::isfinite(measured) || measured <= 0)
    fail_at(place, fmt::format("{} is a time above 0, not '{}'", unit, text));
  return measured;
}

}  // namespace

CardTable read_card_table(const std::string& file) {
  std::istringstream lines(config::read_file(file));
  CardTable table;
  Cells head;
  std::string line;
  for (std::size_t number = 1; std::getline(lines, line); ++number) {
    if (!line.empty() && line.back() == '\r') line.pop_back();
    if (line.empty() || line.front() == '#') continue;
    const Cells cells = split(line, ',');
    if (head.empty()) {
      head = cells;
      table.unit = unit_of(head, file);
      continue;
    }
    CardPoint point;
    point.row = table.points.size();
    point.place = fmt::format("{}:{}", file, number);
    if (cells.size() != head.size())
      fail_at(point.place, fmt::format("{} columns instead of {}", cells.size(), head.size()));
    point.benchmark = cells[1];
    point.launch = cells[2];
    point.parameters = parameters_of(cells[3], point.place);
    point.measured = measured_of(cells[kTimeColumn], table.unit, point.place);
    table.points.push_back(std::move(point));
  }
  if (table.points.empty()) fail_at(file, "there are no points");
  return table;
}

}  // namespace heddle
