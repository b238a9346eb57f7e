// This file implements Document::set, the command line's overrides, and Document::to_yaml, the resulting
// document.

#include <fmt/format.h>
#include <yaml-cpp/emitter.h>
#include <yaml-cpp/emittermanip.h>
#include <yaml-cpp/null.h>

#include <algorithm>
#include <charconv>
#include <optional>

#include "models/core/config/config_tree.h"
#include "models/core/config/config_units.h"

namespace heddle::config {
namespace {

using detail::Node;
using detail::State;

struct Step {
  std::string key;  // key of a section; unused if `index` has a value
  std::optional<std::size_t> index;
};

[[noreturn]] void fail(const State& state, const std::string& message) {
  detail::Place place;
  place.override_number = static_cast<std::uint32_t>(state.overrides.size());
  throw Error({fmt::format("{}: {}", state.place_text(place), message)});
}

// Removes an index such as "[3]" from the front of the path and returns it.
Step take_index(const State& state, std::string_view& rest) {
  std::size_t index = 0;
  const char* const end = rest.data() + rest.size();
  const auto result = std::from_chars(rest.data() + 1, end, index);
  if (result.ec != std::errc{} || result.ptr == end || *result.ptr != ']') {
    fail(state, "a list entry is written [0], [1], ...");
  }
  rest.remove_prefix(static_cast<std::size_t>(result.ptr + 1 - rest.data()));
  return {{}, index};
}

// The grammar of a path is: key { "[" index "]" } { "." key { "[" index "]" } }
std::vector<Step> parse_path(const State& state, std::string_view path) {
  std::vector<Step> steps;
  std::string_view rest = path;
  do {
    const std::string_view key = rest.substr(0, rest.find_first_of(".["));
    if (key.empty()) fail(state, "a key is missing in the path");
    steps.push_back({std::string(key), std::nullopt});
    rest.remove_prefix(key.size());
    while (!rest.empty() && rest.front() == '[') steps.push_back(take_index(state, rest));
    if (rest.empty()) break;
    if (rest.front() != '.') fail(state, "a list entry is followed by '.', '[' or '='");
    rest.remove_prefix(1);
  } while (true);
  if (steps.size() > detail::kMostLevels) {
    fail(state, fmt::format("nested deeper than {} levels", detail::kMostLevels));
  }
  return steps;
}

std::string_view trim(std::string_view text) {
  const std::size_t first = text.find_first_not_of(" \t");
  if (first == std::string_view::npos) return {};
  return text.substr(first, text.find_last_not_of(" \t") - first + 1);
}

Node& parse_value(State& state, std::string_view text, std::size_t level) {
  const auto number = static_cast<std::uint32_t>(state.overrides.size());
  if (text.empty()) fail(state, "no value after '='");
  if (text.front() == '{') fail(state, "a section cannot be set at once; set its keys one by one");
  const bool is_yaml = text.front() == '[' || text.front() == '"' || text.front() == '\'';
  if (!is_yaml) return detail::parse_plain(state, std::string(text), number);
  Node& node = detail::parse_yaml(state, std::string(text), number, level);
  if (node.kind == Node::Kind::kSection) fail(state, "a value is a scalar or a list [x, y]");
  return node;
}

// Returns the child that a step leads to, or null if a section lacks it.
Node* follow(const State& state, const Node& at, const Step& step) {
  const std::string path = at.parent == nullptr ? "the document" : "'" + at.path() + "'";
  if (step.index) {
    if (at.kind != Node::Kind::kList) fail(state, fmt::format("{} is {}, not a list", path, at.describe()));
    if (*step.index < at.children.size()) return at.children[*step.index];
    fail(state, fmt::format("{} has {} entries, no [{}]", path, at.children.size(), *step.index));
  }
  if (at.kind != Node::Kind::kSection)
    fail(state, fmt::format("{} is {}, not a section", path, at.describe()));
  return at.find(step.key);
}

void replace(Node& old, Node& value) {
  Node& parent = *old.parent;
  value.parent = &parent;
  value.index = old.index;
  value.has_key = old.has_key;
  value.key = old.key;
  value.asked = old.asked;
  value.key_place = value.place;
  parent.children[old.index] = &value;
  if (value.has_key) parent.named[value.key] = &value;
}

void add_child(Node& parent, Node& child, const std::string& key) {
  child.has_key = true;
  child.key = key;
  child.key_place = child.place;
  child.asked = std::find(parent.known.begin(), parent.known.end(), key) != parent.known.end();
  attach(parent, child);
}

// Assigns a value. All checks come before the first change, so a set() that fails changes nothing.
void assign(State& state, const std::vector<Step>& steps, Node& value) {
  Node* at = state.root;
  std::size_t taken = 0;
  while (taken < steps.size()) {
    Node* next = follow(state, *at, steps[taken]);
    if (next == nullptr) break;
    at = next;
    ++taken;
  }
  if (taken == steps.size()) {
    replace(*at, value);
    return;
  }
  for (std::size_t i = taken; i < steps.size(); ++i) {
    if (steps[i].index)
      fail(state, fmt::format("'{}' is no list of the document", detail::shown(steps[i - 1].key)));
  }
  for (; taken + 1 < steps.size(); ++taken) {
    Node& section = state.add_node();
    section.kind = Node::Kind::kSection;
    section.place = value.place;
    add_child(*at, section, steps[taken].key);
    at = &section;
  }
  add_child(*at, value, steps.back().key);
}

// Returns whether the key needs no quotes. A key that a YAML reader could take for anything but text is
// quoted.
bool is_plain_key(const std::string& key) {
  const auto is_plain = [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_';
  };
  return !YAML::IsNullString(key) && std::all_of(key.begin(), key.end(), is_plain);
}

void emit(YAML::Emitter& out, const Node& node) {
  switch (node.kind) {
    case Node::Kind::kScalar:
      if (node.quoted) out << YAML::DoubleQuoted;
      out << node.text;
      break;
    case Node::Kind::kList:
      out << YAML::BeginSeq;
      for (const Node* child : node.children) emit(out, *child);
      out << YAML::EndSeq;
      break;
    case Node::Kind::kSection:
      out << YAML::BeginMap;
      for (const Node* child : node.children) {
        out << YAML::Key;
        if (!is_plain_key(child->key)) out << YAML::DoubleQuoted;
        out << child->key << YAML::Value;
        emit(out, *child);
      }
      out << YAML::EndMap;
      break;
    case Node::Kind::kNull:
    case Node::Kind::kAbsent:
      out << YAML::Null;
      break;
  }
}

std::string emitted(const Node& node) {
  YAML::Emitter out;
  emit(out, node);
  return {out.c_str(), out.size()};
}

// A BlockWriter writes what most documents are made of, sections and lists of scalars, as the emitter does.
// The emitter looks at each character with many regular expressions, which would take most of the time of a
// document.
class BlockWriter {
 public:
  // Returns nothing if the document has something else.
  std::optional<std::string> document(const Node& root) && {
    if (root.kind != Node::Kind::kSection || root.children.empty()) return std::nullopt;
    if (!write_section(root, 0)) return std::nullopt;
    return std::move(text_);
  }

 private:
  static constexpr std::size_t kMostText = 1000;  // the emitter writes longer keys and texts in another way
  static constexpr std::size_t kIndent = 2;

  bool write_section(const Node& section, std::size_t indent) {
    return std::all_of(section.children.begin(), section.children.end(), [&](const Node* child) {
      if (child->key.size() > kMostText || !is_plain_key(child->key)) return false;
      text_.append(indent, ' ').append(child->key).append(1, ':');
      return write_value(*child, indent + kIndent);
    });
  }

  // Writes what stands behind a key. Sections and lists, empty ones too, begin in a line of their own.
  bool write_value(const Node& value, std::size_t indent) {
    const bool is_section = value.kind == Node::Kind::kSection;
    if (!is_section && value.kind != Node::Kind::kList) {
      text_ += ' ';
      return write_line(value);
    }
    text_ += '\n';
    if (value.children.empty())
      text_.append(indent, ' ').append(is_section ? "{}\n" : "[]\n");
    else
      return is_section ? write_section(value, indent) : write_list(value, indent);
    return true;
  }

  bool write_list(const Node& list, std::size_t indent) {
    return std::all_of(list.children.begin(), list.children.end(), [&](const Node* child) {
      text_.append(indent, ' ').append("- ");
      return child->kind == Node::Kind::kScalar && write_line(*child);
    });
  }

  bool write_line(const Node& node) {
    if (node.text.size() > kMostText) return false;
    const bool is_scalar = node.kind == Node::Kind::kScalar;
    if (is_scalar && !node.quoted && is_plain_text(node.text))
      text_ += node.text;
    else if (is_scalar && node.quoted && needs_no_escape(node.text))
      text_.append(1, '"').append(node.text).append(1, '"');
    else
      text_ += emitted(node);
    text_ += '\n';
    return true;
  }

  static bool needs_no_escape(const std::string& text) {
    return std::all_of(text.begin(), text.end(),
                       [](char c) { return c >= ' ' && c <= '~' && c != '"' && c != '\\'; });
  }

  // Returns whether the text needs no quotes, by the first look.
  static bool is_plain_text(const std::string& text) {
    const auto is_letter_or_digit = [](char c) {
      return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9');
    };
    const auto is_plain = [&](char c) {
      return is_letter_or_digit(c) || std::string_view("_.-/, ").find(c) != std::string_view::npos;
    };
    return !text.empty() && text.size() <= kMostText && is_letter_or_digit(text.front()) &&
           text.back() != ' ' && std::all_of(text.begin(), text.end(), is_plain) && !YAML::IsNullString(text);
  }

  std::string text_;
};

bool has_section(const Node& node) {
  return node.kind == Node::Kind::kSection ||
         std::any_of(node.children.begin(), node.children.end(),
                     [](const Node* child) { return has_section(*child); });
}

}  // namespace

std::string Value::assigned() const {
  const bool empty = node_->kind == Node::Kind::kNull || node_->kind == Node::Kind::kAbsent;
  if (empty || has_section(*node_)) {
    node_->faulted = true;
    problem(fmt::format("needs a value or a list [x, y], has {}", node_->describe()));
    return "";
  }
  if (is_scalar() && !node_->quoted) return node_->text;
  YAML::Emitter out;
  out.SetSeqFormat(YAML::Flow);
  emit(out, *node_);
  std::string text(out.c_str(), out.size());
  // The emitter breaks a long list into several lines. An assignment must be one line.
  for (std::size_t at = 0; (at = text.find('\n', at)) != std::string::npos;) {
    const std::size_t next = text.find_first_not_of(" \n", at);
    text.replace(at, next - at, " ");
  }
  return text;
}

void Document::set(const std::string& assignment, const std::string& option) {
  State& state = *state_;
  state.overrides.push_back(option.empty() ? "--set " + assignment : option);
  const std::size_t equals = assignment.find('=');
  if (equals == std::string::npos) fail(state, "must be written key=value");
  if (assignment.find_first_of("\r\n") != std::string::npos) fail(state, "must be one line");
  const std::string_view text = assignment;
  const std::vector<Step> steps = parse_path(state, text.substr(0, equals));
  Node& value = parse_value(state, trim(text.substr(equals + 1)), steps.size() + 1);
  assign(state, steps, value);
}

void Document::set_text(const std::string& path, const std::string& text, const std::string& option) {
  State& state = *state_;
  state.overrides.push_back(option.empty() ? fmt::format("--set {}={}", path, text) : option);
  const std::vector<Step> steps = parse_path(state, path);
  Node& value = detail::parse_plain(state, text, static_cast<std::uint32_t>(state.overrides.size()));
  value.kind = Node::Kind::kScalar;
  value.text = text;
  value.quoted = true;
  assign(state, steps, value);
}

std::string Document::to_yaml() const {
  if (std::optional<std::string> text = BlockWriter().document(*state_->root)) return std::move(*text);
  return emitted(*state_->root) + "\n";
}

}  // namespace heddle::config
