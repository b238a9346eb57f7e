#pragma once
// What the verbs that import an application have in common: their options and their output.

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "platforms/cli/command_line.h"
#include "stimuli/recorded/recorded_application.h"

namespace heddle {

struct ApplicationOptions {
  std::string input;
  std::string output;
  std::string measured_on;
  std::string name;
  std::string least_gap = "10us";
  std::string from = "0s";
  std::string to;  // empty: to the end
  std::optional<std::uint64_t> context;

  std::uint64_t from_ps() const;
  std::uint64_t to_ps() const;
};

// `what` describes the file that is read.
void declare_application_options(CommandLine& verb, ApplicationOptions& options, const std::string& what);

// Makes the application, writes it and prints what it has. Throws config::Error, after which nothing is
// written, and OutputError.
void write_application(const imported::RecordedApplication& application, const ApplicationOptions& options,
                       const std::string& source, std::vector<std::string> notes);

}  // namespace heddle
