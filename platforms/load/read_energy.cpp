#include "platforms/load/read_energy.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "models/core/config/data_path.h"
#include "platforms/load/platform_loader.h"

namespace heddle {

namespace {

// Reads [12.5pJ, "where the number comes from"].
template <class Read>
EnergySpec::Cost read_cost(const config::Value& value, Read read) {
  EnergySpec::Cost cost;
  const std::vector<config::Value> pair = value.is_list() ? value.list() : std::vector<config::Value>{};
  if (pair.size() != 2) {
    value.problem("needs a list of two: the value and the text of its source");
    return cost;
  }
  cost.value = read(pair[0]);
  cost.source = pair[1].text();
  if (pair[1].is_scalar() && cost.source.empty()) pair[1].problem("needs the source of the number");
  return cost;
}

// Reads a value for each row of a table. A key that is no row is one problem, which lists the rows.
template <class Rows, class Costs, class Read>
void read_costs(const config::Section& section, const Rows& rows, const char* unit, const char* what,
                Costs& costs, Read read) {
  std::vector<std::string> known;
  for (std::size_t i = 0; i < rows.size(); ++i) {
    known.push_back(rows[i].name);
    const config::Key key{rows[i].name, fmt::format("{}: {}", what, rows[i].description), unit};
    const config::Value value = section.value(key, "list", "value, source");
    if (section.has(rows[i].name)) costs[i] = read_cost(value, read);
  }
  for (const std::string& key : section.keys())
    if (std::find(known.begin(), known.end(), key) == known.end())
      section.value(key).problem(fmt::format("is none of {}", fmt::join(known, ", ")));
}

}  // namespace

EnergySpec read_energy(const config::Section& section) {
  EnergySpec spec;
  section.text({"about", "one line that says what the set of energies is"}, "");
  read_costs(section.section("events"), energy_events(), "fJ to uJ", "energy of", spec.events,
             [](const config::Value& value) { return value.energy_fj(); });
  read_costs(section.section("static"), static_powers(), "mW, W", "static power of", spec.powers,
             [](const config::Value& value) { return value.power_mw(); });
  return spec;
}

EnergySpec load_energy(const std::string& name_or_file) {
  const config::Document document =
      config::Document::load_derived(find_data(kEnergyFolder, name_or_file), kEnergyFolder, {"about"});
  EnergySpec spec = read_energy(document.root());
  document.finish();
  return spec;
}

}  // namespace heddle
