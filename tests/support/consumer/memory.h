#pragma once
// The system memory of the virtual platforms, a target of TLM-2.0.

#include <systemc>
#include <tlm>

#include <cstdint>
#include <cstring>
#include <vector>

class Memory : public sc_core::sc_module, private tlm::tlm_fw_transport_if<> {
 public:
  Memory(sc_core::sc_module_name name, std::size_t bytes) : sc_core::sc_module(name), bytes_(bytes) {
    socket.bind(*this);
  }

  tlm::tlm_target_socket<> socket{"socket"};
  sc_core::sc_event written;

  // The processor reaches its memory without the bus.
  unsigned char* at(std::uint64_t address) { return &bytes_.at(address); }

 private:
  void b_transport(tlm::tlm_generic_payload& payload, sc_core::sc_time& delay) override {
    delay += sc_core::sc_time(100, sc_core::SC_NS);
    payload.set_response_status(access(payload) == 0 ? tlm::TLM_ADDRESS_ERROR_RESPONSE
                                                     : tlm::TLM_OK_RESPONSE);
    if (payload.is_write()) written.notify(delay);
  }
  tlm::tlm_sync_enum nb_transport_fw(tlm::tlm_generic_payload& payload, tlm::tlm_phase& phase,
                                     sc_core::sc_time& delay) override {
    if (phase != tlm::BEGIN_REQ) return tlm::TLM_ACCEPTED;
    b_transport(payload, delay);
    return tlm::TLM_COMPLETED;
  }
  unsigned int transport_dbg(tlm::tlm_generic_payload& payload) override { return access(payload); }
  bool get_direct_mem_ptr(tlm::tlm_generic_payload&, tlm::tlm_dmi&) override { return false; }

  unsigned int access(tlm::tlm_generic_payload& payload) {
    const unsigned int length = payload.get_data_length();
    if (payload.get_address() > bytes_.size() || length > bytes_.size() - payload.get_address()) return 0;
    unsigned char* const memory = bytes_.data() + payload.get_address();
    if (payload.is_read()) std::memcpy(payload.get_data_ptr(), memory, length);
    if (payload.is_write()) std::memcpy(memory, payload.get_data_ptr(), length);
    return length;
  }

  std::vector<unsigned char> bytes_;
};
