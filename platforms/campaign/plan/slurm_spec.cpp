#include "platforms/campaign/plan/slurm_spec.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <sstream>

namespace heddle {

namespace {

using config::Section;
using config::Value;

constexpr std::uint64_t kSecondPs = 1000000000000;
constexpr std::uint64_t kMebibyte = 1 << 20;
constexpr std::int64_t kMost = 1000000;

std::uint64_t up(std::uint64_t value, std::uint64_t unit) {
  return (value + unit - 1) / unit;
}

std::uint32_t count(const Section& section, const char* key, std::uint32_t fallback) {
  return static_cast<std::uint32_t>(section.integer(key, {1, kMost}, fallback));
}

// These options of sbatch choose nodes, times, accounts and resources of a job. None of them runs a command.
const std::set<std::string> kHarmless{"A",
                                      "account",
                                      "begin",
                                      "comment",
                                      "C",
                                      "constraint",
                                      "contiguous",
                                      "c",
                                      "cpus-per-task",
                                      "cpus-per-gpu",
                                      "deadline",
                                      "d",
                                      "dependency",
                                      "x",
                                      "exclude",
                                      "exclusive",
                                      "G",
                                      "gpus",
                                      "gpus-per-node",
                                      "gpus-per-task",
                                      "gres",
                                      "gres-flags",
                                      "hint",
                                      "H",
                                      "hold",
                                      "J",
                                      "job-name",
                                      "L",
                                      "licenses",
                                      "mail-type",
                                      "mail-user",
                                      "mem",
                                      "mem-bind",
                                      "mem-per-cpu",
                                      "mem-per-gpu",
                                      "mincpus",
                                      "nice",
                                      "no-requeue",
                                      "w",
                                      "nodelist",
                                      "N",
                                      "nodes",
                                      "n",
                                      "ntasks",
                                      "ntasks-per-core",
                                      "ntasks-per-node",
                                      "s",
                                      "oversubscribe",
                                      "p",
                                      "partition",
                                      "prefer",
                                      "priority",
                                      "q",
                                      "qos",
                                      "requeue",
                                      "reservation",
                                      "signal",
                                      "switches",
                                      "threads-per-core",
                                      "t",
                                      "time",
                                      "time-min",
                                      "tmp",
                                      "wckey"};

// Returns an option of the line that is none of those, or an empty text.
std::string other_option(const std::string& line) {
  std::istringstream words(line);
  for (std::string word; words >> word;) {
    if (word[0] != '-') continue;
    const std::size_t begin = std::min<std::size_t>(2, word.find_first_not_of('-'));
    // The value of an option of one letter may follow the letter without a blank, as in -pgpu.
    const std::string name = begin == 1 ? word.substr(1, 1) : word.substr(begin, word.find('=') - begin);
    if (kHarmless.count(name) == 0) return word.substr(0, word.find('='));
  }
  return "";
}

void read_extra(const Section& section, SlurmSpec& spec) {
  for (const Value& value : section.list("extra")) {
    const std::string line = value.text();
    if (!value.is_scalar()) continue;
    if (line.rfind('-', 0) != 0 || line.find('\n') != std::string::npos)
      value.problem(fmt::format("'{}' is no option of sbatch: --qos=low", line));
    spec.extra.push_back(line);
    if (const std::string option = other_option(line); !option.empty())
      spec.commands.push_back(fmt::format(
          "{}: slurm.extra: '{}' may make sbatch run a command; --trust allows it", value.place(), option));
  }
}

std::string clock_text(std::uint64_t seconds) {
  return fmt::format("{}-{:02}:{:02}:{:02}", seconds / 86400, seconds / 3600 % 24, seconds / 60 % 60,
                     seconds % 60);
}

}  // namespace

SlurmSpec read_slurm(const Section& root, std::optional<std::uint64_t> run_limit_ps) {
  SlurmSpec spec;
  if (root.has("slurm")) {
    const Section section = root.section("slurm");
    spec.partition = section.text("partition", "");
    if (spec.partition.find_first_of(" \t\n") != std::string::npos)
      section.value("partition").problem("is a name without blanks");
    if (section.has("time")) spec.time_s = up(section.time_ps("time"), kSecondPs);
    if (spec.time_s == 0u) section.value("time").problem("must be above zero");
    if (section.has("memory")) spec.memory_mib = up(section.bytes("memory"), kMebibyte);
    if (spec.memory_mib == 0u) section.value("memory").problem("must be above zero");
    spec.cpus = count(section, "cpus", spec.cpus);
    spec.pack = count(section, "pack", spec.pack);
    if (section.has("throttle")) spec.throttle = count(section, "throttle", 1);
    read_extra(section, spec);
  }
  if (!spec.time_s && run_limit_ps)
    spec.time_s = up(spec.pack, spec.cpus) * up(*run_limit_ps, kSecondPs) + 60;
  return spec;
}

std::string sbatch_lines(const SlurmSpec& spec) {
  std::string lines;
  const auto add = [&](const std::string& option) { lines += "#SBATCH " + option + "\n"; };
  if (!spec.partition.empty()) add("--partition=" + spec.partition);
  if (spec.time_s) add("--time=" + clock_text(*spec.time_s));
  if (spec.memory_mib) add(fmt::format("--mem={}M", *spec.memory_mib));
  add(fmt::format("--cpus-per-task={}", spec.cpus));
  add("--no-requeue");  // runs of a node that fails are lost, and `batch resume` repeats them
  for (const std::string& line : spec.extra) add(line);
  return lines;
}

std::string array_text(std::uint64_t elements, const SlurmSpec& spec) {
  std::string text = fmt::format("0-{}", elements - 1);
  if (spec.throttle) text += fmt::format("%{}", *spec.throttle);
  return text;
}

}  // namespace heddle
