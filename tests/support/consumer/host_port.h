#pragma once
// The way of a host to the registers of a GPU: an initiator of TLM-2.0 for `mmio`.

#include <systemc>
#include <tlm>

#include <cstdint>
#include <stdexcept>
#include <string>
#include <utility>

#include "models/host/command.h"
#include "models/host/register_map.h"

class HostPort : public sc_core::sc_module, private tlm::tlm_bw_transport_if<> {
 public:
  explicit HostPort(sc_core::sc_module_name name) : sc_core::sc_module(name) { socket.bind(*this); }

  tlm::tlm_initiator_socket<> socket{"socket"};

  // An access takes the time of a transaction over PCIe. A process of SystemC makes it.
  void store(std::uint64_t address, std::uint64_t value) { transfer(tlm::TLM_WRITE_COMMAND, address, value); }
  std::uint64_t load(std::uint64_t address) { return transfer(tlm::TLM_READ_COMMAND, address, 0); }

  // Debug access takes no time, and is possible before and after the simulation.
  std::uint64_t inspect(std::uint64_t address) { return heddle::load_u64(bytes_at(address, 8).second); }
  // Returns the address of the counter's register.
  std::uint64_t counter(const std::string& name) {
    namespace registers = heddle::registers;
    const std::uint64_t counters = inspect(registers::kCounters);
    for (std::uint64_t i = 0; i < counters; ++i)
      if (name == bytes_at(registers::kCounterNames + registers::kNameBytes * i, registers::kNameBytes).first)
        return registers::kCounterValues + 8 * i;
    throw std::runtime_error("no counter " + name);
  }

 private:
  std::uint64_t transfer(tlm::tlm_command command, std::uint64_t address, std::uint64_t value) {
    unsigned char bytes[8];
    heddle::store_u64(bytes, value);
    tlm::tlm_generic_payload payload;
    fill(payload, command, address, bytes, 8);
    sc_core::sc_time delay = sc_core::SC_ZERO_TIME;
    socket->b_transport(payload, delay);
    wait(delay);
    if (!payload.is_response_ok())
      throw std::runtime_error("the GPU has no register " + std::to_string(address));
    return heddle::load_u64(bytes);
  }

  // Returns the bytes up to the first zero as text, and all of them.
  std::pair<const char*, const unsigned char*> bytes_at(std::uint64_t address, std::uint64_t count) {
    inspected_.assign(count, '\0');
    tlm::tlm_generic_payload payload;
    auto* const data = reinterpret_cast<unsigned char*>(inspected_.data());
    fill(payload, tlm::TLM_READ_COMMAND, address, data, static_cast<unsigned int>(count));
    if (socket->transport_dbg(payload) != count) throw std::runtime_error("a debug access fell short");
    return {inspected_.c_str(), data};
  }

  static void fill(tlm::tlm_generic_payload& payload, tlm::tlm_command command, std::uint64_t address,
                   unsigned char* bytes, unsigned int count) {
    payload.set_command(command);
    payload.set_address(address);
    payload.set_data_ptr(bytes);
    payload.set_data_length(count);
    payload.set_streaming_width(count);
  }

  tlm::tlm_sync_enum nb_transport_bw(tlm::tlm_generic_payload&, tlm::tlm_phase&, sc_core::sc_time&) override {
    return tlm::TLM_ACCEPTED;
  }
  void invalidate_direct_mem_ptr(sc_dt::uint64, sc_dt::uint64) override {}

  std::string inspected_;
};
