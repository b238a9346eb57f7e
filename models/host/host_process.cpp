#include "models/host/host_process.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <utility>

namespace heddle {

using namespace registers;

namespace {

sc_core::sc_time picoseconds(std::uint64_t ps) {
  return sc_core::sc_time(static_cast<double>(ps), sc_core::SC_PS);
}

}  // namespace

HostProcess::HostProcess(sc_core::sc_module_name name, const HostProcessSpec& spec, Deps deps)
    : sc_core::sc_module(name),
      spec_(spec),
      deps_(std::move(deps)),
      issued_(spec.program.streams.size()),
      recorded_(spec.program.events.size()),
      recorded_before_(spec.program.events.size()),
      device_address_(spec.program.buffers.size()),
      host_address_(spec.program.buffers.size()) {
  mmio.bind(backward_);
  memory.bind(backward_);
  Address next = HostDriver::buffers(spec_.number);
  for (std::size_t i = 0; i < host_address_.size(); ++i) {
    host_address_[i] = next;
    next += spec_.program.buffers[i].bytes;
  }
  SC_HAS_PROCESS(HostProcess);
  SC_THREAD(run);
}

void HostProcess::run() {
  try {
    wait(picoseconds(spec_.start_ps));
    first_start_ = sc_core::sc_time_stamp();
    open();
    do {
      replay_program();
      if (completions_++ == 0) {
        first_end_ = sc_core::sc_time_stamp();
        if (spec_.replay) set_share(spec_.replay_priority, spec_.replay_tokens);
      }
      deps_.completed(spec_.number);
    } while (spec_.replay);
    waiting_for_ = "nothing: it has ended";
  } catch (const Failure& failure) {
    deps_.failed(fmt::format("{}: {}", spec_.program.name, failure.message));
  }
}

// Opens the context: its registers, and what it will wait on.
void HostProcess::open() {
  deps_.system_memory.watch(HostDriver::arena(spec_.number), 8 * issued_.size(), fenced_);
  for (std::uint32_t stream = 0; stream < issued_.size(); ++stream)
    deps_.system_memory.watch(deps_.driver.head_word(deps_.driver.queue_of(spec_.number, stream)), 8,
                              fenced_);
  set_share(spec_.priority, spec_.tokens);
  store_register(registers::context(spec_.number, kPageTable), HostDriver::arena(spec_.number));
}

void HostProcess::program_queue(std::uint32_t queue) {
  store_register(registers::queue(queue, kBase), deps_.driver.ring(queue));
  store_register(registers::queue(queue, kEntries), deps_.driver.entries());
  store_register(registers::queue(queue, kWriteback), deps_.driver.head_word(queue));
}

void HostProcess::set_share(std::int32_t priority, std::int32_t tokens) {
  store_register(registers::context(spec_.number, kPriority),
                 static_cast<std::uint64_t>(std::int64_t{priority}));
  store_register(registers::context(spec_.number, kTokens), static_cast<std::uint64_t>(std::int64_t{tokens}));
}

void HostProcess::replay_program() {
  struct Loop {
    std::size_t body;
    std::uint64_t left;
  };
  std::vector<Loop> loops;
  recorded_before_ = recorded_;
  const std::vector<ApiCall>& calls = spec_.program.calls;
  for (std::size_t i = 0; i < calls.size(); ++i) {
    if (calls[i].kind == ApiCall::Kind::kRepeat) {
      loops.push_back({i, calls[i].count});
    } else if (calls[i].kind == ApiCall::Kind::kEnd) {
      if (--loops.back().left > 0)
        i = loops.back().body;
      else
        loops.pop_back();
    } else {
      perform(calls[i]);
    }
  }
  for (std::uint32_t stream = 0; stream < issued_.size(); ++stream) wait_for_stream(stream);
}

void HostProcess::perform(const ApiCall& call) {
  switch (call.kind) {
    case ApiCall::Kind::kCpu:
      waiting_for_ = kCpuPhase;
      if (spec_.cpu_phases) wait(picoseconds(call.time_ps));
      break;
    case ApiCall::Kind::kAllocate:
      allocate(call);
      break;
    case ApiCall::Kind::kFree:
      deps_.driver.free(spec_.program.buffers[call.buffer].bytes);
      break;
    case ApiCall::Kind::kCopyUp:
    case ApiCall::Kind::kCopyDown:
      copy(call);
      break;
    case ApiCall::Kind::kLaunch:
      launch(call);
      break;
    case ApiCall::Kind::kRecord:
    case ApiCall::Kind::kWait:
      event(call);
      break;
    case ApiCall::Kind::kSynchronise:
      for (std::uint32_t stream = 0; stream < issued_.size(); ++stream)
        if (call.stream == ApiCall::kAllStreams || call.stream == stream) wait_for_stream(stream);
      break;
    case ApiCall::Kind::kRepeat:
    case ApiCall::Kind::kEnd:
      break;
  }
}

void HostProcess::allocate(const ApiCall& call) {
  const ApiBuffer& buffer = spec_.program.buffers[call.buffer];
  const std::optional<Address> address = deps_.driver.allocate(spec_.number, buffer.bytes);
  if (!address)
    throw Failure{fmt::format("device memory has no {} bytes left for '{}'", buffer.bytes, buffer.name)};
  device_address_[call.buffer] = *address;
}

void HostProcess::copy(const ApiCall& call) {
  if (spec_.copies) {
    Command command;
    command.kind = call.kind == ApiCall::Kind::kCopyUp ? Command::Kind::kCopyUp : Command::Kind::kCopyDown;
    command.system_address = host_address_[call.buffer];
    command.device_address = device_address_[call.buffer];
    command.bytes = call.bytes;
    bytes_copied_ += call.bytes;
    push(command, call.stream);
  }
  if (!call.asynchronous) wait_for_stream(call.stream);
}

void HostProcess::launch(const ApiCall& call) {
  const ApiKernel& kernel = spec_.program.kernels[call.kernel];
  Command command;
  command.kind = Command::Kind::kLaunch;
  command.launch.tag = call.kernel;
  command.launch.blocks = kernel.blocks;
  command.launch.shape = kernel.shape;
  command.launch.block_cycles = kernel.block_cycles;
  command.launch.jitter_permille = kernel.jitter_permille;
  command.launch.seed = spec_.seed + kernels_launched_ * 0x9e3779b97f4a7c15ULL;
  ++kernels_launched_;
  push(command, call.stream);
}

void HostProcess::event(const ApiCall& call) {
  Command command;
  const bool record = call.kind == ApiCall::Kind::kRecord;
  command.kind = record ? Command::Kind::kRecord : Command::Kind::kWait;
  command.event = call.event;
  if (record) ++recorded_[call.event];
  command.event_value = std::max(recorded_[call.event], recorded_before_[call.event] + 1);
  push(command, call.stream);
}

void HostProcess::push(Command command, std::uint32_t stream) {
  const std::uint32_t queue = deps_.driver.queue_of(spec_.number, stream);
  const std::uint64_t asked = sc_core::sc_time_stamp().value();
  deps_.driver.ask(queue, asked, spec_.number);
  wait(sc_core::sc_get_time_resolution());  // everyone who asks at this time is seen before one is chosen
  waiting_for_ = fmt::format("its turn to write to queue {}", queue);
  while (!deps_.driver.grant(queue, asked, spec_.number)) wait(deps_.ring_released);
  if (deps_.driver.take_programmed(queue)) program_queue(queue);  // whoever writes to it first
  wait_for_room(queue);
  command.context = ContextId{spec_.number};
  command.stream = StreamId{stream};
  command.fence_address = HostDriver::fence(spec_.number, stream);
  command.fence_value = ++issued_[stream];
  std::uint64_t& tail = deps_.driver.tail(queue);
  const Address kernel_address =
      command.kind == Command::Kind::kLaunch ? deps_.driver.kernel_slot(queue, tail) : Address{0};
  if (kernel_address != 0) store(kernel_address, encode_kernel(command.launch).data(), kDescriptorBytes);
  store(deps_.driver.ring(queue) + tail % deps_.driver.entries() * kDescriptorBytes,
        encode_command(command, kernel_address).data(), kDescriptorBytes);
  store_register(registers::queue(queue, kTail), ++tail);
  release(queue);
}

void HostProcess::release(std::uint32_t queue) {
  deps_.driver.release(queue);
  deps_.ring_released.notify(sc_core::SC_ZERO_TIME);
}

void HostProcess::wait_for_room(std::uint32_t queue) {
  waiting_for_ = fmt::format("room in queue {}", queue);
  for (;;) {
    const std::uint64_t head = load(deps_.driver.head_word(queue));
    check_halted(queue, head);
    if (deps_.driver.tail(queue) - head < deps_.driver.entries()) return;
    wait(fenced_);
  }
}

void HostProcess::wait_for_stream(std::uint32_t stream) {
  waiting_for_ = fmt::format("stream '{}'", spec_.program.streams[stream]);
  const std::uint32_t queue = deps_.driver.queue_of(spec_.number, stream);
  while (load(HostDriver::fence(spec_.number, stream)) < issued_[stream]) {
    check_halted(queue, load(deps_.driver.head_word(queue)));
    wait(fenced_);
  }
}

void HostProcess::check_halted(std::uint32_t queue, std::uint64_t head_word) {
  if (head_word == kHalted) throw Failure{fmt::format("the GPU halted queue {}", queue)};
}

// Reads without letting time pass, so that what is read still holds when the caller goes to wait.
std::uint64_t HostProcess::load(Address address) {
  std::array<unsigned char, 8> bytes{};
  sc_core::sc_time delay;
  transport(memory, tlm::TLM_READ_COMMAND, address, bytes.data(), bytes.size(), delay);
  return load_u64(bytes.data());
}

void HostProcess::store(Address address, const unsigned char* bytes, std::uint32_t count) {
  sc_core::sc_time delay;
  transport(memory, tlm::TLM_WRITE_COMMAND, address, const_cast<unsigned char*>(bytes), count, delay);
}

void HostProcess::store_register(Address address, std::uint64_t value) {
  std::array<unsigned char, 8> bytes{};
  store_u64(bytes.data(), value);
  sc_core::sc_time delay;
  transport(mmio, tlm::TLM_WRITE_COMMAND, address, bytes.data(), bytes.size(), delay);
  if (delay != sc_core::SC_ZERO_TIME) wait(delay);
}

void HostProcess::transport(tlm::tlm_initiator_socket<>& socket, tlm::tlm_command command, Address address,
                            unsigned char* bytes, std::uint32_t count, sc_core::sc_time& delay) {
  tlm::tlm_generic_payload payload;
  payload.set_command(command);
  payload.set_address(address);
  payload.set_data_ptr(bytes);
  payload.set_data_length(count);
  payload.set_streaming_width(count);
  payload.set_response_status(tlm::TLM_INCOMPLETE_RESPONSE);
  socket->b_transport(payload, delay);
  if (!payload.is_response_ok())
    throw Failure{
        fmt::format("{} at {:#x} answered {}", socket.name(), address, payload.get_response_string())};
}

}  // namespace heddle
