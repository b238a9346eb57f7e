// This file loads documents that derive from a base, and keeps the place of each value.

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <functional>

#include "models/core/config/config.h"
#include "models/core/config/config_read.h"
#include "models/core/config/config_tree.h"
#include "models/core/config/data_path.h"

namespace heddle::config {
namespace {

using detail::Node;
using detail::Place;
using detail::State;

constexpr const char* kBase = "base";
constexpr const char* kName = "name";
constexpr const char* kNone = "none";

void number_children(Node& node) {
  for (std::size_t i = 0; i < node.children.size(); ++i) node.children[i]->index = i;
}

void remove_key(Node& section, const std::string& key) {
  Node* const child = section.find(key);
  if (child == nullptr) return;
  section.children.erase(section.children.begin() + static_cast<std::ptrdiff_t>(child->index));
  section.named.erase(key);
  number_children(section);
}

// Returns whether the section takes nothing from a base, and removes the key that says so.
bool stands_alone(Node& section) {
  const Node* const base = section.find(kBase);
  if (base == nullptr || base->kind != Node::Kind::kScalar || base->text != kNone) return false;
  remove_key(section, kBase);
  return true;
}

// Returns whether both sections have a `name`, and another one: what stands beside it, such as the parameters
// of a policy, belongs to that name.
bool has_another_name(const Node& own, const Node& base) {
  const Node* const mine = own.find(kName);
  const Node* const theirs = base.find(kName);
  return mine != nullptr && theirs != nullptr && mine->kind == Node::Kind::kScalar &&
         theirs->kind == Node::Kind::kScalar && mine->text != theirs->text;
}

// A Graft merges the values of a base into another document.
class Graft {
 public:
  // The files of the base are appended to the files of `state`.
  Graft(State& state, const State& base)
      : state_(state), files_(static_cast<std::uint32_t>(state.bases.size()) + 1) {
    state.bases.push_back(base.name);
    state.bases.insert(state.bases.end(), base.bases.begin(), base.bases.end());
    for (const detail::Problem& problem : base.problems)
      state.add_problem(moved(problem.place), problem.path, problem.message);
  }

  // The keys `kept_back` are never taken from the base. A key that both documents have keeps its position in
  // the base.
  void merge(Node& own, const Node& base, const std::vector<std::string>& kept_back = {}) {
    std::vector<Node*> merged;
    for (const Node* from : base.children) {
      Node* mine = own.find(from->key);
      if (mine == nullptr && std::find(kept_back.begin(), kept_back.end(), from->key) != kept_back.end())
        continue;
      if (mine == nullptr)
        mine = &copy(own, *from);
      else if (mine->kind == Node::Kind::kSection && from->kind == Node::Kind::kSection &&
               !stands_alone(*mine) && !has_another_name(*mine, *from))
        merge(*mine, *from);
      merged.push_back(mine);
    }
    auto behind = merged.end();
    for (Node* mine : own.children) {
      const auto at = std::find(merged.begin(), merged.end(), mine);
      behind = at == merged.end() ? merged.insert(behind, mine) + 1 : at + 1;
    }
    own.children = std::move(merged);
    for (Node* child : own.children) own.named[child->key] = child;
    number_children(own);
  }

 private:
  Place moved(Place place) const {
    place.file += files_;
    return place;
  }

  Node& copy(Node& parent, const Node& from) {
    Node& node = state_.add_node();
    node.kind = from.kind;
    node.quoted = from.quoted;
    node.has_key = from.has_key;
    node.place = moved(from.place);
    node.key_place = moved(from.key_place);
    node.parent = &parent;
    node.index = from.index;
    node.key = from.key;
    node.text = from.text;
    for (const Node* child : from.children) {
      node.children.push_back(&copy(node, *child));
      if (child->has_key) node.named[child->key] = node.children.back();
    }
    return node;
  }

  State& state_;
  std::uint32_t files_;
};

std::string canonical(const std::string& file) {
  std::error_code ignored;
  return std::filesystem::weakly_canonical(file, ignored).string();
}

// Returns the file that the value of `base` names.
std::string base_file(const Value& value, const std::string& folder, const std::string& file,
                      const std::vector<std::string>& chain) {
  std::string found;
  try {
    if (!value.is_scalar()) throw Error({"needs a name or a file"});
    found = std::filesystem::path(find_data(folder, value.text(), file)).lexically_normal().string();
  } catch (const Error& error) {
    throw Error({fmt::format("{}: {}: {}", value.place(), value.path(), error.what())});
  }
  if (std::find(chain.begin(), chain.end(), canonical(found)) != chain.end())
    throw Error({fmt::format("{}: {}: '{}' is derived from this file: the bases lead in a circle",
                             value.place(), value.path(), value.text())});
  return found;
}

}  // namespace

Document Document::load_derived(const std::string& file, const std::string& folder,
                                const std::vector<std::string>& own) {
  return load_chain(file, folder, own, {});
}

Document Document::load_chain(const std::string& file, const std::string& folder,
                              const std::vector<std::string>& own, std::vector<std::string> chain) {
  Document document = load(file);
  Node& root = *document.state_->root;
  if (root.kind != Node::Kind::kSection) return document;
  const std::optional<Value> value = document.root().optional(kBase);
  if (!value) return document;
  chain.push_back(canonical(file));
  Document base = load_chain(base_file(*value, folder, file, chain), folder, own, chain);
  if (base.state_->root->kind != Node::Kind::kSection) {
    base.root();  // records the problem
    base.finish();
  }
  remove_key(root, kBase);
  Graft(*document.state_, *base.state_).merge(root, *base.state_->root, own);
  return document;
}

void Document::include(const std::string& key, const std::string& folder) {
  State& state = *state_;
  Node* const own = state.root->find(key);
  if (own == nullptr) return;
  const bool is_section = own->kind == Node::Kind::kSection;
  Node* const named = is_section ? own->find(kBase) : own;
  if (named == nullptr || named->kind != Node::Kind::kScalar) return;
  if (!is_section && named->text == kNone) return;  // the text names no file
  const std::string& beside = named->place.file == 0 ? state.name : state.bases[named->place.file - 1];
  const Document content = load_chain(base_file(Value(state_, named), folder, beside, {}), folder, {}, {});
  Node& from = *content.state_->root;
  if (from.kind != Node::Kind::kSection) {
    content.root();  // records the problem
    content.finish();
  }
  if (!is_section) {  // an empty section takes the place of the name
    own->kind = Node::Kind::kSection;
    own->text.clear();
    own->quoted = false;
  } else {
    remove_key(*own, kBase);
  }
  Graft(state, *content.state_).merge(*own, from);
}

std::vector<Document::Entry> Document::entries() const {
  std::vector<Entry> entries;
  const std::function<void(Node&)> add = [&](Node& node) {
    if (node.kind == Node::Kind::kSection) {
      for (Node* child : node.children) add(*child);
    } else if (node.kind == Node::Kind::kScalar || node.kind == Node::Kind::kList) {
      const Value value(state_, &node);
      entries.push_back({value.path(), value.assigned(), value.place()});
    }
  };
  add(*state_->root);
  return entries;
}

}  // namespace heddle::config
