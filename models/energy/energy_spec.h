#pragma once
// An EnergySpec states what a platform's energy is computed with: the energy of each event, the static power
// of each part, and the source of each number. It also says which card its numbers are of. It is plain data,
// which the platform loader validates.

#include <array>
#include <cstdint>
#include <string>

#include "models/energy/energy_table.h"

namespace heddle {

struct EnergySpec {
  struct Cost {
    double value = 0;    // fJ of an event, mW of a part; not negative
    std::string source;  // empty: the set has no such energy
  };
  std::string about;                       // one line; empty: not stated
  std::string dram;                        // the DRAM standard whose energies it has; empty: not stated
  std::uint32_t compute_capability = 0;    // as GpuSpec::compute_capability, of its SMs; 0: not stated
  std::array<Cost, kEnergyEvents> events;  // in the order of energy_events()
  std::array<Cost, kStaticPowers> powers;  // in the order of static_powers()
};

}  // namespace heddle
