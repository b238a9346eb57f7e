#pragma once
// A config::Document holds a tree of values with their places, and the problems found so far. These types are
// internal to the reader; config.h is its interface.

#include <cstddef>
#include <cstdint>
#include <deque>
#include <memory>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "models/core/config/config.h"

namespace heddle::config::detail {

inline constexpr std::size_t kMostBytes = std::size_t{128} << 20U;
inline constexpr std::size_t kMostLevels = 64;
inline constexpr std::size_t kMostValues = std::size_t{1} << 22U;

struct Place {
  std::uint32_t override_number = 0;  // 0: the file; n: the n-th assignment of set()
  int line = 0;                       // from 1
  int column = 0;                     // from 1, in bytes
  std::uint32_t file = 0;             // 0: the document's; n: the n-th of State::bases
};

struct Node {
  // kAbsent is a required key that the file lacks: it reads as zero without a further problem.
  enum class Kind : std::uint8_t { kNull, kScalar, kList, kSection, kAbsent };

  Kind kind = Kind::kNull;
  bool quoted = false;   // a scalar in quotes, which is always a text
  bool has_key = false;  // its parent is a section, not a list; false for the root
  bool asked = false;    // a getter named its key
  bool visited = false;  // was handed out as a Section
  bool faulted =
      false;  // a problem with the whole value is recorded, so that its contents give no second one
  Place place;
  Place key_place;
  Node* parent = nullptr;
  std::size_t index = 0;  // in the parent's list
  std::string key;
  std::string text;                              // of a scalar
  std::vector<Node*> children;                   // of a list or a section, in file order
  std::unordered_map<std::string, Node*> named;  // of a section: its children by key
  std::vector<std::string> known;                // of a section: the keys asked for, first asked first

  Node* find(const std::string& name) const;
  std::string path() const;
  std::string describe() const;  // "'8'", "a list", "no value", ... for messages
  // Returns the place for a message: the key of a section or of an empty value, else the value itself.
  const Place& report_place() const;
};

struct Problem {
  Place place;
  std::string path;
  std::string message;
};

struct State {
  std::string name;
  std::vector<std::string> bases;  // the files this one derives from, nearest first
  std::deque<Node> nodes;          // never shrinks: a node that set() replaces stays valid for its Values
  Node* root = nullptr;
  std::vector<std::string> overrides;  // options of the command line, as given
  bool is_implied = false;             // no file holds the document
  std::vector<Problem> problems;
  std::vector<KeyDescription> described;
  std::size_t more_problems = 0;  // beyond the limit of recorded ones

  Node& add_node();
  void add_problem(const Place& place, const std::string& path, const std::string& message);
  std::string place_text(const Place& place) const;
  // Returns all recorded problems and `more`, sorted by place, one line each, without duplicates.
  std::vector<std::string> report(std::vector<Problem> more = {}) const;
};

// Appends a new child to its parent, under its key if it has one.
void attach(Node& parent, Node& child);

// Reads one document into new nodes of `state` and returns its root, which is at `level`, from 1. Duplicate
// keys are recorded as problems. A malformed text (not YAML, not UTF-8, too large, too deep, more than one
// document, an anchor, an alias, a tag, a merge key, a key that is no text) throws an Error with all recorded
// problems.
Node& parse_yaml(State& state, std::string text, std::uint32_t override_number, std::size_t level);

// Does the same for the text of one plain scalar.
Node& parse_plain(State& state, const std::string& text, std::uint32_t override_number);

// Returns the state of a document that parse_yaml() has parsed, which the caller may change. Several threads
// may call it.
std::shared_ptr<State> parse_document(const std::string& text, const std::string& name);

}  // namespace heddle::config::detail
