#include "models/host/tlm_bus.h"

#include <fmt/format.h>

#include <algorithm>
#include <stdexcept>

namespace heddle {

namespace {

constexpr std::uint64_t kMostBytes = 64 * 1024;  // of one access

// Returns the time that the access takes, which has not passed yet.
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

}  // namespace

TlmBus::TlmBus(tlm::tlm_initiator_socket<>& mmio, tlm::tlm_initiator_socket<>& memory, HostThread& thread)
    : mmio_(mmio), memory_(memory), thread_(thread) {
  mmio_.bind(backward_);
  memory_.bind(backward_);
}

void TlmBus::read(Address address, void* to, std::uint64_t bytes) {
  move(tlm::TLM_READ_COMMAND, address, static_cast<unsigned char*>(to), bytes);
}

void TlmBus::write(Address address, const void* from, std::uint64_t bytes) {
  auto* const data = const_cast<unsigned char*>(static_cast<const unsigned char*>(from));
  move(tlm::TLM_WRITE_COMMAND, address, data, bytes);
}

void TlmBus::move(tlm::tlm_command command, Address address, unsigned char* bytes, std::uint64_t count) {
  while (count > 0) {
    const std::uint64_t part = std::min(count, kMostBytes);
    transport(memory_, command, address, bytes, static_cast<std::uint32_t>(part));
    address += part;
    bytes += part;
    count -= part;
  }
}

void TlmBus::write_register(Address address, std::uint64_t value) {
  std::array<unsigned char, 8> bytes{};
  store_u64(bytes.data(), value);
  const sc_core::sc_time delay =
      transport(mmio_, tlm::TLM_WRITE_COMMAND, address, bytes.data(), bytes.size());
  if (delay != sc_core::SC_ZERO_TIME) thread_.sleep(delay);
}

}  // namespace heddle
