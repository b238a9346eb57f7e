#pragma once
// The program's log goes through Boost.Log to the console and to a file. Every record has a severity and a
// component. A message that is off costs one integer test. Results never go through the log.

#include <fmt/format.h>

#include <array>
#include <string>
#include <string_view>

namespace heddle {

enum class Severity : int { kTrace, kDebug, kInfo, kWarning, kError, kOff };

namespace log {

constexpr std::array<std::string_view, 8> kComponents{"dispatcher", "engine", "functional", "platform",
                                                      "queues",     "replay", "rtl",        "systemc"};

constexpr bool is_component(std::string_view name) {
  for (const std::string_view component : kComponents)
    if (component == name) return true;
  return false;
}

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
#define HEDDLE_LOG(severity, component, ...)                                        \
  do {                                                                              \
    static_assert(::heddle::log::is_component(component), "add it to kComponents"); \
    if (static_cast<int>(severity) >= ::heddle::log::threshold)                     \
      ::heddle::log::write((severity), (component), ::fmt::format(__VA_ARGS__));    \
  } while (false)
