#pragma once
// A DeviceMemory is the device memory of one context: the allocations of its process, and their bytes.
// Addresses are virtual. The same calls in the same order give the same addresses. Several threads may call
// find() and read() at the same time. While a thread allocates, frees or writes, no other thread uses the
// memory. Pure logic.

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <string>

#include "models/core/base/ids.h"

namespace heddle {

class DeviceMemory {
 public:
  static constexpr Address kFirst = Address{1} << 40U;  // of every context's first allocation
  static constexpr std::uint64_t kAlignment = 256;
  static constexpr std::uint64_t kPage = std::uint64_t{2}
                                         << 20U;  // bytes that a GPU maps for cudaMalloc at once

  struct Allocation {
    Allocation() = default;
    Allocation(const Allocation&) = delete;
    Allocation& operator=(const Allocation&) = delete;
    ~Allocation();

    Address address = 0;
    std::uint64_t bytes = 0;
    std::string name;

    Address end() const { return address + bytes; }
    bool holds(Address first, std::uint64_t count) const {
      return first >= address && count <= bytes && first - address <= bytes - count;
    }
    // Returns the byte at `at`, which lies in the allocation; the next bytes follow it. A byte that was never
    // written is zero. The first call allocates host memory.
    std::byte* data(Address at) const {
      std::byte* const first = data_.load(std::memory_order_acquire);
      return (first != nullptr ? first : take()) + (at - address);
    }
    bool untouched() const { return data_.load(std::memory_order_acquire) == nullptr; }

   private:
    std::byte* take() const;
    mutable std::atomic<std::byte*> data_{nullptr};
  };

  // The allocation starts at the lowest aligned address from kFirst on where it fits with kAlignment unused
  // bytes behind it, so that an access past its end meets no other allocation. `bytes` is below 2^40; 0
  // counts as 1.
  Address allocate(std::uint64_t bytes, std::string name);
  void free(Address address);  // the address of an allocation
  void reset();                // Frees every allocation.

  // Returns the allocation that holds all of `bytes` at `address`, or null.
  const Allocation* find(Address address, std::uint64_t bytes = 1) const;
  // Returns the allocation whose end or start is nearest, the lower one on a tie; null if there is none.
  const Allocation* nearest(Address address) const;
  const std::map<Address, Allocation>& allocations() const { return allocations_; }

  // Returns a byte of a page in which an allocation lies, whether it is allocated itself or not; null
  // elsewhere. A byte that is not allocated is zero until it is written. The caller holds the
  // lock that lock_unallocated() returns from before the call until it no longer uses the byte.
  std::byte* mapped_byte(Address address);
  std::unique_lock<std::mutex> lock_unallocated() { return std::unique_lock<std::mutex>(*unallocated_use_); }

  // Counts the calls of allocate(), free(), write(), fill() and note_change(). Several threads may note a
  // change at the same time.
  std::uint64_t changes() const { return changes_->load(std::memory_order_relaxed); }
  void note_change() { changes_->fetch_add(1, std::memory_order_relaxed); }

  // Each access lies within one allocation. Otherwise it throws std::out_of_range, which names the range and
  // the nearest allocation. A write of zeros to an allocation that was never written takes no host memory.
  void read(Address address, void* to, std::uint64_t bytes) const;
  void write(Address address, const void* from, std::uint64_t bytes);
  void fill(Address address, std::byte value, std::uint64_t bytes);

 private:
  const Allocation& range(Address address, std::uint64_t bytes) const;

  std::map<Address, Allocation> allocations_;  // by address
  std::map<Address, std::byte> unallocated_;   // bytes that mapped_byte() has returned
  std::unique_ptr<std::mutex> unallocated_use_ = std::make_unique<std::mutex>();
  std::unique_ptr<std::atomic<std::uint64_t>> changes_ = std::make_unique<std::atomic<std::uint64_t>>(0);
};

// Returns a text such as "0x10000000200 lies 12 bytes behind the end of 'levels' (1024 bytes from
// 0x10000000000)".
std::string describe(const DeviceMemory& memory, Address address);

}  // namespace heddle
