#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <iostream>

#include "models/core/config/config.h"
#include "models/core/config/data_path.h"
#include "models/stats/writers.h"
#include "platforms/cli/options.h"
#include "platforms/cli/verb.h"
#include "policies/registry.h"

namespace heddle {

namespace {

struct ListOptions {
  std::string what;
};

void list_policies() {
  const PolicyCatalogue& catalogue = PolicyCatalogue::instance();
  for (const std::string& decision : catalogue.decisions()) {
    std::cout << decision << "\n";
    for (const std::string& name : catalogue.names(decision)) {
      const PolicyInfo& info = catalogue.info(decision, name);
      std::cout << fmt::format("  {:<14} {} [{}]\n", name, info.doc, info.source);
      for (const PolicyParameter& parameter : info.parameters)
        std::cout << fmt::format("  {:<14}   {}: {} (default {} {}, {} .. {})\n", "", parameter.name,
                                 parameter.doc, parameter.fallback.text(), parameter.unit, parameter.least,
                                 parameter.most);
    }
  }
}

// Prints the files of a folder with the text of one of their keys.
void list_files(const std::string& folder, const std::string& key) {
  for (const std::string& name : known_data(folder)) {
    std::string text;
    try {
      const config::Document document = config::Document::load(find_data(folder, name));
      if (document.root().has(key)) text = document.root().text(key);
    } catch (const config::Error& error) {
      text = error.what();
    }
    std::cout << fmt::format("{:<24} {}\n", name, text);
  }
}

int list_known(const ListOptions& options) {
  const std::string& what = options.what;
  if (what == "policies") list_policies();
  if (what == "platforms") list_files("platforms", "description");
  if (what == "applications") list_files("stimuli/applications", "description");
  if (what == "launches") list_files("stimuli/launches", "description");
  if (what == "experiments") list_files("stimuli/experiments", "question");
  if (what == "campaigns") list_files("stimuli/campaigns", "question");
  if (what == "papers") list_files("stimuli/papers", "title");
  return 0;
}

void declare_list(CLI::App& verb, ListOptions& options) {
  verb.add_option("what", options.what,
                  "policies, platforms, applications, launches, experiments, campaigns or papers")
      ->required()
      ->check(CLI::IsMember(
          {"policies", "platforms", "applications", "launches", "experiments", "campaigns", "papers"}));
}

const VerbRegistration kList("list", 100, "List what there is, with parameters, units and defaults",
                             declare_list, list_known);

}  // namespace

}  // namespace heddle
