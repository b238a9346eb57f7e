#include <fmt/format.h>

#include <iostream>
#include <nlohmann/json.hpp>

#include "models/stats/writers.h"
#include "platforms/campaign/results/energy_report.h"
#include "platforms/cli/options.h"
#include "platforms/cli/print_json.h"
#include "platforms/cli/verb.h"

namespace heddle {

namespace {

using Json = nlohmann::ordered_json;

struct EnergyOptions {
  std::string results;
  std::optional<std::string> with;
  bool json = false;
};

std::string millijoules(std::uint64_t fj) {
  return fmt::format("{:.6f}", static_cast<double>(fj) * 1e-12);
}

std::string watts(std::uint64_t fj, std::uint64_t ps) {
  return ps == 0 ? "" : fmt::format("{:.3f}", static_cast<double>(fj) / static_cast<double>(ps) * 1e-3);
}

std::string percent(std::uint64_t part, std::uint64_t whole) {
  return whole == 0 ? ""
                    : fmt::format("{:.1f}", 100 * static_cast<double>(part) / static_cast<double>(whole));
}

void print_parts(const RunEnergy& run) {
  using Align = Table::Align;
  Table table({{"part"},
               {"dynamic (mJ)", Align::kRight},
               {"static (mJ)", Align::kRight},
               {"mean power (W)", Align::kRight},
               {"share (%)", Align::kRight}});
  const auto add = [&](const std::string& name, std::uint64_t dynamic, std::uint64_t standing) {
    table.add_row({name, millijoules(dynamic), millijoules(standing),
                   watts(dynamic + standing, run.simulated_ps),
                   percent(dynamic + standing, run.energy.total())});
  };
  for (std::size_t i = 0; i < kEnergyParts; ++i)
    add(name_of(static_cast<EnergyPart>(i)), run.energy.parts[i].dynamic, run.energy.parts[i].standing);
  add("total", run.energy.dynamic(), run.energy.standing());
  table.print(std::cout);
}

void print_kernels(const RunEnergy& run) {
  using Align = Table::Align;
  Table table({{"application"},
               {"kernel"},
               {"dynamic (mJ)", Align::kRight},
               {"static (mJ)", Align::kRight},
               {"share (%)", Align::kRight}});
  for (const KernelEnergy& kernel : run.kernels)
    table.add_row({kernel.application, kernel.kernel, millijoules(kernel.energy.dynamic()),
                   millijoules(kernel.energy.standing()),
                   percent(kernel.energy.total(), run.energy.total())});
  std::cout << "\n";
  table.print(std::cout);
  std::cout << fmt::format("caused by no kernel alone: {} mJ, {} %\n", millijoules(run.unassigned_fj()),
                           percent(run.unassigned_fj(), run.energy.total()));
}

void print_run(const RunEnergy& run) {
  std::cout << fmt::format("{}: {:.6g} J in {:.6g} s, {:.3f} W, energy-delay product {:.6g} J s\n", run.label,
                           run.joules(), static_cast<double>(run.simulated_ps) * 1e-12, run.mean_watts(),
                           run.energy_delay_product());
  print_parts(run);
  if (!run.kernels.empty()) print_kernels(run);
}

Json json_of(const Energy& energy) {
  Json parts = Json::object();
  for (std::size_t i = 0; i < kEnergyParts; ++i)
    parts[name_of(static_cast<EnergyPart>(i))] = {{"dynamic_fj", energy.parts[i].dynamic},
                                                  {"static_fj", energy.parts[i].standing}};
  return {{"total_fj", energy.total()}, {"parts", parts}};
}

Json json_of(const RunEnergy& run) {
  Json json{{"run", run.label}, {"simulated_ps", run.simulated_ps}};
  json["joules"] = run.joules();
  json["mean_watts"] = run.mean_watts();
  json["energy_delay_product"] = run.energy_delay_product();
  json["energy"] = json_of(run.energy);
  json["kernels"] = Json::array();
  for (const KernelEnergy& kernel : run.kernels)
    json["kernels"].push_back(
        {{"application", kernel.application}, {"kernel", kernel.kernel}, {"energy", json_of(kernel.energy)}});
  json["unassigned_fj"] = run.unassigned_fj();
  return json;
}

int price(const EnergyOptions& options) {
  std::string foreign;
  const std::vector<RunEnergy> runs = price_results(options.results, options.with, foreign);
  if (!foreign.empty()) std::cerr << "note: " << foreign << "\n";
  if (options.json) {
    Json json{{"schema", "heddle-energy-1"}, {"results", options.results}, {"runs", Json::array()}};
    for (const RunEnergy& run : runs) json["runs"].push_back(json_of(run));
    print_json(json);
    return 0;
  }
  for (std::size_t i = 0; i < runs.size(); ++i) {
    if (i > 0) std::cout << "\n";
    print_run(runs[i]);
  }
  return 0;
}

void declare_energy(CommandLine& verb, EnergyOptions& options) {
  verb.add_option("results", options.results, "the directory that heddle run has written").required();
  verb.add_option("--with", options.with,
                  "price with this set of energies instead of the platform's: a name of platforms/energy, or "
                  "its YAML file");
  add_json_flag(verb, options.json, "one JSON object and nothing else");
  verb.footer(
      "Examples:\n"
      "  heddle energy results/vector_add\n"
      "  heddle energy results/vector_add --with k40 --json");
}

const VerbRegistration kEnergy("energy", 45,
                               "Price the energy of a finished run, without simulating it again",
                               declare_energy, price);

}  // namespace

}  // namespace heddle
