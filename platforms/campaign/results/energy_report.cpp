#include "platforms/campaign/results/energy_report.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <stdexcept>
#include <unordered_map>

#include "models/core/config/config.h"
#include "models/core/config/input_file.h"
#include "models/gpu/peak_power.h"
#include "platforms/campaign/store/run_files.h"
#include "platforms/load/platform_loader.h"
#include "platforms/load/read_energy.h"

namespace heddle {

namespace fs = std::filesystem;

namespace {

constexpr double kJouleOfFj = 1e-15;
constexpr double kSecondsOfPs = 1e-12;
constexpr const char* kStats = "stats.json";
constexpr const char* kCoreCycles = "gpu.core.cycles";
// A counter that every kernel with counters of its own has, behind applications.<application>.<kernel>.
constexpr const char* kOfKernel = ".sm.warp_instructions";

using Counts = std::unordered_map<std::string, std::uint64_t>;  // by path

Counts counts_in(const std::vector<ReadStatistic>& stats) {
  Counts counts;
  for (const ReadStatistic& statistic : stats)
    if (statistic.formula == nullptr) counts.emplace(statistic.path, statistic.count);
  return counts;
}

CounterAt counters_of(const Counts& counts) {
  return [&counts](const std::string& path) {
    const auto found = counts.find(path);
    return found == counts.end() ? std::nullopt : std::optional(found->second);
  };
}

// Returns the paths of the kernels that have counters of their own.
std::vector<std::string> kernels_of(const std::vector<ReadStatistic>& stats) {
  const std::string end = kOfKernel;
  std::vector<std::string> prefixes;
  for (const ReadStatistic& statistic : stats) {
    const std::string& name = statistic.path;
    if (name.rfind("applications.", 0) == 0 && name.size() > end.size() &&
        name.compare(name.size() - end.size(), end.size(), end) == 0)
      prefixes.push_back(name.substr(0, name.size() - end.size()));
  }
  return prefixes;
}

// Reads the statistics of a run. A run of a campaign has checksums beside them.
std::vector<ReadStatistic> load_stats(const fs::path& folder) {
  const std::string file = (folder / kStats).string();
  const std::string text = config::read_file(file);
  if (fs::exists(folder / "checksums")) check_content(file, text);
  try {
    return read_stats(text);
  } catch (const StatsError& error) {
    throw config::Error({fmt::format("{}: {}", file, error.what())});
  }
}

// Returns the names of the second and the third part of applications.<application>.<kernel>.
KernelEnergy named(const std::string& prefix) {
  const std::size_t first = prefix.find('.') + 1;
  const std::size_t second = prefix.find('.', first);
  return {prefix.substr(first, second - first), prefix.substr(second + 1), {}};
}

GpuSpec gpu_of(const std::string& directory, const std::optional<std::string>& with) {
  const std::string file = directory + "/platform.yaml";
  if (!fs::exists(file))
    throw config::Error({fmt::format("{}: is no result of heddle run: it has no platform.yaml", directory)});
  GpuSpec gpu = load_platform(file);
  if (!gpu.memory || !gpu.sm.executes())
    throw config::Error({fmt::format("{}: timed SMs have no events that cost energy", file)});
  if (with) gpu.energy = load_energy(*with);
  if (!gpu.energy)
    throw config::Error({fmt::format("{}: the platform has no energies; --with names a set", file)});
  if (const std::string why = energy_misfit(*gpu.energy, gpu.memory->dram); !why.empty())
    throw config::Error({fmt::format("{}: dram.refresh: {}", file, why)});
  return gpu;
}

}  // namespace

double RunEnergy::joules() const {
  return static_cast<double>(energy.total()) * kJouleOfFj;
}

double RunEnergy::mean_watts() const {
  return simulated_ps == 0 ? 0 : joules() / (static_cast<double>(simulated_ps) * kSecondsOfPs);
}

double RunEnergy::energy_delay_product() const {
  return joules() * static_cast<double>(simulated_ps) * kSecondsOfPs;
}

std::uint64_t RunEnergy::unassigned_fj() const {
  std::uint64_t assigned = 0;
  for (const KernelEnergy& kernel : kernels) assigned += kernel.energy.total();
  return energy.total() - assigned;
}

RunEnergy price_run(const std::vector<ReadStatistic>& stats, const std::string& label, const GpuSpec& gpu) {
  const EnergyMachine machine = energy_machine(gpu);
  const EnergyModel model(*gpu.energy, machine);
  const Counts counts_of_run = counts_in(stats);
  const CounterAt at = counters_of(counts_of_run);
  RunEnergy run;
  run.label = label;
  try {
    run.energy = model.price(machine_counts(machine, at));
  } catch (const std::exception& error) {
    throw config::Error({fmt::format("{}: cannot be priced: {}", label, error.what())});
  }
  run.simulated_ps =
      at(kCoreCycles).value_or(0) * machine.period_ps[static_cast<std::size_t>(EnergyClock::kCore)];
  for (const std::string& prefix : kernels_of(stats)) {
    const std::optional<EventCounts> counts = kernel_counts(prefix, at);
    if (!counts) continue;
    run.kernels.push_back(named(prefix));
    run.kernels.back().energy = model.price(*counts);
  }
  return run;
}

std::vector<RunEnergy> price_results(const std::string& directory, const std::optional<std::string>& with,
                                     std::string& foreign) {
  if (!fs::is_directory(directory)) throw config::Error({directory + ": is no directory"});
  const GpuSpec gpu = gpu_of(directory, with);
  std::vector<fs::path> folders;
  if (fs::exists(fs::path(directory) / kStats)) folders.emplace_back(directory);
  for (const fs::directory_entry& entry : fs::directory_iterator(directory))
    if (entry.is_directory() && fs::exists(entry.path() / kStats)) folders.push_back(entry.path());
  std::sort(folders.begin(), folders.end());
  std::vector<RunEnergy> runs;
  runs.reserve(folders.size());
  foreign = foreign_energies(*gpu.energy, gpu);
  for (const fs::path& folder : folders)
    runs.push_back(price_run(load_stats(folder), folder.filename().string(), gpu));
  if (runs.empty()) throw config::Error({directory + ": has no run with statistics"});
  return runs;
}

}  // namespace heddle
