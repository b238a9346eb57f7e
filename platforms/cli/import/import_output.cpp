#include "platforms/cli/import/import_output.h"

#include <fmt/format.h>

#include <iostream>
#include <limits>

#include "models/core/config/config_units.h"
#include "platforms/cli/options.h"
#include "platforms/import/application_import.h"
#include "platforms/run/output.h"

namespace heddle {

namespace {

// A check for CLI11.
std::string check_time(const std::string& text) {
  const auto parsed = config::detail::parse_time(text);
  return parsed.ok() ? "" : parsed.problem;
}

std::uint64_t time_of(const std::string& text) {
  return config::detail::parse_time(text).value;
}

}  // namespace

std::uint64_t ApplicationOptions::from_ps() const {
  return time_of(from);
}

std::uint64_t ApplicationOptions::to_ps() const {
  return to.empty() ? std::numeric_limits<std::uint64_t>::max() : time_of(to);
}

void declare_application_options(CommandLine& verb, ApplicationOptions& options, const std::string& what) {
  verb.add_option("file", options.input, what).required();
  verb.add_option("-o,--out", options.output, "the application's YAML file, replaced where it exists")
      .required()
      .type_name("FILE");
  verb.add_option("--measured-on", options.measured_on,
                  "the platform of the card on which it was recorded, by name or YAML file")
      .required()
      .type_name("PLATFORM");
  verb.add_option("--context", options.context, "the context whose work it is, where there are several")
      .check(check_count);
  verb.add_option("--name", options.name, "of the application; otherwise the name of the output");
  verb.add_option("--least-gap", options.least_gap,
                  "gaps that are shorter in the mean are no CPU time (default: 10us)")
      .check(check_time)
      .type_name("TIME");
  verb.add_option("--from", options.from, "leave out what starts earlier after the first event (default: 0s)")
      .check(check_time)
      .type_name("TIME");
  verb.add_option("--to", options.to, "leave out what starts then or later")
      .check(check_time)
      .type_name("TIME");
}

void write_application(const imported::RecordedApplication& application, const ApplicationOptions& options,
                       const std::string& source, std::vector<std::string> notes) {
  imported::ImportOptions made;
  made.input = options.input;
  made.name = options.name;
  made.output = options.output;
  made.source = source;
  made.measured_on = options.measured_on;
  made.least_gap_ps = time_of(options.least_gap);
  const imported::ApplicationImport result = imported::import_application(application, made);
  write_result(options.output, Existing::kReplaced, "--out", result.text);
  std::uint64_t launches = 0;
  std::uint64_t time_ps = 0;
  for (const imported::RecordedKernel& kernel : application.kernels) {
    launches += kernel.times.launches;
    time_ps += kernel.times.sum_ps;
  }
  using imported::time_text;
  std::cout << fmt::format("{}: {} kernels, {} launches, {} of kernels, {} of CPU time, {} calls written\n",
                           options.output, application.kernels.size(), launches, time_text(time_ps),
                           time_text(result.summary.cpu_ps), result.summary.calls);
  notes.insert(notes.end(), result.notes.begin(), result.notes.end());
  for (const std::string& note : notes) std::cout << "note: " << note << "\n";
}

}  // namespace heddle
