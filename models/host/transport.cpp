#include "models/host/transport.h"

#include <fmt/format.h>

#include <stdexcept>

namespace heddle {

sc_core::sc_time transport(tlm::tlm_initiator_socket<>& socket, tlm::tlm_command command, Address address,
                           unsigned char* bytes, std::uint32_t count) {
  tlm::tlm_generic_payload payload;
  payload.set_command(command);
  payload.set_address(address);
  payload.set_data_ptr(bytes);
  payload.set_data_length(count);
  payload.set_streaming_width(count);
  payload.set_response_status(tlm::TLM_INCOMPLETE_RESPONSE);
  sc_core::sc_time delay;
  socket->b_transport(payload, delay);
  if (!payload.is_response_ok())
    throw std::runtime_error{
        fmt::format("{} at {:#x} answered {}", socket.name(), address, payload.get_response_string())};
  return delay;
}

}  // namespace heddle
