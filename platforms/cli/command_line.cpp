#include "platforms/cli/command_line.h"

#include <CLI/CLI.hpp>

namespace heddle {

CommandOption& CommandOption::required() {
  option_.required();
  return *this;
}

CommandOption& CommandOption::type_name(const std::string& name) {
  option_.type_name(name);
  return *this;
}

CommandOption& CommandOption::check(const Check& check) {
  option_.check(check);
  return *this;
}

CommandOption& CommandOption::range(int least, int most) {
  option_.check(CLI::Range(least, most));
  return *this;
}

CommandOption& CommandOption::range(unsigned least, unsigned most) {
  option_.check(CLI::Range(least, most));
  return *this;
}

CommandOption& CommandOption::range(double least, double most) {
  option_.check(CLI::Range(least, most));
  return *this;
}

CommandOption& CommandOption::one_of(const std::vector<std::string>& words) {
  option_.check(CLI::IsMember(words));
  return *this;
}

CommandOption& CommandOption::excludes(const std::string& other) {
  option_.excludes(other);
  return *this;
}

CommandOption& CommandOption::capture_default_str() {
  option_.capture_default_str();
  return *this;
}

CommandOption& CommandOption::allow_extra_args(bool allowed) {
  option_.allow_extra_args(allowed);
  return *this;
}

CommandOption CommandLine::add_option(const std::string& name, std::string& value, const std::string& help) {
  return CommandOption(*app_.add_option(name, value, help));
}

CommandOption CommandLine::add_option(const std::string& name, std::optional<std::string>& value,
                                      const std::string& help) {
  return CommandOption(*app_.add_option(name, value, help));
}

CommandOption CommandLine::add_option(const std::string& name, std::vector<std::string>& values,
                                      const std::string& help) {
  return CommandOption(*app_.add_option(name, values, help));
}

CommandOption CommandLine::add_option(const std::string& name, std::uint32_t& value,
                                      const std::string& help) {
  return CommandOption(*app_.add_option(name, value, help));
}

CommandOption CommandLine::add_option(const std::string& name, std::uint64_t& value,
                                      const std::string& help) {
  return CommandOption(*app_.add_option(name, value, help));
}

CommandOption CommandLine::add_option(const std::string& name, std::optional<std::uint64_t>& value,
                                      const std::string& help) {
  return CommandOption(*app_.add_option(name, value, help));
}

CommandOption CommandLine::add_option(const std::string& name, double& value, const std::string& help) {
  return CommandOption(*app_.add_option(name, value, help));
}

CommandOption CommandLine::add_read_option(const std::string& name, const CommandOption::Check& read,
                                           const std::string& help) {
  const auto each = [name, read](const std::string& text) {
    const std::string problem = read(text);
    if (!problem.empty()) throw CLI::ValidationError(name, problem);
  };
  return CommandOption(*app_.add_option(name, help)->each(each));
}

CommandOption CommandLine::add_option_function(const std::string& name,
                                               const std::function<void(const std::string&)>& take,
                                               const std::string& help) {
  return CommandOption(*app_.add_option_function(name, take, help));
}

CommandOption CommandLine::add_option_function(
    const std::string& name, const std::function<void(const std::vector<std::string>&)>& take,
    const std::string& help) {
  return CommandOption(*app_.add_option_function(name, take, help));
}

CommandOption CommandLine::add_flag(const std::string& name, bool& value, const std::string& help) {
  return CommandOption(*app_.add_flag(name, value, help));
}

CommandOption CommandLine::add_flag(const std::string& name, std::string& value, const std::string& help) {
  return CommandOption(*app_.add_flag(name, value, help));
}

void CommandLine::footer(const std::string& text) {
  app_.footer(text);
}

void CommandLine::fallthrough() {
  app_.fallthrough();
}

void CommandLine::require_subcommand(int count) {
  app_.require_subcommand(count);
}

void refuse_without(const std::string& option) {
  throw CLI::RequiredError(option);
}

}  // namespace heddle
