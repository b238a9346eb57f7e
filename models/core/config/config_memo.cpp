// This memo parses each document once, because a campaign reads the documents of its points many times.

#include <memory>
#include <mutex>
#include <unordered_map>

#include "models/core/config/config_stored.h"
#include "models/core/config/config_tree.h"

namespace heddle::config::detail {

namespace {

constexpr std::size_t kMostDocuments = 256;
constexpr std::size_t kMostText = std::size_t{64} << 10U;  // bytes of one document

std::shared_ptr<State> copy_of(const State& state) {
  auto copy = std::make_shared<State>(state);
  std::unordered_map<const Node*, Node*> places{{nullptr, nullptr}};
  for (std::size_t i = 0; i < state.nodes.size(); ++i) places[&state.nodes[i]] = &copy->nodes[i];
  copy->root = places[state.root];
  for (Node& node : copy->nodes) {
    node.parent = places[node.parent];
    for (Node*& child : node.children) child = places[child];
    for (auto& [key, child] : node.named) child = places[child];
  }
  return copy;
}

std::shared_ptr<State> parsed(const std::string& text, const std::string& name) {
  auto state = std::make_shared<State>();
  state->name = name;
  state->root = &parse_yaml(*state, text, 0, 1);
  return state;
}

}  // namespace

std::shared_ptr<State> parse_document(const std::string& text, const std::string& name) {
  static std::mutex mutex;
  static std::unordered_map<std::string, std::shared_ptr<const State>> known;  // by name and text
  if (std::shared_ptr<State> stored = stored_documents().find(text)) {
    stored->name = name;
    return stored;
  }
  if (text.size() > kMostText) return parsed(text, name);
  const std::string key = name + '\0' + text;
  {
    const std::lock_guard<std::mutex> lock(mutex);
    if (const auto found = known.find(key); found != known.end()) return copy_of(*found->second);
  }
  std::shared_ptr<State> state = parsed(text, name);
  const std::lock_guard<std::mutex> lock(mutex);
  if (known.size() == kMostDocuments) known.clear();
  known.emplace(key, copy_of(*state));
  return state;
}

}  // namespace heddle::config::detail
