#pragma once
// Values of a launch file that are computed. What is wrong is recorded at its place; the value is then 0.

#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <vector>

#include "models/core/config/config.h"
#include "stimuli/launch/expression.h"

namespace heddle {

class LaunchValues {
 public:
  explicit LaunchValues(const Scope& scope) : scope_(scope) {}

  const Scope& scope() const { return scope_; }
  Expression expression(const config::Value& value) const;
  Expression parse(const config::Value& value, const std::string& text) const;
  // A list, or one scalar with commas. A comma in parentheses separates nothing: [ceil(n, 256), 1] are two.
  std::vector<Expression> list(const config::Value& value) const;

  // Of parameters alone.
  Number constant(const config::Value& value) const;
  std::int64_t whole(const config::Value& value, std::int64_t least = 0,
                     std::int64_t most = std::numeric_limits<std::int64_t>::max()) const;
  double real(const config::Value& value) const;
  std::vector<Number> constants(const config::Value& value) const;
  std::vector<Number> constants(const config::Value& value, std::size_t count) const;  // so many

 private:
  std::optional<Expression> read(const config::Value& value, const std::string& text) const;
  std::optional<Number> computed(const config::Value& value, const std::string& text) const;

  const Scope& scope_;
};

// The items of a list of scalars, or the parts of one scalar, as list() separates them.
std::vector<std::string> items_of(const config::Value& value);

}  // namespace heddle
