// This file generates B+ trees.

#include <algorithm>
#include <limits>

#include "stimuli/launch/structures.h"

namespace heddle::structures {

namespace {

constexpr std::uint32_t kNoKey = std::numeric_limits<std::int32_t>::max();

// A TreeLevel has the nodes of one level. Its entries have the same distance of keys.
struct TreeLevel {
  std::int64_t entries;   // of all nodes together
  std::int64_t distance;  // from the key of an entry to that of the next one
  std::int64_t nodes;
};

// Returns the levels of the tree. The leaves are the first level, and the root is the last one.
std::vector<TreeLevel> levels_of(const SearchTree& tree) {
  std::vector<TreeLevel> levels;
  std::int64_t distance = 1;
  for (std::int64_t entries = tree.records;; distance *= tree.entries) {
    const std::int64_t nodes = (entries + tree.entries - 1) / tree.entries;
    levels.push_back({entries, distance, nodes});
    if (nodes == 1) return levels;
    entries = nodes;
  }
}

void append_level(const SearchTree& tree, const TreeLevel& level, std::int64_t first_child,
                  std::vector<std::uint32_t>& words) {
  for (std::int64_t first = 0; first < level.entries; first += tree.entries) {
    const std::int64_t count = std::min(tree.entries, level.entries - first);
    const std::size_t children = words.size();
    const std::size_t keys = children + static_cast<std::size_t>(tree.order) + 1;
    words.resize(keys + static_cast<std::size_t>(tree.order) + 1);
    std::fill(words.begin() + static_cast<std::ptrdiff_t>(keys), words.end(), kNoKey);
    for (std::int64_t i = 0; i < count; ++i) {
      words[children + static_cast<std::size_t>(i)] = static_cast<std::uint32_t>(first_child + first + i);
      words[keys + static_cast<std::size_t>(i)] = static_cast<std::uint32_t>((first + i) * level.distance);
    }
  }
}

}  // namespace

StructureShape shape_of(const SearchTree& tree) {
  const std::vector<TreeLevel> levels = levels_of(tree);
  std::int64_t nodes = 0;
  for (const TreeLevel& level : levels) nodes += level.nodes;
  const auto words = static_cast<std::uint64_t>(2 * nodes * (tree.order + 1));
  const auto queries = static_cast<std::uint64_t>(tree.queries);
  StructureShape shape;
  shape.arrays = {{"nodes", {ElementType::kU32, words}},
                  {"values", {ElementType::kU32, static_cast<std::uint64_t>(tree.records)}},
                  {"keys", {ElementType::kU32, queries}},
                  {"starts", {ElementType::kU32, queries}},
                  {"ends", {ElementType::kU32, queries}}};
  shape.counts = {{"nodes", nodes},
                  {"levels", static_cast<std::int64_t>(levels.size()) - 1},
                  {"records", tree.records},
                  {"queries", tree.queries}};
  return shape;
}

Structure search_tree(const SearchTree& tree, Random random) {
  const std::vector<TreeLevel> levels = levels_of(tree);
  std::vector<std::uint32_t> words;
  std::int64_t nodes = 0;
  for (std::size_t i = levels.size(); i-- > 0;) {
    nodes += levels[i].nodes;
    append_level(tree, levels[i], i == 0 ? 0 : nodes, words);
  }
  const auto draw = [&random](std::int64_t count, std::int64_t bound) {
    std::vector<std::uint32_t> drawn(static_cast<std::size_t>(count));
    for (std::uint32_t& value : drawn)
      value = static_cast<std::uint32_t>(random.below(static_cast<std::uint64_t>(bound)));
    return drawn;
  };
  const std::vector<std::uint32_t> values = draw(tree.records, kNoKey);
  const std::vector<std::uint32_t> keys = draw(tree.queries, tree.records);
  const std::vector<std::uint32_t> starts = draw(tree.queries, tree.records - tree.span + 1);
  std::vector<std::uint32_t> ends = starts;
  for (std::uint32_t& end : ends) end += static_cast<std::uint32_t>(tree.span - 1);
  Structure structure;
  structure.arrays = {{"nodes", array_of(ElementType::kU32, words)},
                      {"values", array_of(ElementType::kU32, values)},
                      {"keys", array_of(ElementType::kU32, keys)},
                      {"starts", array_of(ElementType::kU32, starts)},
                      {"ends", array_of(ElementType::kU32, ends)}};
  structure.counts = shape_of(tree).counts;
  return structure;
}

}  // namespace heddle::structures
