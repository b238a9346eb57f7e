#pragma once
// Options that several verbs have, each with one spelling, one check and one type name.

#include <cstddef>
#include <map>
#include <string>
#include <vector>

#include "platforms/cli/command_line.h"

namespace heddle {

struct Overrides;

// A check for CLI11, which lets numbers wrap that do not fit an unsigned one. Returns what is wrong with
// `text`, or nothing.
std::string check_count(const std::string& text);

std::string check_positive_count(const std::string& text);  // the same for a number above 0

// Declares an option that is given once for each of its values.
void add_repeated_option(CommandLine& verb, const std::string& name, std::vector<std::string>& values,
                         const std::string& help, const std::string& type_name);

// Declares --set KEY=VALUE.
void add_set_option(CommandLine& verb, std::vector<std::string>& sets, const std::string& help);

// Declares one option of the overrides, with a help text of the verb's own.
CommandOption add_override(CommandLine& verb, Overrides& overrides, const std::string& name,
                           const std::string& help);

// Declares every option of the overrides. `helps` has the verb's own help texts by option.
void add_overrides(CommandLine& verb, Overrides& overrides, const std::map<std::string, std::string>& helps);

// Declares --platform; `platform` is a std::string or an optional one.
template <class Text>
CommandOption add_platform_option(CommandLine& verb, Text& platform, const std::string& help) {
  return verb.add_option("--platform", platform, help);
}

// Declares --jobs; 0 stands for one job per core.
void add_jobs_option(CommandLine& verb, std::size_t& jobs, const std::string& help);

// Declares --threads, the threads of one simulation.
void add_threads_option(CommandLine& verb, unsigned& threads, const std::string& help);

// Declares --json; `what` names the output, as in "the result as one JSON object".
void add_json_flag(CommandLine& verb, bool& json, const std::string& what);

// Declares --trust.
void add_trust_flag(CommandLine& verb, bool& trust);

// Declares --quiet.
void add_quiet_flag(CommandLine& verb, bool& quiet, const std::string& help);

// Declares the campaign that a verb of `batch` plans or starts, and --set for its values.
void add_campaign_options(CommandLine& verb, std::string& campaign, std::vector<std::string>& sets);

// Declares the directory of a campaign's results.
void add_results_option(CommandLine& verb, std::string& directory);

}  // namespace heddle
