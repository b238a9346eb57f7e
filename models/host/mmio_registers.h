#pragma once
// MmioRegisters has the registers of the GPU behind `mmio`: those of the hardware queues and of the contexts,
// the error registers and the counter window. register_map.h has their addresses.

#include <cstdint>
#include <optional>
#include <vector>

#include "models/core/base/port_set.h"
#include "models/host/counter_window.h"
#include "models/host/latched_register.h"
#include "models/host/register_map.h"

namespace heddle {

class MmioRegisters {
 public:
  struct Queue {
    LatchedRegister base, entries, tail, writeback;
    std::uint64_t head = 0;
  };
  struct Context {
    LatchedRegister priority, tokens, page_table, texture_table;
  };
  // What a write has done.
  enum class Effect : std::uint8_t {
    kNone,      // no register that can be written has the address
    kStored,    // the value is read when it is needed
    kDoorbell,  // TAIL of a queue was written
    kContext,   // a register of a context was written
  };

  MmioRegisters(std::uint32_t queues, std::uint32_t contexts, std::uint32_t sms);
  // Sets all registers to 0. The counter window remains.
  void reset();

  // The address is a multiple of 8. read() returns null if no register has the address.
  std::optional<std::uint64_t> read(Address address) const;
  Effect write(Address address, std::uint64_t value, Cycle now);

  Queue& queue(std::uint32_t number) { return queues_[number]; }
  const Queue& queue(std::uint32_t number) const { return queues_[number]; }
  Context& context(std::uint32_t number) { return contexts_[number]; }
  // Returns the queues to which the host has written. All others are empty.
  const PortSet& written_queues() const { return written_; }
  // Returns the contexts of which a register was written. The reader takes out those that it has dealt with.
  PortSet& changed_contexts() { return changed_; }
  const PortSet& changed_contexts() const { return changed_; }
  CounterWindow& counters() { return counters_; }

  // Sets the error registers.
  void set_error(registers::QueueError error, std::uint32_t queue);

 private:
  std::optional<std::uint64_t> read_global(Address address) const;
  std::optional<std::uint64_t> read_queue(std::uint64_t number, Address which) const;
  std::optional<std::uint64_t> read_context(std::uint64_t number, Address which) const;
  Effect write_queue(std::uint64_t number, Address which, std::uint64_t value, Cycle now);
  Effect write_context(std::uint64_t number, Address which, std::uint64_t value, Cycle now);

  const std::uint32_t sms_;
  std::vector<Queue> queues_;
  std::vector<Context> contexts_;
  PortSet written_;
  PortSet changed_;
  registers::QueueError error_ = registers::QueueError::kNone;
  std::uint32_t error_queue_ = 0;
  CounterWindow counters_;
};

}  // namespace heddle
