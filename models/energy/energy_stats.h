#pragma once
// EnergyStats registers the energy of each part of a machine as a counter, in femtojoules, and the mean power
// as a formula. Both are computed from other counters when statistics are read, so that energy takes no host
// time in between. A KernelEnergyStats registers the energy of the launches of one kernel.

#include <array>
#include <memory>
#include <vector>

#include "models/energy/energy_model.h"
#include "models/stats/group.h"

namespace heddle {

// The counters that count each row of the tables.
struct EnergySources {
  std::array<std::vector<const Counter*>, kEnergyEvents> events;
  std::array<std::vector<const Counter*>, kStaticPowers> powers;
};

class KernelEnergyStats {
 public:
  // `kernel` is the group of a kernel with the counters of every row that a kernel can cause. Throws
  // std::invalid_argument if one is missing.
  KernelEnergyStats(const EnergyModel& model, Group& kernel);
  KernelEnergyStats(const KernelEnergyStats&) = delete;
  KernelEnergyStats& operator=(const KernelEnergyStats&) = delete;

  void update();  // prices the present values of the counters
  std::uint64_t total() const { return dynamic_.value() + standing_.value(); }

 private:
  const EnergyModel& model_;
  EnergySources sources_;
  Counter dynamic_, standing_;
};

class EnergyStats {
 public:
  // `gpu` is the group of the GPU with every counter that events are counted by, and `cycles` is its counter
  // of core cycles. Throws std::invalid_argument if a counter is missing.
  EnergyStats(const EnergySpec& spec, const EnergyMachine& machine, Group& gpu, const Counter& cycles);
  EnergyStats(const EnergyStats&) = delete;
  EnergyStats& operator=(const EnergyStats&) = delete;

  void update();  // prices the present values of the counters
  // Adds statistics of the kernel with this group. What no kernel causes alone is then a statistic, too.
  void add_kernel(Group& kernel);
  // After update(), and after the counters of the kernels have been brought up to date.
  void update_kernels();
  const EnergyModel& model() const { return model_; }
  std::uint64_t dynamic() const;  // the part of the total that events have
  const Counter& total() const { return total_; }
  const Formula& power() const { return *power_; }

 private:
  struct Part {
    Counter dynamic, standing;
  };

  const EnergyModel model_;
  Group& energy_;  // "energy" of the GPU
  EnergySources sources_;
  std::array<Part, kEnergyParts> parts_;
  Counter total_;
  Counter unassigned_;
  std::vector<std::unique_ptr<KernelEnergyStats>> kernels_;
  const Formula* power_ = nullptr;
};

}  // namespace heddle
