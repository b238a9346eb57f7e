#pragma once
// EnergyStats has the energy of a machine as statistics: a counter for each part, in femtojoules, and the
// power as a formula. It reads counters of the machine when it is asked, so that energy costs nothing while
// the machine runs.

#include <array>
#include <vector>

#include "models/energy/energy_model.h"
#include "models/stats/group.h"

namespace heddle {

class EnergyStats {
 public:
  // `gpu` is the group of the GPU with every counter that events are counted by, and `cycles` is its counter
  // of core cycles. Throws std::invalid_argument if a counter is missing.
  EnergyStats(const EnergySpec& spec, const EnergyMachine& machine, Group& gpu, const Counter& cycles);
  EnergyStats(const EnergyStats&) = delete;
  EnergyStats& operator=(const EnergyStats&) = delete;

  void update();  // prices the present values of the counters
  const Counter& total() const { return total_; }
  const Formula& power() const { return *power_; }

 private:
  using Sources = std::vector<const Counter*>;
  struct Part {
    Counter dynamic, standing;
  };

  const EnergyModel model_;
  std::array<Sources, kEnergyEvents> events_;
  std::array<Sources, kStaticPowers> powers_;
  std::array<Part, kEnergyParts> parts_;
  Counter total_;
  const Formula* power_ = nullptr;
};

}  // namespace heddle
