#pragma once
// The `slurm` section of a campaign's YAML.

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "models/core/config/config.h"

namespace heddle {

struct SlurmSpec {
  std::string partition;                // empty: the site's default, as for the optional values
  std::optional<std::uint64_t> time_s;  // of a task
  std::optional<std::uint64_t> memory_mib;
  std::uint32_t cpus = 1;                 // of a task, and its runs at a time
  std::uint32_t pack = 10;                // most runs of a task; short runs alone would not pay for a task
  std::optional<std::uint32_t> throttle;  // most tasks at a time
  std::vector<std::string> extra;         // of #SBATCH lines: "--qos=low"
  // A message for each line of `extra` whose option is not known to be harmless. Such an option may run a
  // command, so that it is refused unless the user trusts the campaign.
  std::vector<std::string> commands{};
};

// Reads the section, or returns the defaults if it is absent. If `time` is absent and runs have a limit, the
// time of a task is that of its runs and one minute.
SlurmSpec read_slurm(const config::Section& root, std::optional<std::uint64_t> run_limit_ps);

// Returns the header of a task script: one #SBATCH line for each value that is given.
std::string sbatch_lines(const SlurmSpec& spec);

// Returns the text of Slurm's --array for a number of elements and the throttle: "0-99%20".
std::string array_text(std::uint64_t elements, const SlurmSpec& spec);

}  // namespace heddle
