#include "models/energy/energy_model.h"

#include <fmt/format.h>

#include <cmath>
#include <limits>
#include <stdexcept>

namespace heddle {

namespace {

__extension__ using Wide = unsigned __int128;  // holds a product of two counts

constexpr std::uint64_t kMilli = 1000;

// Adds an energy to a sum. Throws std::overflow_error if the result needs more than 64 bits.
void add(std::uint64_t& sum, Wide energy) {
  const Wide all = sum + energy;
  if (all > std::numeric_limits<std::uint64_t>::max())
    throw std::overflow_error("energy: more than 18.4 kJ, the most that is counted in femtojoules");
  sum = static_cast<std::uint64_t>(all);
}

// Returns the paths that a pattern with at most one `*` stands for.
std::vector<std::string> expand(const std::string& pattern, const EnergyMachine& machine) {
  const std::size_t star = pattern.find('*');
  if (star == std::string::npos) return {pattern};
  const std::string before = pattern.substr(0, star);
  const std::string after = pattern.substr(star + 1);
  const std::uint32_t count = before == "gpu.sm"    ? machine.sms
                              : before == "gpu.l2_" ? machine.slices
                                                    : machine.channels;
  std::vector<std::string> paths;
  const bool parts = before == "gpu.dram" && machine.pseudo_channels > 1;
  for (std::uint32_t i = 0; i < count; ++i) {
    if (!parts) paths.push_back(fmt::format("{}{}{}", before, i, after));
    for (std::uint32_t part = 0; parts && part < machine.pseudo_channels; ++part)
      paths.push_back(fmt::format("{}{}_{}{}", before, i, part, after));
  }
  return paths;
}

std::vector<std::string> expand(const std::vector<std::string>& patterns, const EnergyMachine& machine) {
  std::vector<std::string> paths;
  for (const std::string& pattern : patterns)
    for (std::string& path : expand(pattern, machine)) paths.push_back(std::move(path));
  return paths;
}

std::uint64_t sum_of(const std::vector<std::string>& paths, const CounterAt& at) {
  std::uint64_t sum = 0;
  for (const std::string& path : paths) {
    const std::optional<std::uint64_t> value = at(path);
    if (!value) throw std::invalid_argument("no counter " + path);
    sum += *value;
  }
  return sum;
}

// Returns the sum of the counters, or none if one is missing.
std::optional<std::uint64_t> optional_sum_of(const std::vector<std::string>& paths, const CounterAt& at) {
  std::uint64_t sum = 0;
  for (const std::string& path : paths) {
    const std::optional<std::uint64_t> value = at(path);
    if (!value) return std::nullopt;
    sum += *value;
  }
  return sum;
}

std::vector<std::string> below(const std::string& prefix, const std::vector<std::string>& names) {
  std::vector<std::string> paths;
  paths.reserve(names.size());
  for (const std::string& name : names) paths.push_back(fmt::format("{}.{}", prefix, name));
  return paths;
}

}  // namespace

std::uint64_t period_ps(double hz) {
  return static_cast<std::uint64_t>(std::llround(1e12 / hz));
}

EnergyPaths energy_paths(const EnergyMachine& machine) {
  EnergyPaths paths;
  for (std::size_t i = 0; i < kEnergyEvents; ++i)
    if (machine.refreshes_banks || !energy_events()[i].of_bank_refresh)
      paths.events[i] = expand(energy_events()[i].machine, machine);
  for (std::size_t i = 0; i < kStaticPowers; ++i) {
    const StaticPower& power = static_powers()[i];
    const std::uint32_t times = power.each_slice ? machine.slices : 1;
    for (std::uint32_t time = 0; time < times; ++time)
      for (std::string& path : expand(power.machine, machine)) paths.powers[i].push_back(std::move(path));
  }
  return paths;
}

EnergyPaths kernel_paths(const std::string& prefix) {
  EnergyPaths paths;
  for (std::size_t i = 0; i < kEnergyEvents; ++i) paths.events[i] = below(prefix, energy_events()[i].kernel);
  for (std::size_t i = 0; i < kStaticPowers; ++i) paths.powers[i] = below(prefix, static_powers()[i].kernel);
  return paths;
}

EventCounts machine_counts(const EnergyMachine& machine, const CounterAt& at) {
  const EnergyPaths paths = energy_paths(machine);
  EventCounts counts;
  for (std::size_t i = 0; i < kEnergyEvents; ++i) counts.events[i] = sum_of(paths.events[i], at);
  for (std::size_t i = 0; i < kStaticPowers; ++i)
    counts.millicycles[i] = kMilli * sum_of(paths.powers[i], at);
  return counts;
}

std::optional<EventCounts> kernel_counts(const std::string& prefix, const CounterAt& at) {
  const EnergyPaths paths = kernel_paths(prefix);
  EventCounts counts;
  for (std::size_t i = 0; i < kEnergyEvents; ++i) {
    const std::optional<std::uint64_t> sum = optional_sum_of(paths.events[i], at);
    if (!sum) return std::nullopt;
    counts.events[i] = *sum;
  }
  for (std::size_t i = 0; i < kStaticPowers; ++i) {
    const std::optional<std::uint64_t> sum = optional_sum_of(paths.powers[i], at);
    if (!sum) return std::nullopt;
    counts.millicycles[i] = *sum;
  }
  return counts;
}

std::uint64_t Energy::dynamic() const {
  std::uint64_t sum = 0;
  for (const Part& part : parts) add(sum, part.dynamic);
  return sum;
}

std::uint64_t Energy::standing() const {
  std::uint64_t sum = 0;
  for (const Part& part : parts) add(sum, part.standing);
  return sum;
}

EnergyModel::EnergyModel(const EnergySpec& spec, const EnergyMachine& machine) {
  for (std::size_t i = 0; i < kEnergyEvents; ++i)
    event_fj_[i] = static_cast<std::uint64_t>(std::llround(spec.events[i].value));
  for (std::size_t i = 0; i < kStaticPowers; ++i) {
    const std::uint64_t period = machine.period_ps[static_cast<std::size_t>(static_powers()[i].clock)];
    // A milliwatt in a picosecond is a femtojoule.
    cycle_fj_[i] =
        static_cast<std::uint64_t>(std::llround(spec.powers[i].value * static_cast<double>(period)));
  }
}

Energy EnergyModel::price(const EventCounts& counts) const {
  Energy energy;
  for (std::size_t i = 0; i < kEnergyEvents; ++i) {
    Energy::Part& part = energy.parts[static_cast<std::size_t>(energy_events()[i].part)];
    add(part.dynamic, static_cast<Wide>(event_fj_[i]) * counts.events[i]);
  }
  for (std::size_t i = 0; i < kStaticPowers; ++i) {
    Energy::Part& part = energy.parts[static_cast<std::size_t>(static_powers()[i].part)];
    add(part.standing, static_cast<Wide>(cycle_fj_[i]) * counts.millicycles[i] / kMilli);
  }
  std::uint64_t sum = energy.dynamic();
  add(sum, energy.standing());
  return energy;
}

}  // namespace heddle
