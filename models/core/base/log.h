#pragma once
// The program's log, carried by Boost.Log: records have a severity and a component; console and file. A
// message that is off costs one integer test. Results never go through the log.

#include <fmt/format.h>

#include <string>

namespace heddle {

enum class Severity : int { kTrace, kDebug, kInfo, kWarning, kError, kOff };

namespace log {

// The least severity any component lets through; what HEDDLE_LOG tests first.
extern int threshold;

// filter: "LEVEL" for all, or "component=LEVEL" for one, several joined by commas; levels are trace, debug,
// info, warning, error, off. Returns an error message, empty if all is well. `file`: also write there.
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
