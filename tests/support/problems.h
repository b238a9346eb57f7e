#pragma once

#include <functional>
#include <string>
#include <vector>

#include "models/core/config/config.h"

namespace heddle::test {

using Problems = std::vector<std::string>;

// Returns the problems for which `action` throws config::Error, or none.
inline Problems problems_of(const std::function<void()>& action) {
  try {
    action();
  } catch (const config::Error& error) {
    return error.problems();
  }
  return {};
}

}  // namespace heddle::test
