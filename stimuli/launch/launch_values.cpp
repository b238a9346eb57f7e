#include "stimuli/launch/launch_values.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

namespace heddle {

std::vector<std::string> items_of(const config::Value& value) {
  if (!value.is_list()) return split_at_commas(value.text());
  std::vector<std::string> items;
  for (const config::Value& item : value.list()) items.push_back(item.text());
  if (items.empty()) return items;
  return split_at_commas(fmt::format("{}", fmt::join(items, ", ")));
}

std::optional<Expression> LaunchValues::read(const config::Value& value, const std::string& text) const {
  try {
    return Expression::parse(text, scope_);
  } catch (const NumberError& error) {
    value.problem(fmt::format("'{}': {}", text, error.what()));
    return std::nullopt;
  }
}

std::optional<Number> LaunchValues::computed(const config::Value& value, const std::string& text) const {
  const std::optional<Expression> expression = read(value, text);
  if (!expression) return std::nullopt;
  if (expression->is_constant()) return expression->constant();
  value.problem(fmt::format("'{}': it must not depend on variables or buffers", text));
  return std::nullopt;
}

Expression LaunchValues::parse(const config::Value& value, const std::string& text) const {
  return read(value, text).value_or(Expression{});
}

Expression LaunchValues::expression(const config::Value& value) const {
  const std::string text = value.text();
  return value.is_scalar() ? parse(value, text) : Expression{};
}

std::vector<Expression> LaunchValues::list(const config::Value& value) const {
  std::vector<Expression> expressions;
  for (const std::string& item : items_of(value)) expressions.push_back(parse(value, item));
  return expressions;
}

Number LaunchValues::constant(const config::Value& value) const {
  const std::string text = value.text();
  if (!value.is_scalar()) return std::int64_t{0};
  return computed(value, text).value_or(std::int64_t{0});
}

std::int64_t LaunchValues::whole(const config::Value& value, std::int64_t least, std::int64_t most) const {
  const std::string text = value.text();
  const std::optional<Number> number = value.is_scalar() ? computed(value, text) : std::nullopt;
  if (!number) return least;
  try {
    return whole_within(*number, least, most);
  } catch (const NumberError& error) {
    value.problem(text == text_of(*number) ? error.what() : fmt::format("'{}': {}", text, error.what()));
    return least;
  }
}

double LaunchValues::real(const config::Value& value) const {
  return real_of(constant(value));
}

std::vector<Number> LaunchValues::constants(const config::Value& value) const {
  std::vector<Number> numbers;
  for (const std::string& item : items_of(value))
    numbers.push_back(computed(value, item).value_or(std::int64_t{0}));
  return numbers;
}

std::vector<Number> LaunchValues::constants(const config::Value& value, std::size_t count) const {
  std::vector<Number> numbers = constants(value);
  if (numbers.size() != count)
    value.problem(fmt::format("{} numbers are wanted, it has {}", count, numbers.size()));
  numbers.resize(count, std::int64_t{0});
  return numbers;
}

Random random_of(const std::string& name, const config::Section& section, const LaunchValues& values) {
  const std::int64_t seed = section.has("seed") ? values.whole(section.value("seed")) : 1;
  return Random(static_cast<std::uint64_t>(seed)).fork(name);
}

}  // namespace heddle
