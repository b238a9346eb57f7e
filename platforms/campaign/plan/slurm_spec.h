#pragma once
// What a campaign says of Slurm: the `slurm` section of its YAML.

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "models/core/config/config.h"

namespace heddle {

struct SlurmSpec {
  std::string partition;                // empty: the site's default, as with all that is not given
  std::optional<std::uint64_t> time_s;  // of a task
  std::optional<std::uint64_t> memory_mib;
  std::uint32_t cpus = 1;                 // of a task, which runs so many at a time
  std::uint32_t pack = 10;                // most runs of a task, so that short ones are worth a task
  std::optional<std::uint32_t> throttle;  // most tasks at a time
  std::vector<std::string> extra;         // of #SBATCH lines: "--qos=low"
};

// Absent: the defaults. Without `time`, that of the runs of a task, one minute more, where the runs have a
// limit.
SlurmSpec read_slurm(const config::Section& root, std::optional<std::uint64_t> run_limit_ps);

// A task's header: a line for each that Slurm is to know.
std::string sbatch_lines(const SlurmSpec& spec);

// Slurm's name for elements first .. last of an array, throttled: "0-99%20".
std::string array_text(std::uint64_t elements, const SlurmSpec& spec);

}  // namespace heddle
