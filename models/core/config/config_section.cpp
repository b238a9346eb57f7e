// This file implements the getters of a section and records the keys that they read.

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "models/core/config/config.h"
#include "models/core/config/config_read.h"
#include "models/core/config/config_units.h"

namespace heddle::config {
namespace {

using detail::Node;
using detail::State;

// Returns the child under a key, or null, and marks the key known.
Node* ask(Node& section, const std::string& key) {
  Node* child = section.find(key);
  const bool is_new = child != nullptr
                          ? !child->asked
                          : std::find(section.known.begin(), section.known.end(), key) == section.known.end();
  if (is_new) section.known.push_back(key);
  if (child != nullptr) child->asked = true;
  return child;
}

// Makes a node that stands for an absent key. It reads as zero.
Node& absent_child(State& state, Node& section, const std::string& key) {
  Node& absent = state.add_node();
  absent.kind = Node::Kind::kAbsent;
  absent.place = section.report_place();
  absent.parent = &section;
  absent.has_key = true;
  absent.key = key;
  return absent;
}

// Returns the child under a key and marks the key known. A missing key is a problem, and an absent node
// stands for it. Nothing is recorded if `section` is not a section, because that is a problem of its own.
Node& require(State& state, Node& section, const std::string& key) {
  if (Node* child = ask(section, key)) return *child;
  Node& absent = absent_child(state, section, key);
  if (section.kind == Node::Kind::kSection) detail::record(state, absent, "missing key");
  return absent;
}

// Returns the value of an optional key, or the fallback if the key is absent or its value wrong.
template <typename T, typename Read>
T read_or(Node& section, const std::string& key, T fallback, Read read_node) {
  Node* child = ask(section, key);
  if (child == nullptr) return fallback;
  return read_node(*child).value_or(std::move(fallback));
}

// Records the description of a key, if there is one, for Document::keys().
void note(State& state, const Node& section, const Key& key, const char* type, std::string_view unit,
          std::string fallback, std::string range = {}) {
  if (key.description.empty()) return;
  const std::string above = section.path();
  state.described.push_back({above.empty() ? key.name : above + "." + key.name, type,
                             key.unit.empty() ? std::string(unit) : key.unit, std::move(fallback),
                             std::move(range), key.description});
}

std::string plain(std::int64_t value) {
  return fmt::format("{}", value);
}
std::string plain_real(double value) {
  return fmt::format("{}", value);
}
std::string in_cycles(std::uint64_t value) {
  return fmt::format("{}cycles", value);
}

// Returns "1 .. 1024", "at least 1", or an empty text if every value is allowed.
template <typename T, typename Limits>
std::string span(const Limits& range, std::string (*text)(T)) {
  if (range.most != Limits{}.most)
    return detail::range_text(static_cast<T>(range.least), static_cast<T>(range.most), text);
  return range.least == Limits{}.least ? std::string{} : "at least " + text(static_cast<T>(range.least));
}

std::string joined(const std::vector<std::string>& known) {
  return fmt::format("{}", fmt::join(known, ", "));
}

}  // namespace

Section::Section(std::shared_ptr<detail::State> state, detail::Node* node)
    : state_(std::move(state)), node_(node) {}

bool Section::has(const std::string& key) const {
  return ask(*node_, key) != nullptr;
}

std::vector<std::string> Section::keys() const {
  std::vector<std::string> keys;
  if (node_->kind != Node::Kind::kSection) return keys;
  for (const Node* child : node_->children) keys.push_back(child->key);
  return keys;
}

Value Section::value(const Key& key, const char* type, const std::string& range) const {
  note(*state_, *node_, key, type, {}, kRequired, range);
  return Value(state_, &require(*state_, *node_, key.name));
}

std::optional<Value> Section::optional(const Key& key, const char* type, const std::string& fallback) const {
  note(*state_, *node_, key, type, {}, fallback);
  Node* child = ask(*node_, key.name);
  return child == nullptr ? std::nullopt : std::optional<Value>(Value(state_, child));
}

std::string Section::text(const Key& key) const {
  note(*state_, *node_, key, "text", "", kRequired);
  return detail::read_text(*state_, require(*state_, *node_, key.name)).value_or("");
}

std::string Section::text(const Key& key, const std::string& fallback) const {
  note(*state_, *node_, key, "text", "", fallback);
  return read_or(*node_, key.name, fallback, [&](Node& node) { return detail::read_text(*state_, node); });
}

bool Section::boolean(const Key& key) const {
  note(*state_, *node_, key, "on or off", "", kRequired);
  return detail::read_boolean(*state_, require(*state_, *node_, key.name)).value_or(false);
}

bool Section::boolean(const Key& key, bool fallback) const {
  note(*state_, *node_, key, "on or off", "", fallback ? "on" : "off");
  return read_or(*node_, key.name, fallback, [&](Node& node) { return detail::read_boolean(*state_, node); });
}

std::int64_t Section::integer(const Key& key, Range range) const {
  note(*state_, *node_, key, "integer", "", kRequired, span(range, plain));
  return detail::read_integer(*state_, require(*state_, *node_, key.name), range).value_or(0);
}

std::int64_t Section::integer(const Key& key, Range range, std::int64_t fallback) const {
  note(*state_, *node_, key, "integer", "", plain(fallback), span(range, plain));
  return read_or(*node_, key.name, fallback,
                 [&](Node& node) { return detail::read_integer(*state_, node, range); });
}

double Section::real(const Key& key, RealRange range, double fallback) const {
  note(*state_, *node_, key, "number", "", plain_real(fallback), span(range, plain_real));
  return read_or(*node_, key.name, fallback,
                 [&](Node& node) { return detail::read_real(*state_, node, range); });
}

double Section::frequency_hz(const Key& key, RealRange range) const {
  note(*state_, *node_, key, "frequency", "Hz", kRequired, span(range, detail::frequency_text));
  return detail::read_frequency(*state_, require(*state_, *node_, key.name), range).value_or(0);
}

std::uint64_t Section::time_ps(const Key& key, Range range) const {
  note(*state_, *node_, key, "time", "s", kRequired, span(range, detail::time_text));
  return detail::read_time(*state_, require(*state_, *node_, key.name), range).value_or(0);
}

std::uint64_t Section::time_ps(const Key& key, std::uint64_t fallback) const {
  note(*state_, *node_, key, "time", "s", detail::time_text(fallback));
  return read_or(*node_, key.name, fallback,
                 [&](Node& node) { return detail::read_time(*state_, node, {}); });
}

std::uint64_t Section::bytes(const Key& key, Range range) const {
  note(*state_, *node_, key, "size", "B", kRequired, span(range, detail::size_text));
  return detail::read_bytes(*state_, require(*state_, *node_, key.name), range).value_or(0);
}

std::uint64_t Section::bytes(const Key& key, std::uint64_t fallback) const {
  note(*state_, *node_, key, "size", "B", detail::size_text(fallback));
  return read_or(*node_, key.name, fallback,
                 [&](Node& node) { return detail::read_bytes(*state_, node, {}); });
}

double Section::bytes_per_second(const Key& key, RealRange range) const {
  note(*state_, *node_, key, "bandwidth", "B/s", kRequired, span(range, detail::bandwidth_text));
  return detail::read_bandwidth(*state_, require(*state_, *node_, key.name), range).value_or(0);
}

double Section::bytes_per_second(const Key& key, RealRange range, const std::string& derived) const {
  note(*state_, *node_, key, "bandwidth", "B/s", derived, span(range, detail::bandwidth_text));
  return read_or(*node_, key.name, 0.0,
                 [&](Node& node) { return detail::read_bandwidth(*state_, node, range); });
}

std::uint64_t Section::cycles(const Key& key, Range range) const {
  note(*state_, *node_, key, "cycles", "cycles", kRequired, span(range, in_cycles));
  return detail::read_cycles(*state_, require(*state_, *node_, key.name), range).value_or(0);
}

std::uint64_t Section::cycles(const Key& key, Range range, std::uint64_t fallback) const {
  note(*state_, *node_, key, "cycles", "cycles", in_cycles(fallback), span(range, in_cycles));
  return read_or(*node_, key.name, fallback,
                 [&](Node& node) { return detail::read_cycles(*state_, node, range); });
}

std::string Section::choice(const Key& key, const std::vector<std::string>& known) const {
  note(*state_, *node_, key, "one of", "", kRequired, joined(known));
  return detail::read_choice(*state_, require(*state_, *node_, key.name), known).value_or("");
}

std::string Section::choice(const Key& key, const std::vector<std::string>& known,
                            const std::string& fallback) const {
  note(*state_, *node_, key, "one of", "", fallback, joined(known));
  return read_or(*node_, key.name, fallback,
                 [&](Node& node) { return detail::read_choice(*state_, node, known); });
}

Section Section::section(const std::string& key) const {
  return value(key).section();
}

Section Section::optional_section(const std::string& key) const {
  if (Node* child = ask(*node_, key)) return Value(state_, child).section();
  return Section(state_, &absent_child(*state_, *node_, key));
}

std::vector<Value> Section::list(const Key& key) const {
  const std::optional<Value> found = optional(key, "list", "[]");
  return found ? found->list() : std::vector<Value>{};
}

std::string Section::place() const {
  return state_->place_text(node_->report_place());
}
std::string Section::path() const {
  return node_->path();
}
void Section::problem(const std::string& message) const {
  detail::record(*state_, *node_, message);
}

}  // namespace heddle::config
