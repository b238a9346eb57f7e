#pragma once
// Sets of energies for tests.

#include <fmt/format.h>

#include <string>

#include "models/energy/energy_model.h"

namespace heddle::test {

// Event i costs (i + 1) * 1009 fJ, and static power i is (i + 1) * 0.37 W: sums of them are easy to tell from
// each other.
inline EnergySpec numbered_energies() {
  EnergySpec spec;
  for (std::size_t i = 0; i < kEnergyEvents; ++i)
    spec.events[i] = {1009.0 * static_cast<double>(i + 1), "test"};
  for (std::size_t i = 0; i < kStaticPowers; ++i)
    spec.powers[i] = {370.0 * static_cast<double>(i + 1), "test"};
  return spec;
}

// The same set as a file. Lines of the event or power `changed` are replaced by `line`.
inline std::string energy_text(const std::string& changed = "", const std::string& line = "") {
  const EnergySpec spec = numbered_energies();
  std::string text = "about: a set for tests\nevents:\n";
  for (std::size_t i = 0; i < kEnergyEvents; ++i) {
    const std::string& name = energy_events()[i].name;
    text += name == changed ? line : fmt::format("  {}: [{}fJ, test]\n", name, spec.events[i].value);
  }
  text += "static:\n";
  for (std::size_t i = 0; i < kStaticPowers; ++i) {
    const std::string& name = static_powers()[i].name;
    text += name == changed ? line : fmt::format("  {}: [{}mW, test]\n", name, spec.powers[i].value);
  }
  return text;
}

}  // namespace heddle::test
