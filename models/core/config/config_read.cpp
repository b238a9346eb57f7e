#include "models/core/config/config_read.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "models/core/config/config_units.h"

namespace heddle::config::detail {
namespace {

// Returns the value of a scalar's text, read by one of the parse_ functions.
template <typename Parse>
auto read(State& state, Node& node, std::string_view needed, Parse parse)
    -> std::optional<decltype(parse(node.text).value)> {
  if (node.kind != Node::Kind::kScalar) {
    record_mistyped(state, node, needed);
    return std::nullopt;
  }
  auto parsed = parse(node.text);
  if (parsed.ok()) return std::move(parsed.value);
  record(state, node, parsed.problem);
  return std::nullopt;
}

// Does the same for a type that a quoted text never has.
template <typename Parse>
auto read_plain(State& state, Node& node, std::string_view needed, Parse parse)
    -> std::optional<decltype(parse(node.text).value)> {
  if (!node.quoted) return read(state, node, needed, parse);
  record_mistyped(state, node, needed);
  return std::nullopt;
}

// Returns the value if it lies in its range, and else records a problem in the quantity's own units.
template <typename T, typename Limits>
std::optional<T> within(State& state, const Node& node, std::optional<T> value, const Limits& range,
                        std::string (*text)(T)) {
  if (!value) return value;
  const bool is_low = range.least > 0 && *value < static_cast<T>(range.least);
  const bool is_bounded = range.most != Limits{}.most;
  if (!is_low && (!is_bounded || *value <= static_cast<T>(range.most))) return value;
  const auto least = static_cast<T>(range.least);
  record(state, node,
         is_bounded ? "must lie in " + range_text(least, static_cast<T>(range.most), text)
                    : "must be at least " + text(least));
  return std::nullopt;
}

}  // namespace

void record(State& state, const Node& node, const std::string& message) {
  state.add_problem(node.report_place(), node.path(), message);
}

void record_mistyped(State& state, Node& node, std::string_view needed) {
  if (node.kind == Node::Kind::kAbsent) return;
  node.faulted = true;
  record(state, node, fmt::format("needs {}, has {}", needed, node.describe()));
}

std::optional<std::string> read_text(State& state, Node& node) {
  return read(state, node, kText, [](const std::string& text) { return Parsed<std::string>{text, {}}; });
}

std::optional<bool> read_boolean(State& state, Node& node) {
  return read_plain(state, node, kBoolean, parse_boolean);
}

std::optional<std::int64_t> read_integer(State& state, Node& node, Range range) {
  return read_plain(state, node, kInteger,
                    [&](const std::string& text) { return parse_integer(text, range); });
}

std::optional<double> read_real(State& state, Node& node, RealRange range) {
  return read_plain(state, node, kReal, [&](const std::string& text) { return parse_real(text, range); });
}

std::optional<double> read_frequency(State& state, Node& node, RealRange range) {
  return within(state, node, read(state, node, kFrequency, parse_frequency), range, frequency_text);
}

std::optional<std::uint64_t> read_time(State& state, Node& node, Range range) {
  return within(state, node, read(state, node, kTime, parse_time), range, time_text);
}

std::optional<std::uint64_t> read_bytes(State& state, Node& node, Range range) {
  return within(state, node, read(state, node, kSize, parse_bytes), range, size_text);
}

std::optional<double> read_bandwidth(State& state, Node& node, RealRange range) {
  return within(state, node, read(state, node, kBandwidth, parse_bandwidth), range, bandwidth_text);
}

std::optional<double> read_energy(State& state, Node& node) {
  return read(state, node, kEnergy, parse_energy);
}

std::optional<double> read_power(State& state, Node& node) {
  return read(state, node, kPower, parse_power);
}

std::optional<std::uint64_t> read_cycles(State& state, Node& node, Range range) {
  return read(state, node, kCycles, [&](const std::string& text) { return parse_cycles(text, range); });
}

std::optional<std::string> read_choice(State& state, Node& node, const std::vector<std::string>& known) {
  return read(state, node, fmt::format("one of {}", fmt::join(known, ", ")),
              [&](const std::string& text) { return parse_choice(text, known); });
}

}  // namespace heddle::config::detail
