#pragma once
// A TlmBus is the HostBus of a thread that has two TLM-2.0 sockets.

#include <tlm>

#include "models/host/host_bus.h"
#include "models/host/host_thread.h"

namespace heddle {

class TlmBus final : public HostBus {
 public:
  // Binds the backward paths of the sockets, which it calls b_transport() of alone.
  TlmBus(tlm::tlm_initiator_socket<>& mmio, tlm::tlm_initiator_socket<>& memory, HostThread& thread);

  // They throw std::runtime_error if the target answers with an error.
  void read(Address address, void* to, std::uint64_t bytes) override;
  void write(Address address, const void* from, std::uint64_t bytes) override;
  void write_register(Address address, std::uint64_t value) override;

 private:
  struct BackwardPath : tlm::tlm_bw_transport_if<> {  // unused
    tlm::tlm_sync_enum nb_transport_bw(tlm::tlm_generic_payload&, tlm::tlm_phase&,
                                       sc_core::sc_time&) override {
      return tlm::TLM_ACCEPTED;
    }
    void invalidate_direct_mem_ptr(sc_dt::uint64, sc_dt::uint64) override {}
  };

  void move(tlm::tlm_command command, Address address, unsigned char* bytes, std::uint64_t count);

  BackwardPath backward_;
  tlm::tlm_initiator_socket<>& mmio_;
  tlm::tlm_initiator_socket<>& memory_;
  HostThread& thread_;
};

}  // namespace heddle
