#include "stimuli/application/request_amounts.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <stdexcept>
#include <utility>

namespace heddle {

namespace {

constexpr std::int64_t kMostAmount = std::int64_t{1} << 62;
constexpr std::uint64_t kSecondPs = 1000000000000;

bool is_name(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_';
}

std::string place_of(const config::Value& value) {
  return fmt::format("{}: {}", value.place(), value.path());
}

// Returns the number as a whole one. A time is rounded to whole picoseconds.
std::int64_t whole_of(const Number& number, bool is_time) {
  if (is_whole(number)) return std::get<std::int64_t>(number);
  const double real = is_time ? std::floor(real_of(number) + 0.5) : real_of(number);
  if (!(std::abs(real) <= static_cast<double>(kMostAmount)))
    throw NumberError(fmt::format("{} is too large", real));
  if (real != std::floor(real)) throw NumberError(fmt::format("{} is not whole; ceil(a, b) rounds up", real));
  return static_cast<std::int64_t>(real);
}

}  // namespace

RequestAmounts::RequestAmounts(const std::vector<RequestParameter>& parameters, const ArrivalSpec* arrivals,
                               bool of_steps)
    : of_steps_(of_steps) {
  for (const RequestParameter& parameter : parameters) {
    const bool is_column = parameter.column && arrivals != nullptr;
    typical_values_[names_.size()] = is_column ? arrivals->table->columns[*parameter.column].values.front()
                                               : parameter.distribution.typical();
    is_whole_.push_back(is_column ? arrivals->table->columns[*parameter.column].is_whole
                                  : parameter.distribution.is_whole());
    names_.push_back(parameter.name);
  }
}

bool RequestAmounts::has(const std::string& name) const {
  return std::find(names_.begin(), names_.end(), name) != names_.end();
}

bool RequestAmounts::depends(const config::Value& value) const {
  if (names_.empty() || !value.is_scalar()) return false;
  const std::string text = value.text();
  for (std::size_t begin = 0; begin < text.size();) {
    if (!is_name(text[begin])) {
      ++begin;
      continue;
    }
    std::size_t end = begin;
    while (end < text.size() && is_name(text[end])) ++end;
    if (std::find(names_.begin(), names_.end(), text.substr(begin, end - begin)) != names_.end()) return true;
    begin = end;
  }
  return false;
}

std::uint64_t RequestAmounts::bytes(const config::Value& value, std::uint64_t least, Set set) {
  if (!depends(value)) return value.bytes();
  return add(value, value.text(), false, {static_cast<std::int64_t>(least), kMostAmount}, std::move(set));
}

std::uint64_t RequestAmounts::time_ps(const config::Value& value, std::uint64_t least, Set set) {
  if (!depends(value)) return value.time_ps();
  return add(value, value.text(), true, {static_cast<std::int64_t>(least), kMostAmount}, std::move(set));
}

std::uint64_t RequestAmounts::whole(const config::Value& value, config::Range range, Set set) {
  if (!depends(value)) return static_cast<std::uint64_t>(value.integer(range));
  return add(value, value.text(), false, range, std::move(set));
}

std::uint64_t RequestAmounts::whole_parameter(const std::string& name, const config::Value& place,
                                              config::Range range, Set set) {
  return add(place, name, false, range, std::move(set));
}

std::uint64_t RequestAmounts::add(const config::Value& place, const std::string& text, bool is_time,
                                  config::Range range, Set set) {
  Amount amount;
  amount.is_time = is_time;
  amount.least = static_cast<std::uint64_t>(range.least);
  amount.most = static_cast<std::uint64_t>(std::min(range.most, kMostAmount));
  amount.place = place_of(place);
  amount.set = std::move(set);
  Scope scope;
  scope.variables = names_;
  scope.has_times = is_time;
  const std::vector<Number> parameters = numbers_of(typical_values_);
  try {
    amount.expression = Expression::parse(text, scope);
    if (is_time) amount.expression.check_is_time();
    const std::uint64_t typical = value_of(amount, parameters);
    amounts_.push_back(std::move(amount));
    return typical;
  } catch (const NumberError& error) {
    place.problem(fmt::format("{} (with {})", error.what(), text_of(parameters)));
    // A second is long enough for every check that follows, so that there is one message.
    return is_time ? kSecondPs : amount.least;
  }
}

void RequestAmounts::derive(const config::Value& place, Derive step) {
  steps_.push_back({place_of(place), std::move(step)});
}

std::uint64_t RequestAmounts::value_of(const Amount& amount, const std::vector<Number>& parameters) const {
  const std::int64_t value = whole_of(amount.expression.evaluate({parameters, {}}), amount.is_time);
  const auto least = static_cast<std::int64_t>(amount.least);
  const auto most = static_cast<std::int64_t>(amount.most);
  if (value < least || value > most) {
    const char* const unit = amount.is_time ? " ps" : "";
    throw NumberError(value < least ? fmt::format("{}{} is below {}{}", value, unit, least, unit)
                                    : fmt::format("{}{} is above {}{}", value, unit, most, unit));
  }
  return static_cast<std::uint64_t>(value);
}

void RequestAmounts::apply(const RequestValues& values, ApiProgram& program) const {
  const std::vector<Number> parameters = numbers_of(values);
  Present present = typical_;
  const std::string* place = nullptr;
  try {
    for (const Amount& amount : amounts_) {
      place = &amount.place;
      amount.set(program, present, value_of(amount, parameters));
    }
    for (const Step& step : steps_) {
      place = &step.place;
      step.derive(program, present);
    }
  } catch (const std::runtime_error& error) {
    throw std::runtime_error(fmt::format("{}: {} (with {})", *place, error.what(), text_of(parameters)));
  }
}

std::vector<Number> RequestAmounts::numbers_of(const RequestValues& values) const {
  std::vector<Number> numbers;
  for (std::size_t i = 0; i < names_.size(); ++i) {
    const double value = values[i];
    const bool fits = std::abs(value) < 9e18 && value == std::floor(value);
    numbers.push_back(is_whole_[i] && fits ? Number(static_cast<std::int64_t>(value)) : Number(value));
  }
  return numbers;
}

std::string RequestAmounts::text_of(const std::vector<Number>& parameters) const {
  std::string text;
  for (std::size_t i = 0; i < names_.size(); ++i)
    text += fmt::format("{}{} = {}", i > 0 ? ", " : "", names_[i], heddle::text_of(parameters[i]));
  return text;
}

}  // namespace heddle
