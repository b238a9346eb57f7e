#include "models/core/kernel/bandwidth.h"

#include <algorithm>

#include "models/core/time/progress.h"

namespace heddle {

namespace {

constexpr double kSectorBytes = 32;

}  // namespace

// In each pass, the users that ask for no more than an equal part of what is left get all that they ask for.
void divide_port(std::vector<PortUser>& users) {
  std::uint64_t left = kFullPort;
  std::uint64_t waiting = 0;  // users without a rate, which is 0 until they have one
  for (PortUser& user : users) {
    user.rate = user.load == 0 ? kFullRate : 0;
    waiting += user.load == 0 ? 0 : 1;
  }
  for (bool settled = true; waiting > 0 && settled;) {
    settled = false;
    const std::uint64_t part = left / waiting;
    for (PortUser& user : users) {
      if (user.rate != 0 || user.load > part) continue;
      user.rate = kFullRate;
      left -= user.load;
      --waiting;
      settled = true;
    }
  }
  for (PortUser& user : users)
    if (user.rate == 0)
      user.rate =
          std::max<std::uint32_t>(1, static_cast<std::uint32_t>((left << kRateBits) / (waiting * user.load)));
}

double wave_cycles(const BlockTraffic& block, std::uint64_t blocks, std::uint32_t sms,
                   const BandwidthSpec& bandwidth, double core_hz) {
  const auto residence = static_cast<double>(block.block_cycles);
  if (!bandwidth.kernels) return residence;
  const auto count = static_cast<double>(blocks);
  const auto on_one_sm = static_cast<double>((blocks + sms - 1) / sms);
  const double port = std::max(1.0, on_one_sm * block.port_load / kFullPort);
  const auto moved_in = [&](std::uint32_t sectors, double bytes_per_second) {
    return bytes_per_second == 0 ? 0 : count * sectors * kSectorBytes / bytes_per_second * core_hz;
  };
  return std::max({residence * port, moved_in(block.dram_sectors, bandwidth.dram_bytes_per_second),
                   moved_in(block.l2_sectors, bandwidth.l2_bytes_per_second)});
}

}  // namespace heddle
