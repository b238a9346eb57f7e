#pragma once
// These functions read a node's value as a type. A wrong value is recorded as a problem in the state, and the
// function returns none. Only the reader itself uses them.

#include <optional>

#include "models/core/config/config_tree.h"

namespace heddle::config::detail {

void record(State& state, const Node& node, const std::string& message);

// Records that the value has the wrong type. Nothing is recorded for an absent value, which has a problem
// already.
void record_mistyped(State& state, Node& node, std::string_view needed);

std::optional<std::string> read_text(State& state, Node& node);
std::optional<bool> read_boolean(State& state, Node& node);
std::optional<std::int64_t> read_integer(State& state, Node& node, Range range);
std::optional<double> read_real(State& state, Node& node, RealRange range);
std::optional<double> read_frequency(State& state, Node& node, RealRange range);
std::optional<std::uint64_t> read_time(State& state, Node& node, Range range);
std::optional<std::uint64_t> read_bytes(State& state, Node& node, Range range);
std::optional<double> read_bandwidth(State& state, Node& node, RealRange range);
std::optional<double> read_energy(State& state, Node& node);
std::optional<double> read_power(State& state, Node& node);
std::optional<std::uint64_t> read_cycles(State& state, Node& node, Range range);
std::optional<std::string> read_choice(State& state, Node& node, const std::vector<std::string>& known);

}  // namespace heddle::config::detail
