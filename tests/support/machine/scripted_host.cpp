#include "tests/support/machine/scripted_host.h"

#include <gtest/gtest.h>

#include <array>

namespace heddle::test {

using namespace registers;

namespace {

void set_up(tlm::tlm_generic_payload& payload, tlm::tlm_command command, Address address, unsigned char* data,
            unsigned bytes) {
  payload.set_command(command);
  payload.set_address(address);
  payload.set_data_ptr(data);
  payload.set_data_length(bytes);
  payload.set_streaming_width(bytes);
  payload.set_response_status(tlm::TLM_INCOMPLETE_RESPONSE);
}

}  // namespace

ScriptedHost::ScriptedHost(sc_core::sc_module_name name) : sc_core::sc_module(name) {
  mmio.bind(*this);
  memory.bind(*this);
}

tlm::tlm_response_status ScriptedHost::access(tlm::tlm_command command, Address address, unsigned char* data,
                                              unsigned bytes) {
  tlm::tlm_generic_payload payload;
  set_up(payload, command, address, data, bytes);
  sc_core::sc_time delay;
  mmio->b_transport(payload, delay);
  return payload.get_response_status();
}

tlm::tlm_response_status ScriptedHost::write_register(Address address, std::uint64_t value) {
  std::array<unsigned char, 8> bytes{};
  store_u64(bytes.data(), value);
  return access(tlm::TLM_WRITE_COMMAND, address, bytes.data(), bytes.size());
}

tlm::tlm_response_status ScriptedHost::read_register(Address address, std::uint64_t& value) {
  std::array<unsigned char, 8> bytes{};
  const tlm::tlm_response_status status = access(tlm::TLM_READ_COMMAND, address, bytes.data(), bytes.size());
  value = load_u64(bytes.data());
  return status;
}

std::uint64_t ScriptedHost::register_value(Address address) {
  std::uint64_t value = 0;
  EXPECT_EQ(read_register(address, value), tlm::TLM_OK_RESPONSE) << std::hex << address;
  return value;
}

std::string ScriptedHost::inspect(Address address, unsigned bytes) {
  std::string data(bytes, '\0');
  tlm::tlm_generic_payload payload;
  set_up(payload, tlm::TLM_READ_COMMAND, address, reinterpret_cast<unsigned char*>(data.data()), bytes);
  data.resize(mmio->transport_dbg(payload));
  return data;
}

std::uint64_t ScriptedHost::load(Address address) {
  std::array<unsigned char, 8> bytes{};
  load(address, bytes.data(), bytes.size());
  return load_u64(bytes.data());
}

void ScriptedHost::load(Address address, unsigned char* data, unsigned bytes) {
  tlm::tlm_generic_payload payload;
  set_up(payload, tlm::TLM_READ_COMMAND, address, data, bytes);
  EXPECT_EQ(memory->transport_dbg(payload), bytes);
}

void ScriptedHost::store(Address address, const unsigned char* data, unsigned bytes) {
  tlm::tlm_generic_payload payload;
  set_up(payload, tlm::TLM_WRITE_COMMAND, address, const_cast<unsigned char*>(data), bytes);
  EXPECT_EQ(memory->transport_dbg(payload), bytes);
}

void ScriptedHost::open(std::uint32_t queue, std::uint64_t entries) {
  rings_[queue].entries = entries;
  EXPECT_EQ(write_register(registers::queue(queue, kBase), ring(queue)), tlm::TLM_OK_RESPONSE);
  EXPECT_EQ(write_register(registers::queue(queue, kEntries), entries), tlm::TLM_OK_RESPONSE);
  EXPECT_EQ(write_register(registers::queue(queue, kWriteback), head_word(queue)), tlm::TLM_OK_RESPONSE);
}

void ScriptedHost::write(std::uint32_t queue, const Command& command) {
  Ring& to = rings_[queue];
  const std::uint64_t entry = to.tail++ % to.entries;
  const Address kernel = ring(queue) + (to.entries + entry) * kDescriptorBytes;
  if (command.kind == Command::Kind::kLaunch)
    store(kernel, encode_kernel(command.launch).data(), kDescriptorBytes);
  store(ring(queue) + entry * kDescriptorBytes, encode_command(command, kernel).data(), kDescriptorBytes);
}

void ScriptedHost::ring_doorbell(std::uint32_t queue) {
  EXPECT_EQ(write_register(registers::queue(queue, kTail), rings_[queue].tail), tlm::TLM_OK_RESPONSE);
}

void ScriptedHost::push(std::uint32_t queue, const Command& command) {
  write(queue, command);
  ring_doorbell(queue);
}

Command launch_command(ContextId context, StreamId stream, const KernelLaunch& launch, Address fence,
                       std::uint64_t value) {
  Command command;
  command.kind = Command::Kind::kLaunch;
  command.context = context;
  command.stream = stream;
  command.launch = launch;
  command.launch.context = context;
  command.launch.stream = stream;
  command.fence_address = fence;
  command.fence_value = value;
  return command;
}

Command copy_command(ContextId context, StreamId stream, Command::Kind kind, Address system_address,
                     Address device_address, std::uint64_t bytes, Address fence, std::uint64_t value) {
  Command command;
  command.kind = kind;
  command.context = context;
  command.stream = stream;
  command.system_address = system_address;
  command.device_address = device_address;
  command.bytes = bytes;
  command.fence_address = fence;
  command.fence_value = value;
  return command;
}

Command event_command(ContextId context, StreamId stream, Command::Kind kind, std::uint32_t event,
                      std::uint64_t event_value, Address fence, std::uint64_t value) {
  Command command;
  command.kind = kind;
  command.context = context;
  command.stream = stream;
  command.event = event;
  command.event_value = event_value;
  command.fence_address = fence;
  command.fence_value = value;
  return command;
}

}  // namespace heddle::test
