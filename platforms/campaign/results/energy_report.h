#pragma once
// The energy of a finished run, priced again from its files without a simulation.

#include <optional>
#include <string>
#include <vector>

#include "models/energy/energy_model.h"
#include "models/gpu/gpu_spec.h"
#include "models/stats/stats_reader.h"

namespace heddle {

struct KernelEnergy {
  std::string application;
  std::string kernel;
  Energy energy;
};

struct RunEnergy {
  std::string label;  // the run's folder
  std::uint64_t simulated_ps = 0;
  Energy energy;
  std::vector<KernelEnergy> kernels;  // empty if the run has no counters by kernel

  double joules() const;
  double mean_watts() const;            // over the simulated time
  double energy_delay_product() const;  // in joule seconds
  std::uint64_t unassigned_fj() const;  // what is caused by no kernel alone
};

// Prices a run on the GPU, which has energies. Throws config::Error if the statistics lack a counter that is
// needed.
RunEnergy price_run(const std::vector<ReadStatistic>& stats, const std::string& label, const GpuSpec& gpu);

// Prices every run of a results directory. `with` names a set of energies (a name or a file of
// platforms/energy) that takes the place of the platform's. Throws config::Error if the directory has no run,
// if the platform has no energies or those of a machine that refreshes otherwise, and as price_run() does.
// `foreign` becomes what foreign_energies() says.
std::vector<RunEnergy> price_results(const std::string& directory, const std::optional<std::string>& with,
                                     std::string& foreign);

}  // namespace heddle
