#pragma once
// A broken invariant stops the run: a check that fails throws an InvariantError that names component and
// cycle.

#include <fmt/format.h>

#include <stdexcept>
#include <string>

#include "models/core/base/ids.h"

namespace heddle {

class InvariantError : public std::logic_error {
 public:
  using std::logic_error::logic_error;
};

[[noreturn]] void fail_invariant(const char* component, Cycle cycle, const char* condition,
                                 const std::string& message);

}  // namespace heddle

// HEDDLE_CHECK(condition, component, cycle, "format", arguments...) builds its message on failure only.
#define HEDDLE_CHECK(condition, component, cycle, ...)                                        \
  do {                                                                                        \
    if (!(condition))                                                                         \
      ::heddle::fail_invariant((component), (cycle), #condition, ::fmt::format(__VA_ARGS__)); \
  } while (false)
