#include "platforms/load/read_energy.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>

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

bool is_optional(const EnergyEvent& event) {
  return event.of_bank_refresh;
}
bool is_optional(const StaticPower&) {
  return false;
}

// Reads a value for each row of a table. A key that is no row is one problem, which lists the rows.
template <class Rows, class Costs, class Read>
void read_costs(const config::Section& section, const Rows& rows, const char* unit, const char* what,
                Costs& costs, Read read) {
  std::vector<std::string> known;
  for (std::size_t i = 0; i < rows.size(); ++i) {
    known.push_back(rows[i].name);
    const config::Key key{rows[i].name, fmt::format("{}: {}", what, rows[i].description), unit};
    if (is_optional(rows[i]))
      section.optional(key, "list", "only for DRAM that refreshes bank by bank");
    else
      section.value(key, "list", "value, source");
    if (section.has(rows[i].name)) costs[i] = read_cost(section.value(rows[i].name), read);
  }
  for (const std::string& key : section.keys())
    if (std::find(known.begin(), known.end(), key) == known.end())
      section.value(key).problem(fmt::format("is none of {}", fmt::join(known, ", ")));
}

}  // namespace

EnergySpec read_energy(const config::Section& section) {
  EnergySpec spec;
  spec.about = section.text({"about", "one line that says what the set of energies is"}, "");
  spec.dram = section.text({"dram", "DRAM standard whose energies the set has; empty: not stated"}, "");
  spec.compute_capability = static_cast<std::uint32_t>(
      std::lround(10 * section.real({"compute_capability",
                                     "CUDA compute capability of the SMs whose energies the set has; "
                                     "0: not stated"},
                                    {1, 99}, 0)));
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
