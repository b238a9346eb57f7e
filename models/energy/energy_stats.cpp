#include "models/energy/energy_stats.h"

#include <stdexcept>
#include <string>

namespace heddle {

namespace {

constexpr double kJouleOfFj = 1e-15;
constexpr double kSecondsOfPs = 1e-12;

std::vector<const Counter*> find_all(const std::vector<std::string>& paths, const Group& gpu) {
  std::vector<const Counter*> counters;
  for (const std::string& path : paths) {
    // The table calls the GPU "gpu", whatever its module is called.
    const Counter* counter = gpu.find(gpu.name() + path.substr(path.find('.')));
    if (counter == nullptr) throw std::invalid_argument("no counter " + path);
    counters.push_back(counter);
  }
  return counters;
}

std::uint64_t sum_of(const std::vector<const Counter*>& counters) {
  std::uint64_t sum = 0;
  for (const Counter* counter : counters) sum += counter->value();
  return sum;
}

}  // namespace

EnergyStats::EnergyStats(const EnergySpec& spec, const EnergyMachine& machine, Group& gpu,
                         const Counter& cycles)
    : model_(spec, machine) {
  const EnergyPaths paths = energy_paths(machine);
  for (std::size_t i = 0; i < kEnergyEvents; ++i) events_[i] = find_all(paths.events[i], gpu);
  for (std::size_t i = 0; i < kStaticPowers; ++i) powers_[i] = find_all(paths.powers[i], gpu);
  Group& energy = gpu.child("energy");
  const auto period = static_cast<double>(machine.period_ps[static_cast<std::size_t>(EnergyClock::kCore)]);
  const double watts = kJouleOfFj / (period * kSecondsOfPs);  // of a femtojoule in a core cycle
  for (std::size_t i = 0; i < kEnergyParts; ++i) {
    const auto part = static_cast<EnergyPart>(i);
    const std::string what = description_of(part);
    Group& group = energy.child(name_of(part));
    group.add(parts_[i].dynamic, "dynamic", "fJ", "energy of events: " + what);
    group.add(parts_[i].standing, "static", "fJ", "energy of static power: " + what);
    gpu.add_formula(std::string(name_of(part)) + "_power", "W", "mean power: " + what,
                    {parts_[i].dynamic, parts_[i].standing}, {cycles}, watts);
  }
  energy.add(total_, "total", "fJ", "energy of all parts, dynamic and static");
  power_ = &gpu.add_formula("power", "W", "mean power of the board", {total_}, {cycles}, watts);
}

void EnergyStats::update() {
  EventCounts counts;
  for (std::size_t i = 0; i < kEnergyEvents; ++i) counts.events[i] = sum_of(events_[i]);
  for (std::size_t i = 0; i < kStaticPowers; ++i) counts.millicycles[i] = 1000 * sum_of(powers_[i]);
  const Energy energy = model_.price(counts);
  for (std::size_t i = 0; i < kEnergyParts; ++i) {
    parts_[i].dynamic.set(energy.parts[i].dynamic);
    parts_[i].standing.set(energy.parts[i].standing);
  }
  total_.set(energy.total());
}

}  // namespace heddle
