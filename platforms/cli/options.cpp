#include "platforms/cli/options.h"

#include <CLI/CLI.hpp>

#include "models/core/base/worker_pool.h"

namespace heddle {

std::string check_count(const std::string& text) {
  const bool digits = !text.empty() && text.find_first_not_of("0123456789") == std::string::npos;
  return digits && text.size() <= 18 ? "" : "'" + text + "' is no whole number from 0 to 10^18";
}

std::string check_positive_count(const std::string& text) {
  return text == "0" ? std::string("needs a number above 0") : check_count(text);
}

void add_repeated_option(CLI::App& verb, const std::string& name, std::vector<std::string>& values,
                         const std::string& help, const std::string& type_name) {
  verb.add_option(name, values, help)->type_name(type_name)->allow_extra_args(false);
}

void add_set_option(CLI::App& verb, std::vector<std::string>& sets, const std::string& help) {
  add_repeated_option(verb, "--set", sets, help, "KEY=VALUE");
}

void add_policy_option(CLI::App& verb, std::vector<std::string>& policies, const std::string& help) {
  add_repeated_option(verb, "--policy", policies, help, "DECISION=NAME|{name: NAME, PARAMETER: VALUE}");
}

void add_jobs_option(CLI::App& verb, std::size_t& jobs, const std::string& help) {
  const auto check = [](const std::string& text) {
    if (text == "0") return std::string("0 at a time would run nothing");
    return check_count(text);
  };
  verb.add_option("--jobs", jobs, help)->check(check);
}

void add_threads_option(CLI::App& verb, unsigned& threads, const std::string& help) {
  verb.add_option("--threads", threads, help)->check(CLI::Range(1U, WorkerPool::kMostThreads));
}

void add_json_flag(CLI::App& verb, bool& json, const std::string& what) {
  verb.add_flag("--json", json, "print " + what);
}

void add_trust_flag(CLI::App& verb, bool& trust) {
  verb.add_flag(
      "--trust", trust,
      "allow options in the files that run commands: of Verilator, for blocks in RTL, and of sbatch");
}

void add_quiet_flag(CLI::App& verb, bool& quiet, const std::string& help) {
  verb.add_flag("--quiet", quiet, help);
}

void add_campaign_options(CLI::App& verb, std::string& campaign, std::vector<std::string>& sets) {
  verb.add_option("campaign", campaign, "a campaign's name (heddle list campaigns) or YAML file")->required();
  add_set_option(verb, sets, "override one value of the campaign: limits.time=10s, repeats=3");
}

void add_results_option(CLI::App& verb, std::string& directory) {
  verb.add_option("directory", directory, "the campaign's results")->required();
}

}  // namespace heddle
