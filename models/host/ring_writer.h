#pragma once
// A RingWriter writes commands into the rings of the hardware queues: the descriptors of command and kernel
// in system memory, and then the doorbell. Pure logic.

#include <cstdint>

#include "models/host/host_bus.h"
#include "models/host/host_driver.h"

namespace heddle {

class RingWriter {
 public:
  RingWriter(HostDriver& driver, HostBus& bus) : driver_(driver), bus_(bus) {}

  // Writes the registers of a ring that nobody has written to before.
  void program(std::uint32_t queue);
  // Returns how many commands the GPU has taken from the ring. Throws std::runtime_error if it has halted the
  // queue.
  std::uint64_t head(std::uint32_t queue);
  bool has_room(std::uint32_t queue);
  void write(std::uint32_t queue, const Command& command);  // the ring is programmed and has room

 private:
  HostDriver& driver_;
  HostBus& bus_;
};

}  // namespace heddle
