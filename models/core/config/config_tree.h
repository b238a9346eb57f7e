#pragma once
// What a config::Document holds: the tree of values with their places, and the problems found so far.
// Inside the reader only; the public face is config.h.

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

inline constexpr std::size_t kMostBytes = std::size_t{16} << 20U;
inline constexpr std::size_t kMostLevels = 64;
inline constexpr std::size_t kMostValues = std::size_t{1} << 20U;

struct Place {
  std::uint32_t override_number = 0;  // 0: the file; n: the n-th assignment of set()
  int line = 0;                       // from 1
  int column = 0;                     // from 1, in bytes
  std::uint32_t file = 0;             // 0: the document's; n: the n-th of State::bases
};

struct Node {
  // kAbsent stands for a required key that is not there: it reads as zero without a further problem.
  enum class Kind : std::uint8_t { kNull, kScalar, kList, kSection, kAbsent };

  Kind kind = Kind::kNull;
  bool quoted = false;   // a scalar that is text whatever it looks like
  bool has_key = false;  // stands in a section (else in a list, or is the root)
  bool asked = false;    // a getter named its key
  bool visited = false;  // was handed out as a Section
  bool faulted = false;  // a problem with the whole value is recorded: what it holds is no second one
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
  // Where a reader should look: the key of a section or an empty value, else the value itself.
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
  std::deque<Node> nodes;  // never shrinks: what set() replaces stays valid for the Values that hold it
  Node* root = nullptr;
  std::vector<std::string> overrides;  // the assignments, as given
  std::vector<Problem> problems;
  std::vector<KeyDescription> described;
  std::size_t more_problems = 0;  // past the most that are kept

  Node& add_node();
  void add_problem(const Place& place, const std::string& path, const std::string& message);
  std::string place_text(const Place& place) const;
  // Everything recorded and `more`, sorted by place, one line each, none twice.
  std::vector<std::string> report(std::vector<Problem> more = {}) const;
};

// Puts a new child at its parent's end, under its key if it has one.
void attach(Node& parent, Node& child);

// Reads one document into new nodes of `state` and gives its root; `level` is the root's, from 1. Duplicate
// keys are recorded as problems. Malformed (not YAML, not UTF-8, too large, too deep, more than one
// document, an anchor, an alias, a tag, a merge key, a key that is no text): throws Error with all recorded.
Node& parse_yaml(State& state, std::string text, std::uint32_t override_number, std::size_t level);

// As parse_yaml, for one scalar taken as it is: what a plain scalar of a file would be.
Node& parse_plain(State& state, const std::string& text, std::uint32_t override_number);

// A document of a name and text, parsed by parse_yaml(): whose state may be changed. Several threads may ask.
std::shared_ptr<State> parse_document(const std::string& text, const std::string& name);

}  // namespace heddle::config::detail
