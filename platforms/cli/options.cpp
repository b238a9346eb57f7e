#include "platforms/cli/options.h"

#include <algorithm>

#include "models/core/base/worker_pool.h"
#include "platforms/experiment/overrides.h"

namespace heddle {

std::string check_count(const std::string& text) {
  const bool digits = !text.empty() && text.find_first_not_of("0123456789") == std::string::npos;
  return digits && text.size() <= 18 ? "" : "'" + text + "' is no whole number from 0 to 10^18";
}

std::string check_positive_count(const std::string& text) {
  return text == "0" ? std::string("needs a number above 0") : check_count(text);
}

void add_repeated_option(CommandLine& verb, const std::string& name, std::vector<std::string>& values,
                         const std::string& help, const std::string& type_name) {
  verb.add_option(name, values, help).type_name(type_name).allow_extra_args(false);
}

void add_set_option(CommandLine& verb, std::vector<std::string>& sets, const std::string& help) {
  add_repeated_option(verb, "--set", sets, help, "KEY=VALUE");
}

CommandOption add_override(CommandLine& verb, Overrides& overrides, const std::string& name,
                           const std::string& help) {
  const std::vector<OverrideOption>& known = Overrides::options();
  const auto found = std::find_if(known.begin(), known.end(),
                                  [&](const OverrideOption& option) { return option.name == name; });
  const OverrideOption& option = *found;
  const auto take = [&overrides, name](const std::string& value) { overrides.add(name, value); };
  const auto take_all = [take](const std::vector<std::string>& values) {
    std::for_each(values.begin(), values.end(), take);
  };
  CommandOption added = option.is_repeated
                            ? verb.add_option_function(name, take_all, help).allow_extra_args(false)
                            : verb.add_option_function(name, take, help);
  added.type_name(option.type_name);
  if (option.is_count) added.check(check_count);
  return added;
}

void add_overrides(CommandLine& verb, Overrides& overrides, const std::map<std::string, std::string>& helps) {
  for (const OverrideOption& option : Overrides::options()) {
    const auto own = helps.find(option.name);
    add_override(verb, overrides, option.name, own == helps.end() ? option.help : own->second);
  }
}

void add_jobs_option(CommandLine& verb, std::size_t& jobs, const std::string& help) {
  const auto check = [](const std::string& text) {
    if (text == "0") return std::string("0 at a time would run nothing");
    return check_count(text);
  };
  verb.add_option("--jobs", jobs, help).check(check);
}

void add_threads_option(CommandLine& verb, unsigned& threads, const std::string& help) {
  verb.add_option("--threads", threads, help).range(1U, WorkerPool::kMostThreads);
}

void add_json_flag(CommandLine& verb, bool& json, const std::string& what) {
  verb.add_flag("--json", json, "print " + what);
}

void add_trust_flag(CommandLine& verb, bool& trust) {
  verb.add_flag(
      "--trust", trust,
      "allow options in the files that run commands: of Verilator, for blocks in RTL, and of sbatch");
}

void add_quiet_flag(CommandLine& verb, bool& quiet, const std::string& help) {
  verb.add_flag("--quiet", quiet, help);
}

void add_campaign_options(CommandLine& verb, std::string& campaign, std::vector<std::string>& sets) {
  verb.add_option("campaign", campaign, "a campaign's name (heddle list campaigns) or YAML file").required();
  add_set_option(verb, sets, "override one value of the campaign: limits.time=10s, repeats=3");
}

void add_results_option(CommandLine& verb, std::string& directory) {
  verb.add_option("directory", directory, "the campaign's results").required();
}

}  // namespace heddle
