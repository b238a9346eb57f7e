#include "models/energy/energy_stats.h"

#include <stdexcept>
#include <string>

namespace heddle {

namespace {

constexpr double kJouleOfFj = 1e-15;
constexpr double kSecondsOfPs = 1e-12;

// Returns the counters at the paths, whose first name stands for `group` whatever that is called.
std::vector<const Counter*> find_all(const std::vector<std::string>& paths, const Group& group) {
  std::vector<const Counter*> counters;
  for (const std::string& path : paths) {
    const Counter* counter = group.find(group.name() + path.substr(path.find('.')));
    if (counter == nullptr) throw std::invalid_argument("no counter " + path);
    counters.push_back(counter);
  }
  return counters;
}

EnergySources find_all(const EnergyPaths& paths, const Group& group) {
  EnergySources sources;
  for (std::size_t i = 0; i < kEnergyEvents; ++i) sources.events[i] = find_all(paths.events[i], group);
  for (std::size_t i = 0; i < kStaticPowers; ++i) sources.powers[i] = find_all(paths.powers[i], group);
  return sources;
}

std::uint64_t sum_of(const std::vector<const Counter*>& counters) {
  std::uint64_t sum = 0;
  for (const Counter* counter : counters) sum += counter->value();
  return sum;
}

// The counters of static powers count time in units of `unit` thousandths of a cycle.
EventCounts counts_of(const EnergySources& sources, std::uint64_t unit) {
  EventCounts counts;
  for (std::size_t i = 0; i < kEnergyEvents; ++i) counts.events[i] = sum_of(sources.events[i]);
  for (std::size_t i = 0; i < kStaticPowers; ++i) counts.millicycles[i] = unit * sum_of(sources.powers[i]);
  return counts;
}

}  // namespace

EnergyStats::EnergyStats(const EnergySpec& spec, const EnergyMachine& machine, Group& gpu,
                         const Counter& cycles)
    : model_(spec, machine), energy_(gpu.child("energy")), sources_(find_all(energy_paths(machine), gpu)) {
  const auto period = static_cast<double>(machine.period_ps[static_cast<std::size_t>(EnergyClock::kCore)]);
  const double watts = kJouleOfFj / (period * kSecondsOfPs);  // of a femtojoule in a core cycle
  for (std::size_t i = 0; i < kEnergyParts; ++i) {
    const auto part = static_cast<EnergyPart>(i);
    const std::string what = description_of(part);
    Group& group = energy_.child(name_of(part));
    group.add(parts_[i].dynamic, "dynamic", "fJ", "energy of events: " + what);
    group.add(parts_[i].standing, "static", "fJ", "energy of static power: " + what);
    gpu.add_formula(std::string(name_of(part)) + "_power", "W", "mean power: " + what,
                    {parts_[i].dynamic, parts_[i].standing}, {cycles}, watts);
  }
  energy_.add(total_, "total", "fJ", "energy of all parts, dynamic and static");
  power_ = &gpu.add_formula("power", "W", "mean power of the board", {total_}, {cycles}, watts);
}

void EnergyStats::update() {
  const Energy energy = model_.price(counts_of(sources_, 1000));
  for (std::size_t i = 0; i < kEnergyParts; ++i) {
    parts_[i].dynamic.set(energy.parts[i].dynamic);
    parts_[i].standing.set(energy.parts[i].standing);
  }
  total_.set(energy.total());
}

std::uint64_t EnergyStats::dynamic() const {
  std::uint64_t sum = 0;
  for (const Part& part : parts_) sum += part.dynamic.value();
  return sum;
}

void EnergyStats::add_kernel(Group& kernel) {
  if (kernels_.empty())
    energy_.add(unassigned_, "unassigned", "fJ", "of the total, what no kernel causes alone");
  kernels_.push_back(std::make_unique<KernelEnergyStats>(model_, kernel));
}

void EnergyStats::update_kernels() {
  std::uint64_t assigned = 0;
  for (const auto& kernel : kernels_) {
    kernel->update();
    assigned += kernel->total();
  }
  unassigned_.set(total_.value() - assigned);
}

KernelEnergyStats::KernelEnergyStats(const EnergyModel& model, Group& kernel)
    : model_(model), sources_(find_all(kernel_paths("kernel"), kernel)) {
  Group& energy = kernel.child("energy");
  energy.add(dynamic_, "dynamic", "fJ", "energy of events that the kernel causes");
  energy.add(standing_, "static", "fJ", "energy of SMs awake, by the time that the kernel holds them");
}

void KernelEnergyStats::update() {
  const Energy energy = model_.price(counts_of(sources_, 1));
  dynamic_.set(energy.dynamic());
  standing_.set(energy.standing());
}

}  // namespace heddle
