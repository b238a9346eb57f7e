#include "models/host/api_interpreter.h"

#include <algorithm>
#include <utility>

namespace heddle {

ApiInterpreter::ApiInterpreter(const ApiProgram& program, HostScript* script, ApiHost& host,
                               const Options& options)
    : program_(program),
      script_(script),
      host_(host),
      options_(options),
      buffers_(program.buffers.size()),
      events_(program.events.size()) {
  lay_out();
}

void ApiInterpreter::lay_out() {
  const std::vector<Address> addresses = host_.lay_out(program().buffers);
  for (std::size_t i = 0; i < buffers_.size(); ++i) buffers_[i].host = addresses[i];
}

void ApiInterpreter::set_request(const RequestValues& values) {
  if (!program_.set_request) return;
  if (!shaped_) shaped_ = program_;
  shaped_->set_request(values, *shaped_);
  lay_out();
}

void ApiInterpreter::start(const ApiCursor::Range& calls) {
  for (Event& event : events_) event.records_before = event.records;
  HostMemory& memory = *this;
  cursor_.emplace(program(), script_, memory, calls);
}

bool ApiInterpreter::step() {
  const ApiCall* const call = cursor_->next();
  if (call == nullptr) return false;
  if (!has_blocks(*call)) return true;
  host_.enter(*call);
  perform(*call);
  return true;
}

// A kernel that has nothing to do in this pass of a server is not launched.
bool ApiInterpreter::has_blocks(const ApiCall& call) const {
  return call.kind != Kind::kLaunch || script_ != nullptr || program().kernels[call.kernel].blocks > 0;
}

void ApiInterpreter::perform(const ApiCall& call) {
  switch (call.kind) {
    case Kind::kCpu:
      return host_.compute(call.time_ps);
    case Kind::kAllocate:
      buffers_[call.buffer].device = host_.allocate(program().buffers[call.buffer]);
      return;
    case Kind::kFree:
      return free(buffers_[call.buffer]);
    case Kind::kCopyUp:
    case Kind::kCopyDown:
    case Kind::kCopyAcross:
    case Kind::kFill:
      return transfer(call);
    case Kind::kSwap:
      return std::swap(buffers_[call.buffer].device, buffers_[call.other].device);
    case Kind::kLaunch:
      return launch(call);
    case Kind::kRecord:
    case Kind::kWait:
      return event(call);
    case Kind::kSynchronise:
      return host_.synchronise(call.stream);
    case Kind::kHost:
      return script_->perform(call.action, *this);
    case Kind::kQuery:
    case Kind::kRepeat:
    case Kind::kEnd:
      return;
  }
}

void ApiInterpreter::free(Buffer& buffer) {
  host_.free(std::exchange(buffer.device, 0));
}

void ApiInterpreter::keep_allocations() {
  for (Buffer& buffer : buffers_) buffer.is_kept = buffer.device != 0;
}

void ApiInterpreter::free_allocations() {
  for (Buffer& buffer : buffers_)
    if (buffer.device != 0 && !buffer.is_kept) free(buffer);
}

void ApiInterpreter::free_all() {
  for (Buffer& buffer : buffers_) buffer.is_kept = false;
  free_allocations();
}

void ApiInterpreter::transfer(const ApiCall& call) {
  const bool over_link = call.kind == Kind::kCopyUp || call.kind == Kind::kCopyDown;
  if (options_.copies) {
    const Command command = transfer_command(call);
    if (over_link) bytes_copied_ += call.bytes;
    host_.submit(command, true);
  }
  if (over_link && !call.asynchronous) host_.synchronise(call.stream);
}

Command ApiInterpreter::transfer_command(const ApiCall& call) const {
  Command command;
  command.stream = StreamId{call.stream};
  command.device_address = buffers_[call.buffer].device + call.offset;
  command.bytes = call.bytes;
  if (call.kind == Kind::kCopyAcross) {
    command.kind = Command::Kind::kCopyAcross;
    command.source_address = buffers_[call.other].device + call.other_offset;
  } else if (call.kind == Kind::kFill) {
    command.kind = Command::Kind::kFill;
    command.value = call.value;
  } else {
    command.kind = call.kind == Kind::kCopyUp ? Command::Kind::kCopyUp : Command::Kind::kCopyDown;
    command.system_address = host_address(call.host_buffer(), call.other_offset, call.bytes);
  }
  return command;
}

void ApiInterpreter::launch(const ApiCall& call) {
  const ApiKernel& kernel = program().kernels[call.kernel];
  Command command;
  command.kind = Command::Kind::kLaunch;
  command.stream = StreamId{call.stream};
  KernelLaunch& launch = command.launch;
  launch.tag = call.kernel;
  launch.blocks = kernel.blocks;
  launch.shape = kernel.shape;
  bool may_be_cut = !kernel.is_cooperative;
  if (script_ != nullptr) {
    const HostScript::Launch made = script_->launch(call, *this);
    launch.blocks = made.blocks;
    launch.shape = made.shape;
    launch.arguments = made.arguments;
    may_be_cut = !made.is_cooperative;
  }
  launch.priority = call.priority;
  launch.sm_set = call.sm_set;
  launch.block_cycles = kernel.block_cycles;
  launch.jitter_permille = kernel.jitter_permille;
  launch.dram_sectors = kernel.dram_sectors;
  launch.l2_sectors = kernel.l2_sectors;
  launch.port_load = kernel.port_load;
  launch.product_load = kernel.product_load;
  launch.seed = options_.seed + kernels_launched_ * 0x9e3779b97f4a7c15ULL;
  ++kernels_launched_;
  host_.submit(command, may_be_cut);
}

void ApiInterpreter::event(const ApiCall& call) {
  Event& event = events_[call.event];
  Command command;
  command.kind = call.kind == Kind::kRecord ? Command::Kind::kRecord : Command::Kind::kWait;
  command.stream = StreamId{call.stream};
  command.event = call.event;
  if (call.kind == Kind::kRecord) ++event.records;
  command.event_value = std::max(event.records, event.records_before + 1);
  host_.submit(command, true);
}

// Returns the address in the memory of the process of bytes that lie in the buffer.
Address ApiInterpreter::host_address(std::uint32_t buffer, std::uint64_t offset, std::uint64_t bytes) const {
  check_range(program().buffers[buffer], offset, bytes);
  return buffers_[buffer].host + offset;
}

void ApiInterpreter::read(std::uint32_t buffer, std::uint64_t offset, void* to, std::uint64_t bytes) {
  host_.read(host_address(buffer, offset, bytes), to, bytes);
}

void ApiInterpreter::write(std::uint32_t buffer, std::uint64_t offset, const void* from,
                           std::uint64_t bytes) {
  host_.write(host_address(buffer, offset, bytes), from, bytes);
}

}  // namespace heddle
