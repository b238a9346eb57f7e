// The registry of verbs, and the verbs of the program.

#include "platforms/cli/verb.h"

#include <gtest/gtest.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <sstream>
#include <stdexcept>

#include "models/core/config/config.h"
#include "tests/platforms/cli/cli.h"

namespace heddle::test {

namespace {

Verb verb_that_returns(const std::string& name, int order, int code) {
  return {name, order, "does " + name, [code](CommandLine&) -> Verb::Action {
            return [code](const Words& argv) { return code + static_cast<int>(argv.size()); };
          }};
}

Verb parent_verb(const std::string& name, int order) {
  return {name, order, "has sub-verbs", [](CommandLine& verb) -> Verb::Action {
            verb.require_subcommand(1);
            return nullptr;
          }};
}

int run_words(const VerbRegistry& registry, std::vector<std::string> words) {
  CLI::App app{"test", "heddle"};
  const VerbTable table(registry, app, words);
  std::reverse(words.begin(), words.end());  // CLI11 takes the words in reverse order
  app.parse(words);
  return table.run({"heddle", "x"});
}

// Returns the names in the table "Subcommands" of a help text.
std::vector<std::string> listed_verbs(const std::string& help) {
  std::istringstream lines(help.substr(help.find("Subcommands:\n") + 13));
  std::vector<std::string> names;
  for (std::string line; std::getline(lines, line) && line.rfind("  ", 0) == 0;)
    names.push_back(line.substr(2, line.find(' ', 2) - 2));
  return names;
}

}  // namespace

TEST(VerbRegistry, SortsByOrderThenNameAndPutsSubVerbsLast) {
  VerbRegistry registry;
  registry.add(verb_that_returns("batch run", 1, 0));
  for (const char* name : {"b", "c", "a"}) registry.add(verb_that_returns(name, 7, 0));
  registry.add(parent_verb("batch", 9));
  registry.add(verb_that_returns("z", 3, 0));
  std::vector<std::string> names;
  for (const Verb* verb : registry.verbs()) names.push_back(verb->name);
  EXPECT_EQ(names, (std::vector<std::string>{"z", "a", "b", "c", "batch", "batch run"}));
}

TEST(VerbRegistry, RefusesANameTwice) {
  VerbRegistry registry;
  registry.add(verb_that_returns("run", 1, 0));
  EXPECT_THROW(registry.add(verb_that_returns("run", 2, 0)), std::logic_error);
}

TEST(VerbTable, RunsTheVerbThatWasParsed) {
  VerbRegistry registry;
  registry.add(verb_that_returns("run", 1, 10));
  registry.add(parent_verb("batch", 2));
  registry.add(verb_that_returns("batch run", 1, 20));
  EXPECT_EQ(run_words(registry, {"run"}), 12);
  EXPECT_EQ(run_words(registry, {"batch", "run"}), 22);
}

TEST(VerbTable, ListsTheVerbsWhereNoneIsGiven) {
  VerbRegistry registry;
  registry.add(verb_that_returns("a", 1, 0));
  registry.add(parent_verb("batch", 2));
  registry.add(verb_that_returns("batch run", 1, 0));
  registry.add(verb_that_returns("c", 3, 0));
  try {
    run_words(registry, {});
    FAIL();
  } catch (const config::Error& error) {
    EXPECT_STREQ(error.what(), "what to do: a, batch or c? See heddle --help");
  }
}

TEST(VerbTable, DeclaresTheOptionsOfTheVerbsThatAreNamed) {
  VerbRegistry registry;
  std::vector<std::string> declared;
  for (const char* name : {"run", "batch", "batch run", "batch diff"})
    registry.add({name, 1, "", [&declared, name](CommandLine&) -> Verb::Action {
                    declared.emplace_back(name);
                    return nullptr;
                  }});
  const auto declares = [&](const Words& words) {
    declared.clear();
    CLI::App app{"test", "heddle"};
    const VerbTable table(registry, app, words);
    return declared;
  };
  EXPECT_EQ(declares({"heddle"}), Words{});
  EXPECT_EQ(declares({"heddle", "diff"}), Words{});
  EXPECT_EQ(declares({"heddle", "--log-level", "off", "run"}), Words{"run"});
  EXPECT_EQ(declares({"heddle", "batch", "diff", "a", "b"}), (Words{"batch", "batch diff"}));
  EXPECT_EQ(declares({"heddle", "batch", "run"}), (Words{"batch", "run", "batch run"}));
}

TEST(VerbTable, RefusesASubVerbWithoutItsParent) {
  VerbRegistry registry;
  registry.add(verb_that_returns("batch run", 1, 0));
  CLI::App app{"test", "heddle"};
  EXPECT_THROW(VerbTable(registry, app, {}), std::logic_error);
}

class Verbs : public CliTest {};

TEST_F(Verbs, OfTheHelpAreThoseOfTheQuestionAndHaveAHelpOfTheirOwn) {
  const std::vector<std::string> names = listed_verbs(heddle("--help").out);
  ASSERT_GE(names.size(), 10u);
  std::string question = "heddle: what to do: ";
  for (std::size_t i = 0; i < names.size(); ++i)
    question += (i == 0 ? "" : i + 1 < names.size() ? ", " : " or ") + names[i];
  EXPECT_EQ(heddle("").err, question + "? See heddle --help\n");
  std::vector<std::string> all = names;
  for (const std::string& name : listed_verbs(heddle("batch --help").out)) all.push_back("batch " + name);
  ASSERT_GE(all.size(), names.size() + 10);
  for (const std::string& name : all) {
    const Outcome outcome = heddle(name + " --help");
    EXPECT_EQ(outcome.code, 0) << name;
    EXPECT_NE(outcome.out.find("Usage: heddle " + name + " "), std::string::npos) << outcome.out;
  }
}

}  // namespace heddle::test
