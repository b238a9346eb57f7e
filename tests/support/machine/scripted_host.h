#pragma once
// A host without a process. A test calls it between two steps of the simulation. It writes registers and
// rings as a driver does, one access after another, and takes no simulated time.

#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <vector>

#include "models/host/command.h"
#include "models/host/system_memory.h"

namespace heddle::test {

class ScriptedHost : public sc_core::sc_module, private tlm::tlm_bw_transport_if<> {
 public:
  explicit ScriptedHost(sc_core::sc_module_name name);

  // A test that uses no registers leaves this socket unbound.
  tlm::tlm_initiator_socket<32, tlm::tlm_base_protocol_types, 1, sc_core::SC_ZERO_OR_MORE_BOUND> mmio{"mmio"};
  tlm::tlm_initiator_socket<> memory{"memory"};

  // Register accesses return the response status of the GPU. register_value() returns the value.
  tlm::tlm_response_status access(tlm::tlm_command command, Address address, unsigned char* data,
                                  unsigned bytes);
  tlm::tlm_response_status write_register(Address address, std::uint64_t value);
  tlm::tlm_response_status read_register(Address address, std::uint64_t& value);
  std::uint64_t register_value(Address address);
  std::string inspect(Address address, unsigned bytes);  // reads by transport_dbg

  // Accesses to system memory take no simulated time.
  std::uint64_t load(Address address);
  void store(Address address, const unsigned char* data, unsigned bytes);
  void load(Address address, unsigned char* data, unsigned bytes);

  // A ring is opened once per queue and then filled descriptor by descriptor.
  static Address ring(std::uint32_t queue) { return 0x10000000 + Address{queue} * 0x1000000; }
  static Address head_word(std::uint32_t queue) { return 0x1000 + Address{queue} * 8; }
  static Address fence(std::uint32_t number) { return 0x100000 + Address{number} * 8; }
  void open(std::uint32_t queue, std::uint64_t entries);
  // Writes the descriptors of the command and rings the doorbell.
  void push(std::uint32_t queue, const Command& command);
  void write(std::uint32_t queue, const Command& command);  // does not ring the doorbell
  void ring_doorbell(std::uint32_t queue);
  std::uint64_t tail(std::uint32_t queue) { return rings_[queue].tail; }

 private:
  struct Ring {
    std::uint64_t entries = 0;
    std::uint64_t tail = 0;
  };
  tlm::tlm_sync_enum nb_transport_bw(tlm::tlm_generic_payload&, tlm::tlm_phase&, sc_core::sc_time&) override {
    return tlm::TLM_ACCEPTED;
  }
  void invalidate_direct_mem_ptr(sc_dt::uint64, sc_dt::uint64) override {}

  std::map<std::uint32_t, Ring> rings_;
};

// Make commands for tests. With the fence address 0 the command has no fence.
Command launch_command(ContextId context, StreamId stream, const KernelLaunch& launch, Address fence = 0,
                       std::uint64_t value = 1);
Command copy_command(ContextId context, StreamId stream, Command::Kind kind, Address system_address,
                     Address device_address, std::uint64_t bytes, Address fence = 0, std::uint64_t value = 1);
Command event_command(ContextId context, StreamId stream, Command::Kind kind, std::uint32_t event,
                      std::uint64_t event_value, Address fence = 0, std::uint64_t value = 1);

}  // namespace heddle::test
