#pragma once
// The device memory of one context: what its process has allocated there, and the bytes. Addresses are the
// context's own; the same calls in the same order give the same ones. Pure logic.

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <string>

#include "models/core/base/ids.h"

namespace heddle {

class DeviceMemory {
 public:
  static constexpr Address kFirst = Address{1} << 40U;  // of every context's first allocation
  static constexpr std::uint64_t kAlignment = 256;

  struct Allocation {
    Address address = 0;
    std::uint64_t bytes = 0;
    std::string name;

    Address end() const { return address + bytes; }
    bool holds(Address first, std::uint64_t count) const {
      return first >= address && count <= bytes && first - address <= bytes - count;
    }
    // The byte at `at`, which lies in it; those behind follow. What was never written is zero. Host memory is
    // taken when this is asked for the first time.
    std::byte* data(Address at) const {
      if (data_ == nullptr) take();
      return data_.get() + (at - address);
    }
    bool untouched() const { return data_ == nullptr; }

   private:
    struct Release {
      void operator()(std::byte* bytes) const;
    };
    void take() const;
    mutable std::unique_ptr<std::byte, Release> data_;
  };

  // At the lowest aligned address from kFirst on where it fits with kAlignment unused bytes behind it, so
  // that what runs past its end hits nothing. bytes: 0 is taken as 1; below 2^40.
  Address allocate(std::uint64_t bytes, std::string name);
  void free(Address address);  // of an allocation
  void reset() { allocations_.clear(); }  // Frees every allocation.

  // Null: no allocation holds all of `bytes` there.
  const Allocation* find(Address address, std::uint64_t bytes = 1) const;
  // The one whose end or start is nearest, the lower one on a tie; null: there is none.
  const Allocation* nearest(Address address) const;
  const std::map<Address, Allocation>& allocations() const { return allocations_; }

  // Whole ranges within one allocation each. Throw std::out_of_range, which names range and nearest
  // allocation. Writing zeros where nothing was written takes no host memory.
  void read(Address address, void* to, std::uint64_t bytes) const;
  void write(Address address, const void* from, std::uint64_t bytes);
  void fill(Address address, std::byte value, std::uint64_t bytes);

 private:
  const Allocation& range(Address address, std::uint64_t bytes) const;

  std::map<Address, Allocation> allocations_;  // by address
};

// "0x10000000200 lies 12 bytes behind the end of 'levels' (1024 bytes from 0x10000000000)".
std::string describe(const DeviceMemory& memory, Address address);

}  // namespace heddle
