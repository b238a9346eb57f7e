// Documents as they are written, beside what the emitter of yaml-cpp writes of the same values.

#include <gtest/gtest.h>
#include <yaml-cpp/emitter.h>
#include <yaml-cpp/emittermanip.h>
#include <yaml-cpp/null.h>

#include <algorithm>
#include <cctype>
#include <filesystem>

#include "models/core/config/config.h"
#include "models/core/config/config_tree.h"
#include "models/core/config/input_file.h"
#include "tests/support/paths.h"

namespace heddle::config {
namespace {

namespace fs = std::filesystem;
using detail::Node;

bool is_word(const std::string& key) {
  return !YAML::IsNullString(key) && std::all_of(key.begin(), key.end(), [](unsigned char c) {
    return c < 0x80 && (std::isalnum(c) || c == '_');
  });
}

void emit(YAML::Emitter& out, const Node& node) {
  if (node.kind == Node::Kind::kNull) {
    out << YAML::Null;
  } else if (node.kind == Node::Kind::kScalar) {
    if (node.quoted) out << YAML::DoubleQuoted;
    out << node.text;
  } else if (node.kind == Node::Kind::kList) {
    out << YAML::BeginSeq;
    for (const Node* child : node.children) emit(out, *child);
    out << YAML::EndSeq;
  } else {
    out << YAML::BeginMap;
    for (const Node* child : node.children) {
      out << YAML::Key;
      if (!is_word(child->key)) out << YAML::DoubleQuoted;
      out << child->key << YAML::Value;
      emit(out, *child);
    }
    out << YAML::EndMap;
  }
}

std::string emitted(const std::string& text) {
  detail::State state;
  YAML::Emitter out;
  emit(out, detail::parse_yaml(state, text, 0, 1));
  return std::string(out.c_str(), out.size()) + "\n";
}

}  // namespace

TEST(ConfigYaml, IsWrittenAsTheEmitterDoes) {
  const std::string longest(1000, 'a');
  const std::string longer(1100, 'a');
  for (const std::string& text :
       {std::string("a: 1\n"),
        std::string("a: {b: {}, l: [], n: , x: [1, 2], y: [{z: 1}, [2]], w: [~, a]}\ns: {}\nl: []\n"),
        std::string("a: [[]]\n"), std::string("- a\n- b\n"), std::string("a\n"), std::string("{}\n"),
        std::string("[]\n"), std::string("_k: _t\n'k k': 1\n1: '1'\n'~': ~\nnull_: \"null\"\n"),
        std::string(
            "a: b c, d/e (f)\nb: a:b\nc: a#b\nd: 'a #b'\ne: 'a: b'\nf: -1\ng: --x\nh: '-'\ni: 1 - 2\n"),
        std::string("a: 'x '\nb: ' x'\nc: \"x\\n\"\nd: \"\\t\"\ne: 'null'\nf: Null\ng: 50%\nh: '%'\ni: "
                    "\"\xc3\xa9\"\nj: \xc3\xa9\n"),
        std::string("a: 'it''s \\'\nb: \"say \\\"so\\\"\"\nc: ''\nd: ' '\ne: '~'\nf: \"\\x7f\"\n"),
        std::string("a: |\n  two\n  lines\nb: >-\n  one\n  line\nc: one\n  line\n"), "a: " + longest + "\n",
        "a: " + longer + "\n", longest + ": 1\n", "a: '" + longer + "'\n"})
    EXPECT_EQ(Document::parse(text, "f").to_yaml(), emitted(text)) << text;
}

TEST(ConfigYaml, OfWhatComesWithHeddleIsWrittenAsTheEmitterDoes) {
  int files = 0;
  for (const char* folder : {"platforms", "stimuli"})
    for (const fs::directory_entry& entry :
         fs::recursive_directory_iterator(fs::path(test::source_directory()) / folder)) {
      if (entry.path().extension() != ".yaml") continue;
      const std::string text = read_file(entry.path().string());
      EXPECT_EQ(Document::parse(text, "f").to_yaml(), emitted(text)) << entry.path();
      ++files;
    }
  EXPECT_GT(files, 200);
}

}  // namespace heddle::config
