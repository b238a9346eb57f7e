#pragma once
// The options of heddle run that sample statistics during a run: --interval, --series and --waves.

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "models/core/config/result_file.h"
#include "platforms/cli/command_line.h"
#include "platforms/run/job.h"

namespace heddle {

struct SeriesOptions {
  std::string interval;               // cycles or a time; empty: nothing is sampled
  std::vector<std::string> patterns;  // empty: a default
  std::optional<std::string> waves;   // the file of a waveform
};

void declare_series(CommandLine& verb, SeriesOptions& options);

// Throws config::Error for an interval that is no positive number of cycles or time, and for options without
// the interval.
SeriesRequest series_of(const SeriesOptions& options);

// Throws config::Error if a pattern that the user gave matches no statistic of the job's machine.
void check_series(const SeriesOptions& options, const Job& job);

// Makes the files of the waveforms, if they are wanted, and sets them in the jobs. One job writes the file of
// the option. Each of several jobs writes a file with the name of its folder in its name. Throws
// config::Error for an unknown format and for a file that exists.
std::vector<std::unique_ptr<ResultFile>> claim_waves(const SeriesOptions& options, std::vector<Job>& jobs);

}  // namespace heddle
