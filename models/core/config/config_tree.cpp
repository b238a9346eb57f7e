#include "models/core/config/config_tree.h"

#include <fmt/format.h>

#include <algorithm>
#include <tuple>
#include <unordered_set>

#include "models/core/config/config_units.h"

namespace heddle::config::detail {
namespace {

constexpr std::size_t kMostProblems = 1000;  // bounds the messages of a hostile file
constexpr std::size_t kMostShownAssignment = 206;

}  // namespace

Node* Node::find(const std::string& name) const {
  const auto found = named.find(name);
  return found == named.end() ? nullptr : found->second;
}

std::string Node::path() const {
  if (parent == nullptr) return {};
  const std::string above = parent->path();
  if (!has_key) return fmt::format("{}[{}]", above, index);
  return above.empty() ? shown(key) : fmt::format("{}.{}", above, shown(key));
}

std::string Node::describe() const {
  switch (kind) {
    case Kind::kScalar:
      return fmt::format("{}'{}'", quoted ? "the quoted text " : "", shown(text));
    case Kind::kList:
      return "a list";
    case Kind::kSection:
      return "a section";
    case Kind::kNull:
    case Kind::kAbsent:
      break;
  }
  return "no value";
}

const Place& Node::report_place() const {
  const bool at_key = has_key && (kind == Kind::kSection || kind == Kind::kNull);
  return at_key ? key_place : place;
}

Node& State::add_node() {
  nodes.emplace_back();
  return nodes.back();
}

void State::add_problem(const Place& place, const std::string& path, const std::string& message) {
  if (problems.size() < kMostProblems) {
    problems.push_back({place, path, message});
  } else {
    ++more_problems;
  }
}

std::string State::place_text(const Place& place) const {
  const std::string& file = place.file == 0 ? name : bases[place.file - 1];
  if (place.override_number != 0) return shown(overrides[place.override_number - 1], kMostShownAssignment);
  if (is_implied && place.file == 0) return file;
  return fmt::format("{}:{}:{}", file, place.line, place.column);
}

std::vector<std::string> State::report(std::vector<Problem> more) const {
  std::size_t unnamed = more_problems;
  more.insert(more.begin(), problems.begin(), problems.end());
  std::stable_sort(more.begin(), more.end(), [](const Problem& a, const Problem& b) {
    return std::tie(a.place.override_number, a.place.file, a.place.line, a.place.column) <
           std::tie(b.place.override_number, b.place.file, b.place.line, b.place.column);
  });
  std::vector<std::string> lines;
  std::unordered_set<std::string> seen;
  for (const Problem& problem : more) {
    const bool has_path = !problem.path.empty() && (!is_implied || problem.place.override_number != 0);
    const std::string path = has_path ? problem.path + ": " : std::string{};
    std::string line = fmt::format("{}: {}{}", place_text(problem.place), path, problem.message);
    if (!seen.insert(line).second) continue;
    if (lines.size() < kMostProblems) {
      lines.push_back(std::move(line));
    } else {
      ++unnamed;
    }
  }
  if (unnamed > 0) lines.push_back(fmt::format("{}: and {} more problems", name, unnamed));
  return lines;
}

void attach(Node& parent, Node& child) {
  child.parent = &parent;
  child.index = parent.children.size();
  parent.children.push_back(&child);
  if (child.has_key) parent.named.emplace(child.key, &child);
}

}  // namespace heddle::config::detail
