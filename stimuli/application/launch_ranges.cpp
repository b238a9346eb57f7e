#include "stimuli/application/launch_ranges.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <stdexcept>

namespace heddle {

namespace {

[[noreturn]] void refuse(std::string_view text) {
  throw std::invalid_argument(fmt::format(
      "'{}' names no launches: needs numbers from 1 on in ascending order, such as 3-5, 3, 3- or 1,4-6",
      text));
}

std::uint64_t number_of(std::string_view digits, std::uint64_t fallback, std::string_view text) {
  if (digits.empty()) return fallback;
  std::uint64_t number = 0;
  const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), number);
  if (error != std::errc{} || end != digits.data() + digits.size() || number == 0) refuse(text);
  return number;
}

}  // namespace

LaunchRanges LaunchRanges::read(std::string_view text) {
  LaunchRanges ranges;
  for (std::size_t at = 0; at <= text.size();) {
    const std::size_t end = std::min(text.find(',', at), text.size());
    const std::string_view part = text.substr(at, end - at);
    const std::size_t dash = part.find('-');
    if (part.empty() || part == "-") refuse(text);
    const std::uint64_t first = number_of(part.substr(0, dash), 1, text);
    const std::uint64_t last =
        dash == std::string_view::npos ? first : number_of(part.substr(dash + 1), kEnd, text);
    if (last < first || (!ranges.ranges_.empty() && first <= ranges.ranges_.back().second)) refuse(text);
    ranges.ranges_.emplace_back(first, last);
    at = end + 1;
  }
  return ranges;
}

bool LaunchRanges::hold(std::uint64_t launch) const {
  return ranges_.empty() || std::any_of(ranges_.begin(), ranges_.end(), [launch](const auto& range) {
           return range.first <= launch && launch <= range.second;
         });
}

std::string LaunchRanges::text() const {
  std::string text;
  for (const auto& [first, last] : ranges_)
    text += fmt::format("{}{}{}", text.empty() ? "" : ",", first,
                        last == kEnd    ? "-"
                        : last == first ? ""
                                        : fmt::format("-{}", last));
  return text;
}

}  // namespace heddle
