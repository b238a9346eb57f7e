#pragma once
// Memory that the host and the device of a program share: managed memory and mapped host memory. Each has an
// allocation on the device and as many bytes of the host. A launch takes what the host has changed to the
// device, and what the kernel has changed is on the host when the launch returns. The replay copies the
// former before the launch, and the latter at the next synchronisation.

#include <cstddef>
#include <cstdint>
#include <map>
#include <set>
#include <string>

#include "stimuli/capture/runtime/session.h"

namespace heddle::capture {

class ManagedMemory {
 public:
  // Allocates memory that the host and the device know by one address. Returns null without enough memory.
  // Throws std::runtime_error if the host has other memory there.
  void* allocate(Session& session, std::size_t bytes);
  // Gives the device an address for memory of the host, which is the same at each call for this memory.
  // Returns 0 without enough memory.
  Address map(Session& session, void* host, std::size_t bytes);
  // Shares memory that lies on the device, by its address. Throws std::runtime_error if the host has other
  // memory there. The memory cannot be freed alone.
  void* share(Session& session, Address device, std::uint64_t bytes);
  // Frees memory that starts at this address of the host. Returns false if there is none.
  bool free(Session& session, const void* host);
  void clear();  // frees the host's side of all memory

  bool holds(const void* pointer) const;         // an address of the host or of the device
  bool has_one_address(const void* host) const;  // allocate() has returned this memory

  void upload(Session& session, std::uint32_t stream);  // what the host has changed
  void take_changes(Session& session);                  // brings the changes of the device to the host
  void synchronise(Session& session);                   // records the copies of these changes

 private:
  struct Region {
    std::byte* host = nullptr;
    Address device = 0;
    std::uint64_t bytes = 0;
    Address allocation = 0;           // that holds the device's side alone; 0: it is part of a module
    std::set<std::uint64_t> changed;  // chunks that the device has changed since the last synchronisation
  };

  static std::byte* device_bytes(const Session& session, const Region& region);
  static void take_pages(Address first, std::uint64_t bytes);
  static void free_pages(const Region& region);

  std::map<const std::byte*, Region> regions_;  // by address of the host
  std::set<Address> shared_pages_;              // of variables, which the host has at their addresses
};

}  // namespace heddle::capture
