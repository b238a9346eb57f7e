#include "models/core/config/config.h"

#include <fmt/format.h>

#include <algorithm>
#include <unordered_set>

#include "models/core/config/config_names.h"
#include "models/core/config/config_read.h"
#include "models/core/config/config_tree.h"
#include "models/core/config/config_units.h"
#include "models/core/config/input_file.h"

namespace heddle::config {
namespace {

using detail::Node;
using detail::State;

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
      const std::string message = "unknown key" + suggestion(child->key, node.known);
      problems.push_back({child->key_place, child->path(), message});
    } else {
      find_unread(*child, problems);
    }
  }
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
  return detail::read_text(*state_, *node_).value_or("");
}
bool Value::boolean() const {
  return detail::read_boolean(*state_, *node_).value_or(false);
}
std::int64_t Value::integer(Range range) const {
  return detail::read_integer(*state_, *node_, range).value_or(0);
}
double Value::real(RealRange range) const {
  return detail::read_real(*state_, *node_, range).value_or(0);
}
double Value::frequency_hz() const {
  return detail::read_frequency(*state_, *node_, {}).value_or(0);
}
std::uint64_t Value::time_ps() const {
  return detail::read_time(*state_, *node_, {}).value_or(0);
}
std::uint64_t Value::bytes() const {
  return detail::read_bytes(*state_, *node_, {}).value_or(0);
}
double Value::bytes_per_second() const {
  return detail::read_bandwidth(*state_, *node_, {}).value_or(0);
}
double Value::energy_fj() const {
  return detail::read_energy(*state_, *node_).value_or(0);
}
double Value::power_mw() const {
  return detail::read_power(*state_, *node_).value_or(0);
}
std::uint64_t Value::cycles(Range range) const {
  return detail::read_cycles(*state_, *node_, range).value_or(0);
}

std::string Value::choice(const std::vector<std::string>& known) const {
  return detail::read_choice(*state_, *node_, known).value_or("");
}

Section Value::section() const {
  if (is_section()) {
    node_->visited = true;
  } else {
    detail::record_mistyped(*state_, *node_, "a section");
  }
  return Section(state_, node_);
}

std::vector<Value> Value::list() const {
  if (!is_list()) {
    detail::record_mistyped(*state_, *node_, "a list");
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
  detail::record(*state_, *node_, message);
}

Document::Document(std::shared_ptr<detail::State> state) : state_(std::move(state)) {}

Document Document::load(const std::string& file) {
  return parse(read_file(file, detail::kMostBytes), file);
}

Document Document::parse(const std::string& text, const std::string& name) {
  return Document(detail::parse_document(text, name));
}

Document Document::implied(const std::string& text, const std::string& name) {
  Document document = parse(text, name);
  document.state_->is_implied = true;
  return document;
}

Section Document::root() const {
  Node& root = *state_->root;
  if (root.kind == Node::Kind::kSection) {
    root.visited = true;
  } else {
    detail::record(*state_, root,
                   fmt::format("the document must be keys and values, has {}", root.describe()));
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

std::vector<KeyDescription> Document::keys() const {
  std::vector<KeyDescription> keys;
  std::unordered_set<std::string> seen;
  for (const KeyDescription& key : state_->described)
    if (seen.insert(key.path).second) keys.push_back(key);
  return keys;
}

}  // namespace heddle::config
