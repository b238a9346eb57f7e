// This file writes quantities as text for messages and the table of keys.

#include <fmt/format.h>

#include <array>
#include <utility>

#include "models/core/config/config_units.h"

namespace heddle::config::detail {
namespace {

using ShownUnit = std::pair<const char*, std::uint64_t>;

template <std::size_t kCount>
std::string whole(std::uint64_t value, const std::array<ShownUnit, kCount>& units) {
  for (const auto& [name, scale] : units)
    if (value != 0 && value % scale == 0) return fmt::format("{}{}", value / scale, name);
  return fmt::format("{}{}", value, units.back().first);
}

template <std::size_t kCount>
std::string rate(double value, const std::array<ShownUnit, kCount>& units) {
  for (const auto& [name, scale] : units)
    if (value >= static_cast<double>(scale))
      return fmt::format("{}{}", value / static_cast<double>(scale), name);
  return fmt::format("{}{}", value, units.back().first);
}

}  // namespace

std::string size_text(std::uint64_t bytes) {
  static constexpr std::array<ShownUnit, 4> kUnits{
      {{"GiB", 1U << 30U}, {"MiB", 1U << 20U}, {"KiB", 1U << 10U}, {"B", 1}}};
  return whole(bytes, kUnits);
}

std::string time_text(std::uint64_t ps) {
  static constexpr std::array<ShownUnit, 5> kUnits{
      {{"s", 1'000'000'000'000}, {"ms", 1'000'000'000}, {"us", 1'000'000}, {"ns", 1'000}, {"ps", 1}}};
  return whole(ps, kUnits);
}

std::string frequency_text(double hz) {
  static constexpr std::array<ShownUnit, 4> kUnits{
      {{"GHz", 1'000'000'000}, {"MHz", 1'000'000}, {"kHz", 1'000}, {"Hz", 1}}};
  return rate(hz, kUnits);
}

std::string bandwidth_text(double bytes_per_second) {
  static constexpr std::array<ShownUnit, 4> kUnits{
      {{"GB/s", 1'000'000'000}, {"MB/s", 1'000'000}, {"kB/s", 1'000}, {"B/s", 1}}};
  return rate(bytes_per_second, kUnits);
}

}  // namespace heddle::config::detail
