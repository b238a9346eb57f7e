#include "models/core/memory/device_memory.h"

#include <fmt/format.h>

#include <cstdlib>
#include <cstring>
#include <iterator>
#include <new>
#include <stdexcept>
#include <utility>

namespace heddle {

namespace {

bool all_zero(const std::byte* bytes, std::uint64_t count) {
  return count == 0 || (bytes[0] == std::byte{0} && std::memcmp(bytes, bytes + 1, count - 1) == 0);
}

std::uint64_t distance(const DeviceMemory::Allocation& allocation, Address address) {
  if (address < allocation.address) return allocation.address - address;
  return address < allocation.end() ? 0 : address - allocation.end() + 1;
}

}  // namespace

DeviceMemory::Allocation::~Allocation() {
  std::free(data_.load());  // NOLINT: see take()
}

// calloc() returns large ranges of zeros without writing to them. If several threads come here for the same
// allocation at once, all use the range of the first one.
std::byte* DeviceMemory::Allocation::take() const {
  auto* const mine = static_cast<std::byte*>(std::calloc(bytes, 1));  // NOLINT
  if (mine == nullptr) throw std::bad_alloc();
  std::byte* theirs = nullptr;
  if (data_.compare_exchange_strong(theirs, mine, std::memory_order_acq_rel)) return mine;
  std::free(mine);  // NOLINT
  return theirs;
}

Address DeviceMemory::allocate(std::uint64_t bytes, std::string name) {
  note_change();
  bytes = bytes == 0 ? 1 : bytes;
  Address at = kFirst;
  for (const auto& [address, allocation] : allocations_) {
    if (address >= at + bytes + kAlignment) break;
    at = (allocation.end() + 2 * kAlignment - 1) / kAlignment * kAlignment;
  }
  Allocation& allocation = allocations_[at];
  allocation.address = at;
  allocation.bytes = bytes;
  allocation.name = std::move(name);
  return at;
}

void DeviceMemory::free(Address address) {
  note_change();
  allocations_.erase(address);
}

void DeviceMemory::reset() {
  allocations_.clear();
  unallocated_.clear();
}

const DeviceMemory::Allocation* DeviceMemory::find(Address address, std::uint64_t bytes) const {
  const auto behind = allocations_.upper_bound(address);
  if (behind == allocations_.begin()) return nullptr;
  const Allocation& allocation = std::prev(behind)->second;
  return allocation.holds(address, bytes) ? &allocation : nullptr;
}

const DeviceMemory::Allocation* DeviceMemory::nearest(Address address) const {
  const auto behind = allocations_.upper_bound(address);
  const Allocation* above = behind == allocations_.end() ? nullptr : &behind->second;
  if (behind == allocations_.begin()) return above;
  const Allocation* below = &std::prev(behind)->second;
  return above != nullptr && distance(*above, address) < distance(*below, address) ? above : below;
}

std::byte* DeviceMemory::mapped_byte(Address address) {
  if (const Allocation* allocation = find(address); allocation != nullptr) return allocation->data(address);
  const Address page = address / kPage * kPage;
  const auto behind = allocations_.lower_bound(page + kPage);
  if (behind == allocations_.begin() || std::prev(behind)->second.end() <= page) return nullptr;
  return &unallocated_[address];
}

const DeviceMemory::Allocation& DeviceMemory::range(Address address, std::uint64_t bytes) const {
  const Allocation* allocation = find(address, bytes);
  if (allocation == nullptr)
    throw std::out_of_range(
        fmt::format("{} bytes at {}", bytes, describe(*this, address + (bytes == 0 ? 0 : bytes - 1))));
  return *allocation;
}

void DeviceMemory::read(Address address, void* to, std::uint64_t bytes) const {
  const Allocation& from = range(address, bytes);
  if (bytes == 0) return;
  if (from.untouched())
    std::memset(to, 0, bytes);
  else
    std::memcpy(to, from.data(address), bytes);
}

void DeviceMemory::write(Address address, const void* from, std::uint64_t bytes) {
  const Allocation& to = range(address, bytes);
  note_change();
  if (bytes == 0 || (to.untouched() && all_zero(static_cast<const std::byte*>(from), bytes))) return;
  std::memcpy(to.data(address), from, bytes);
}

void DeviceMemory::fill(Address address, std::byte value, std::uint64_t bytes) {
  const Allocation& to = range(address, bytes);
  note_change();
  if (to.untouched() && value == std::byte{0}) return;
  std::memset(to.data(address), std::to_integer<int>(value), bytes);
}

std::string describe(const DeviceMemory& memory, Address address) {
  const DeviceMemory::Allocation* nearest = memory.nearest(address);
  if (nearest == nullptr) return fmt::format("{:#x}, and nothing is allocated", address);
  const std::string buffer =
      fmt::format("'{}' ({} bytes from {:#x})", nearest->name, nearest->bytes, nearest->address);
  if (address < nearest->address)
    return fmt::format("{:#x} lies {} bytes before {}", address, nearest->address - address, buffer);
  if (address >= nearest->end())
    return fmt::format("{:#x} lies {} bytes behind the end of {}", address, address - nearest->end(), buffer);
  return fmt::format("{:#x} lies in {}", address, buffer);
}

}  // namespace heddle
