#include "platforms/run/alone_cache.h"

#include <fmt/format.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>

#include "models/core/config/data_path.h"
#include "models/core/config/result_file.h"
#include "platforms/experiment/rtl_libraries.h"
#include "platforms/run/plugins.h"
#include "platforms/run/provenance.h"

namespace heddle {

namespace {

namespace fs = std::filesystem;

}  // namespace

AloneCache::AloneCache(const std::string& directory)
    : directory_(directory == "none" ? ""
                 : directory.empty() ? user_cache_folder()
                                     : directory) {
  if (!directory.empty() && !directory_.empty()) check_result_folder(directory_, "--cache");
}

std::string AloneCache::key(const Experiment& experiment, std::size_t application) {
  const ExperimentApplication& use = experiment.applications[application];
  // A trace has no key: a hash would have to read the whole trace.
  if (use.yaml.empty()) return "";
  std::string text = simulator_id() + experiment.platform_yaml + use.yaml;
  for (const auto& [name, file] : use.files) text += name + file_hash(file);
  text += fmt::format("copies={} cpu_phases={} jitter={} seed={} limit={} window={}", experiment.copies,
                      experiment.cpu_phases, experiment.jitter_permille,
                      experiment.jitter_permille == 0 ? 0 : experiment.seed + application,
                      experiment.starvation_limit_ps, experiment.window_cycles);
  if (experiment.start_together) text += " start=together";
  if (use.requests)
    text += fmt::format("arrivals={} parameters={} batching={} draws={}", use.stated_arrivals,
                        use.stated_parameters, use.stated_batching,
                        use.requests->draws() ? request_seed(experiment, application) : 0);
  if (!experiment.platform.rtl.empty())
    for (const std::string& file : rtl_files(machine_alone(experiment, application).gpu))
      text += file_hash(file);
  for (const ApiKernel& kernel : use.application.program.kernels)
    text += fmt::format(" {} {} {} {} {}", kernel.block_cycles, kernel.dram_sectors, kernel.l2_sectors,
                        kernel.port_load, kernel.product_load);
  return content_hash(text);
}

std::optional<AloneRun> AloneCache::find(const std::string& key) const {
  if (directory_.empty() || key.empty()) return std::nullopt;
  std::ifstream file(fs::path(directory_) / (key + ".alone"));
  AloneRun run;
  std::string unit;
  std::string end;
  if (!(file >> run.turnaround_ps >> unit >> run.warp_instructions >> run.blocks_done >> run.service_ps >>
        run.response_ps >> run.throughput >> end) ||
      unit != "ps" || end != "end" || run.turnaround_ps == 0)
    return std::nullopt;
  return run;
}

void AloneCache::store(const std::string& key, const AloneRun& run) const {
  if (directory_.empty() || key.empty()) return;
  std::error_code ignored;
  fs::create_directories(directory_, ignored);
  const fs::path draft = fs::path(directory_) / fmt::format("{}.{}", key, ::getpid());
  std::ofstream file(draft);
  file << fmt::format("{} ps {} {} {} {} {} end\n", run.turnaround_ps, run.warp_instructions, run.blocks_done,
                      run.service_ps, run.response_ps, run.throughput);
  file.close();
  if (file)
    fs::rename(draft, fs::path(directory_) / (key + ".alone"), ignored);
  else
    fs::remove(draft, ignored);
}

}  // namespace heddle
