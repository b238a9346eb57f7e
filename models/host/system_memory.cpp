#include "models/host/system_memory.h"

namespace heddle {

SystemMemory::SystemMemory(sc_core::sc_module_name name, const sc_core::sc_time& latency)
    : sc_core::sc_module(name), latency_(latency) {
  socket.bind(*this);
}

void SystemMemory::reset() {
  bytes_.reset();
  watches_.clear();
}

void SystemMemory::watch(Address address, std::uint64_t bytes, sc_core::sc_event& event) {
  watches_.push_back({address, address + bytes, &event});
}

tlm::tlm_sync_enum SystemMemory::nb_transport_fw(tlm::tlm_generic_payload& payload, tlm::tlm_phase& phase,
                                                 sc_core::sc_time& delay) {
  if (phase != tlm::BEGIN_REQ)
    return tlm::TLM_ACCEPTED;  // every request completes at once, so no other phase follows
  delay += latency_;
  access(payload, delay);
  return tlm::TLM_COMPLETED;
}

void SystemMemory::b_transport(tlm::tlm_generic_payload& payload, sc_core::sc_time& delay) {
  delay += latency_;
  access(payload, delay);
}

unsigned int SystemMemory::transport_dbg(tlm::tlm_generic_payload& payload) {
  move(payload);
  return payload.get_data_length();
}

void SystemMemory::access(tlm::tlm_generic_payload& payload, const sc_core::sc_time& delay) {
  if (payload.get_byte_enable_ptr() != nullptr || payload.get_streaming_width() < payload.get_data_length()) {
    payload.set_response_status(tlm::TLM_GENERIC_ERROR_RESPONSE);
    return;
  }
  move(payload);
  payload.set_response_status(tlm::TLM_OK_RESPONSE);
  if (!payload.is_write()) return;
  const Address from = payload.get_address();
  const Address to = from + payload.get_data_length();
  for (const Watch& watch : watches_)
    if (from < watch.to && watch.from < to) watch.event->notify(delay);
}

void SystemMemory::move(tlm::tlm_generic_payload& payload) {
  if (payload.is_read())
    bytes_.read(payload.get_address(), payload.get_data_ptr(), payload.get_data_length());
  if (payload.is_write())
    bytes_.write(payload.get_address(), payload.get_data_ptr(), payload.get_data_length());
}

}  // namespace heddle
