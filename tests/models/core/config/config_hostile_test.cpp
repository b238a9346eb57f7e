// Truncated, oversized, contradictory and malicious files. Each is refused with one clear Error.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdio>
#include <fstream>
#include <functional>
#include <random>

#include "models/core/config/config.h"
#include "tests/support/problems.h"

namespace heddle::config {
namespace {

using test::Problems;
using test::problems_of;
using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::StartsWith;

Problems problems_of_parsing(const std::string& text) {
  return problems_of([&] { Document::parse(text, "f.yaml"); });
}

TEST(ConfigHostile, RefusesWhatAPlainTreeDoesNotNeedAndReportsAllOfIt) {
  EXPECT_THAT(
      problems_of_parsing("a: &x 1\nb: *x\nc: {<<: *x}\nd: !!int 1\ne: ! f\nf: [!<t> {}]\ng: 1\ng: 2\n"),
      ElementsAre("f.yaml:1:4: a: anchors are not supported",     //
                  "f.yaml:2:4: b: aliases are not supported",     //
                  "f.yaml:3:5: c: merge keys are not supported",  //
                  "f.yaml:3:9: c.<<: aliases are not supported",  //
                  "f.yaml:4:4: d: tags are not supported",        //
                  "f.yaml:5:4: e: tags are not supported",        //
                  "f.yaml:6:5: f: tags are not supported",        //
                  "f.yaml:8:1: g: duplicate key; first at f.yaml:7:1"));
}

TEST(ConfigHostile, RefusesKeysThatAreNotText) {
  for (const char* text : {"? [a]\n: b", "? {a: 1}\n: b", "{[a]: b}", ": b", "~: b", "'': b", "a: {null: 1}",
                           "x: &a 1\n*a : 2"}) {
    EXPECT_THAT(problems_of_parsing(text), testing::Contains(HasSubstr("key"))) << text;
  }
}

TEST(ConfigHostile, RefusesASecondDocument) {
  for (const char* text : {"a: 1\n---\nb: 2", "---\n---\n", "{a: 1} junk", "a: 1\n...\njunk", "- a\nb: 3"}) {
    const Problems problems = problems_of_parsing(text);
    ASSERT_EQ(problems.size(), 1U) << text;
    EXPECT_THAT(problems[0], HasSubstr("second document")) << text;
  }
}

TEST(ConfigHostile, MalformedTextIsAnErrorWithItsPlace) {
  EXPECT_THAT(problems_of_parsing("a: 1\nb: [1, 2\n"), ElementsAre(HasSubstr("f.yaml:")));
  EXPECT_THAT(problems_of_parsing("a: b: c"),
              ElementsAre(AllOf(
                  StartsWith("f.yaml:1:5: illegal map value: a second 'key: value' stands in this line"),
                  HasSubstr("{name: mps, active_threads: [50, 50]}"))));
  EXPECT_THAT(problems_of_parsing("a: {b: max(n, 1) * 4KiB}"),
              ElementsAre(HasSubstr("a comma before it ends the value in front")));
  EXPECT_THAT(problems_of_parsing("a: 1\nb:\n \tc: 2\nd: 3"),
              ElementsAre("f.yaml:3:2: YAML indents with blanks, and this line begins with a tab"));
  EXPECT_THAT(problems_of_parsing("s:\n  a: 1\n]"), ElementsAre(HasSubstr("f.yaml:3:1: ")));
  for (const char* text :
       {"'",          "\"\\",      "\"\\q\"", "\"\\ud800\"", "a: 'x\nb: 2", "{",     "[",
        "{a",         "{a:",       "[a,",     "]",           "}",           "a: @x", "%YAML 9.9\n---\na: 1",
        "a: |1x\n b", "a:\n\t- b", "!",       "&",           "*",           "? ",    "a: [}"}) {
    EXPECT_THROW(
        {
          const Document document = Document::parse(text, "f.yaml");
          document.root();
          document.finish();
        },
        Error)
        << text;
  }
}

TEST(ConfigHostile, RefusesBytesThatAreNotText) {
  EXPECT_THAT(problems_of_parsing("a: 1\nb: \x04 2\n"),
              ElementsAre("f.yaml:2:4: the byte 0x04 is a control character"));
  EXPECT_THAT(problems_of_parsing(std::string("a: 1\0\n", 6)),
              ElementsAre(HasSubstr("f.yaml:1:5: the byte 0x00")));
  for (const char* bytes :
       {"\x7f", "\xff", "\x80", "\xc3", "\xc0\xaf", "\xe0\x80\xaf", "\xed\xa0\x80", "\xf4\x90\x80\x80",
        "\xf8\x88\x80\x80\x80", "\xc2\x80", "\xef\xbf\xbf", "\xff\xfe"}) {
    EXPECT_THAT(problems_of_parsing(std::string("a: ") + bytes),
                ElementsAre(HasSubstr("f.yaml:1:4: the byte 0x")));
  }
  EXPECT_EQ(Document::parse("\xEF\xBB\xBF"
                            "a: \xc3\xa9\xf0\x9f\x98\x80\r\n",
                            "f")
                .root()
                .text("a"),
            "\xc3\xa9\xf0\x9f\x98\x80");
}

TEST(ConfigHostile, SixtyFourLevelsAreReadAndOneMoreIsRefused) {
  const auto lists = [](std::size_t levels) { return std::string(levels, '[') + std::string(levels, ']'); };
  EXPECT_TRUE(problems_of_parsing(lists(64)).empty());
  EXPECT_THAT(problems_of_parsing(lists(65)), ElementsAre(HasSubstr("nested deeper than 64 levels")));
  std::string sections;
  for (std::size_t i = 0; i < 65; ++i) sections += std::string(i, ' ') + "a:\n";
  EXPECT_THAT(problems_of_parsing(sections), ElementsAre(HasSubstr("f.yaml:65:65: a.a.a.a")));
}

TEST(ConfigHostile, NestingBombsOfEveryKindAreRefusedWithoutRecursion) {
  for (const char* unit : {"[", "{", "- ", "? ", "[{", "{a: ", "[? ", "- ? ", "- a: ", "!", "&a ", "\"", ": ",
                           "[a: ", "{? ", "[ #]\n"}) {
    std::string bomb;
    while (bomb.size() < (1U << 20U)) bomb += unit;
    EXPECT_FALSE(problems_of_parsing(bomb).empty()) << unit;
  }
}

TEST(ConfigHostile, OversizedDocumentsAreRefused) {
  const std::string comment = "#" + std::string((std::size_t{128} << 20U) - 1, 'x');
  EXPECT_TRUE(problems_of_parsing(comment).empty());
  EXPECT_THAT(problems_of_parsing(comment + "x"), ElementsAre("f.yaml:1:1: larger than 128 MiB"));
  std::string values = "[";
  for (std::size_t i = 0; i < (std::size_t{1} << 22U); ++i) values += "1,";
  EXPECT_THAT(problems_of_parsing(values + "]"), ElementsAre(HasSubstr("more than 4194304 values")));
}

TEST(ConfigHostile, ThousandsOfProblemsAreCutShort) {
  std::string text;
  for (int i = 0; i < 3000; ++i) text += "a: 1\n";
  const Document document = Document::parse(text, "f.yaml");
  const Problems problems = problems_of([&] { document.finish(); });
  ASSERT_EQ(problems.size(), 1001U);
  EXPECT_EQ(problems.back(), "f.yaml: and 2000 more problems");
}

TEST(ConfigHostile, MessagesShowHostileTextOnOneShortLine) {
  const Document document =
      Document::parse("a: \"1\\n\\e[2J\"\n\"k\\ney\": 1\nb: " + std::string(100'000, '9') + "\n", "f.yaml");
  document.root().bytes("a");
  document.root().integer("b");
  const Problems problems = problems_of([&] { document.finish(); });
  ASSERT_EQ(problems.size(), 3U);
  for (const std::string& problem : problems) {
    EXPECT_LT(problem.size(), 200U);
    EXPECT_EQ(problem.find_first_of("\n\x1b"), std::string::npos) << problem;
  }
}

TEST(ConfigHostile, UnreadableFilesAreErrorsThatNameThem) {
  EXPECT_THAT(problems_of([] { Document::load("/no/such/k20.yaml"); }),
              ElementsAre("/no/such/k20.yaml: cannot be read: No such file or directory"));
  EXPECT_THAT(problems_of([] { Document::load("/"); }), ElementsAre("/: cannot be read: it is a directory"));
  EXPECT_THAT(problems_of([] { Document::load("/dev/zero"); }),
              ElementsAre("/dev/zero: cannot be read: it is a device"));
  const std::string large = testing::TempDir() + "config_hostile_large.yaml";
  std::ofstream(large) << std::string((std::size_t{128} << 20U) + 1, ' ');
  EXPECT_THAT(problems_of([&] { Document::load(large); }), ElementsAre(large + ":1:1: larger than 128 MiB"));
  std::remove(large.c_str());
}

TEST(ConfigHostile, AFileIsReadAsItsTextIs) {
  const std::string file = testing::TempDir() + "config_hostile_test.yaml";
  std::ofstream(file) << "a: 8\nb: x\n";
  const Document document = Document::load(file);
  EXPECT_EQ(document.root().integer("a"), 8);
  document.root().integer("b");
  EXPECT_THAT(problems_of([&] { document.finish(); }),
              ElementsAre(file + ":2:4: b: needs an integer, has 'x'"));
  std::remove(file.c_str());
}

// ---- random mutations

const std::string& seed_document() {
  static const std::string text =
      "# a platform\nname: \"K20\\t\"\nsm:\n  count: 13\n  clock: 706MHz\n  l1: {size: 16KiB, ways: 4, hit: "
      "30cycles}\n"
      "  scheduler: 'gto'\nmemory:\n  bandwidth: 208GB/s\n  latency: 3713.92us\n  share: 0.25\n"
      "ports:\n  - width: 32B\n    on: yes\n  - {width: 64B, names: [a, b, [c]]}\nnote: |\n  two\n  lines\n";
  return text;
}

std::string mutate(std::string text, std::mt19937& random) {
  static const std::vector<std::string> pieces = {
      "[",  "]",  "{",  "}",   ": ",  "- ",   "? ",       "&a ",  "*a",
      "!",  "!!", "<<", "---", "...", "\n",   "\t",       "'",    "\"",
      "\\", "|",  ">",  "#",   "%",   "~",    "\xff",     "\x04", "99999999999999999999",
      "-",  "e9", ".",  ",",   "@",   "\r\n", "\xc3\xa9", "  ",   "GHz"};
  const auto below = [&](std::size_t limit) { return static_cast<std::size_t>(random() % limit); };
  for (std::size_t changes = 1 + below(6); changes > 0 && !text.empty(); --changes) {
    const std::size_t at = below(text.size());
    switch (below(5)) {
      case 0:
        text.erase(at, 1 + below(8));
        break;
      case 1:
        text.insert(at, pieces[below(pieces.size())]);
        break;
      case 2:
        text[at] = static_cast<char>(random() % 256);
        break;
      case 3:
        text.insert(below(text.size()), text.substr(at, 1 + below(40)));
        break;
      default:
        if (below(8) == 0) text.resize(at);
        break;
    }
  }
  return text;
}

// Calls every getter on every value.
void read_all(const Value& value) {
  value.text();
  value.boolean();
  value.integer({-5, 5});
  value.real();
  value.frequency_hz();
  value.time_ps();
  value.bytes();
  value.bytes_per_second();
  value.cycles();
  value.choice({"gto", "lrr"});
  for (const Value& entry : value.list()) read_all(entry);
  const Section section = value.section();
  for (const std::string& key : section.keys()) read_all(section.value(key));
}

// Returns 0 if the text is refused at once, 1 if it is refused by finish(), and 2 if it is read without a
// problem.
int read_mutant(const std::string& text, const std::string& assignment) {
  int reached = 0;
  try {
    Document document = Document::parse(text, "mutant.yaml");
    reached = 1;
    const std::string yaml = document.to_yaml();
    EXPECT_EQ(Document::parse(yaml, "again.yaml").to_yaml(), yaml) << text;
    try {
      document.set(assignment);
    } catch (const Error&) {
    }
    const Section root = document.root();
    for (const std::string& key : root.keys()) read_all(root.value(key));
    root.section("sm").integer("count");
    document.finish();
    reached = 2;
  } catch (const Error& error) {
    EXPECT_FALSE(error.problems().empty());
    for (const std::string& problem : error.problems()) EXPECT_FALSE(problem.empty());
  }
  return reached;
}

TEST(ConfigHostile, TwoThousandMutatedDocumentsThrowNothingButErrors) {
  std::mt19937 random(20240607);
  int counts[3] = {0, 0, 0};
  for (int i = 0; i < 2000; ++i) {
    const std::string text = mutate(seed_document(), random);
    const std::string assignment = mutate("sm.count=8", random);
    ++counts[read_mutant(text, assignment)];
  }
  EXPECT_GT(counts[0], 200);  // both outcomes of the parser occur
  EXPECT_GT(counts[1], 200);
}

TEST(ConfigHostile, EveryTruncationOfADocumentIsReadOrRefused) {
  for (std::size_t length = 0; length < seed_document().size(); ++length) {
    read_mutant(seed_document().substr(0, length), "ports[0].width=1B");
  }
}

TEST(ConfigHostile, RandomBytesThrowNothingButErrors) {
  std::mt19937 random(7);
  for (int i = 0; i < 500; ++i) {
    std::string junk(1 + random() % 300, '\0');
    const unsigned alphabet = i % 2 == 0 ? 256 : 96;
    for (char& c : junk) c = static_cast<char>(alphabet == 256 ? random() % 256 : 32 + random() % 95);
    std::string assignment = junk;
    assignment.append("=").append(junk);
    read_mutant(junk, assignment);
  }
}

}  // namespace
}  // namespace heddle::config
