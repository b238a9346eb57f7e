#include "models/host/host_process.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <stdexcept>
#include <utility>

#include "models/core/base/log.h"
#include "models/host/call_time.h"
#include "models/host/submitter.h"
#include "models/host/transport.h"

namespace heddle {

using namespace registers;

namespace {

constexpr std::uint64_t kChunk = 64 * 1024;  // bytes of one access of the script

}  // namespace

HostProcess::HostProcess(sc_core::sc_module_name name, const HostProcessSpec& spec, Deps deps)
    : sc_core::sc_module(name),
      spec_(spec),
      deps_(std::move(deps)),
      issued_(spec.program.streams.size()),
      recorded_(spec.program.events.size()),
      recorded_before_(spec.program.events.size()),
      device_address_(spec.program.buffers.size()),
      host_address_(spec.program.buffers.size()),
      stays_(spec.program.buffers.size()) {
  fence_or_restart_ |= fenced_;
  fence_or_restart_ |= restart_;
  ring_or_restart_ |= deps_.ring_released;
  ring_or_restart_ |= restart_;
  cores_or_restart_ |= deps_.cores_changed;
  cores_or_restart_ |= restart_;
  if (deps_.gate != nullptr) gate_or_restart_ |= deps_.gate->opened;
  gate_or_restart_ |= restart_;
  fence_or_cores_ |= fenced_;
  fence_or_cores_ |= deps_.cores_changed;
  fence_or_cores_ |= restart_;
  if (spec_.program.make_script) script_ = spec_.program.make_script();
  mmio.bind(backward_);
  memory.bind(backward_);
  if (spec_.requests && spec_.program.set_request) shaped_ = std::make_unique<ApiProgram>(spec_.program);
  lay_out_buffers();
  SC_HAS_PROCESS(HostProcess);
  SC_THREAD(run);
}

void HostProcess::lay_out_buffers() {
  Address next = HostDriver::buffers(spec_.number);
  for (std::size_t i = 0; i < host_address_.size(); ++i) {
    host_address_[i] = next;
    next += program().buffers[i].bytes;
  }
}

void HostProcess::reset() {
  fenced_.cancel();
  if (spec_.program.make_script) script_ = spec_.program.make_script();
  for (auto* numbers : {&issued_, &recorded_, &recorded_before_, &device_address_})
    std::fill(numbers->begin(), numbers->end(), 0);
  std::fill(stays_.begin(), stays_.end(), false);
  state_ = {};
  requests_.reset();
  restarting_ = true;
  restart_.notify(sc_core::SC_ZERO_TIME);
}

void HostProcess::run() {
  for (;;) {
    restarting_ = false;
    restart_.cancel();
    try {
      execute();
    } catch (const Restart&) {
      continue;
    }
    while (!restarting_) wait(restart_);
  }
}

void HostProcess::execute() {
  try {
    sleep(time_of(spec_.start_ps));
    state_.first_start = sc_core::sc_time_stamp();  // of a program that never calls the runtime
    open();
    if (spec_.requests)
      serve();
    else
      replay();
    set_page_table(0);  // closes the context
    set_wait(Wait::kItsEnd, 0);
  } catch (const std::runtime_error& failure) {
    deps_.failed(fmt::format("{}: {}", spec_.program.name, failure.what()));
  }
}

// Executes the program, and starts over if it replays.
void HostProcess::replay() {
  do {
    execute_program();
    if (deps_.gate != nullptr && !std::exchange(state_.has_passed_gate, true)) deps_.gate->arrive();
    if (spec_.is_halted) continue;
    if (state_.completions++ == 0) {
      state_.first_end = sc_core::sc_time_stamp();
      state_.has_finished = true;
      if (spec_.replay) set_share(spec_.replay_priority, spec_.replay_tokens);
    }
    deps_.completed(spec_.number);
  } while (spec_.replay && !state_.halted);
}

void HostProcess::halt() {
  if (state_.halted || state_.has_finished) return;
  state_.halted = true;
  state_.first_end = sc_core::sc_time_stamp();
  state_.has_finished = true;
  ++state_.completions;
  deps_.completed(spec_.number);
}

// Opens the context: it writes the context's registers and watches the words that the process waits on.
void HostProcess::open() {
  deps_.system_memory.watch(HostDriver::arena(spec_.number), 8 * issued_.size(), fenced_);
  for (std::uint32_t stream = 0; stream < issued_.size(); ++stream)
    deps_.system_memory.watch(deps_.driver.head_word(deps_.driver.queue_of(spec_.number, stream)), 8,
                              fenced_);
  set_share(spec_.priority, spec_.tokens);
  set_page_table(HostDriver::arena(spec_.number));
}

void HostProcess::program_queue(std::uint32_t queue) {
  store_register(registers::queue(queue, kBase), deps_.driver.ring(queue));
  store_register(registers::queue(queue, kEntries), deps_.driver.entries());
  store_register(registers::queue(queue, kWriteback), deps_.driver.head_word(queue));
}

void HostProcess::set_share(std::int32_t priority, std::int32_t tokens) {
  state_.priority = priority;
  store_register(registers::context(spec_.number, kPriority),
                 static_cast<std::uint64_t>(std::int64_t{priority}));
  store_register(registers::context(spec_.number, kTokens), static_cast<std::uint64_t>(std::int64_t{tokens}));
  if (deps_.submitter != nullptr) deps_.submitter->set_priority(spec_.number, priority);
}

void HostProcess::set_page_table(Address base) {
  store_register(registers::context(spec_.number, kPageTable), base);
  if (deps_.submitter != nullptr) deps_.submitter->set_open(spec_.number, base != 0);
}

void HostProcess::execute_program() {
  state_.has_context = false;  // an execution is a process of the operating system
  pass({0, program().calls.size()});
}

// Makes the calls, waits until the GPU has done all, and frees what they leave allocated.
void HostProcess::pass(const ApiCursor::Range& calls) {
  recorded_before_ = recorded_;
  if (deps_.submitter != nullptr) deps_.submitter->begin_request(spec_.number, state_.deadline_ps);
  if (script_) start_script();
  perform_all(calls);
  wait_for_all_streams();
  // The data of a program that was cut short are not its results.
  if (script_ && !state_.halted) script_->finish(*this);
  free_passing();
  if (deps_.submitter != nullptr) deps_.submitter->end_request(spec_.number);
  leave_core();
}

void HostProcess::perform_all(const ApiCursor::Range& calls) {
  ApiCursor cursor(program(), script_.get(), *this, calls);
  while (const ApiCall* call = state_.halted ? nullptr : cursor.next()) {
    if (calls_runtime(*call)) enter(*call);
    perform(*call);
  }
}

void HostProcess::free_passing() {
  for (std::uint32_t buffer = 0; buffer < device_address_.size(); ++buffer)
    if (device_address_[buffer] != 0 && !stays_[buffer]) free(buffer);
}

// Every execution starts with host buffers of zeros, as the first one does.
void HostProcess::start_script() {
  const std::vector<std::byte> zeros(kChunk);
  for (std::uint32_t buffer = 0; buffer < host_address_.size(); ++buffer)
    for (std::uint64_t at = 0, left = program().buffers[buffer].bytes; left > 0;) {
      const std::uint64_t part = std::min(left, kChunk);
      write(buffer, at, zeros.data(), part);
      at += part;
      left -= part;
    }
  script_->start(*this);
}

// The first call of the runtime in an execution creates its context.
void HostProcess::enter_runtime() {
  if (!std::exchange(state_.has_started, true)) state_.first_start = sc_core::sc_time_stamp();
  if (!std::exchange(state_.has_context, true)) compute(deps_.host.context_creation_ps);
}

// The part of a call of the runtime that comes before its command or its wait. A free waits first.
void HostProcess::enter(const ApiCall& call) {
  enter_runtime();
  if (!spec_.copies && moves_data(call)) return;
  if (call.kind == ApiCall::Kind::kFree) wait_for_all_streams();
  compute(call_time_ps(deps_.host, program(), call));
}

void HostProcess::perform(const ApiCall& call) {
  switch (call.kind) {
    case ApiCall::Kind::kCpu:
      compute(call.time_ps);
      break;
    case ApiCall::Kind::kAllocate:
      allocate(call);
      break;
    case ApiCall::Kind::kFree:
      free(call.buffer);
      break;
    case ApiCall::Kind::kCopyUp:
    case ApiCall::Kind::kCopyDown:
    case ApiCall::Kind::kCopyAcross:
    case ApiCall::Kind::kFill:
      transfer(call);
      break;
    case ApiCall::Kind::kSwap:
      std::swap(device_address_[call.buffer], device_address_[call.other]);
      break;
    case ApiCall::Kind::kLaunch:
      launch(call);
      break;
    case ApiCall::Kind::kRecord:
    case ApiCall::Kind::kWait:
      event(call);
      break;
    case ApiCall::Kind::kSynchronise:
      if (call.stream == ApiCall::kAllStreams ? wait_for_all_streams() : wait_for_stream(call.stream))
        compute(deps_.host.return_latency_ps);
      break;
    case ApiCall::Kind::kHost:
      script_->perform(call.action, *this);
      break;
    case ApiCall::Kind::kQuery:
    case ApiCall::Kind::kRepeat:
    case ApiCall::Kind::kEnd:
      break;
  }
}

void HostProcess::allocate(const ApiCall& call) {
  const ApiBuffer& buffer = program().buffers[call.buffer];
  const std::optional<Address> address = deps_.driver.allocate(spec_.number, buffer);
  if (!address)
    throw std::runtime_error{
        fmt::format("device memory has no {} bytes left for '{}'", buffer.bytes, buffer.name)};
  device_address_[call.buffer] = *address;
}

void HostProcess::free(std::uint32_t buffer) {
  deps_.driver.free(spec_.number, std::exchange(device_address_[buffer], 0));
}

void HostProcess::transfer(const ApiCall& call) {
  const bool up = call.kind == ApiCall::Kind::kCopyUp;
  const bool over_link = up || call.kind == ApiCall::Kind::kCopyDown;
  if (spec_.copies) {
    Command command;
    command.device_address = device_address_[call.buffer] + call.offset;
    command.bytes = call.bytes;
    if (over_link) {
      command.kind = up ? Command::Kind::kCopyUp : Command::Kind::kCopyDown;
      check_range(program().buffers[call.host_buffer()], call.other_offset, call.bytes);
      command.system_address = host_address_[call.host_buffer()] + call.other_offset;
      state_.bytes_copied += call.bytes;
    } else if (call.kind == ApiCall::Kind::kCopyAcross) {
      command.kind = Command::Kind::kCopyAcross;
      command.source_address = device_address_[call.other] + call.other_offset;
    } else {
      command.kind = Command::Kind::kFill;
      command.value = call.value;
    }
    push(command, call.stream);
  }
  if (over_link && !call.asynchronous && wait_for_stream(call.stream)) compute(deps_.host.return_latency_ps);
}

// What the process has asked of the GPU before its first launch is done when the gate opens. Its turnaround
// starts there, also where it is alone and waits for nobody.
void HostProcess::pass_gate() {
  if (deps_.gate == nullptr || state_.has_passed_gate) return;
  wait_for_all_streams();
  state_.has_passed_gate = true;
  leave_core();
  set_wait(Wait::kOthers, 0);
  deps_.gate->arrive();
  while (!deps_.gate->is_open()) await(gate_or_restart_);
  state_.first_start = sc_core::sc_time_stamp();
}

void HostProcess::launch(const ApiCall& call) {
  pass_gate();
  const ApiKernel& kernel = program().kernels[call.kernel];
  Command command;
  command.kind = Command::Kind::kLaunch;
  command.launch.tag = call.kernel;
  command.launch.blocks = kernel.blocks;
  command.launch.shape = kernel.shape;
  bool may_be_cut = !kernel.is_cooperative;
  if (script_) {
    const HostScript::Launch made = script_->launch(call, *this);
    command.launch.blocks = made.blocks;
    command.launch.shape = made.shape;
    command.launch.arguments = made.arguments;
    may_be_cut = !made.is_cooperative;
    if (residency_of(made.shape, deps_.sm).blocks == 0)
      throw std::runtime_error(fmt::format("a block of '{}' does not fit an SM: {}", kernel.name,
                                           shortage_of(made.shape, deps_.sm)));
  }
  command.launch.restartable = deps_.may_flush && may_restart(kernel, command.launch);
  command.launch.priority = call.priority;
  command.launch.sm_set = call.sm_set;
  command.launch.block_cycles = kernel.block_cycles;
  command.launch.jitter_permille = kernel.jitter_permille;
  command.launch.dram_sectors = kernel.dram_sectors;
  command.launch.l2_sectors = kernel.l2_sectors;
  command.launch.port_load = kernel.port_load;
  command.launch.seed = spec_.seed + state_.kernels_launched * 0x9e3779b97f4a7c15ULL;
  ++state_.kernels_launched;
  push(command, call.stream, may_be_cut);
}

// The log names each kernel that may not be restarted once, with the reason of its first such launch.
bool HostProcess::may_restart(const ApiKernel& kernel, const KernelLaunch& launch) {
  std::string problem;
  if (script_)
    problem = script_->restart_problem(launch.arguments, deps_.driver.device_memory(spec_.number));
  else if (!kernel.restartable)
    problem = "its application does not state it";
  if (!problem.empty() && state_.not_restartable.insert(launch.tag).second)
    HEDDLE_LOG(Severity::kInfo, "engine", "{}: blocks of '{}' are drained and not flushed: {}",
               spec_.program.name, kernel.name, problem);
  return problem.empty();
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

void HostProcess::push_to_submitter(const Command& command, bool may_be_cut) {
  set_wait(Wait::kSoftwareQueue, command.stream.value);
  while (!deps_.submitter->push(command, may_be_cut)) await(ring_or_restart_);
}

void HostProcess::push(Command command, std::uint32_t stream, bool may_be_cut) {
  command.context = ContextId{spec_.number};
  command.stream = StreamId{stream};
  command.fence_address = HostDriver::fence(spec_.number, stream);
  if (deps_.submitter != nullptr) {
    command.fence_value = ++issued_[stream];
    return push_to_submitter(command, may_be_cut);
  }
  const std::uint32_t queue = deps_.driver.queue_of(spec_.number, stream);
  const std::uint64_t asked = sc_core::sc_time_stamp().value();
  deps_.driver.ask(queue, asked, spec_.number);
  sleep(sc_core::sc_get_time_resolution());  // every process that asks at this time is known before one is
                                             // chosen
  set_wait(Wait::kTurn, queue);
  while (!deps_.driver.grant(queue, asked, spec_.number)) await(ring_or_restart_);
  if (deps_.driver.take_programmed(queue)) program_queue(queue);  // the first process that writes to the ring
  wait_for_room(queue);
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
  set_wait(Wait::kRoom, queue);
  for (;;) {
    const std::uint64_t head = load(deps_.driver.head_word(queue));
    check_halted(queue, head);
    if (deps_.driver.tail(queue) - head < deps_.driver.entries()) return;
    await(fence_or_restart_);
  }
}

void HostProcess::check_halted(std::uint32_t queue, std::uint64_t head_word) {
  if (head_word == kHalted) throw std::runtime_error{fmt::format("the GPU halted queue {}", queue)};
}

void HostProcess::read(std::uint32_t buffer, std::uint64_t offset, void* to, std::uint64_t bytes) {
  access_buffer(tlm::TLM_READ_COMMAND, buffer, offset, static_cast<unsigned char*>(to), bytes);
}

void HostProcess::write(std::uint32_t buffer, std::uint64_t offset, const void* from, std::uint64_t bytes) {
  auto* const data = const_cast<unsigned char*>(static_cast<const unsigned char*>(from));
  access_buffer(tlm::TLM_WRITE_COMMAND, buffer, offset, data, bytes);
}

void HostProcess::access_buffer(tlm::tlm_command command, std::uint32_t buffer, std::uint64_t offset,
                                unsigned char* data, std::uint64_t bytes) {
  check_range(program().buffers[buffer], offset, bytes);
  Address address = host_address_[buffer] + offset;
  while (bytes > 0) {
    const std::uint64_t part = std::min(bytes, kChunk);
    sc_core::sc_time delay;
    transport(memory, command, address, data, static_cast<std::uint32_t>(part), delay);
    address += part;
    data += part;
    bytes -= part;
  }
}

// Reads in no simulated time, so that the value is still valid when the caller starts to wait.
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
  if (delay != sc_core::SC_ZERO_TIME) sleep(delay);
}

void HostProcess::transport(tlm::tlm_initiator_socket<>& socket, tlm::tlm_command command, Address address,
                            unsigned char* bytes, std::uint32_t count, sc_core::sc_time& delay) {
  delay += heddle::transport(socket, command, address, bytes, count);
}

}  // namespace heddle
