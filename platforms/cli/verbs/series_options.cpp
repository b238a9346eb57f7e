#include "platforms/cli/verbs/series_options.h"

#include <fmt/format.h>

#include <filesystem>

#include "models/core/config/config.h"
#include "models/core/config/config_units.h"
#include "models/stats/waves/wave_format.h"

namespace heddle {

namespace {

std::string wave_path(const std::string& file, const Job& job) {
  const std::filesystem::path path(file);
  const std::string run = std::filesystem::path(job.directory).filename();
  return path.parent_path() / fmt::format("{}-{}{}", path.stem().string(), run, path.extension().string());
}

}  // namespace

void declare_series(CommandLine& verb, SeriesOptions& options) {
  verb.add_option("--interval", options.interval,
                  "sample statistics into series.csv beside them, every 1000cycles or 10us");
  verb.add_option("--series", options.patterns,
                  "with --interval: the statistics, as patterns of their paths: 'gpu.sm*.cycles.*' (default: "
                  "work and share of applications, occupancy, stalls, caches, crossbar, DRAM, PCIe, power)");
  verb.add_option(
      "--waves", options.waves,
      "with --interval: write them as a waveform for GTKWave and Surfer, too: FILE.fst or FILE.vcd, "
      "which must not exist; of several runs each writes FILE-N-LABEL.fst");
}

SeriesRequest series_of(const SeriesOptions& options) {
  SeriesRequest request;
  if (options.interval.empty()) {
    const char* given = !options.patterns.empty() ? "--series" : options.waves ? "--waves" : nullptr;
    if (given != nullptr)
      throw config::Error({fmt::format("{} needs --interval, the time between samples", given)});
    return request;
  }
  if (const std::string problem = set_interval(request, options.interval); !problem.empty())
    throw config::Error({fmt::format("--interval {}: {}", config::detail::shown(options.interval), problem)});
  request.patterns = options.patterns.empty() ? default_series() : options.patterns;
  return request;
}

void check_series(const SeriesOptions& options, const Job& job) {
  if (options.patterns.empty()) return;
  const std::vector<std::string> unmatched = unmatched_patterns(job);
  if (!unmatched.empty())
    throw config::Error(
        {fmt::format("--series {}: no statistic of this machine matches; heddle list counters "
                     "has their paths",
                     config::detail::shown(unmatched.front()))});
}

std::vector<std::unique_ptr<ResultFile>> claim_waves(const SeriesOptions& options, std::vector<Job>& jobs) {
  std::vector<std::unique_ptr<ResultFile>> files;
  if (!options.waves) return files;
  const std::optional<WaveFormat> format = wave_format(*options.waves);
  if (!format)
    throw config::Error({fmt::format("--waves {}: needs a file that ends in .fst or .vcd",
                                     config::detail::shown(*options.waves))});
  for (Job& job : jobs) {
    const std::string path = jobs.size() == 1 ? *options.waves : wave_path(*options.waves, job);
    files.push_back(std::make_unique<ResultFile>(path, Existing::kRefused, "--waves"));
    job.waves = {files.back()->draft(), *format};
  }
  return files;
}

}  // namespace heddle
