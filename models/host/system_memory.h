#pragma once
// The SystemMemory is the host's memory. Any number of initiators may bind to `socket`: the GPU uses
// nb_transport, host processes use b_transport. A host process can watch a range and is notified of writes to
// it, as a CPU that waits on a cache line is.

#include <tlm>

#include <vector>

#include "models/core/memory/sparse_memory.h"

namespace heddle {

class SystemMemory : public sc_core::sc_module, private tlm::tlm_fw_transport_if<> {
 public:
  SystemMemory(sc_core::sc_module_name name, const sc_core::sc_time& latency);

  tlm::tlm_target_socket<32, tlm::tlm_base_protocol_types, 0> socket{"socket"};

  // Every byte reads as zero, and nothing is watched, afterwards.
  void reset();
  // `event` is notified, one latency later, of each write to [address, address + bytes).
  void watch(Address address, std::uint64_t bytes, sc_core::sc_event& event);

 private:
  struct Watch {
    Address from;
    Address to;
    sc_core::sc_event* event;
  };

  tlm::tlm_sync_enum nb_transport_fw(tlm::tlm_generic_payload& payload, tlm::tlm_phase& phase,
                                     sc_core::sc_time& delay) override;
  void b_transport(tlm::tlm_generic_payload& payload, sc_core::sc_time& delay) override;
  unsigned int transport_dbg(tlm::tlm_generic_payload& payload) override;
  bool get_direct_mem_ptr(tlm::tlm_generic_payload&, tlm::tlm_dmi&) override { return false; }
  void access(tlm::tlm_generic_payload& payload, const sc_core::sc_time& delay);
  void move(tlm::tlm_generic_payload& payload);

  const sc_core::sc_time latency_;
  SparseMemory bytes_;
  std::vector<Watch> watches_;
};

}  // namespace heddle
