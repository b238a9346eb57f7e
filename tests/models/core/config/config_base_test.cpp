// Documents that derive from others: which values are merged, which values take precedence, and which file
// and line their problems state.

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>

#include "models/core/config/config.h"
#include "tests/support/problems.h"

namespace heddle::config {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

class DerivedDocument : public testing::Test {
 protected:
  DerivedDocument()
      : directory_(std::filesystem::temp_directory_path() / ("heddle-base-" + std::to_string(getpid()))) {
    std::filesystem::create_directories(directory_);
  }
  ~DerivedDocument() override { std::filesystem::remove_all(directory_); }

  std::string file(const std::string& name) const { return (directory_ / name).string(); }
  void write(const std::string& name, const std::string& text) const { std::ofstream(file(name)) << text; }
  Document load(const std::string& name) const {
    return Document::load_derived(file(name), "platforms", {"name"});
  }
  std::string problem(const std::string& name) const {
    try {
      load(name);
    } catch (const Error& error) {
      return error.what();
    }
    return "";
  }

  std::filesystem::path directory_;
};

TEST_F(DerivedDocument, SectionsMergeAndTheRestReplaces) {
  write("a.yaml", "name: a\nx: 1\ns: {t: {p: 1, q: 2}, l: [1, 2, 3]}\ny: 2\n");
  write("b.yaml", "base: a.yaml\nname: b\ns: {t: {q: 3}, l: [4]}\ny: {z: 5}\n");
  EXPECT_EQ(load("b.yaml").to_yaml(),
            "name: b\nx: 1\ns:\n  t:\n    p: 1\n    q: 3\n  l:\n    - 4\ny:\n  z: 5\n");
}

TEST_F(DerivedDocument, AnIncludedFileTakesThePlaceOfItsName) {
  write("set.yaml", "x: 1\ny: {z: 2}\n");
  write("a.yaml", "name: a\nset: ./set.yaml\nlast: 3\n");
  Document document = load("a.yaml");
  document.include("set", "platforms");
  EXPECT_EQ(document.to_yaml(), "name: a\nset:\n  x: 1\n  y:\n    z: 2\nlast: 3\n");
  document.include("set", "platforms");  // it names no file any more
  document.set("set.y.z=4");
  EXPECT_EQ(document.root().section("set").section("y").integer("z"), 4);
}

TEST_F(DerivedDocument, ASectionHoldsTheDifferencesFromTheFileThatItIncludes) {
  write("set.yaml", "x: 1\ny: {z: 2, w: 3}\n");
  write("a.yaml", "name: a\nset: {base: ./set.yaml, y: {z: 5}}\n");
  Document document = load("a.yaml");
  document.include("set", "platforms");
  EXPECT_EQ(document.to_yaml(), "name: a\nset:\n  x: 1\n  y:\n    z: 5\n    w: 3\n");
}

TEST_F(DerivedDocument, AProblemOfAnIncludedFileHasItsPlace) {
  write("set.yaml", "x: 1\n");
  write("a.yaml", "name: a\nset: ./set.yaml\n");
  const Document document = [&] {
    Document loaded = load("a.yaml");
    loaded.include("set", "platforms");
    return loaded;
  }();
  document.root().text("name");
  document.root().section("set").value("x").problem("is wrong");
  EXPECT_THAT(test::problems_of([&] { document.finish(); }),
              ElementsAre(HasSubstr("set.yaml:1:4: set.x: is wrong")));
  write("b.yaml", "name: b\nset: ./none.yaml\n");
  Document other = load("b.yaml");
  EXPECT_THROW(other.include("set", "platforms"), Error);
  other.include("missing", "platforms");  // nothing to do
}

TEST_F(DerivedDocument, AScalarOrAListReplacesASection) {
  write("a.yaml", "name: a\ns: {t: 1}\nu: {v: 1}\n");
  write("b.yaml", "base: a.yaml\nname: b\ns: off\nu: [1]\n");
  EXPECT_EQ(load("b.yaml").to_yaml(), "name: b\ns: off\nu:\n  - 1\n");
}

TEST_F(DerivedDocument, ASectionWithoutABaseReplacesThatOfTheBase) {
  write("a.yaml", "name: a\ns: {t: 1, u: {v: 2}}\n");
  write("b.yaml", "base: a.yaml\nname: b\ns: {u: {base: none, w: 3}}\n");
  EXPECT_EQ(load("b.yaml").to_yaml(), "name: b\ns:\n  t: 1\n  u:\n    w: 3\n");
  write("c.yaml", "base: b.yaml\nname: c\ns: {base: none, x: 4}\n");
  EXPECT_EQ(load("c.yaml").to_yaml(), "name: c\ns:\n  x: 4\n");
}

TEST_F(DerivedDocument, ASectionWithAnotherNameReplacesThatOfTheBaseAndOneWithTheSameNameMerges) {
  write("a.yaml", "name: a\np: {q: {name: left-over, contexts: one, x: 1}}\n");
  write("b.yaml", "base: a.yaml\nname: b\np: {q: {name: token, imbalance: 2}}\n");
  EXPECT_EQ(load("b.yaml").to_yaml(), "name: b\np:\n  q:\n    name: token\n    imbalance: 2\n");
  write("c.yaml", "base: a.yaml\nname: c\np: {q: {name: left-over, x: 2}}\n");
  EXPECT_EQ(load("c.yaml").to_yaml(),
            "name: c\np:\n  q:\n    name: left-over\n    contexts: one\n    x: 2\n");
}

TEST_F(DerivedDocument, ANewKeyIsPlacedBehindTheOneItFollows) {
  write("a.yaml", "name: a\nunits: {sp: 1, sfu: 2}\n");
  write("b.yaml", "base: a.yaml\nname: b\nunits: {sp: 1, dp: 3, tensor: 4}\nnew: 1\n");
  EXPECT_EQ(load("b.yaml").to_yaml(), "name: b\nunits:\n  sp: 1\n  dp: 3\n  tensor: 4\n  sfu: 2\nnew: 1\n");
  write("c.yaml", "base: a.yaml\nname: c\nunits: {dp: 3}\n");
  EXPECT_EQ(load("c.yaml").to_yaml(), "name: c\nunits:\n  sp: 1\n  sfu: 2\n  dp: 3\n");
}

TEST_F(DerivedDocument, OwnKeysAreNeverInherited) {
  write("a.yaml", "name: a\nx: 1\n");
  write("b.yaml", "base: a.yaml\nx: 2\n");
  EXPECT_EQ(load("b.yaml").to_yaml(), "x: 2\n");
}

TEST_F(DerivedDocument, EachValueKnowsItsFile) {
  write("a.yaml", "name: a\nx: 1\ns: {t: 1,\n  u: 2}\n");
  write("b.yaml", "name: b\nbase: a.yaml\ns: {u: 3}\n");
  write("c.yaml", "name: c\nbase: ./b.yaml\ns: {}\ny: 1\n");
  Document document = load("c.yaml");
  document.set("y=2");
  std::vector<std::string> places;
  for (const Document::Entry& entry : document.entries())
    places.push_back(entry.path + "=" + entry.value + " " + entry.place);
  EXPECT_THAT(places, ElementsAre("name=c " + file("c.yaml") + ":1:7", "x=1 " + file("a.yaml") + ":2:4",
                                  "s.t=1 " + file("a.yaml") + ":3:8", "s.u=3 " + file("b.yaml") + ":3:8",
                                  "y=2 --set y=2"));
}

TEST_F(DerivedDocument, ProblemsNameTheirFile) {
  write("a.yaml", "name: a\nx: one\nx: 2\nodd: 1\n");
  write("b.yaml", "name: b\nbase: a.yaml\nod: 1\n");
  const Document document = load("b.yaml");
  const Section root = document.root();
  root.text("name");
  root.integer("x");
  root.integer("even", {}, 0);
  EXPECT_THAT(test::problems_of([&] { document.finish(); }),
              ElementsAre(file("b.yaml") + ":3:1: od: unknown key",
                          file("a.yaml") + ":2:4: x: needs an integer, has 'one'",
                          file("a.yaml") + ":3:1: x: duplicate key; first at " + file("a.yaml") + ":2:1",
                          file("a.yaml") + ":4:1: odd: unknown key"));
}

TEST_F(DerivedDocument, AWrongBaseIsReportedAtItsPlace) {
  write("none.yaml", "base: no.yaml\n");
  EXPECT_EQ(problem("none.yaml"), file("none.yaml") + ":1:7: base: there is no file 'no.yaml'");
  write("list.yaml", "base: [a]\n");
  EXPECT_EQ(problem("list.yaml"), file("list.yaml") + ":1:7: base: needs a name or a file");
  write("self.yaml", "x: 1\nbase: self.yaml\n");
  EXPECT_THAT(problem("self.yaml"), HasSubstr("self.yaml:2:7: base: 'self.yaml' is derived from this file"));
  write("to.yaml", "base: fro.yaml\n");
  write("fro.yaml", "base: ./to.yaml\n");
  EXPECT_THAT(problem("to.yaml"), HasSubstr("fro.yaml:1:7: base: './to.yaml' is derived from this file"));
  write("scalar.yaml", "5\n");
  write("of-scalar.yaml", "base: scalar.yaml\n");
  EXPECT_THAT(problem("of-scalar.yaml"), HasSubstr("scalar.yaml:1:1: the document must be keys and values"));
  write("broken.yaml", "a: [1\n");
  write("of-broken.yaml", "base: broken.yaml\n");
  EXPECT_THAT(problem("of-broken.yaml"), HasSubstr("broken.yaml:"));
}

TEST(KeyDescriptions, AreNotedAsKeysAreRead) {
  const Document document = Document::parse("s: {count: 3}\n", "f.yaml");
  const Section s = document.root().section("s");
  EXPECT_EQ(s.integer({"count", "how many", "things"}, {1, 8}), 3);
  EXPECT_EQ(s.bytes({"size", "how large"}, 128), 128u);
  EXPECT_EQ(s.choice({"kind", "which"}, {"a", "b"}, "b"), "b");
  EXPECT_EQ(s.integer("quiet", {}, 7), 7);
  EXPECT_EQ(s.optional_section("more").integer({"n", "of a section that is not there"}), 0);
  s.integer({"count", "asked again"});
  document.finish();
  std::vector<std::string> told;
  for (const KeyDescription& key : document.keys())
    told.push_back(key.path + "|" + key.type + "|" + key.unit + "|" + key.fallback + "|" + key.range + "|" +
                   key.description);
  EXPECT_THAT(told, ElementsAre("s.count|integer|things|required|1 .. 8|how many",
                                "s.size|size|B|128B||how large", "s.kind|one of||b|a, b|which",
                                "s.more.n|integer||required||of a section that is not there"));
}

}  // namespace
}  // namespace heddle::config
