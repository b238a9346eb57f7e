#pragma once
// Memory that is allocated and freed in the order of streams. Freed memory stays in its pool, where a later
// allocation on the same stream takes it without any call to the device. When the host waits for a stream,
// what was freed on it can be taken on any stream, and what the pool holds above its threshold is freed.

#include <cstdint>
#include <list>
#include <map>
#include <memory>
#include <optional>
#include <string>

#include "stimuli/capture/runtime/session.h"

namespace heddle::capture {

struct MemoryPool {
  std::uint64_t threshold = 0;                    // bytes that stay in the pool when the host waits
  int reuses[3] = {1, 1, 1};                      // settings that have no effect here
  std::uint64_t used = 0, most_used = 0;          // bytes that the program has
  std::uint64_t reserved = 0, most_reserved = 0;  // bytes that the pool has of the device
  bool closed = false;                            // destroyed; it goes when nothing is in use
};

class MemoryPools {
 public:
  MemoryPools();

  MemoryPool* standard() { return standard_; }
  MemoryPool* current() { return current_; }
  void set_current(MemoryPool* pool) { current_ = pool; }
  MemoryPool* find(const void* handle) const;  // null if there is no such pool
  MemoryPool* create();
  bool destroy(Session& session, const void* handle);  // false: there is none, or it is the standard pool

  // Returns 0 without enough memory.
  Address allocate(Session& session, MemoryPool& pool, std::uint64_t bytes, std::uint32_t stream);
  // Returns the pool of memory in use that starts at the address; null if it is of none.
  MemoryPool* pool_of(Address address) const;
  void free(Address address, std::uint32_t stream);

  // The host has waited for a stream, or for all.
  void waited(Session& session, std::optional<std::uint32_t> stream);
  // Frees unused memory until the pool holds no more than `keep` bytes.
  void trim(Session& session, MemoryPool& pool, std::uint64_t keep);

 private:
  struct Block {
    Address address = 0;
    std::uint64_t bytes = 0;
    MemoryPool* pool = nullptr;
    std::optional<std::uint32_t> stream;  // on which it was freed; none: every stream may take it
  };

  std::list<std::unique_ptr<MemoryPool>> pools_;
  MemoryPool* standard_ = nullptr;
  MemoryPool* current_ = nullptr;
  std::map<Address, Block> used_;
  std::map<Address, Block> unused_;
};

}  // namespace heddle::capture
