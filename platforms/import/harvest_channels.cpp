#include "platforms/import/harvest_channels.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>

namespace heddle::imported {

namespace {

constexpr double kMostChannels = 256;
constexpr std::size_t kMostBits = 40;  // of an address in a channel

}  // namespace

HarvestChannels::HarvestChannels(const HarvestCard& card, const MemoryPathSpec& base)
    : base_(base),
      memory_bytes_(card.memory_mib * 1024 * 1024),
      count_(base.dram.map.channels),
      hz_(base.dram_hz) {
  if (card.memory_clock_mhz == 0 || card.memory_bus_bits == 0) return;
  peak_ = 2e6 * card.memory_clock_mhz * card.memory_bus_bits / 8;
  const double of_base = base.peak_bytes_per_second() / base.dram.map.channels;
  count_ = static_cast<std::uint32_t>(std::clamp(std::round(peak_ / of_base), 1.0, kMostChannels));
  hz_ = base.dram_hz * peak_ / (of_base * count_);
}

std::string HarvestChannels::map() const {
  std::string map = base_.dram.map.bits;
  const auto held = [&] { return std::ldexp(static_cast<double>(count_), static_cast<int>(map.size())); };
  while (held() < memory_bytes_ && map.size() < kMostBits) map.insert(0, "R");
  while (map.size() > 1 && map[0] == 'R' && map[1] == 'R' && held() / 2 >= memory_bytes_) map.erase(0, 1);
  return map;
}

bool HarvestChannels::needs_hash() const {
  return count_ != base_.dram.map.channels && !base_.dram.map.channel_hash.empty();
}

std::string HarvestChannels::hash() const {
  std::uint32_t width = 0;
  while ((std::uint64_t{1} << width) < count_) ++width;
  std::uint32_t above = width;
  while ((std::uint64_t{1} << (above - width)) < base_.dram.map.interleave) ++above;
  std::vector<std::string> bits;
  for (std::uint32_t bit = 0; bit < width; ++bit)
    bits.push_back(fmt::format("[{}, {}, {}]", above + bit, above + bit + width, above + bit + 2 * width));
  return fmt::format("[{}]", fmt::join(bits, ", "));
}

}  // namespace heddle::imported
