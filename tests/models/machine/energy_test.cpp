// A machine with energies computes what it computes without, its statistics of energy are the price of its
// counters, and its intervals and parts add up to the total.

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <map>
#include <nlohmann/json.hpp>
#include <optional>
#include <sstream>
#include <vector>

#include "models/gpu/peak_power.h"
#include "models/machine/machine.h"
#include "models/stats/series.h"
#include "models/stats/stats_reader.h"
#include "models/stats/writers.h"
#include "tests/support/in_child.h"
#include "tests/support/machine/energy.h"
#include "tests/support/machine/random_machine.h"
#include "tests/support/test_size.h"

namespace heddle::test {
namespace {

using Json = nlohmann::json;

struct Done {
  Json stats;                                  // by path, as read from stats.json
  std::map<std::string, std::uint64_t> grown;  // of statistics of energy: the sum over the intervals
};

// Runs the machine, and samples its energy every 500 core cycles.
Done run_machine(const MachineSpec& spec) {
  const std::string text = in_child([&] {
    Machine machine("machine", spec);
    Series series(machine.stats(), {"gpu.energy.*"});
    Json grown = Json::object();
    const auto sample = [&] {
      machine.stats();
      series.sample();
      for (const Series::Column& column : series.columns()) {
        const std::int64_t before = grown.value(column.path, std::int64_t{0});
        grown[column.path] = before + std::get<std::int64_t>(column.value);
      }
    };
    machine.sample_every(500, sample);
    machine.run();
    EXPECT_EQ(machine.failure(), "");
    sample();
    std::ostringstream stats;
    write_json(machine.stats(), stats);
    Json read = Json::object();
    for (const ReadStatistic& statistic : read_stats(stats.str()))
      read[statistic.path] = {
          {"value", statistic.formula ? Json(statistic.value.value_or(0)) : Json(statistic.count)},
          {"unit", statistic.unit},
          {"description", statistic.description}};
    return Json{{"stats", read}, {"grown", grown}}.dump();
  });
  const Json json = Json::parse(text);
  return {json["stats"], json["grown"].get<std::map<std::string, std::uint64_t>>()};
}

CounterAt counters_of(const Json& stats) {
  return [&stats](const std::string& path) -> std::optional<std::uint64_t> {
    const auto found = stats.find(path);
    return found == stats.end() ? std::nullopt : std::optional(found->at("value").get<std::uint64_t>());
  };
}

std::uint64_t value_of(const Json& stats, const std::string& path) {
  return stats.at(path).at("value").get<std::uint64_t>();
}

bool ends_with(const std::string& text, const std::string& end) {
  return text.size() >= end.size() && text.compare(text.size() - end.size(), end.size(), end) == 0;
}

MachineSpec mix_with_energy(std::uint64_t seed) {
  MachineSpec spec = random_cycle_mix(seed);
  spec.gpu.energy = numbered_energies();
  return spec;
}

TEST(MachineEnergy, IsThePriceOfTheCountersInTheResult) {
  for (std::uint64_t seed = 1; seed <= cases(6); ++seed) {
    const MachineSpec spec = mix_with_energy(seed);
    const Json stats = run_machine(spec).stats;
    const EnergyMachine machine = energy_machine(spec.gpu);
    const Energy energy =
        EnergyModel(*spec.gpu.energy, machine).price(machine_counts(machine, counters_of(stats)));
    std::uint64_t parts = 0;
    for (std::size_t i = 0; i < kEnergyParts; ++i) {
      const std::string group = fmt::format("gpu.energy.{}.", name_of(static_cast<EnergyPart>(i)));
      EXPECT_EQ(value_of(stats, group + "dynamic"), energy.parts[i].dynamic) << "seed " << seed << group;
      EXPECT_EQ(value_of(stats, group + "static"), energy.parts[i].standing) << "seed " << seed << group;
      parts += value_of(stats, group + "dynamic") + value_of(stats, group + "static");
    }
    EXPECT_EQ(value_of(stats, "gpu.energy.total"), parts) << "seed " << seed;
    // A femtojoule in a picosecond is a milliwatt.
    const double ps = static_cast<double>(value_of(stats, "gpu.core.cycles") * machine.period_ps[0]);
    EXPECT_NEAR(stats["gpu.power"]["value"].get<double>(), static_cast<double>(parts) / ps * 1e-3,
                1e-9 * stats["gpu.power"]["value"].get<double>());
  }
}

TEST(MachineEnergy, OfTheIntervalsAddsUpToTheTotal) {
  for (std::uint64_t seed = 1; seed <= cases(6); ++seed) {
    const Done done = run_machine(mix_with_energy(seed));
    EXPECT_EQ(done.grown.size(), 2 * kEnergyParts + 2);  // the total, and what no kernel causes alone
    for (const auto& [path, sum] : done.grown)
      EXPECT_EQ(sum, value_of(done.stats, path)) << "seed " << seed << ": " << path;
  }
}

TEST(MachineEnergy, OfTheKernelsAndTheRestAddUpToTheTotal) {
  for (std::uint64_t seed = 1; seed <= cases(6); ++seed) {
    const MachineSpec spec = mix_with_energy(seed);
    const Json stats = run_machine(spec).stats;
    const EnergyModel model(*spec.gpu.energy, energy_machine(spec.gpu));
    std::uint64_t kernels = 0;
    std::uint64_t dynamic = 0;
    for (const auto& [path, statistic] : stats.items()) {
      if (!ends_with(path, ".held_time")) continue;
      const std::string kernel = path.substr(0, path.rfind('.'));
      const auto counts = kernel_counts(kernel, counters_of(stats));
      ASSERT_TRUE(counts) << kernel;
      const Energy energy = model.price(*counts);
      EXPECT_EQ(value_of(stats, kernel + ".energy.dynamic"), energy.dynamic()) << "seed " << seed;
      EXPECT_EQ(value_of(stats, kernel + ".energy.static"), energy.standing()) << "seed " << seed;
      kernels += energy.total();
      dynamic += energy.dynamic();
    }
    EXPECT_GT(dynamic, 0u) << "seed " << seed;
    EXPECT_EQ(kernels + value_of(stats, "gpu.energy.unassigned"), value_of(stats, "gpu.energy.total"))
        << "seed " << seed;
    // Every event of an SM, of the crossbar and of L2 is one of a kernel.
    std::uint64_t rest = 0;
    for (const char* part : {"dram", "pcie"})
      rest += value_of(stats, fmt::format("gpu.energy.{}.dynamic", part));
    std::uint64_t all = 0;
    for (std::size_t i = 0; i < kEnergyParts; ++i)
      all += value_of(stats, fmt::format("gpu.energy.{}.dynamic", name_of(static_cast<EnergyPart>(i))));
    EXPECT_LE(dynamic, all) << "seed " << seed;
    EXPECT_GE(dynamic, all - rest) << "seed " << seed;
  }
}

TEST(MachineEnergy, ChangesNothingElse) {
  MachineSpec spec = mix_with_energy(3);
  spec.gpu.energy.reset();
  const Json without = run_machine(spec).stats;
  const Json with = run_machine(mix_with_energy(3)).stats;
  std::size_t kernels = 0;
  for (const auto& [path, statistic] : without.items()) kernels += ends_with(path, ".held_time") ? 1 : 0;
  // Two counters and a power of each part, the total, its power and the rest, and two counters of each
  // kernel.
  EXPECT_EQ(with.size(), without.size() + 3 * kEnergyParts + 3 + 2 * kernels);
  for (const auto& [path, statistic] : without.items())
    EXPECT_EQ(with.value(path, Json()), statistic) << path;
}

TEST(MachineEnergy, EverySmIsAwakeOrAsleepAndEveryChannelHasARowOpenOrNone) {
  for (std::uint64_t seed = 1; seed <= cases(6); ++seed) {
    const MachineSpec spec = mix_with_energy(seed);
    const Json stats = run_machine(spec).stats;
    for (std::uint32_t sm = 0; sm < spec.gpu.sm.count; ++sm) {
      const std::string path = fmt::format("gpu.sm{}.", sm);
      EXPECT_EQ(value_of(stats, path + "busy_cycles") + value_of(stats, path + "idle_cycles"),
                value_of(stats, "gpu.core.cycles"))
          << "seed " << seed << " " << path;
      EXPECT_EQ(value_of(stats, path + "sp_instructions") + value_of(stats, path + "int_instructions") +
                    value_of(stats, path + "dp_instructions") + value_of(stats, path + "sfu_instructions") +
                    value_of(stats, path + "tensor_instructions") +
                    value_of(stats, path + "memory_instructions"),
                value_of(stats, path + "warp_instructions"))
          << "seed " << seed << " " << path;
    }
    for (std::uint32_t channel = 0; channel < spec.gpu.memory->dram.map.channels; ++channel) {
      const std::string path = fmt::format("gpu.dram{}.", channel);
      EXPECT_EQ(value_of(stats, path + "open_cycles") + value_of(stats, path + "closed_cycles"),
                value_of(stats, "gpu.dram.cycles"))
          << "seed " << seed << " " << path;
    }
  }
}

}  // namespace
}  // namespace heddle::test
