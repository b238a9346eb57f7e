#pragma once
// These functions convert text to numbers and quantities for the strict YAML reader. Each returns the value,
// or says in `problem` what is wrong with the text, worded to follow a key's path: "needs an integer, has
// 'abc'". Numbers are plain decimals: no leading zeros, no hexadecimal, no "nan", and an exponent only in a
// real. A quantity is a number and its unit with nothing between them, without a sign.

#include <cstdint>
#include <string>
#include <string_view>

#include "models/core/config/config.h"

namespace heddle::config::detail {

template <typename T>
struct Parsed {
  T value{};
  std::string problem;  // empty if `value` is valid

  bool ok() const { return problem.empty(); }
};

// A message names the kind of a value by one of these: "needs " + name.
inline constexpr std::string_view kText = "a text";
inline constexpr std::string_view kBoolean = "true or false";
inline constexpr std::string_view kInteger = "an integer";
inline constexpr std::string_view kReal = "a number";
inline constexpr std::string_view kFrequency = "a frequency such as 706MHz";
inline constexpr std::string_view kTime = "a time such as 1.5us";
inline constexpr std::string_view kSize = "a size such as 4KiB";
inline constexpr std::string_view kBandwidth = "a bandwidth such as 2GB/s";
inline constexpr std::string_view kEnergy = "an energy such as 12.5pJ";
inline constexpr std::string_view kPower = "a power such as 1.5W";
inline constexpr std::string_view kCycles = "a number of cycles such as 1000cycles";

Parsed<bool> parse_boolean(std::string_view text);
Parsed<std::int64_t> parse_integer(std::string_view text, Range range);
Parsed<double> parse_real(std::string_view text, RealRange range);
Parsed<double> parse_frequency(std::string_view text);     // the double nearest to the written number of Hz
Parsed<std::uint64_t> parse_time(std::string_view text);   // exact, in ps
Parsed<std::uint64_t> parse_bytes(std::string_view text);  // exact
Parsed<double> parse_bandwidth(std::string_view text);     // bytes per second
Parsed<double> parse_energy(std::string_view text);        // femtojoules, zero allowed
Parsed<double> parse_power(std::string_view text);         // milliwatts, zero allowed
Parsed<std::uint64_t> parse_cycles(std::string_view text, Range range);
Parsed<std::string> parse_choice(const std::string& text, const std::vector<std::string>& known);

// These functions return a quantity in the syntax of a file, in the largest unit that gives a whole number. A
// rate is written in the largest unit of which it has at least one.
std::string size_text(std::uint64_t bytes);
std::string time_text(std::uint64_t ps);
std::string frequency_text(double hz);
std::string bandwidth_text(double bytes_per_second);

// Returns a range such as "1kHz .. 10GHz".
template <typename T>
std::string range_text(T least, T most, std::string (*text)(T)) {
  return text(least) + " .. " + text(most);
}

// Returns the text for a message: on one line, with control characters as \xNN, cut after `most` bytes.
std::string shown(std::string_view text, std::size_t most = 60);

}  // namespace heddle::config::detail
