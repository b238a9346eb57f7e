#include "stimuli/capture/cudart/managed_memory.h"

#include <fmt/format.h>
#include <sys/mman.h>

#include <algorithm>
#include <cstring>
#include <stdexcept>
#include <vector>

namespace heddle::capture {

namespace {

constexpr std::uint64_t kChunk = 4096;  // bytes that are compared and copied together, and bytes of a page

std::uint64_t whole_chunks(std::uint64_t bytes) {
  return (bytes + kChunk - 1) / kChunk * kChunk;
}

// Calls act(offset, bytes) for each run of chunks with consecutive numbers.
template <typename Act>
void for_each_run(const std::set<std::uint64_t>& chunks, std::uint64_t end, const Act& act) {
  for (auto at = chunks.begin(); at != chunks.end();) {
    const std::uint64_t first = *at;
    std::uint64_t last = first;
    while (++at != chunks.end() && *at == last + 1) last = *at;
    act(first * kChunk, std::min((last + 1) * kChunk, end) - first * kChunk);
  }
}

std::set<std::uint64_t> different_chunks(const std::byte* a, const std::byte* b, std::uint64_t bytes) {
  std::set<std::uint64_t> chunks;
  for (std::uint64_t offset = 0; offset < bytes; offset += kChunk)
    if (std::memcmp(a + offset, b + offset, std::min(kChunk, bytes - offset)) != 0)
      chunks.insert(offset / kChunk);
  return chunks;
}

}  // namespace

std::byte* ManagedMemory::device_bytes(const Session& session, const Region& region) {
  return session.memory().find(region.device, region.bytes)->data(region.device);
}

// The host has whole pages of its own, so the allocation has room for a start at a page.
void* ManagedMemory::allocate(Session& session, std::size_t bytes) {
  Region region;
  region.bytes = bytes;
  const std::uint64_t pages = whole_chunks(bytes);
  region.allocation = session.allocate(pages + kChunk, "managed");
  if (region.allocation == 0) return nullptr;
  region.device = whole_chunks(region.allocation);
  take_pages(region.device, pages);
  region.host = reinterpret_cast<std::byte*>(region.device);
  regions_.emplace(region.host, region);
  return region.host;
}

// Variables of one module can lie in one page, which the host has until the device is reset.
void* ManagedMemory::share(Session& session, Address device, std::uint64_t bytes) {
  for (Address page = device / kChunk * kChunk; page < device + bytes; page += kChunk)
    if (shared_pages_.insert(page).second) take_pages(page, kChunk);
  Region region;
  region.bytes = bytes;
  region.device = device;
  region.host = reinterpret_cast<std::byte*>(device);
  std::memcpy(region.host, device_bytes(session, region), bytes);
  regions_.emplace(region.host, region);
  return region.host;
}

void ManagedMemory::take_pages(Address first, std::uint64_t bytes) {
  void* const wanted = reinterpret_cast<void*>(first);
  if (::mmap(wanted, bytes, PROT_READ | PROT_WRITE,
             MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_FIXED_NOREPLACE, -1, 0) != wanted)
    throw std::runtime_error(fmt::format("the host has other memory at {:#x}", first));
}

Address ManagedMemory::map(Session& session, void* host, std::size_t bytes) {
  auto* const start = static_cast<std::byte*>(host);
  if (const auto known = regions_.find(start); known != regions_.end()) return known->second.device;
  Region region;
  region.host = start;
  region.bytes = bytes;
  region.device = region.allocation = session.allocate(bytes, "mapped");
  if (region.device != 0) regions_.emplace(start, region);
  return region.device;
}

void ManagedMemory::free_pages(const Region& region) {
  if (region.allocation != 0 && reinterpret_cast<Address>(region.host) == region.device)
    ::munmap(region.host, whole_chunks(region.bytes));
}

bool ManagedMemory::free(Session& session, const void* host) {
  const auto found = regions_.find(static_cast<const std::byte*>(host));
  if (found == regions_.end() || found->second.allocation == 0) return false;
  synchronise(session);
  free_pages(found->second);
  session.free(found->second.allocation);
  regions_.erase(found);
  return true;
}

void ManagedMemory::clear() {
  for (const auto& [host, region] : regions_) free_pages(region);
  for (const Address page : shared_pages_) ::munmap(reinterpret_cast<void*>(page), kChunk);
  regions_.clear();
  shared_pages_.clear();
}

bool ManagedMemory::holds(const void* pointer) const {
  const auto address = reinterpret_cast<Address>(pointer);
  return std::any_of(regions_.begin(), regions_.end(), [&](const auto& entry) {
    const Region& region = entry.second;
    return address - region.device < region.bytes ||
           address - reinterpret_cast<Address>(region.host) < region.bytes;
  });
}

bool ManagedMemory::has_one_address(const void* host) const {
  return std::any_of(regions_.begin(), regions_.end(), [&](const auto& entry) {
    return entry.second.device == reinterpret_cast<Address>(entry.first) &&
           reinterpret_cast<Address>(host) - entry.second.device < entry.second.bytes;
  });
}

void ManagedMemory::upload(Session& session, std::uint32_t stream) {
  for (const auto& [host, region] : regions_) {
    const auto changed = different_chunks(region.host, device_bytes(session, region), region.bytes);
    for_each_run(changed, region.bytes, [&, &from = region](std::uint64_t offset, std::uint64_t bytes) {
      session.upload({from.device + offset, bytes, bytes, 1}, from.host + offset, bytes, {stream, true});
    });
  }
}

void ManagedMemory::take_changes(Session& session) {
  for (auto& [host, region] : regions_) {
    const std::byte* const device = device_bytes(session, region);
    const auto changed = different_chunks(region.host, device, region.bytes);
    for_each_run(changed, region.bytes, [&, &to = region](std::uint64_t offset, std::uint64_t bytes) {
      std::memcpy(to.host + offset, device + offset, bytes);
    });
    region.changed.insert(changed.begin(), changed.end());
  }
}

void ManagedMemory::synchronise(Session& session) {
  std::vector<std::byte> bytes_of_run;
  for (auto& [host, region] : regions_) {
    for_each_run(
        region.changed, region.bytes, [&, &from = region](std::uint64_t offset, std::uint64_t bytes) {
          bytes_of_run.resize(bytes);
          session.download(bytes_of_run.data(), bytes, {from.device + offset, bytes, bytes, 1}, {0, false});
        });
    region.changed.clear();
  }
}

}  // namespace heddle::capture
