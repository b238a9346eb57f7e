#include "models/host/host_driver.h"

#include <algorithm>

namespace heddle {

namespace {

constexpr Address kHeadWords = 0x1000;
constexpr Address kHeadWordStride = 64;
constexpr Address kRings = 0x1000000;

}  // namespace

HostDriver::HostDriver(const QueueSpec& queues, std::uint64_t device_bytes,
                       std::vector<DeviceMemory>& device_memory)
    : queues_(queues),
      rings_(queues.count),
      device_bytes_(device_bytes),
      device_free_(device_bytes),
      device_memory_(device_memory) {}

void HostDriver::reset() {
  std::fill(rings_.begin(), rings_.end(), Ring{});
  device_free_ = device_bytes_;
}

Address HostDriver::ring(std::uint32_t queue) const {
  return kRings + Address{queue} * 2 * queues_.entries * kDescriptorBytes;
}

Address HostDriver::kernel_slot(std::uint32_t queue, std::uint64_t entry) const {
  return ring(queue) + (queues_.entries + entry % queues_.entries) * kDescriptorBytes;
}

Address HostDriver::head_word(std::uint32_t queue) const {
  return kHeadWords + queue * kHeadWordStride;
}

bool HostDriver::take_programmed(std::uint32_t queue) {
  return !std::exchange(rings_[queue].programmed, true);
}

bool HostDriver::grant(std::uint32_t queue, std::uint64_t time, std::uint32_t process) {
  Ring& ring = rings_[queue];
  if (ring.taken || *ring.waiting.begin() != std::make_pair(time, process)) return false;
  ring.waiting.erase(ring.waiting.begin());
  return ring.taken = true;
}

std::optional<Address> HostDriver::allocate(std::uint32_t process, const ApiBuffer& buffer) {
  const std::uint64_t bytes = std::max<std::uint64_t>(1, buffer.bytes);
  if (bytes > device_free_) return std::nullopt;
  device_free_ -= bytes;
  return device_memory_[process].allocate(bytes, buffer.name);
}

void HostDriver::free(std::uint32_t process, Address address) {
  device_free_ += device_memory_[process].find(address)->bytes;
  device_memory_[process].free(address);
}

}  // namespace heddle
