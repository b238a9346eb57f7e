#include "models/core/base/check.h"

namespace heddle {

void fail_invariant(const char* component, Cycle cycle, const char* condition, const std::string& message) {
  throw InvariantError(
      fmt::format("{}, cycle {}: {} (broken invariant: {})", component, cycle.value, message, condition));
}

}  // namespace heddle
