#pragma once
// The program's log goes through Boost.Log to the console and to a file. Every record has a severity and a
// component. A message that is off costs one integer test. Results never go through the log.

#include <fmt/format.h>

#include <string>

namespace heddle {

enum class Severity : int { kTrace, kDebug, kInfo, kWarning, kError, kOff };

namespace log {

// The least severity that any component lets through. HEDDLE_LOG tests it first.
extern int threshold;

// A filter is "LEVEL" for all components or "component=LEVEL" for one; several are joined by commas. The
// levels are trace, debug, info, warning, error and off. Records also go to `file` unless it is empty.
// Returns an error message, which is empty on success.
std::string configure(const std::string& filter, const std::string& file);

void write(Severity severity, const char* component, const std::string& message);

}  // namespace log

}  // namespace heddle

// HEDDLE_LOG(Severity::kInfo, "engine", "format", arguments...)
#define HEDDLE_LOG(severity, component, ...)                                     \
  do {                                                                           \
    if (static_cast<int>(severity) >= ::heddle::log::threshold)                  \
      ::heddle::log::write((severity), (component), ::fmt::format(__VA_ARGS__)); \
  } while (false)
