#pragma once
// An EnergySpec has the coefficients of a platform: the energy of each event and the power of each part that
// is on, and where each number comes from. It is plain data, which the platform loader validates.

#include <array>
#include <string>

#include "models/energy/energy_table.h"

namespace heddle {

struct EnergySpec {
  struct Cost {
    double value = 0;  // fJ of an event, mW of a part; not negative
    std::string source;
  };
  std::array<Cost, kEnergyEvents> events;  // in the order of energy_events()
  std::array<Cost, kStaticPowers> powers;  // in the order of static_powers()
};

}  // namespace heddle
