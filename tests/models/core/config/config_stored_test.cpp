// The stored trees of documents beside those that the parser makes of the same texts.

#include "models/core/config/config_stored.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <unordered_map>

#include "models/core/config/input_file.h"
#include "tests/support/paths.h"

namespace heddle::config::detail {
namespace {

namespace fs = std::filesystem;

constexpr const char* kText =
    "platform: k20  # a card\n"
    "sm:\n"
    "  count: 13\n"
    "  order: [a, 'b: c', {x: 1, y: }]\n"
    "  'odd key': \"tab\\t\"\n"
    "empty: {}\n";

std::string line_of(const Place& place) {
  return std::to_string(place.line) + ":" + std::to_string(place.column);
}

// One line for each node: everything that the parser has found out.
std::vector<std::string> lines_of(const State& state) {
  std::unordered_map<const Node*, std::size_t> numbers;
  for (const Node& node : state.nodes) numbers.emplace(&node, numbers.size());
  std::vector<std::string> lines;
  for (const Node& node : state.nodes) {
    std::string line = std::to_string(static_cast<int>(node.kind)) + (node.quoted ? "q" : "-") +
                       (node.has_key ? "k " : "- ") + line_of(node.place) + " " + line_of(node.key_place) +
                       " " + std::to_string(node.index) + " '" + node.key + "' '" + node.text + "' " +
                       (node.parent == nullptr ? "root" : std::to_string(numbers.at(node.parent)));
    for (const Node* child : node.children) line += " " + std::to_string(numbers.at(child));
    for (const Node* child : node.children)
      if (child->has_key) line += node.find(child->key) == child ? "=" : "!";
    lines.push_back(line);
  }
  lines.push_back(std::to_string(numbers.at(state.root)));
  return lines;
}

std::vector<std::string> parsed_lines(const std::string& text) {
  State state;
  state.root = &parse_yaml(state, text, 0, 1);
  return lines_of(state);
}

std::vector<fs::path> shipped_documents() {
  std::vector<fs::path> files;
  for (const char* folder : {"platforms", "stimuli"})
    for (const fs::directory_entry& entry :
         fs::recursive_directory_iterator(fs::path(test::source_directory()) / folder))
      if (entry.path().extension() == ".yaml") files.push_back(entry.path());
  return files;
}

}  // namespace

TEST(ConfigStored, IsTheTreeThatTheParserMakes) {
  const std::string content = stored_form({"a: 1\n", kText, ""});
  const StoredDocuments documents(content);
  ASSERT_EQ(documents.size(), 3u);
  for (const char* text : {kText, "a: 1\n", ""}) {
    const auto found = documents.find(text);
    ASSERT_NE(found, nullptr) << text;
    EXPECT_EQ(lines_of(*found), parsed_lines(text));
  }
  EXPECT_EQ(documents.find("a: 2\n"), nullptr);
  EXPECT_EQ(documents.find(std::string(kText) + "\n"), nullptr);
}

TEST(ConfigStored, HasEveryDocumentThatComesWithHeddle) {
  const std::vector<fs::path> files = shipped_documents();
  ASSERT_GT(files.size(), 200u);
  for (const fs::path& file : files) {
    const std::string text = read_file(file.string());
    const auto found = stored_documents().find(text);
    ASSERT_NE(found, nullptr) << file;
    EXPECT_EQ(lines_of(*found), parsed_lines(text)) << file;
  }
}

TEST(ConfigStored, LeavesOutWhatTheParserRefuses) {
  const std::string content = stored_form({"a: [1\n", "a: 1\na: 2\n", "a: *b\n", "b: 1\n"});
  EXPECT_EQ(StoredDocuments(content).size(), 1u);
}

TEST(ConfigStored, DamagedBytesAreNoDocument) {
  const std::string content = stored_form({kText, "b: 1\n"});
  const std::vector<std::string> whole = parsed_lines(kText);
  for (std::size_t size = 0; size < content.size(); ++size) {
    const std::string cut = content.substr(0, size);
    const auto found = StoredDocuments(cut).find(kText);
    if (found != nullptr) {
      EXPECT_EQ(lines_of(*found), whole) << size;
    }
  }
  for (std::size_t i = 0; i < content.size(); ++i) {
    std::string damaged = content;
    damaged[i] = static_cast<char>(damaged[i] ^ 0x41);
    const auto found = StoredDocuments(damaged).find(kText);
    if (found != nullptr) {
      EXPECT_EQ(lines_of(*found), whole) << i;
    }
  }
}

}  // namespace heddle::config::detail
