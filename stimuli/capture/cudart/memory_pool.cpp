#include "stimuli/capture/cudart/memory_pool.h"

#include <algorithm>

namespace heddle::capture {

namespace {

constexpr std::uint64_t kUnit = 512;  // bytes; memory of a pool is a multiple of it

}  // namespace

MemoryPools::MemoryPools() {
  pools_.push_back(std::make_unique<MemoryPool>());
  standard_ = current_ = pools_.back().get();
}

MemoryPool* MemoryPools::find(const void* handle) const {
  for (const auto& pool : pools_)
    if (pool.get() == handle && !pool->closed) return pool.get();
  return nullptr;
}

MemoryPool* MemoryPools::create() {
  pools_.push_back(std::make_unique<MemoryPool>());
  return pools_.back().get();
}

// Memory that is in use stays valid, and goes back to the device when it is freed.
bool MemoryPools::destroy(Session& session, const void* handle) {
  MemoryPool* const pool = find(handle);
  if (pool == nullptr || pool == standard_) return false;
  if (current_ == pool) current_ = standard_;
  pool->closed = true;
  pool->threshold = 0;
  trim(session, *pool, 0);
  return true;
}

Address MemoryPools::allocate(Session& session, MemoryPool& pool, std::uint64_t bytes, std::uint32_t stream) {
  bytes = (bytes + kUnit - 1) / kUnit * kUnit;
  Block block;
  for (const auto& [address, unused] : unused_) {
    const bool fits = unused.pool == &pool && unused.bytes >= bytes && unused.bytes <= 2 * bytes;
    const bool ordered = !unused.stream || *unused.stream == stream;
    if (fits && ordered && (block.address == 0 || unused.bytes < block.bytes)) block = unused;
  }
  if (block.address != 0) {
    unused_.erase(block.address);
  } else {
    block = {session.allocate(bytes, "pool"), bytes, &pool, std::nullopt};
    if (block.address == 0) return 0;
    pool.reserved += bytes;
    pool.most_reserved = std::max(pool.most_reserved, pool.reserved);
  }
  used_[block.address] = block;
  pool.used += block.bytes;
  pool.most_used = std::max(pool.most_used, pool.used);
  return block.address;
}

MemoryPool* MemoryPools::pool_of(Address address) const {
  const auto found = used_.find(address);
  return found == used_.end() ? nullptr : found->second.pool;
}

void MemoryPools::free(Address address, std::uint32_t stream) {
  Block block = used_.at(address);
  used_.erase(address);
  block.stream = stream;
  block.pool->used -= block.bytes;
  unused_[address] = block;
}

void MemoryPools::waited(Session& session, std::optional<std::uint32_t> stream) {
  for (auto& [address, block] : unused_)
    if (!stream || block.stream == stream) block.stream.reset();
  for (const auto& pool : pools_) trim(session, *pool, pool->threshold);
}

void MemoryPools::trim(Session& session, MemoryPool& pool, std::uint64_t keep) {
  for (auto at = unused_.begin(); at != unused_.end() && pool.reserved > keep;) {
    if (at->second.pool != &pool || at->second.stream) {
      ++at;
      continue;
    }
    session.free(at->first);
    pool.reserved -= at->second.bytes;
    at = unused_.erase(at);
  }
}

}  // namespace heddle::capture
