#include "stimuli/traceg/line_scanner.h"

#include <fmt/format.h>

namespace heddle {

std::uint64_t LineScanner::checked_decimal(const char* what, std::uint64_t most) {
  const char* start = at_;
  std::uint64_t value = 0;
  bool fits = true;
  for (; *at_ >= '0' && *at_ <= '9'; ++at_) {
    const auto digit = static_cast<std::uint64_t>(*at_ - '0');
    fits = fits && digit <= most && value <= (most - digit) / 10;
    if (fits) value = value * 10 + digit;
  }
  if (at_ == start || !at_separator()) bad(what, start);
  if (!fits) source_.fail(fmt::format("{} is more than {}", what, most));
  return value;
}

void LineScanner::bad(const char* what, const char* found) const {
  const char* end = found;
  while (*end != '\n' && *end != ' ') ++end;
  if (*found == '\n')
    source_.fail(fmt::format("expected {}, found the end of the line", what));
  else
    source_.fail(
        fmt::format("expected {}, found {}", what, quote({found, static_cast<std::size_t>(end - found)})));
}

}  // namespace heddle
