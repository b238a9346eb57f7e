#pragma once
// The verbs of the program. A verb is one source file of platforms/cli/verbs, a verb of `heddle batch` one of
// platforms/cli/batch. The file has a struct of options, a function that declares them on the command line,
// an action, and one line that registers the three:
//
//   const VerbRegistration kList("list", 100, "List what there is", declare_list, list_known);
//
// These folders are linked as objects, so that the linker drops no registration.

#include <functional>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "platforms/cli/command_line.h"

namespace CLI {
class App;
}

namespace heddle {

// The words of the command line, which results keep as their provenance.
using Words = std::vector<std::string>;

struct Verb {
  // An action returns the exit code: 0 for success, or one of platforms/cli/exit_code.h. It throws
  // config::Error for bad input and OutputError for a result that cannot be written.
  using Action = std::function<int(const Words& argv)>;

  std::string name;  // as typed; the name of a sub-verb starts with its parent's: "batch run"
  int order = 0;     // position in the parent's help, ascending; equal orders are sorted by name
  std::string help;  // one line
  // Declares the options and returns the action that reads them. A verb that has sub-verbs returns none.
  std::function<Action(CommandLine&)> declare;
};

class VerbRegistry {
 public:
  static VerbRegistry& instance();  // filled while the program loads, only read afterwards

  // Throws std::logic_error if the name is registered already.
  void add(Verb verb);

  // The verbs in the order of the help. A sub-verb stands behind all verbs of fewer words.
  std::vector<const Verb*> verbs() const;

 private:
  std::map<std::string, Verb> known_;
};

// Registers a verb while the program loads.
class VerbRegistration {
 public:
  template <class Options>
  VerbRegistration(const char* name, int order, const char* help, void (*declare)(CommandLine&, Options&),
                   int (*action)(const Options&, const Words& argv)) {
    add({name, order, help, [declare, action](CommandLine& verb) -> Verb::Action {
           const auto options = std::make_shared<Options>();
           declare(verb, *options);
           return [options, action](const Words& argv) { return action(*options, argv); };
         }});
  }
  template <class Options>
  VerbRegistration(const char* name, int order, const char* help, void (*declare)(CommandLine&, Options&),
                   int (*action)(const Options&)) {
    add({name, order, help, [declare, action](CommandLine& verb) -> Verb::Action {
           const auto options = std::make_shared<Options>();
           declare(verb, *options);
           return [options, action](const Words&) { return action(*options); };
         }});
  }
  // A verb that has sub-verbs and no action.
  VerbRegistration(const char* name, int order, const char* help, void (*declare)(CommandLine&));

 private:
  static void add(Verb verb);
};

// The verbs of a registry as sub-commands of one command line.
class VerbTable {
 public:
  // `words` are the words of the command line. The constructor declares the verbs whose first word is one of
  // them, or all verbs if there is no such verb. It declares the options of a verb only if all words of the
  // verb are in `words`. A verb inherits the footer and the fallthrough setting that `app` has at the time of
  // the call. Throws std::logic_error if the parent of a sub-verb is not registered. `app` must outlive the
  // table.
  VerbTable(const VerbRegistry& registry, CLI::App& app, const Words& words);

  // Runs the verb that `app` has parsed and returns its exit code. Throws config::Error that lists the verbs
  // if the command line names none.
  int run(const Words& argv) const;

  // Returns a message about the words of the command line that `app` could not place. It names the nearest
  // verb or option. The text is empty if there are no such words.
  std::string explain_extras() const;

 private:
  const CLI::App& verb() const;  // the last one that the command line names

  CLI::App& app_;
  std::vector<std::string> names_;  // of the verbs of one word, in the order of the help
  std::map<const CLI::App*, Verb::Action> actions_;
};

}  // namespace heddle
