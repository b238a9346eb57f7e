#include "platforms/cli/verb.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <stdexcept>
#include <tuple>
#include <utility>

#include "models/core/config/config.h"
#include "models/core/config/config_names.h"

namespace heddle {

namespace {

std::ptrdiff_t words_of(const Verb& verb) {
  return 1 + std::count(verb.name.begin(), verb.name.end(), ' ');
}

bool is_word(const std::string& name, const Words& words) {
  return std::find(words.begin(), words.end(), name) != words.end();
}

// Returns the number of words of the verb that are among those of the command line, from the first on.
std::ptrdiff_t named_words(const std::string& verb, const Words& words) {
  std::ptrdiff_t named = 0;
  for (std::size_t at = 0; at <= verb.size(); ++named) {
    const std::size_t end = std::min(verb.find(' ', at), verb.size());
    if (!is_word(verb.substr(at, end - at), words)) break;
    at = end + 1;
  }
  return named;
}

// "a, b or c"
std::string alternatives(const std::vector<std::string>& names) {
  if (names.size() < 2) return fmt::format("{}", fmt::join(names, ""));
  return fmt::format("{} or {}", fmt::join(names.begin(), names.end() - 1, ", "), names.back());
}

}  // namespace

VerbRegistry& VerbRegistry::instance() {
  static VerbRegistry registry;
  return registry;
}

void VerbRegistry::add(Verb verb) {
  const std::string name = verb.name;
  if (!known_.emplace(name, std::move(verb)).second)
    throw std::logic_error(fmt::format("verb '{}' is registered twice", name));
}

std::vector<const Verb*> VerbRegistry::verbs() const {
  std::vector<const Verb*> sorted;
  for (const auto& [name, verb] : known_) sorted.push_back(&verb);
  std::stable_sort(sorted.begin(), sorted.end(), [](const Verb* a, const Verb* b) {
    return std::make_tuple(words_of(*a), a->order) < std::make_tuple(words_of(*b), b->order);
  });
  return sorted;
}

VerbRegistration::VerbRegistration(const char* name, int order, const char* help,
                                   void (*declare)(CommandLine&)) {
  add({name, order, help, [declare](CommandLine& verb) -> Verb::Action {
         declare(verb);
         return nullptr;
       }});
}

void VerbRegistration::add(Verb verb) {
  VerbRegistry::instance().add(std::move(verb));
}

VerbTable::VerbTable(const VerbRegistry& registry, CLI::App& app, const Words& words) : app_(app) {
  std::map<std::string, CLI::App*> declared{{"", &app}};
  const std::vector<const Verb*> verbs = registry.verbs();
  const bool is_named = std::any_of(verbs.begin(), verbs.end(),
                                    [&](const Verb* verb) { return named_words(verb->name, words) > 0; });
  for (const Verb* verb : verbs) {
    const std::size_t blank = verb->name.rfind(' ');
    const bool has_parent = blank != std::string::npos;
    if (!has_parent) names_.push_back(verb->name);
    const std::ptrdiff_t named = named_words(verb->name, words);
    if (is_named && named == 0) continue;
    const auto parent = declared.find(has_parent ? verb->name.substr(0, blank) : "");
    if (parent == declared.end())
      throw std::logic_error(fmt::format("verb '{}': its parent is not registered", verb->name));
    CLI::App* const command =
        parent->second->add_subcommand(has_parent ? verb->name.substr(blank + 1) : verb->name, verb->help);
    declared.emplace(verb->name, command);
    if (named < words_of(*verb)) continue;
    CommandLine line(*command);
    if (Verb::Action action = verb->declare(line)) actions_.emplace(command, std::move(action));
  }
}

const CLI::App& VerbTable::verb() const {
  const CLI::App* verb = &app_;
  while (!verb->get_subcommands().empty()) verb = verb->get_subcommands().front();
  return *verb;
}

std::string VerbTable::explain_extras() const {
  const CLI::App& chosen = verb();
  std::vector<std::string> extras = app_.remaining(true);
  extras.erase(std::remove(extras.begin(), extras.end(), "--"), extras.end());  // separates words
  if (extras.empty()) return "";
  const auto option = std::find_if(extras.begin(), extras.end(),
                                   [](const std::string& word) { return word.rfind('-', 0) == 0; });
  const bool is_option = option != extras.end();
  const std::string word = is_option ? *option : extras.front();
  std::vector<std::string> known;
  if (is_option)
    for (const CLI::App* app : {&chosen, &std::as_const(app_)})
      for (const CLI::Option* one : app->get_options())
        for (const std::string& name : one->get_lnames()) known.push_back("--" + name);
  else
    for (const CLI::App* one : chosen.get_subcommands([](const CLI::App*) { return true; }))
      known.push_back(one->get_name());
  const bool is_verb = !is_option && !known.empty();
  std::string words = "heddle";
  for (const CLI::App* app = &app_; app != &chosen;) {
    app = app->get_subcommands().front();
    words += " " + app->get_name();
  }
  return fmt::format("unknown {} '{}'{}",
                     is_option ? "option"
                     : is_verb ? "verb"
                               : "word",
                     word, config::suggestion(word, known, "see " + words + " --help"));
}

int VerbTable::run(const Words& argv) const {
  const CLI::App* const verb = &this->verb();
  const auto action = actions_.find(verb);
  if (action == actions_.end())
    throw config::Error({fmt::format("what to do: {}? See heddle --help", alternatives(names_))});
  return action->second(argv);
}

}  // namespace heddle
