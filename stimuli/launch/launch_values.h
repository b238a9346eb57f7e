#pragma once
// This file reads computed values of a launch file. A problem is recorded at the place of the value. The
// result is then 0, or the least value that is allowed.

#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <vector>

#include "models/core/base/random.h"
#include "models/core/config/config.h"
#include "stimuli/expression/expression.h"

namespace heddle {

class LaunchValues {
 public:
  explicit LaunchValues(const Scope& scope) : scope_(scope) {}

  const Scope& scope() const { return scope_; }
  Expression expression(const config::Value& value) const;
  Expression parse(const config::Value& value, const std::string& text) const;
  // Reads a list, or one scalar with commas. A comma in parentheses does not separate: [ceil(n, 256), 1] has
  // two items.
  std::vector<Expression> list(const config::Value& value) const;

  // These values may depend on parameters only.
  Number constant(const config::Value& value) const;
  std::int64_t whole(const config::Value& value, std::int64_t least = 0,
                     std::int64_t most = std::numeric_limits<std::int64_t>::max()) const;
  double real(const config::Value& value) const;
  std::vector<Number> constants(const config::Value& value) const;
  std::vector<Number> constants(const config::Value& value, std::size_t count) const;  // `count` of them

 private:
  std::optional<Expression> read(const config::Value& value, const std::string& text) const;
  std::optional<Number> computed(const config::Value& value, const std::string& text) const;

  const Scope& scope_;
};

// Returns the random numbers of what the section describes. Its key `seed` (1 without one) and `name`
// determine them.
Random random_of(const std::string& name, const config::Section& section, const LaunchValues& values);

// Returns the items of a list of scalars, or the parts of one scalar, separated as in list().
std::vector<std::string> items_of(const config::Value& value);

}  // namespace heddle
