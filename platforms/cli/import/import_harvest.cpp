#include <fmt/format.h>

#include <filesystem>
#include <iostream>
#include <nlohmann/json.hpp>

#include "models/core/config/config.h"
#include "models/core/config/input_file.h"
#include "platforms/cli/options.h"
#include "platforms/cli/print_json.h"
#include "platforms/cli/verb.h"
#include "platforms/import/harvest_platform.h"
#include "platforms/run/output.h"

namespace heddle {

namespace {

struct HarvestOptions {
  std::string input;
  std::string output;
  std::string name;
  std::string base;
  bool json = false;
};

nlohmann::ordered_json rows_of(const imported::Harvest& harvest) {
  nlohmann::ordered_json rows = nlohmann::ordered_json::array();
  for (const imported::HarvestRow& row : harvest.rows) {
    nlohmann::ordered_json parameters = nlohmann::ordered_json::object();
    for (const auto& [name, value] : row.parameters) parameters[name] = value;
    rows.push_back({{"what", row.what},
                    {"parameters", parameters},
                    {"value", row.value},
                    {"unit", row.unit},
                    {"repetitions", row.repetitions},
                    {"least", row.least},
                    {"most", row.most}});
  }
  return rows;
}

int import_harvest(const HarvestOptions& options) {
  const imported::Harvest harvest = imported::read_harvest(config::read_file(options.input), options.input);
  imported::PlatformOptions made;
  made.name = options.name.empty() ? std::filesystem::path(options.output).stem().string() : options.name;
  made.base = options.base;
  const imported::PlatformImport result = imported::import_platform(harvest, made);
  // A text that the reader of platforms would refuse is never left behind.
  ResultFile file(options.output, Existing::kReplaced, "--out");
  write_file(file.draft(), result.text);
  imported::check_platform_file(file.draft());
  file.finish();
  if (options.json) {
    print_json({{"card", harvest.card.name},
                {"sms", harvest.card.sms},
                {"l2_kib", harvest.card.l2_kib},
                {"driver", harvest.card.driver},
                {"runtime", harvest.card.runtime},
                {"date", harvest.card.date},
                {"base", result.base},
                {"notes", result.notes},
                {"rows", rows_of(harvest)}});
    return 0;
  }
  std::cout << fmt::format("{}: {}, {} SMs, {} measurements; what was not measured is that of {}\n",
                           options.output, harvest.card.name, harvest.card.sms, harvest.rows.size(),
                           result.base);
  for (const std::string& note : result.notes) std::cout << "note: " << note << "\n";
  return 0;
}

void declare_import_harvest(CommandLine& verb, HarvestOptions& options) {
  verb.add_option("file", options.input, "CSV file that scripts/harvest has written").required();
  verb.add_option("-o,--out", options.output, "the platform's YAML file, replaced where it exists")
      .required()
      .type_name("FILE");
  verb.add_option("--base", options.base,
                  "the platform that has what was not measured (default: the one of the nearest compute "
                  "capability)")
      .type_name("PLATFORM");
  verb.add_option("--name", options.name, "of the platform; otherwise the name of the output");
  add_json_flag(verb, options.json, "the measurements as one JSON object");
  verb.footer(
      "Example:\n"
      "  scripts/harvest --out card.csv             # on the machine with the GPU\n"
      "  heddle import harvest card.csv -o card.yaml\n"
      "  heddle run vector_add --platform card.yaml");
}

const VerbRegistration kImportHarvest("import harvest", 3, "A platform of what scripts/harvest has measured",
                                      declare_import_harvest, import_harvest);

}  // namespace

}  // namespace heddle
