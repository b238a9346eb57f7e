#include "models/core/config/config_units.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>

#include "models/core/config/config_names.h"

namespace heddle::config::detail {
namespace {

constexpr std::uint64_t kMostPicoseconds = 10'000'000'000'000'000'000U;  // 10^7 s

struct Unit {
  std::string_view name;
  std::uint64_t scale;
  int decimal_exponent;  // scale = 10^decimal_exponent, or -1
};

struct UnitTable {
  std::string_view kind;
  std::string_view smallest;  // the base unit in words
  std::vector<Unit> units;
};

const UnitTable& frequency_units() {
  static const UnitTable table{
      kFrequency, "Hz", {{"Hz", 1, 0}, {"kHz", 1'000, 3}, {"MHz", 1'000'000, 6}, {"GHz", 1'000'000'000, 9}}};
  return table;
}

const UnitTable& time_units() {
  static const UnitTable table{kTime,
                               "ps",
                               {{"ps", 1, 0},
                                {"ns", 1'000, 3},
                                {"us", 1'000'000, 6},
                                {"ms", 1'000'000'000, 9},
                                {"s", 1'000'000'000'000, 12}}};
  return table;
}

const UnitTable& size_units() {
  static const UnitTable table{kSize,
                               "bytes",
                               {{"B", 1, 0},
                                {"KiB", 1U << 10, -1},
                                {"MiB", 1U << 20, -1},
                                {"GiB", 1U << 30, -1},
                                {"kB", 1'000, 3},
                                {"MB", 1'000'000, 6},
                                {"GB", 1'000'000'000, 9}}};
  return table;
}

const UnitTable& bandwidth_units() {
  static const UnitTable table{kBandwidth,
                               "B/s",
                               {{"B/s", 1, 0},
                                {"KiB/s", 1U << 10, -1},
                                {"MiB/s", 1U << 20, -1},
                                {"GiB/s", 1U << 30, -1},
                                {"kB/s", 1'000, 3},
                                {"MB/s", 1'000'000, 6},
                                {"GB/s", 1'000'000'000, 9}}};
  return table;
}

const UnitTable& energy_units() {
  static const UnitTable table{
      kEnergy, "fJ", {{"fJ", 1, 0}, {"pJ", 1'000, 3}, {"nJ", 1'000'000, 6}, {"uJ", 1'000'000'000, 9}}};
  return table;
}

const UnitTable& power_units() {
  static const UnitTable table{kPower, "mW", {{"mW", 1, 0}, {"W", 1'000, 3}}};
  return table;
}

const UnitTable& cycle_units() {
  static const UnitTable table{kCycles, "cycles", {{"cycles", 1, 0}, {"cycle", 1, 0}}};
  return table;
}

std::string needs(std::string_view kind, std::string_view text) {
  return fmt::format("needs {}, has '{}'", kind, shown(text));
}

bool is_digit(char c) {
  return c >= '0' && c <= '9';
}

std::string_view take_digits(std::string_view& rest) {
  const auto end = std::find_if_not(rest.begin(), rest.end(), is_digit);
  const std::string_view digits = rest.substr(0, static_cast<std::size_t>(end - rest.begin()));
  rest.remove_prefix(digits.size());
  return digits;
}

// The parts of a text that starts with a number, digits [ "." digits ]. `rest` follows the number. `whole` is
// empty if the text does not start with a number.
struct Decimal {
  std::string_view number;  // whole and fraction as written
  std::string_view whole;
  std::string_view fraction;
  std::string_view rest;
};

Decimal split_decimal(std::string_view text) {
  Decimal decimal;
  decimal.rest = text;
  decimal.whole = take_digits(decimal.rest);
  if (decimal.whole.size() > 1 && decimal.whole.front() == '0') decimal.whole = {};
  if (decimal.rest.size() > 1 && decimal.rest[0] == '.' && is_digit(decimal.rest[1])) {
    decimal.rest.remove_prefix(1);
    decimal.fraction = take_digits(decimal.rest);
  }
  decimal.number = text.substr(0, text.size() - decimal.rest.size());
  return decimal;
}

struct Quantity {
  Decimal decimal;
  const Unit* unit = nullptr;
};

Parsed<Quantity> split_quantity(std::string_view text, const UnitTable& table) {
  Parsed<Quantity> result;
  result.value.decimal = split_decimal(text);
  if (result.value.decimal.whole.empty()) {
    result.problem = needs(table.kind, text);
    return result;
  }
  const std::string_view name = result.value.decimal.rest;
  const std::string_view unit_name = name.substr(std::min(name.find_first_not_of(' '), name.size()));
  std::string known;
  bool has_blank = false;
  for (const Unit& unit : table.units) {
    if (unit.name == name) result.value.unit = &unit;
    has_blank = has_blank || (unit.name == unit_name && name != unit_name);
    known += fmt::format("{}{}", known.empty() ? "" : ", ", unit.name);
  }
  if (has_blank) {
    result.problem = fmt::format("needs {}; '{}' has a blank before its unit", table.kind, shown(text));
  } else if (result.value.unit == nullptr) {
    const std::string what = name.empty() ? "no unit" : fmt::format("the unknown unit '{}'", shown(name));
    result.problem = fmt::format("needs {}; '{}' has {} (known: {})", table.kind, shown(text), what, known);
  }
  return result;
}

bool accumulate(std::string_view digits, std::uint64_t& value) {
  value = 0;
  for (const char digit : digits) {
    const auto step = static_cast<std::uint64_t>(digit - '0');
    if (__builtin_mul_overflow(value, std::uint64_t{10}, &value)) return false;
    if (__builtin_add_overflow(value, step, &value)) return false;
  }
  return true;
}

// Computes 0.fraction * scale by long multiplication from the last digit; false if the product is not a whole
// number.
bool scale_fraction(std::string_view fraction, std::uint64_t scale, std::uint64_t& value) {
  value = 0;
  for (auto digit = fraction.rbegin(); digit != fraction.rend(); ++digit) {
    value += static_cast<std::uint64_t>(*digit - '0') * scale;
    if (value % 10 != 0) return false;
    value /= 10;
  }
  return true;
}

Parsed<std::uint64_t> parse_exact(std::string_view text, const UnitTable& table, std::uint64_t most) {
  const Parsed<Quantity> quantity = split_quantity(text, table);
  if (!quantity.ok()) return {0, quantity.problem};
  const Decimal& decimal = quantity.value.decimal;
  const std::uint64_t scale = quantity.value.unit->scale;
  std::uint64_t value = 0;
  std::uint64_t part = 0;
  if (!scale_fraction(decimal.fraction, scale, part)) {
    return {0, fmt::format("'{}' is not a whole number of {}", shown(text), table.smallest)};
  }
  if (!accumulate(decimal.whole, value) || __builtin_mul_overflow(value, scale, &value) ||
      __builtin_add_overflow(value, part, &value) || value > most) {
    return {0, fmt::format("'{}' is too large", shown(text))};
  }
  return {value, {}};
}

bool to_double(std::string_view text, double& value) {
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  return error == std::errc{} && end == text.data() + text.size() && std::isfinite(value);
}

// Returns a quantity in the base unit. A decimal unit becomes the exponent of the number and a binary unit is
// a power of two, so that the value is rounded once.
Parsed<double> parse_scaled(std::string_view text, const UnitTable& table) {
  const Parsed<Quantity> quantity = split_quantity(text, table);
  if (!quantity.ok()) return {0, quantity.problem};
  const Unit& unit = *quantity.value.unit;
  const bool binary = unit.decimal_exponent < 0;
  double value = 0;
  const std::string_view number = quantity.value.decimal.number;
  if (!to_double(fmt::format("{}e{}", number, binary ? 0 : unit.decimal_exponent), value)) {
    return {0, fmt::format("'{}' is too large or too small", shown(text))};
  }
  if (binary) value *= static_cast<double>(unit.scale);
  if (!std::isfinite(value)) return {0, fmt::format("'{}' is too large or too small", shown(text))};
  return {value, {}};
}

// Does so for a quantity that is above zero.
Parsed<double> parse_rate(std::string_view text, const UnitTable& table) {
  Parsed<double> rate = parse_scaled(text, table);
  if (rate.ok() && !(rate.value > 0)) return {0, fmt::format("is '{}', must be above zero", shown(text))};
  return rate;
}

std::string out_of(std::string_view text, Range range) {
  if (range.most == std::numeric_limits<std::int64_t>::max()) {
    return fmt::format("is {}, must be at least {}", shown(text), range.least);
  }
  return fmt::format("is {}, must be from {} to {}", shown(text), range.least, range.most);
}

bool is_real(std::string_view text) {
  if (!text.empty() && text.front() == '-') text.remove_prefix(1);
  const Decimal decimal = split_decimal(text);
  if (decimal.whole.empty()) return false;
  std::string_view rest = decimal.rest;
  if (rest.empty()) return true;
  if (rest.front() != 'e' && rest.front() != 'E') return false;
  rest.remove_prefix(1);
  if (!rest.empty() && (rest.front() == '-' || rest.front() == '+')) rest.remove_prefix(1);
  return !take_digits(rest).empty() && rest.empty();
}

}  // namespace

Parsed<bool> parse_boolean(std::string_view text) {
  if (text == "true" || text == "on" || text == "yes") return {true, {}};
  if (text == "false" || text == "off" || text == "no") return {false, {}};
  return {false, needs(kBoolean, text)};
}

Parsed<std::int64_t> parse_integer(std::string_view text, Range range) {
  std::string_view digits = text;
  if (!digits.empty() && (digits.front() == '+' || digits.front() == '-')) digits.remove_prefix(1);
  const Decimal decimal = split_decimal(digits);
  if (decimal.whole.empty() || decimal.whole.size() != digits.size()) return {0, needs(kInteger, text)};
  const std::string_view number = text.front() == '+' ? digits : text;
  std::int64_t value = 0;
  const auto result = std::from_chars(number.data(), number.data() + number.size(), value);
  if (result.ec != std::errc{} || value < range.least || value > range.most) return {0, out_of(text, range)};
  return {value, {}};
}

Parsed<double> parse_real(std::string_view text, RealRange range) {
  const std::string_view number = !text.empty() && text.front() == '+' ? text.substr(1) : text;
  if (!is_real(number) || (number.size() != text.size() && number.front() == '-'))
    return {0, needs(kReal, text)};
  double value = 0;
  if (!to_double(number, value)) return {0, fmt::format("'{}' is too large or too small", shown(text))};
  if (value >= range.least && value <= range.most) return {value, {}};
  if (range.most == std::numeric_limits<double>::max()) {
    return {0, fmt::format("is {}, must be at least {}", shown(text), range.least)};
  }
  return {0, fmt::format("is {}, must be from {} to {}", shown(text), range.least, range.most)};
}

Parsed<double> parse_frequency(std::string_view text) {
  return parse_rate(text, frequency_units());
}

Parsed<std::uint64_t> parse_time(std::string_view text) {
  return parse_exact(text, time_units(), kMostPicoseconds);
}

Parsed<std::uint64_t> parse_bytes(std::string_view text) {
  return parse_exact(text, size_units(), std::numeric_limits<std::uint64_t>::max());
}

Parsed<double> parse_bandwidth(std::string_view text) {
  return parse_rate(text, bandwidth_units());
}

Parsed<double> parse_energy(std::string_view text) {
  return parse_scaled(text, energy_units());
}

Parsed<double> parse_power(std::string_view text) {
  return parse_scaled(text, power_units());
}

Parsed<std::uint64_t> parse_cycles(std::string_view text, Range range) {
  constexpr auto kMost = static_cast<std::uint64_t>(std::numeric_limits<std::int64_t>::max());
  Parsed<std::uint64_t> result = parse_exact(text, cycle_units(), kMost);
  if (!result.ok()) return result;
  const auto value = static_cast<std::int64_t>(result.value);
  if (value < range.least || value > range.most) return {0, out_of(text, range)};
  return result;
}

Parsed<std::string> parse_choice(const std::string& text, const std::vector<std::string>& known) {
  if (std::find(known.begin(), known.end(), text) != known.end()) return {text, {}};
  return {
      {},
      fmt::format("'{}' is not one of {}{}", shown(text), fmt::join(known, ", "), suggestion(text, known))};
}

std::string shown(std::string_view text, std::size_t most) {
  std::string result;
  for (const char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    const bool starts_character = (byte & 0xC0U) != 0x80U;
    if (result.size() >= most && starts_character) return result + "...";
    if (byte < 0x20U || byte == 0x7FU) {
      result += fmt::format("\\x{:02x}", byte);
    } else {
      result += c;
    }
  }
  return result;
}

}  // namespace heddle::config::detail

namespace heddle::config {
namespace {

// Returns the number of insertions, deletions, substitutions and swaps of neighbours that turn one word into
// the other.
std::size_t edit_distance(std::string_view a, std::string_view b) {
  std::vector<std::size_t> before_last(b.size() + 1);
  std::vector<std::size_t> last(b.size() + 1);
  std::vector<std::size_t> row(b.size() + 1);
  for (std::size_t j = 0; j <= b.size(); ++j) row[j] = j;
  for (std::size_t i = 1; i <= a.size(); ++i) {
    std::swap(before_last, last);
    std::swap(last, row);
    row[0] = i;
    for (std::size_t j = 1; j <= b.size(); ++j) {
      const std::size_t change = a[i - 1] == b[j - 1] ? 0 : 1;
      row[j] = std::min({last[j] + 1, row[j - 1] + 1, last[j - 1] + change});
      const bool swapped = i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1];
      if (swapped) row[j] = std::min(row[j], before_last[j - 2] + 1);
    }
  }
  return row[b.size()];
}

}  // namespace

namespace {

// Returns the first name that has the word as one of its parts, which '_' and '-' separate: float_fma for
// fma.
std::string name_with_part(std::string_view word, const std::vector<std::string>& known) {
  constexpr std::string_view kBetween = "_-";
  for (const std::string& name : known)
    for (std::size_t at = 0; at < name.size();) {
      const std::size_t end = std::min(name.find_first_of(kBetween, at), name.size());
      if (name.compare(at, end - at, word) == 0) return name;
      at = end + 1;
    }
  return {};
}

}  // namespace

std::string nearest_name(std::string_view word, const std::vector<std::string>& known) {
  constexpr std::size_t kLongest = 256;  // no known name is longer, and the search is quadratic
  constexpr std::size_t kShort = 5;      // shorter words are near to too many names
  if (word.empty() || word.size() > kLongest) return {};
  const std::size_t most = word.size() < kShort ? word.size() / 3 : (word.size() + 2) / 3;
  std::size_t best = most + 1;
  std::string nearest;
  for (const std::string& name : known) {
    const std::size_t gap = name.size() > word.size() ? name.size() - word.size() : word.size() - name.size();
    if (gap >= best) continue;
    const std::size_t distance = edit_distance(word, name);
    if (distance >= best) continue;
    best = distance;
    nearest = name;
  }
  return nearest.empty() ? name_with_part(word, known) : nearest;
}

}  // namespace heddle::config
