#pragma once
// A HostBus is what a thread of the host reads and writes: system memory, and the registers of the GPU.

#include <array>
#include <cstdint>

#include "models/core/base/ids.h"
#include "models/host/command.h"

namespace heddle {

class HostBus {
 public:
  virtual ~HostBus() = default;

  // These access system memory and take no simulated time. Memory therefore still has what was read when the
  // thread starts to wait.
  virtual void read(Address address, void* to, std::uint64_t bytes) = 0;
  virtual void write(Address address, const void* from, std::uint64_t bytes) = 0;
  virtual void write_register(Address address, std::uint64_t value) = 0;  // returns when it is written

  std::uint64_t load(Address address) {
    std::array<unsigned char, 8> bytes{};
    read(address, bytes.data(), bytes.size());
    return load_u64(bytes.data());
  }
  void store(Address address, std::uint64_t value) {
    std::array<unsigned char, 8> bytes{};
    store_u64(bytes.data(), value);
    write(address, bytes.data(), bytes.size());
  }
};

}  // namespace heddle
