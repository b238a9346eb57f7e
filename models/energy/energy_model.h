#pragma once
// An EnergyModel prices counts of events. It computes with whole femtojoules: the energy of an event and the
// energy of a static power in a cycle are rounded once, so that parts, kernels and intervals add up to their
// total exactly.
//
//   EnergyModel model(spec, machine);
//   EventCounts counts = machine_counts(machine, [&](const std::string& path) { return value_at(path); });
//   Energy energy = model.price(counts);
//
// A sum is at most 2^64 - 1 fJ, which is 18.4 kJ: 74 s of a board of 250 W. price() throws
// std::overflow_error beyond that.

#include <array>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "models/energy/energy_spec.h"

namespace heddle {

// What the prices and the paths of counters depend on.
struct EnergyMachine {
  std::uint32_t sms = 0;
  std::uint32_t slices = 0;
  std::uint32_t channels = 0;
  std::uint32_t pseudo_channels = 1;                     // of a channel
  std::array<std::uint64_t, kEnergyClocks> period_ps{};  // by EnergyClock
  bool refreshes_banks = false;                          // its DRAM refreshes one bank after the other
};

// Returns the period of a clock, which simulation rounds to whole picoseconds.
std::uint64_t period_ps(double hz);

// An EventCounts says how often each event has happened, and how long each static power was drawn.
struct EventCounts {
  std::array<std::uint64_t, kEnergyEvents> events{};       // in the order of energy_events()
  std::array<std::uint64_t, kStaticPowers> millicycles{};  // in the order of static_powers()
};

// The paths of the machine's counters of each row. A counter that counts for every slice stands there once
// for each. A row that the machine cannot have has none.
struct EnergyPaths {
  std::array<std::vector<std::string>, kEnergyEvents> events;
  std::array<std::vector<std::string>, kStaticPowers> powers;
};
EnergyPaths energy_paths(const EnergyMachine& machine);
// The paths of the counters of a kernel, below its own path `prefix`.
EnergyPaths kernel_paths(const std::string& prefix);

// Returns the value of the counter at the path, or none if there is no such counter.
using CounterAt = std::function<std::optional<std::uint64_t>(const std::string& path)>;

// Returns the counts of the whole machine. Throws std::invalid_argument that names a counter that is missing.
EventCounts machine_counts(const EnergyMachine& machine, const CounterAt& at);

// Returns the counts of the kernel whose counters stand at "<prefix>.": those of the rows that a kernel can
// cause. Returns none if its counters are not there.
std::optional<EventCounts> kernel_counts(const std::string& prefix, const CounterAt& at);

struct Energy {
  struct Part {
    std::uint64_t dynamic = 0;   // fJ
    std::uint64_t standing = 0;  // fJ of static power
  };
  std::array<Part, kEnergyParts> parts;  // by EnergyPart

  std::uint64_t dynamic() const;
  std::uint64_t standing() const;
  std::uint64_t total() const { return dynamic() + standing(); }
};

class EnergyModel {
 public:
  EnergyModel(const EnergySpec& spec, const EnergyMachine& machine);

  Energy price(const EventCounts& counts) const;

  std::uint64_t event_fj(std::size_t event) const { return event_fj_[event]; }
  std::uint64_t cycle_fj(std::size_t power) const { return cycle_fj_[power]; }

 private:
  std::array<std::uint64_t, kEnergyEvents> event_fj_;
  std::array<std::uint64_t, kStaticPowers> cycle_fj_;
};

}  // namespace heddle
