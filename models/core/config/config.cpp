#include "models/core/config/config.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <filesystem>
#include <fstream>
#include <system_error>

#include "models/core/config/config_tree.h"
#include "models/core/config/config_units.h"

namespace heddle::config {
namespace {

using detail::Node;
using detail::Parsed;
using detail::State;

void record(State& state, const Node& node, const std::string& message) {
  state.add_problem(node.report_place(), node.path(), message);
}

// Records a problem unless the value is absent, which is recorded already.
void record_mistyped(State& state, Node& node, std::string_view needed) {
  if (node.kind == Node::Kind::kAbsent) return;
  node.faulted = true;
  record(state, node, fmt::format("needs {}, has {}", needed, node.describe()));
}

// Returns the value of a scalar's text, which one of the detail::parse_ functions converts.
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

// Reads a scalar that may not be quoted.
template <typename Parse>
auto read_plain(State& state, Node& node, std::string_view needed, Parse parse)
    -> std::optional<decltype(parse(node.text).value)> {
  if (!node.quoted) return read(state, node, needed, parse);
  record_mistyped(state, node, needed);
  return std::nullopt;
}

std::optional<std::string> read_text(State& state, Node& node) {
  return read(state, node, detail::kText, [](const std::string& text) {
    return Parsed<std::string>{text, {}};
  });
}

std::optional<bool> read_boolean(State& state, Node& node) {
  return read_plain(state, node, detail::kBoolean, detail::parse_boolean);
}

std::optional<std::int64_t> read_integer(State& state, Node& node, Range range) {
  return read_plain(state, node, detail::kInteger,
                    [&](const std::string& text) { return detail::parse_integer(text, range); });
}

std::optional<double> read_real(State& state, Node& node, RealRange range) {
  return read_plain(state, node, detail::kReal,
                    [&](const std::string& text) { return detail::parse_real(text, range); });
}

std::optional<double> read_frequency(State& state, Node& node) {
  return read(state, node, detail::kFrequency, detail::parse_frequency);
}

std::optional<std::uint64_t> read_time(State& state, Node& node) {
  return read(state, node, detail::kTime, detail::parse_time);
}

std::optional<std::uint64_t> read_bytes(State& state, Node& node) {
  return read(state, node, detail::kSize, detail::parse_bytes);
}

std::optional<double> read_bandwidth(State& state, Node& node) {
  return read(state, node, detail::kBandwidth, detail::parse_bandwidth);
}

std::optional<std::uint64_t> read_cycles(State& state, Node& node, Range range) {
  return read(state, node, detail::kCycles,
              [&](const std::string& text) { return detail::parse_cycles(text, range); });
}

std::optional<std::string> read_choice(State& state, Node& node, const std::vector<std::string>& known) {
  return read(state, node, fmt::format("one of {}", fmt::join(known, ", ")),
              [&](const std::string& text) { return detail::parse_choice(text, known); });
}

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

// Does the same as ask(), but a missing key is a problem and gives an absent node. A value that is no section
// has a problem of its own, so its missing keys are no further problems.
Node& require(State& state, Node& section, const std::string& key) {
  if (Node* child = ask(section, key)) return *child;
  Node& absent = state.add_node();
  absent.kind = Node::Kind::kAbsent;
  absent.place = section.report_place();
  absent.parent = &section;
  absent.has_key = true;
  absent.key = key;
  if (section.kind == Node::Kind::kSection) record(state, absent, "missing key");
  return absent;
}

// Returns the value of an optional key, or the fallback if the value is absent or wrong.
template <typename T, typename Read>
T read_or(Node& section, const std::string& key, T fallback, Read read_node) {
  Node* child = ask(section, key);
  if (child == nullptr) return fallback;
  return read_node(*child).value_or(std::move(fallback));
}

// Finds keys that no getter asked for, and sections that were asked for but never read.
void find_unread(const Node& node, std::vector<detail::Problem>& problems) {
  if (node.faulted && !node.visited) return;
  if (node.kind == Node::Kind::kSection && !node.visited) {
    if (node.children.empty()) return;
    problems.push_back({node.report_place(), node.path(), "unused section; nothing reads it here"});
    return;
  }
  for (const Node* child : node.children) {
    if (child->has_key && !child->asked) {
      const std::string message = "unknown key" + detail::suggestion(child->key, node.known);
      problems.push_back({child->key_place, child->path(), message});
    } else {
      find_unread(*child, problems);
    }
  }
}

[[noreturn]] void fail_to_read(const std::string& file, const std::string& reason) {
  throw Error({fmt::format("{}: cannot be read: {}", file, reason)});
}

std::string read_file(const std::string& file) {
  std::error_code ignored;
  if (std::filesystem::is_directory(file, ignored)) fail_to_read(file, "it is a directory");
  errno = 0;
  std::ifstream input(file, std::ios::binary);
  if (!input) fail_to_read(file, std::generic_category().message(errno));
  std::string text;
  std::array<char, 65536> chunk;
  while (input && text.size() <= detail::kMostBytes) {  // a file that is too large is not read to its end
    input.read(chunk.data(), chunk.size());
    text.append(chunk.data(), static_cast<std::size_t>(input.gcount()));
  }
  if (input.bad()) fail_to_read(file, "an error while reading");
  return text;
}

}  // namespace

Error::Error(std::vector<std::string> problems)
    : std::runtime_error(fmt::format("{}", fmt::join(problems, "\n"))), problems_(std::move(problems)) {}

Value::Value(std::shared_ptr<detail::State> state, detail::Node* node)
    : state_(std::move(state)), node_(node) {}

bool Value::is_scalar() const {
  return node_->kind == Node::Kind::kScalar;
}
bool Value::is_list() const {
  return node_->kind == Node::Kind::kList;
}
bool Value::is_section() const {
  return node_->kind == Node::Kind::kSection;
}

std::string Value::text() const {
  return read_text(*state_, *node_).value_or("");
}
bool Value::boolean() const {
  return read_boolean(*state_, *node_).value_or(false);
}
std::int64_t Value::integer(Range range) const {
  return read_integer(*state_, *node_, range).value_or(0);
}
double Value::real(RealRange range) const {
  return read_real(*state_, *node_, range).value_or(0);
}
double Value::frequency_hz() const {
  return read_frequency(*state_, *node_).value_or(0);
}
std::uint64_t Value::time_ps() const {
  return read_time(*state_, *node_).value_or(0);
}
std::uint64_t Value::bytes() const {
  return read_bytes(*state_, *node_).value_or(0);
}
double Value::bytes_per_second() const {
  return read_bandwidth(*state_, *node_).value_or(0);
}
std::uint64_t Value::cycles(Range range) const {
  return read_cycles(*state_, *node_, range).value_or(0);
}

std::string Value::choice(const std::vector<std::string>& known) const {
  return read_choice(*state_, *node_, known).value_or("");
}

Section Value::section() const {
  if (is_section()) {
    node_->visited = true;
  } else {
    record_mistyped(*state_, *node_, "a section");
  }
  return Section(state_, node_);
}

std::vector<Value> Value::list() const {
  if (!is_list()) {
    record_mistyped(*state_, *node_, "a list");
    return {};
  }
  std::vector<Value> values;
  for (Node* child : node_->children) values.push_back(Value(state_, child));
  return values;
}

std::string Value::place() const {
  return state_->place_text(node_->report_place());
}
std::string Value::path() const {
  return node_->path();
}
void Value::problem(const std::string& message) const {
  record(*state_, *node_, message);
}

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

Value Section::value(const std::string& key) const {
  return Value(state_, &require(*state_, *node_, key));
}

std::optional<Value> Section::optional(const std::string& key) const {
  Node* child = ask(*node_, key);
  return child == nullptr ? std::nullopt : std::optional<Value>(Value(state_, child));
}

std::string Section::text(const std::string& key) const {
  return value(key).text();
}

std::string Section::text(const std::string& key, const std::string& fallback) const {
  return read_or(*node_, key, fallback, [&](Node& node) { return read_text(*state_, node); });
}

bool Section::boolean(const std::string& key, bool fallback) const {
  return read_or(*node_, key, fallback, [&](Node& node) { return read_boolean(*state_, node); });
}

std::int64_t Section::integer(const std::string& key, Range range) const {
  return value(key).integer(range);
}

std::int64_t Section::integer(const std::string& key, Range range, std::int64_t fallback) const {
  return read_or(*node_, key, fallback, [&](Node& node) { return read_integer(*state_, node, range); });
}

double Section::real(const std::string& key, RealRange range, double fallback) const {
  return read_or(*node_, key, fallback, [&](Node& node) { return read_real(*state_, node, range); });
}

double Section::frequency_hz(const std::string& key) const {
  return value(key).frequency_hz();
}

std::uint64_t Section::time_ps(const std::string& key) const {
  return value(key).time_ps();
}

std::uint64_t Section::time_ps(const std::string& key, std::uint64_t fallback) const {
  return read_or(*node_, key, fallback, [&](Node& node) { return read_time(*state_, node); });
}

std::uint64_t Section::bytes(const std::string& key) const {
  return value(key).bytes();
}

std::uint64_t Section::bytes(const std::string& key, std::uint64_t fallback) const {
  return read_or(*node_, key, fallback, [&](Node& node) { return read_bytes(*state_, node); });
}

double Section::bytes_per_second(const std::string& key) const {
  return value(key).bytes_per_second();
}

std::uint64_t Section::cycles(const std::string& key, Range range) const {
  return value(key).cycles(range);
}

std::uint64_t Section::cycles(const std::string& key, Range range, std::uint64_t fallback) const {
  return read_or(*node_, key, fallback, [&](Node& node) { return read_cycles(*state_, node, range); });
}

std::string Section::choice(const std::string& key, const std::vector<std::string>& known) const {
  return value(key).choice(known);
}

std::string Section::choice(const std::string& key, const std::vector<std::string>& known,
                            const std::string& fallback) const {
  return read_or(*node_, key, fallback, [&](Node& node) { return read_choice(*state_, node, known); });
}

Section Section::section(const std::string& key) const {
  return value(key).section();
}

std::vector<Value> Section::list(const std::string& key) const {
  const std::optional<Value> found = optional(key);
  return found ? found->list() : std::vector<Value>{};
}

std::string Section::place() const {
  return state_->place_text(node_->report_place());
}
std::string Section::path() const {
  return node_->path();
}
void Section::problem(const std::string& message) const {
  record(*state_, *node_, message);
}

Document::Document(std::shared_ptr<detail::State> state) : state_(std::move(state)) {}

Document Document::load(const std::string& file) {
  return parse(read_file(file), file);
}

Document Document::parse(const std::string& text, const std::string& name) {
  return Document(detail::parse_document(text, name));
}

Section Document::root() const {
  Node& root = *state_->root;
  if (root.kind == Node::Kind::kSection) {
    root.visited = true;
  } else {
    record(*state_, root, fmt::format("the document must be keys and values, has {}", root.describe()));
  }
  return Section(state_, &root);
}

void Document::finish() const {
  std::vector<detail::Problem> unread;
  Node& root = *state_->root;
  if (root.kind == Node::Kind::kSection) root.visited = true;
  find_unread(root, unread);
  std::vector<std::string> problems = state_->report(std::move(unread));
  if (!problems.empty()) throw Error(std::move(problems));
}

std::string Document::name() const {
  return state_->name;
}

}  // namespace heddle::config
