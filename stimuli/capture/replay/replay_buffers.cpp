#include "stimuli/capture/replay/replay_buffers.h"

#include <fmt/format.h>

#include <iterator>

namespace heddle::capture {

namespace {

constexpr std::uint64_t kMostRows = std::uint64_t{1} << 16U;  // of one copy

}  // namespace

std::uint32_t ReplayBuffers::add(const std::string& name, std::uint64_t bytes) {
  demand(bytes > 0 && bytes <= kMostBytes - bytes_, "memory of no bytes, or of more than 512 GiB");
  bytes_ += bytes;
  program_.buffers.push_back({fmt::format("{}-{}", name, program_.buffers.size()), bytes});
  return static_cast<std::uint32_t>(program_.buffers.size() - 1);
}

std::uint32_t ReplayBuffers::allocate(Address address, std::uint64_t bytes, const std::string& name) {
  const auto after = live_.lower_bound(address);
  const bool clear =
      (after == live_.end() || after->first - address >= bytes) &&
      (after == live_.begin() || std::prev(after)->first + std::prev(after)->second.bytes <= address);
  demand(clear && address != 0, "the memory is allocated already");
  const std::uint32_t buffer = add(name, bytes);
  live_[address] = {buffer, bytes};
  return buffer;
}

std::uint32_t ReplayBuffers::free(Address address) {
  const auto found = live_.find(address);
  demand(found != live_.end(), "no memory is allocated there");
  const std::uint32_t buffer = found->second.buffer;
  live_.erase(found);
  return buffer;
}

std::pair<std::uint32_t, std::uint64_t> ReplayBuffers::find(const Rows& rows) const {
  auto after = live_.upper_bound(rows.address);
  demand(after != live_.begin(), "no memory is allocated there");
  --after;
  const std::uint64_t offset = rows.address - after->first;
  const std::uint64_t bytes = after->second.bytes;
  demand(rows.count >= 1 && rows.count <= kMostRows && rows.bytes >= 1,
         "a copy of no bytes or too many rows");
  demand(rows.count == 1 || (rows.pitch >= rows.bytes && rows.pitch <= bytes), "rows that overlap");
  demand(offset <= bytes && rows.bytes <= bytes && rows.extent() <= bytes - offset,
         "no memory is allocated there");
  return {after->second.buffer, offset};
}

}  // namespace heddle::capture
