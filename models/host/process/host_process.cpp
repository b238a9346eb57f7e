#include "models/host/process/host_process.h"

#include <fmt/format.h>

#include <algorithm>
#include <stdexcept>
#include <utility>

#include "models/core/base/log.h"
#include "models/core/time/picoseconds.h"
#include "models/host/call_time.h"
#include "models/host/submission/submitter.h"

namespace heddle {

namespace {

std::uint64_t now_ps() {
  return static_cast<std::uint64_t>(sc_core::sc_time_stamp() / sc_core::sc_time(1, sc_core::SC_PS));
}

}  // namespace

HostProcess::HostProcess(sc_core::sc_module_name name, const HostProcessSpec& spec, Deps deps)
    : sc_core::sc_module(name),
      spec_(spec),
      deps_(std::move(deps)),
      bus_(mmio, memory, thread_),
      waiting_(spec.number, deps_.accountant),
      core_(spec.number, spec.cpu_phases, {deps_.cores, deps_.cores_changed, thread_, waiting_}),
      streams_(spec.number, spec.program.streams.size(),
               {deps_.driver, deps_.system_memory, deps_.ring_released, deps_.submitter, deps_.host.wait,
                bus_, thread_, core_, waiting_}),
      gate_opened_(deps_.gate == nullptr ? thread_.any_of({}) : thread_.any_of({&deps_.gate->opened})),
      request_handed_over_(thread_.any_of({&handed_over_})) {
  if (deps_.takes != nullptr) deps_.takes->on_change([this] { handed_over_.notify(sc_core::SC_ZERO_TIME); });
  make_interpreter();
  SC_HAS_PROCESS(HostProcess);
  SC_THREAD(run);
}

void HostProcess::make_interpreter() {
  interpreter_.reset();
  script_.reset();
  if (spec_.program.make_script) script_ = spec_.program.make_script();
  ApiHost& host = *this;
  interpreter_.emplace(spec_.program, script_.get(), host, ApiInterpreter::Options{spec_.copies, spec_.seed});
}

void HostProcess::reset() {
  make_interpreter();
  service_.reset();
  streams_.reset();
  core_.reset();
  waiting_.reset();
  state_ = {};
  thread_.restart();
}

void HostProcess::execute() {
  try {
    thread_.sleep(from_ps(spec_.start_ps));
    state_.first_start = sc_core::sc_time_stamp();  // of a program that never calls the runtime
    open_context();
    if (spec_.requests)
      serve();
    else
      replay();
    close_context();
    waiting_.set(ProcessWait::For::kItsEnd);
  } catch (const std::runtime_error& failure) {
    deps_.failed(fmt::format("{}: {}", spec_.program.name, failure.what()));
  }
}

// Executes the program, and starts over if it replays.
void HostProcess::replay() {
  do {
    state_.has_context = false;  // an execution is a process of the operating system
    pass({0, interpreter_->program().calls.size()});
    if (deps_.gate != nullptr && !std::exchange(state_.has_passed_gate, true)) deps_.gate->arrive();
    if (spec_.is_halted) continue;
    if (state_.completions++ == 0) {
      finish();
      if (spec_.replay) set_share(spec_.replay_priority, spec_.replay_tokens);
    }
    deps_.completed(spec_.number);
  } while (spec_.replay && !state_.halted);
}

void HostProcess::halt() {
  if (state_.halted || state_.has_finished) return;
  state_.halted = true;
  ++state_.completions;
  finish();
  deps_.completed(spec_.number);
}

void HostProcess::finish() {
  state_.first_end = sc_core::sc_time_stamp();
  state_.has_finished = true;
}

void HostProcess::serve() {
  set_up();
  service_ = make_service(spec_.number, *spec_.requests, now_ps(),
                          {deps_.recorded, deps_.accountant, deps_.takes, deps_.gives});
  for (;;) {
    if (const RequestValues* const values = service_->start(now_ps())) {
      shape(*values);
      const ApiProgram& program = interpreter_->program();
      pass({program.setup_calls, program.calls.size()});
      service_->end(now_ps());
      continue;
    }
    const std::uint64_t next_ps = service_->next_start_ps();
    if (next_ps == kNoTime && !service_->may_come()) break;
    waiting_.set(ProcessWait::For::kNextRequest);
    if (next_ps == kNoTime)
      thread_.await(request_handed_over_);
    else
      thread_.sleep(from_ps(next_ps) - sc_core::sc_time_stamp());
  }
  if (deps_.gives != nullptr) deps_.gives->end();
  interpreter_->free_all();
  core_.leave();
  finish();
  deps_.completed(spec_.number);
}

// Does what a server does once, also if nobody ever asks it: it opens its context and makes the calls of the
// setup, and waits until the GPU has done them. What they have allocated stays.
void HostProcess::set_up() {
  enter_runtime();
  interpreter_->start({0, interpreter_->program().setup_calls});
  while (!state_.halted && interpreter_->step()) {
  }
  streams_.wait_for_all();
  interpreter_->keep_allocations();
  core_.leave();
}

void HostProcess::shape(const RequestValues& values) {
  try {
    interpreter_->set_request(values);
  } catch (const std::runtime_error& error) {
    throw std::runtime_error(fmt::format("{}: {}", service_->pass_name(), error.what()));
  }
}

// Makes the calls, waits until the GPU has done all, and frees what they leave allocated.
void HostProcess::pass(const ApiCursor::Range& calls) {
  if (deps_.submitter != nullptr)
    deps_.submitter->begin_request(spec_.number, service_ ? service_->deadline_ps() : 0,
                                   service_ ? service_->batch_view() : BatchView{});
  if (script_) {
    clear_buffers();
    interpreter_->start_script();
  }
  interpreter_->start(calls);
  while (!state_.halted && interpreter_->step()) {
  }
  streams_.wait_for_all();
  // The data of a program that was cut short are not its results.
  if (script_ && !state_.halted) interpreter_->finish_script();
  interpreter_->free_allocations();
  if (deps_.submitter != nullptr) deps_.submitter->end_request(spec_.number);
  core_.leave();
}

std::vector<Address> HostProcess::lay_out(const std::vector<ApiBuffer>& buffers) {
  std::vector<Address> addresses;
  Address next = HostDriver::buffers(spec_.number);
  for (const ApiBuffer& buffer : buffers) {
    addresses.push_back(next);
    next += buffer.bytes;
  }
  return addresses;
}

// Every execution starts with host buffers of zeros, as the first one does.
void HostProcess::clear_buffers() {
  constexpr std::uint64_t kChunk = 64 * 1024;
  const std::vector<std::byte> zeros(kChunk);
  Address at = HostDriver::buffers(spec_.number);
  for (const ApiBuffer& buffer : interpreter_->program().buffers)
    for (std::uint64_t left = buffer.bytes; left > 0;) {
      const std::uint64_t part = std::min(left, kChunk);
      bus_.write(at, zeros.data(), part);
      at += part;
      left -= part;
    }
}

// Opens the context: it writes the context's registers and watches the words that the process waits on.
void HostProcess::open_context() {
  streams_.open();
  set_share(spec_.priority, spec_.tokens);
  set_page_table(HostDriver::arena(spec_.number));
}

void HostProcess::close_context() {
  set_page_table(0);
}

void HostProcess::set_share(std::int32_t priority, std::int32_t tokens) {
  bus_.write_register(registers::context(spec_.number, registers::kPriority),
                      static_cast<std::uint64_t>(std::int64_t{priority}));
  bus_.write_register(registers::context(spec_.number, registers::kTokens),
                      static_cast<std::uint64_t>(std::int64_t{tokens}));
  if (deps_.submitter != nullptr) deps_.submitter->set_priority(spec_.number, priority);
}

void HostProcess::set_page_table(Address base) {
  bus_.write_register(registers::context(spec_.number, registers::kPageTable), base);
  if (deps_.submitter != nullptr) deps_.submitter->set_open(spec_.number, base != 0);
}

// The first call of the runtime in an execution creates its context.
void HostProcess::enter_runtime() {
  if (!std::exchange(state_.has_started, true)) state_.first_start = sc_core::sc_time_stamp();
  if (!std::exchange(state_.has_context, true)) compute(deps_.host.context_creation_ps);
}

// The part of a call of the runtime that comes before its command or its wait. A free waits first.
void HostProcess::enter(const ApiCall& call) {
  if (!calls_runtime(call)) return;
  enter_runtime();
  if (!spec_.copies && moves_data(call)) return;
  if (call.kind == ApiCall::Kind::kFree) streams_.wait_for_all();
  compute(call_time_ps(deps_.host, interpreter_->program(), call));
  if (call.kind == ApiCall::Kind::kLaunch) pass_gate();
}

void HostProcess::compute(std::uint64_t ps) {
  core_.compute(from_ps(ps));
}

Address HostProcess::allocate(const ApiBuffer& buffer) {
  const std::optional<Address> address = deps_.driver.allocate(spec_.number, buffer);
  if (address) return *address;
  throw std::runtime_error{
      fmt::format("device memory has no {} bytes left for '{}'", buffer.bytes, buffer.name)};
}

void HostProcess::synchronise(std::uint32_t stream) {
  if (stream == ApiCall::kAllStreams ? streams_.wait_for_all() : streams_.wait_for(stream))
    compute(deps_.host.return_latency_ps);
}

void HostProcess::submit(const Command& command, bool may_be_cut) {
  if (command.kind != Command::Kind::kLaunch) return streams_.submit(command, may_be_cut);
  const KernelLaunch& launch = command.launch;
  if (script_ && !can_reside(launch.shape, deps_.sm))
    throw std::runtime_error(fmt::format("a block of '{}' does not fit an SM: {}",
                                         interpreter_->program().kernels[launch.tag].name,
                                         shortage_of(launch.shape, deps_.sm)));
  Command stated = command;
  stated.launch.restartable = deps_.may_flush && may_restart(launch);
  streams_.submit(stated, may_be_cut && launch.shape.cluster == 1);
}

// The log names each kernel that may not be restarted once, with the reason of its first such launch.
bool HostProcess::may_restart(const KernelLaunch& launch) {
  const ApiKernel& kernel = interpreter_->program().kernels[launch.tag];
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

// What the process has asked of the GPU before its first launch is done when the gate opens. Its turnaround
// starts there, also where it is alone and waits for nobody.
void HostProcess::pass_gate() {
  if (deps_.gate == nullptr || state_.has_passed_gate) return;
  streams_.wait_for_all();
  state_.has_passed_gate = true;
  core_.leave();
  waiting_.set(ProcessWait::For::kOthers);
  deps_.gate->arrive();
  while (!deps_.gate->is_open()) thread_.await(gate_opened_);
  state_.first_start = sc_core::sc_time_stamp();
}

}  // namespace heddle
