#pragma once

#include "models/core/config/config.h"
#include "models/energy/energy_spec.h"

namespace heddle {

// Reads a set of energies, in which every event and every static power has a value and its source. Problems
// are recorded in the section's document.
EnergySpec read_energy(const config::Section& section);

// Loads a set of energies, which is a name or a file of platforms/energy. Throws config::Error with every
// problem.
EnergySpec load_energy(const std::string& name_or_file);

}  // namespace heddle
