// This file generates B+ trees whose nodes count their entries.

#include <algorithm>

#include "stimuli/launch/structures.h"

namespace heddle::structures {

namespace {

constexpr std::int64_t kWordsOfNode = 2 + 2 * kMostKeyTreeEntries;

// A KeyTreeLevel describes one level of the tree. Each of its nodes except for the last one has `most`
// entries.
struct KeyTreeLevel {
  std::int64_t entries;  // of all nodes together
  std::int64_t most;
  std::int64_t keys;  // below an entry
  std::int64_t nodes() const { return (entries + most - 1) / most; }
};

// Returns the levels of the tree. The leaves are the first level, and the root is the last one.
std::vector<KeyTreeLevel> levels_of(const KeyTree& tree) {
  std::vector<KeyTreeLevel> levels{{tree.keys, tree.order - 1, 1}};
  while (levels.back().nodes() > 1)
    levels.push_back({levels.back().nodes(), tree.order, levels.back().keys * levels.back().most});
  return levels;
}

void append_level(const KeyTree& tree, const KeyTreeLevel& level, bool leaves, std::int64_t first_child,
                  std::vector<std::int32_t>& words) {
  for (std::int64_t first = 0; first < level.entries; first += level.most) {
    const std::int64_t count = std::min(level.most, level.entries - first);
    const std::size_t node = words.size();
    words.resize(node + static_cast<std::size_t>(kWordsOfNode));
    words[node] = leaves ? 1 : 0;
    words[node + 1] = static_cast<std::int32_t>(count);
    for (std::int64_t i = 0; i < count; ++i) {
      const std::int64_t key = std::min((first + i + 1) * level.keys, tree.keys) - 1;
      const std::size_t entry = node + 2 + static_cast<std::size_t>(i);
      words[entry] = static_cast<std::int32_t>(key);
      words[entry + kMostKeyTreeEntries] =
          static_cast<std::int32_t>(leaves ? tree.keys - 1 - key : first_child + first + i);
    }
  }
}

}  // namespace

StructureShape shape_of(const KeyTree& tree) {
  std::int64_t nodes = 0;
  for (const KeyTreeLevel& level : levels_of(tree)) nodes += level.nodes();
  return {{{"nodes", {ElementType::kI32, static_cast<std::uint64_t>(nodes * kWordsOfNode)}},
           {"queries", {ElementType::kI32, static_cast<std::uint64_t>(tree.queries)}}},
          {{"nodes", nodes}, {"keys", tree.keys}, {"queries", tree.queries}}};
}

Structure key_tree(const KeyTree& tree) {
  const std::vector<KeyTreeLevel> levels = levels_of(tree);
  std::vector<std::int32_t> words;
  std::int64_t nodes = 0;
  for (std::size_t i = levels.size(); i-- > 0;) {
    nodes += levels[i].nodes();
    append_level(tree, levels[i], i == 0, nodes, words);
  }
  std::vector<std::int32_t> queries(static_cast<std::size_t>(tree.queries));
  for (std::size_t i = 0; i < queries.size(); ++i)
    queries[i] = static_cast<std::int32_t>(static_cast<std::int64_t>(i) * tree.step % tree.keys);
  Structure structure;
  structure.arrays = {{"nodes", array_of(ElementType::kI32, words)},
                      {"queries", array_of(ElementType::kI32, queries)}};
  structure.counts = shape_of(tree).counts;
  return structure;
}

}  // namespace heddle::structures
