#include "models/core/config/config.h"
#include "models/core/config/config_names.h"
#include "tests/support/problems.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <functional>
#include <limits>

namespace heddle::config {
namespace {

using test::Problems;
using test::problems_of;
using testing::ElementsAre;
using testing::HasSubstr;

Problems problems_of_reading(const std::string& text, const std::function<void(const Section&)>& read) {
  return problems_of([&] {
    const Document document = Document::parse(text, "f.yaml");
    read(document.root());
    document.finish();
  });
}

// Returns the value that a getter gives for `x: text`. A problem with it throws.
template <typename Getter>
auto read_one(const std::string& text, Getter getter) {
  const Document document = Document::parse("x: " + text, "f.yaml");
  auto value = getter(document.root().value("x"));
  document.finish();
  return value;
}

std::uint64_t time_of(const std::string& text) {
  return read_one(text, [](const Value& value) { return value.time_ps(); });
}
std::uint64_t bytes_of(const std::string& text) {
  return read_one(text, [](const Value& value) { return value.bytes(); });
}
std::int64_t integer_of(const std::string& text, Range range = {}) {
  return read_one(text, [=](const Value& value) { return value.integer(range); });
}
double real_of(const std::string& text, RealRange range = {}) {
  return read_one(text, [=](const Value& value) { return value.real(range); });
}
double frequency_of(const std::string& text) {
  return read_one(text, [](const Value& value) { return value.frequency_hz(); });
}
double bandwidth_of(const std::string& text) {
  return read_one(text, [](const Value& value) { return value.bytes_per_second(); });
}
std::uint64_t cycles_of(const std::string& text, Range range = {}) {
  return read_one(text, [=](const Value& value) { return value.cycles(range); });
}

// ---- reading a good document

TEST(Config, ReadsScalarsListsAndSectionsOfAGoodDocument) {
  const Document document = Document::parse(
      "name: K20  # a comment\n"
      "sm: {count: 13, clock: 706MHz, dual: on}\n"
      "ports:\n"
      "  - width: 32B\n"
      "  - width: 64B\n",
      "k20.yaml");
  const Section root = document.root();
  EXPECT_EQ(root.text("name"), "K20");
  EXPECT_EQ(root.section("sm").integer("count", {1, 1024}), 13);
  EXPECT_EQ(root.section("sm").frequency_hz("clock"), 706e6);
  EXPECT_TRUE(root.section("sm").boolean("dual", false));
  const std::vector<Value> ports = root.list("ports");
  ASSERT_EQ(ports.size(), 2U);
  EXPECT_EQ(ports[0].section().bytes("width"), 32U);
  EXPECT_EQ(ports[1].section().bytes("width"), 64U);
  EXPECT_EQ(ports[1].path(), "ports[1]");
  EXPECT_EQ(ports[1].place(), "k20.yaml:5:5");
  EXPECT_EQ(root.section("sm").place(), "k20.yaml:2:1");
  EXPECT_EQ(root.section("sm").value("count").place(), "k20.yaml:2:13");
  EXPECT_EQ(root.section("sm").value("count").path(), "sm.count");
  EXPECT_THAT(root.keys(), ElementsAre("name", "sm", "ports"));
  EXPECT_EQ(document.name(), "k20.yaml");
  document.finish();
}

TEST(Config, AnAbsentOptionalKeyReadsAsItsFallback) {
  const Document document = Document::parse("{}", "f.yaml");
  const Section root = document.root();
  EXPECT_EQ(root.integer("a", {1, 4}, 3), 3);
  EXPECT_EQ(root.text("b", "none"), "none");
  EXPECT_EQ(root.choice("c", {"gto", "lrr"}, "lrr"), "lrr");
  EXPECT_EQ(root.time_ps("d", 7), 7U);
  EXPECT_EQ(root.bytes("e", 8), 8U);
  EXPECT_EQ(root.cycles("f", {}, 9), 9U);
  EXPECT_EQ(root.real("g", {}, 0.5), 0.5);
  EXPECT_TRUE(root.boolean("h", true));
  EXPECT_FALSE(root.has("i"));
  EXPECT_FALSE(root.optional("j").has_value());
  EXPECT_TRUE(root.list("k").empty());
  document.finish();
}

TEST(Config, BooleansAreSixWordsAndNothingElse) {
  const auto boolean_of = [](const std::string& text) {
    return read_one(text, [](const Value& value) { return value.boolean(); });
  };
  for (const char* text : {"true", "on", "yes"}) EXPECT_TRUE(boolean_of(text)) << text;
  for (const char* text : {"false", "off", "no"}) EXPECT_FALSE(boolean_of(text)) << text;
  for (const char* text : {"1", "True", "y", "'true'", "[]"}) EXPECT_THROW(boolean_of(text), Error) << text;
}

// ---- numbers and units

TEST(Config, TimesAreExactPicoseconds) {
  EXPECT_EQ(time_of("3713.92us"), 3'713'920'000U);
  EXPECT_EQ(time_of("1.5us"), 1'500'000U);
  EXPECT_EQ(time_of("0ns"), 0U);
  EXPECT_EQ(time_of("1.100000000000000000000s"), 1'100'000'000'000U);
  EXPECT_EQ(time_of("0.000000000001s"), 1U);
  EXPECT_EQ(time_of("10000000s"), 10'000'000'000'000'000'000U);
  EXPECT_THROW(time_of("10000000.000000000001s"), Error);
  EXPECT_THROW(time_of("18446744.073709551616s"), Error);
  for (const char* text : {"0.1ps", "1.0001ns", "-1us", "1e3ns", "1 us", "1", "us", "nan", "infs", "0x10ns",
                           "1.us", ".5us", "01us", "1us ns", "1,5us", "1US"}) {
    EXPECT_THROW(time_of(text), Error) << text;
  }
}

TEST(Config, SizesAreWholeBytesOfKnownUnits) {
  EXPECT_EQ(bytes_of("0B"), 0U);
  EXPECT_EQ(bytes_of("1.5KiB"), 1536U);
  EXPECT_EQ(bytes_of("4kB"), 4000U);
  EXPECT_EQ(bytes_of("5GiB"), 5'368'709'120U);
  EXPECT_EQ(bytes_of("0.000000000931322574615478515625GiB"), 1U);
  EXPECT_EQ(bytes_of("18446744073709551615B"), 18'446'744'073'709'551'615U);
  for (const char* text :
       {"18446744073709551616B", "17179869184GiB", "0.3B", "1.0001KiB", "-4KiB", "4KB", "4K"}) {
    EXPECT_THROW(bytes_of(text), Error) << text;
  }
  EXPECT_THAT(problems_of([] { bytes_of("4096"); }),
              ElementsAre("f.yaml:1:4: x: needs a size such as 4KiB; '4096' has no unit "
                          "(known: B, KiB, MiB, GiB, kB, MB, GB)"));
  EXPECT_THAT(problems_of([] { bytes_of("0.3B"); }),
              ElementsAre("f.yaml:1:4: x: '0.3B' is not a whole number of bytes"));
}

TEST(Config, RatesAreRoundedOnceAndAboveZero) {
  EXPECT_EQ(frequency_of("0.7GHz"), 7e8);
  EXPECT_EQ(frequency_of("1.1kHz"), 1100.0);
  EXPECT_THAT(problems_of([] { frequency_of("1410 MHz"); }),
              ElementsAre(HasSubstr("'1410 MHz' has a blank before its unit")));
  EXPECT_EQ(frequency_of("32768Hz"), 32768.0);
  EXPECT_EQ(bandwidth_of("2GB/s"), 2e9);
  EXPECT_EQ(bandwidth_of("0.5KiB/s"), 512.0);
  for (const char* text : {"0MHz", "0.0GHz", "-1MHz", "706", "706mhz", "1e9Hz", "706MHz/s", "nanHz"}) {
    EXPECT_THROW(frequency_of(text), Error) << text;
  }
  for (const char* text : {"0B/s", "2GB", "2GB/S", "2Gb/s", "2GB/s/s"})
    EXPECT_THROW(bandwidth_of(text), Error) << text;
  EXPECT_THROW(frequency_of(std::string(400, '9') + "Hz"), Error);
  EXPECT_THROW(bandwidth_of(std::string(305, '9') + "GiB/s"), Error);
  EXPECT_THROW(frequency_of("0." + std::string(400, '0') + "1Hz"), Error);
}

TEST(Config, CyclesAreWholeAndInRange) {
  EXPECT_EQ(cycles_of("5000cycles"), 5000U);
  EXPECT_EQ(cycles_of("1cycle", {1, 1}), 1U);
  EXPECT_EQ(cycles_of("9223372036854775807cycles"), 9'223'372'036'854'775'807U);
  for (const char* text : {"9223372036854775808cycles", "1.5cycles", "5000", "-1cycles", "5ns"}) {
    EXPECT_THROW(cycles_of(text), Error) << text;
  }
  EXPECT_THAT(problems_of([] {
                cycles_of("9cycles", {1, 8});
              }),
              ElementsAre("f.yaml:1:4: x: is 9cycles, must be from 1 to 8"));
}

TEST(Config, IntegersArePlainDecimalsInRange) {
  constexpr Range kAll{std::numeric_limits<std::int64_t>::min(), std::numeric_limits<std::int64_t>::max()};
  EXPECT_EQ(integer_of("+8"), 8);
  EXPECT_EQ(integer_of("-0"), 0);
  EXPECT_EQ(integer_of("-9223372036854775808", kAll), std::numeric_limits<std::int64_t>::min());
  EXPECT_EQ(integer_of("9223372036854775807", kAll), std::numeric_limits<std::int64_t>::max());
  for (const char* text : {"9223372036854775808", "-9223372036854775809", "0x10", "010", "1e3", "1_000",
                           "8.0", "'8'", "+", "-", "+-8", "--8", "8 9", "nan", "~", "true", "''", "{}"}) {
    EXPECT_THROW(integer_of(text, kAll), Error) << text;
  }
  EXPECT_EQ(integer_of("1", {1, 4}), 1);
  EXPECT_EQ(integer_of("4", {1, 4}), 4);
  EXPECT_THAT(problems_of([] {
                integer_of("5", {1, 4});
              }),
              ElementsAre("f.yaml:1:4: x: is 5, must be from 1 to 4"));
  EXPECT_THAT(problems_of([] { integer_of("-1"); }), ElementsAre("f.yaml:1:4: x: is -1, must be at least 0"));
}

TEST(Config, RealsAreFiniteDecimalsInRange) {
  EXPECT_EQ(real_of("0.25"), 0.25);
  EXPECT_EQ(real_of("2.5e-3"), 2.5e-3);
  EXPECT_EQ(real_of("-1E+2", {-200, 0}), -100.0);
  EXPECT_EQ(real_of("1", {0, 1}), 1.0);
  for (const char* text : {"nan", ".nan", ".inf", "inf", "-inf", "1e999", "1e-999", "0x1p3", "1.", ".5", "1e",
                           "1e+", "1f", "+-1", "'1.0'", "1.1.1"}) {
    EXPECT_THROW(real_of(text), Error) << text;
  }
  EXPECT_THROW(real_of("1.0000001", {0, 1}), Error);
  EXPECT_THROW(real_of("-0.5"), Error);
}

// ---- problems

TEST(Config, ReportsEveryProblemOfAFileAtOnceWithPlaceAndPath) {
  const Problems problems = problems_of_reading(
      "name:\n"
      "sm:\n"
      "  coutn: 8\n"
      "  clock: 706\n"
      "  clock: 2MHz\n"
      "  scheduler: gtoo\n"
      "  banks: [1, x]\n"
      "l2: 5\n"
      "extra: {a: {b: 1}}\n",
      [](const Section& root) {
        root.text("name");
        root.section("l2").integer("ways");
        const Section sm = root.section("sm");
        sm.integer("count", {1, 8});
        sm.frequency_hz("clock");
        sm.choice("scheduler", {"lrr", "gto"}, "lrr");
        for (const Value& bank : sm.list("banks")) bank.integer();
      });
  EXPECT_THAT(problems,
              ElementsAre("f.yaml:1:1: name: needs a text, has no value",                                   //
                          "f.yaml:2:1: sm.count: missing key",                                              //
                          "f.yaml:3:3: sm.coutn: unknown key; did you mean 'count'?",                       //
                          "f.yaml:4:10: sm.clock: needs a frequency such as 706MHz; '706' has no unit "     //
                          "(known: Hz, kHz, MHz, GHz)",                                                     //
                          "f.yaml:5:3: sm.clock: duplicate key; first at f.yaml:4:3",                       //
                          "f.yaml:6:14: sm.scheduler: 'gtoo' is not one of lrr, gto; did you mean 'gto'?",  //
                          "f.yaml:7:14: sm.banks[1]: needs an integer, has 'x'",                            //
                          "f.yaml:8:5: l2: needs a section, has '5'",                                       //
                          "f.yaml:9:1: extra: unknown key"));
}

TEST(Config, AGetterThatFailsGivesItsFallbackOrZero) {
  const Document document = Document::parse("a: x\nb: 9", "f.yaml");
  EXPECT_EQ(document.root().integer("a", {1, 4}, 3), 3);
  EXPECT_EQ(document.root().integer("b", {1, 4}), 0);
  EXPECT_EQ(document.root().text("c"), "");
  EXPECT_EQ(document.root().section("d").integer("e"), 0);
  EXPECT_THROW(document.finish(), Error);
}

TEST(Config, AProblemFoundTwiceIsReportedOnce) {
  EXPECT_EQ(problems_of_reading("a: x",
                                [](const Section& root) {
                                  root.integer("a");
                                  root.integer("a");
                                })
                .size(),
            1U);
}

TEST(Config, AMissingSectionIsOneProblemAndNotOneForEachOfItsKeys) {
  EXPECT_THAT(problems_of_reading(
                  "{}", [](const Section& root) { root.section("sm").section("l1").integer("ways"); }),
              ElementsAre("f.yaml:1:1: sm: missing key"));
}

TEST(Config, ASectionNobodyLooksIntoIsAProblem) {
  EXPECT_THAT(
      problems_of_reading("a: {b: 1}\nc: {}", [](const Section& root) { root.has("a"), root.has("c"); }),
      ElementsAre("f.yaml:1:1: a: unused section; nothing reads it here"));
}

TEST(Config, ReadersAddProblemsOfTheirOwn) {
  EXPECT_THAT(problems_of_reading("a: 3\nb: {}",
                                  [](const Section& root) {
                                    root.section("b").problem("too small");
                                    root.value("a").problem("not a power of two");
                                  }),
              ElementsAre("f.yaml:1:4: a: not a power of two", "f.yaml:2:1: b: too small"));
}

TEST(Config, ADocumentThatIsNoMappingIsAProblem) {
  for (const char* text : {"", "# nothing\n", "8", "- a", "~", "---\n"}) {
    const Problems problems = problems_of_reading(text, [](const Section& root) { root.integer("a"); });
    ASSERT_EQ(problems.size(), 1U) << text;
    EXPECT_THAT(problems[0], HasSubstr("f.yaml:"));
    EXPECT_THAT(problems[0], HasSubstr("the document must be keys and values")) << text;
  }
}

TEST(Config, TheNearestNameIsWithinAThirdOfTheWordAndTheFirstOfATie) {
  EXPECT_EQ(nearest_name("coutn", {"width", "count"}), "count");
  EXPECT_EQ(nearest_name("cat", {"dog", "bat", "car"}), "bat");
  EXPECT_EQ(nearest_name("cat", {"cuts"}), "");
  EXPECT_EQ(nearest_name("schedular", {"schedule", "scheduler"}), "scheduler");
  EXPECT_EQ(nearest_name("ab", {"ac"}), "");
  EXPECT_EQ(nearest_name("copys", {"compare", "copies"}), "copies");
  EXPECT_EQ(nearest_name("comparison", {"compare", "copies"}), "compare");
  EXPECT_EQ(nearest_name("copy", {"core"}), "");
  EXPECT_EQ(nearest_name("copyist", {"core"}), "");
  EXPECT_EQ(nearest_name("", {"a"}), "");
  EXPECT_EQ(nearest_name("abc", {}), "");
}

TEST(NearestName, IsElseOneWithTheWordAsAPart) {
  EXPECT_EQ(nearest_name("fma", {"int_add", "float_fma", "double_fma"}), "float_fma");
  EXPECT_EQ(nearest_name("warped", {"left-over", "warped-slicer"}), "warped-slicer");
  EXPECT_EQ(nearest_name("float", {"floating_add"}), "");
}

TEST(Suggestion, EndsAMessageAboutAnUnknownName) {
  EXPECT_EQ(suggestion("coutn", {"width", "count"}), "; did you mean 'count'?");
  EXPECT_EQ(suggestion("cuont\n", {"count\n"}), "; did you mean 'count\\x0a'?");
  EXPECT_EQ(suggestion("height", {"width", "count"}), "");
  EXPECT_EQ(suggestion("rnu", {"run"}, "see heddle --help"), "; did you mean 'run'? See heddle --help");
  EXPECT_EQ(suggestion("walk", {"run"}, "see heddle --help"), "; see heddle --help");
  EXPECT_EQ(suggestion_and_known("rnu", {"run", "list"}), "; did you mean 'run'? Known: run, list");
  EXPECT_EQ(suggestion_and_known("walk", {"run", "list"}), "; known: run, list");
  EXPECT_EQ(suggestion_and_known("walk", {}), "; known: none");
}

// ---- overrides

TEST(Config, AnOverrideReplacesOrAddsAValueUnderTheSameRules) {
  Document document = Document::parse("sm: {count: 13}\nxs: [1, {y: 2}]\n", "f.yaml");
  for (const char* assignment : {"sm.count=8", "sm.name= a: b ", "l2.ways=4", "xs[0]=7", "xs[1].y=3",
                                 "order=[b, a]", "sm.label=\"x\\ty\"", "sm.count=9"}) {
    document.set(assignment);
  }
  const Section root = document.root();
  EXPECT_EQ(root.section("sm").integer("count"), 9);
  EXPECT_EQ(root.section("sm").text("name"), "a: b");
  EXPECT_EQ(root.section("sm").text("label"), "x\ty");
  EXPECT_EQ(root.section("l2").integer("ways"), 4);
  EXPECT_EQ(root.list("xs")[0].integer(), 7);
  EXPECT_EQ(root.list("xs")[1].section().integer("y"), 3);
  EXPECT_EQ(root.list("order")[0].text(), "b");
  EXPECT_EQ(root.section("sm").value("count").place(), "--set sm.count=9");
  EXPECT_EQ(root.section("l2").place(), "--set l2.ways=4");
  document.finish();
}

TEST(Config, ProblemsOfOverridesNameTheOverrideAndFollowThoseOfTheFile) {
  Document document = Document::parse("sm: {count: 13}\nz: 1\n", "f.yaml");
  for (const char* assignment : {"sm.coutn=8", "sn.count=8", "sm.count=many", "sm.name=~"})
    document.set(assignment);
  const Section sm = document.root().section("sm");
  sm.integer("count");
  sm.text("name");
  EXPECT_THAT(problems_of([&] { document.finish(); }),
              ElementsAre("f.yaml:2:1: z: unknown key",                                      //
                          "--set sm.coutn=8: sm.coutn: unknown key; did you mean 'count'?",  //
                          "--set sn.count=8: sn: unknown key",                               //
                          "--set sm.count=many: sm.count: needs an integer, has 'many'",     //
                          "--set sm.name=~: sm.name: needs a text, has no value"));
}

TEST(Config, AMalformedOverrideIsRefusedAndChangesNothing) {
  const std::string text = "a:\n  b: 1\nxs:\n  - 1\n  - 2\nempty: ~\n";
  Document document = Document::parse(text, "f.yaml");
  const std::string deep_list = "a.c=" + std::string(64, '[') + std::string(64, ']');
  std::string deep_path = "a";
  for (int i = 0; i < 10'000; ++i) deep_path += ".a";
  for (const std::string& assignment : Problems{"",
                                                "a",
                                                "=1",
                                                "a=",
                                                "a= ",
                                                ".a=1",
                                                "a.=1",
                                                "a..b=1",
                                                "a.b.c=1",
                                                "a.b[0]=1",
                                                "xs.c=1",
                                                "xs[2]=1",
                                                "xs[-1]=1",
                                                "xs[ 0]=1",
                                                "xs[0=1",
                                                "xs[]=1",
                                                "xs[0]b=1",
                                                "xs[99999999999999999999]=1",
                                                "n[0]=1",
                                                "n.m[0].o=1",
                                                "[0]=1",
                                                "a.b={c: 1}",
                                                "a.b=[1",
                                                "a.b=[1] x",
                                                "a.b='x",
                                                "a.b='x': 1",
                                                "a.b=[&x 1]",
                                                "a.b=[*x]",
                                                "a.b=[!t 1]",
                                                "empty.x=1",
                                                "a.b=1\nc: 2",
                                                std::string("a.b=\0", 5),
                                                "a.b=\xff",
                                                deep_list,
                                                deep_path + "=1"}) {
    const Problems problems = problems_of([&] { document.set(assignment); });
    ASSERT_FALSE(problems.empty()) << assignment;
    EXPECT_THAT(problems.back(), HasSubstr("--set ")) << assignment;
    EXPECT_EQ(document.to_yaml(), Document::parse(text, "g").to_yaml()) << assignment;
  }
}

TEST(Config, TheResolvedDocumentKeepsOrderAndReadsBackTheSame) {
  Document document = Document::parse(
      "z: 1\na: {t: '8', e: {}, l: [], n: ~}\n'<<': x\n'~': \"a\\x04\\n\"\n'k: v': 'null'\nxs:\n- - 1\n- k: "
      "v\n",
      "f");
  document.set("a.t2=x # y");
  document.set("z=2");
  document.set("w=*a: [");
  const std::string yaml = document.to_yaml();
  EXPECT_THAT(yaml, testing::StartsWith("z: 2\na:\n  t: \"8\"\n"));
  const Document again = Document::parse(yaml, "g");
  EXPECT_EQ(again.to_yaml(), yaml);
  EXPECT_EQ(again.root().section("a").text("t2"), "x # y");
  EXPECT_EQ(again.root().text("w"), "*a: [");
  EXPECT_EQ(again.root().text("~"), std::string("a\x04\n"));
}

}  // namespace
}  // namespace heddle::config
