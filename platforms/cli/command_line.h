#pragma once
// How a verb declares its options. It stands in front of CLI11, whose header takes seconds to compile: that
// is included by command_line.cpp, verb.cpp and main.cpp alone.

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

namespace CLI {
class App;
class Option;
}  // namespace CLI

namespace heddle {

// One declared option. Each function returns the same option, so that calls can stand in a row.
class CommandOption {
 public:
  // Returns what is wrong with the text that the user gave, or nothing.
  using Check = std::function<std::string(const std::string& text)>;

  explicit CommandOption(CLI::Option& option) : option_(option) {}

  CommandOption& required();
  CommandOption& type_name(const std::string& name);  // what the help calls its value
  CommandOption& check(const Check& check);
  CommandOption& range(int least, int most);
  CommandOption& range(unsigned least, unsigned most);
  CommandOption& range(double least, double most);
  CommandOption& one_of(const std::vector<std::string>& words);
  CommandOption& excludes(const std::string& other);  // the other one is declared already
  CommandOption& capture_default_str();               // the help tells the value that the variable has
  CommandOption& allow_extra_args(bool allowed);      // several values behind one name

 private:
  CLI::Option& option_;
};

// The command line of one verb. Variables get the user's values when the line is parsed, and keep their own
// where it has none. The names are CLI11's: "--long", "-s,--long", or "word" for a positional one.
class CommandLine {
 public:
  explicit CommandLine(CLI::App& app) : app_(app) {}

  CommandOption add_option(const std::string& name, std::string& value, const std::string& help);
  CommandOption add_option(const std::string& name, std::optional<std::string>& value,
                           const std::string& help);
  CommandOption add_option(const std::string& name, std::vector<std::string>& values,
                           const std::string& help);
  CommandOption add_option(const std::string& name, std::uint32_t& value, const std::string& help);
  CommandOption add_option(const std::string& name, std::uint64_t& value, const std::string& help);
  CommandOption add_option(const std::string& name, std::optional<std::uint64_t>& value,
                           const std::string& help);
  CommandOption add_option(const std::string& name, double& value, const std::string& help);
  // `read` keeps the value, and returns what is wrong with it, or nothing.
  CommandOption add_read_option(const std::string& name, const CommandOption::Check& read,
                                const std::string& help);
  // `take` is called with what the user gave.
  CommandOption add_option_function(const std::string& name,
                                    const std::function<void(const std::string&)>& take,
                                    const std::string& help);
  CommandOption add_option_function(const std::string& name,
                                    const std::function<void(const std::vector<std::string>&)>& take,
                                    const std::string& help);
  CommandOption add_flag(const std::string& name, bool& value, const std::string& help);
  // "--name{word}": the flag alone stands for the word, and another may follow behind "=".
  CommandOption add_flag(const std::string& name, std::string& value, const std::string& help);

  void footer(const std::string& text);
  void fallthrough();  // options of the parent may follow the verb
  void require_subcommand(int count);

 private:
  CLI::App& app_;
};

// Ends parsing with the message that the option is required.
[[noreturn]] void refuse_without(const std::string& option);

}  // namespace heddle
