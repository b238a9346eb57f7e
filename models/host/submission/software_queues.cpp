#include "models/host/submission/software_queues.h"

#include <algorithm>

#include "models/core/base/check.h"

namespace heddle {

namespace {

constexpr const char* kName = "submitter";
constexpr std::uint32_t kMostCuts = 0x7fffffff;

bool is_event(Command::Kind kind) {
  return kind == Command::Kind::kRecord || kind == Command::Kind::kWait;
}

// Returns the number of kernels of each program.
std::vector<std::size_t> kernels_of(const std::vector<const ApiProgram*>& programs) {
  std::vector<std::size_t> kernels;
  kernels.reserve(programs.size());
  for (const ApiProgram* program : programs) kernels.push_back(program->kernels.size());
  return kernels;
}

}  // namespace

std::uint32_t SoftwareQueues::lanes_of(const Spec& spec, std::uint32_t streams) {
  const std::uint32_t more = spec.queues.streams > streams ? spec.queues.streams - streams : 0;
  const std::uint32_t own = std::min(more, spec.concurrent_pieces);
  return streams + (own > 1 ? own : 0);
}

SoftwareQueues::SoftwareQueues(const Spec& spec, HostDriver& driver,
                               const std::vector<const ApiProgram*>& programs)
    : spec_(spec),
      driver_(driver),
      times_(spec.gpu, kernels_of(programs)),
      processes_(programs.size()),
      heads_(spec.queues.count) {
  view_.sms = spec.gpu.sms;
  view_.processes.resize(programs.size());
  for (std::uint32_t i = 0; i < programs.size(); ++i) {
    const auto streams = static_cast<std::uint32_t>(programs[i]->streams.size());
    processes_[i].streams.resize(streams);
    submitted_.add_process(lanes_of(spec, streams));
    processes_[i].recorded.resize(programs[i]->events.size());
    view_.processes[i].context = ContextId{i};
    view_.processes[i].streams.resize(streams);
    bounds_.emplace_back();
    for (const ApiKernel& kernel : programs[i]->kernels) bounds_[i].push_back(kernel.bound);
  }
}

void SoftwareQueues::reset() {
  times_.reset();
  for (std::uint32_t i = 0; i < processes_.size(); ++i) {
    Process& process = processes_[i];
    for (Stream& stream : process.streams) stream = Stream{};
    std::fill(process.recorded.begin(), process.recorded.end(), 0);
    process.cuts = 0;
    process.share_written = false;
    view_.processes[i] = {};
    view_.processes[i].context = ContextId{i};
    view_.processes[i].streams.resize(process.streams.size());
  }
  std::fill(heads_.begin(), heads_.end(), 0);
  actions_.clear();
  submitted_.reset();
  waiting_ = arrivals_ = 0;
}

bool SoftwareQueues::push(std::uint64_t now, Command command, bool may_be_cut) {
  Stream& stream = processes_[command.context.value].streams[command.stream.value];
  if (stream.held == spec_.queues.entries) return false;
  ++stream.held;
  ProcessAction& action = actions_.add(ProcessAction::Kind::kCommand, now, command.context.value);
  action.command = command;
  action.may_be_cut = may_be_cut;
  return true;
}

void SoftwareQueues::set_priority(std::uint64_t now, std::uint32_t process, std::int32_t priority) {
  actions_.add(ProcessAction::Kind::kPriority, now, process, priority);
}
void SoftwareQueues::set_open(std::uint64_t now, std::uint32_t process, bool is_open) {
  actions_.add(ProcessAction::Kind::kOpen, now, process, is_open ? 1 : 0);
}
void SoftwareQueues::begin_request(std::uint64_t now, std::uint32_t process, std::uint64_t deadline_ps,
                                   const BatchView& batch) {
  const auto deadline = static_cast<std::int64_t>(deadline_ps);
  actions_.add(ProcessAction::Kind::kRequest, now, process, deadline).batch = batch;
}
void SoftwareQueues::end_request(std::uint64_t now, std::uint32_t process) {
  actions_.add(ProcessAction::Kind::kRequestEnd, now, process);
}

bool SoftwareQueues::settle(std::uint64_t now) {
  return actions_.settle(now, [this](const ProcessAction& action) { take(action); });
}

void SoftwareQueues::take(const ProcessAction& action) {
  ProcessView& process = view_.processes[action.process];
  switch (action.kind) {
    case ProcessAction::Kind::kCommand:
      return take_command(action);
    case ProcessAction::Kind::kPriority:
      process.priority = static_cast<std::int32_t>(action.value);
      processes_[action.process].share_written = true;
      break;
    case ProcessAction::Kind::kOpen:
      process.open = action.value != 0;
      break;
    case ProcessAction::Kind::kRequest:
      process.request_ps = action.time_ps;
      process.deadline_ps = static_cast<std::uint64_t>(action.value);
      process.batch = action.batch;
      break;
    case ProcessAction::Kind::kRequestEnd:
      process.latency_ps = action.time_ps - process.request_ps;
      process.deadline_ps = 0;
      break;
  }
}

void SoftwareQueues::take_command(const ProcessAction& action) {
  const std::uint32_t process = action.process;
  Waiting waiting;
  waiting.command = action.command;
  waiting.may_be_cut = action.may_be_cut;
  waiting.arrival = arrivals_++;
  ProcessView& own = view_.processes[process];
  if (waiting.command.kind == Command::Kind::kLaunch) {
    waiting.estimate_ps = times_.duration_ps(process, waiting.command.launch, waiting.command.launch.blocks);
    own.waiting_ps += waiting.estimate_ps;
  }
  ++own.streams[waiting.command.stream.value].waiting;
  ++own.waiting;
  ++waiting_;
  processes_[process].streams[waiting.command.stream.value].queue.push(waiting);
}

const SubmissionView& SoftwareQueues::view(std::uint64_t now) {
  view_.now_ps = now;
  for (std::uint32_t i = 0; i < processes_.size(); ++i) {
    if (view_.processes[i].waiting == 0) continue;
    for (std::uint32_t stream = 0; stream < processes_[i].streams.size(); ++stream)
      if (view_.processes[i].streams[stream].waiting > 0) set_head_view(i, stream);
  }
  return view_;
}

void SoftwareQueues::set_head_view(std::uint32_t process, std::uint32_t stream) {
  const Waiting& waiting = processes_[process].streams[stream].queue.front();
  const Command& command = waiting.command;
  HeadView& head = view_.processes[process].streams[stream].head;
  head = HeadView{};
  head.arrival = waiting.arrival;
  head.ready = is_ready(process, stream, waiting);
  if (is_event(command.kind)) return;
  if (command.kind != Command::Kind::kLaunch) {
    head.kind = HeadView::Kind::kTransfer;
    head.bytes = command.bytes;
    return;
  }
  const LaunchTimes::Estimate estimate = times_.of(process, command.launch);
  head.kind = HeadView::Kind::kLaunch;
  head.blocks = command.launch.blocks - waiting.sent_blocks;
  head.launches_ahead = processes_[process].streams[stream].launches;
  head.is_begun = waiting.sent_blocks > 0;
  head.may_be_cut = waiting.may_be_cut;
  head.wave = estimate.wave;
  head.residency = estimate.residency;
  head.launch_ps = estimate.launch_ps;
  head.wave_ps = estimate.wave_ps;
  head.bound = bounds_[process][command.launch.tag];
}

bool SoftwareQueues::has_room(std::uint32_t process, std::uint32_t lane) const {
  return !is_full(driver_.queue_of(process, lane));
}

// The first piece decides how the pieces of a launch run. They run one after the other if the stream has a
// command on the GPU, or if no lane is free.
bool SoftwareQueues::may_run_concurrently(std::uint32_t process, std::uint32_t stream) const {
  const std::uint32_t lane = free_lane(process);
  return lane < lanes(process) && has_room(process, lane) && submitted_.is_free(process, stream);
}

bool SoftwareQueues::is_ready(std::uint32_t process, std::uint32_t stream, const Waiting& head) const {
  const Process& own = processes_[process];
  const Stream& mine = own.streams[stream];
  const Command& command = head.command;
  if (command.kind == Command::Kind::kWait && own.recorded[command.event] < command.event_value) return false;
  if (!head.is_concurrent) return !mine.is_cut && has_room(process, stream);
  const std::uint32_t lane = free_lane(process);
  return lane < lanes(process) && has_room(process, lane);
}

SoftwareQueues::Sent SoftwareQueues::submit(const SubmissionDecision& decision) {
  HEDDLE_CHECK(decision.process < processes_.size() &&
                   decision.stream < processes_[decision.process].streams.size() &&
                   view_.processes[decision.process].streams[decision.stream].waiting > 0 &&
                   view_.processes[decision.process].streams[decision.stream].head.ready,
               kName, Cycle{}, "the policy submits from stream {} of process {}, whose head is not ready",
               decision.stream, decision.process);
  Stream& stream = processes_[decision.process].streams[decision.stream];
  ProcessView& own = view_.processes[decision.process];
  const Sent sent = next_piece(decision.process, decision.stream, decision.blocks);
  Waiting& head = stream.queue.front();
  const Command& command = sent.command;
  if (command.kind == Command::Kind::kRecord) {
    std::uint64_t& recorded = processes_[decision.process].recorded[command.event];
    recorded = std::max(recorded, command.event_value);
  }
  if (command.kind == Command::Kind::kLaunch) {
    head.sent_blocks += command.launch.blocks;
    const std::uint64_t left = head.command.launch.blocks - head.sent_blocks;
    const std::uint64_t estimate = times_.duration_ps(decision.process, head.command.launch, left);
    const std::uint64_t less = std::min(head.estimate_ps, own.waiting_ps);
    own.waiting_ps = own.waiting_ps - less + std::min(estimate, less);
    head.estimate_ps = std::min(estimate, less);
  }
  add_submitted(decision.process, decision.stream, sent);
  if (command.kind == Command::Kind::kLaunch && head.sent_blocks < head.command.launch.blocks) return sent;
  stream.queue.pop();
  --stream.held;
  --own.streams[decision.stream].waiting;
  --own.waiting;
  --waiting_;
  return sent;
}

// Returns the head command, or its next piece, with its lane and its fence.
SoftwareQueues::Sent SoftwareQueues::next_piece(std::uint32_t process, std::uint32_t stream,
                                                std::uint64_t blocks) {
  const Waiting& head = processes_[process].streams[stream].queue.front();
  const Sent whole{head.command, false};
  if (head.command.kind != Command::Kind::kLaunch) return whole;
  const std::uint64_t left = head.command.launch.blocks - head.sent_blocks;
  if (blocks == 0 || blocks > left) blocks = left;
  return head.cut == 0 && blocks == left ? whole : cut(process, stream, blocks);
}

SoftwareQueues::Sent SoftwareQueues::cut(std::uint32_t process, std::uint32_t number, std::uint64_t blocks) {
  Process& own = processes_[process];
  Stream& stream = own.streams[number];
  Waiting& head = stream.queue.front();
  HEDDLE_CHECK(head.may_be_cut, kName, Cycle{}, "the policy cuts a launch whose blocks wait for each other");
  if (head.cut == 0) {
    head.cut = own.cuts = own.cuts == kMostCuts ? 1 : own.cuts + 1;
    head.is_concurrent = may_run_concurrently(process, number);
  }
  Sent sent{head.command, true};
  KernelLaunch& launch = sent.command.launch;
  launch.blocks = blocks;
  launch.first_block = head.sent_blocks;
  launch.cut = head.cut;
  launch.is_last = head.sent_blocks + blocks == head.command.launch.blocks;
  if (head.is_concurrent) {
    sent.command.stream = StreamId{free_lane(process)};
    stream.is_cut = true;
    stream.all_sent = launch.is_last;
    stream.fence_value = head.command.fence_value;
    ++stream.concurrent;
  } else if (launch.is_last) {
    return sent;  // it writes the fence of the launch
  }
  sent.command.fence_address = HostDriver::piece_word(process, sent.command.stream.value);
  sent.command.fence_value = submitted_.next_word(process, sent.command.stream.value);
  return sent;
}

void SoftwareQueues::add_submitted(std::uint32_t process, std::uint32_t stream, const Sent& sent) {
  const Command& command = sent.command;
  const std::uint32_t lane = command.stream.value;
  ProcessView& own = view_.processes[process];
  SubmittedCommands::Entry entry;
  entry.is_launch = command.kind == Command::Kind::kLaunch;
  entry.has_own_word = command.fence_address == HostDriver::piece_word(process, lane);
  entry.value = command.fence_value;
  entry.stream = stream;
  entry.submitted_ps = view_.now_ps;
  ++own.in_flight;
  if (entry.is_launch) {
    const HeadView& head = own.streams[stream].head;
    entry.kernel = command.launch;
    entry.launch.blocks = command.launch.blocks;
    entry.launch.sms =
        std::min<std::uint64_t>(spec_.gpu.sms, (command.launch.blocks + head.residency - 1) / head.residency);
    entry.launch.duration_ps = head.duration_ps(command.launch.blocks);
    entry.launch.bound = head.bound;
    if (own.launches_in_flight++ == 0) own.oldest = entry.launch;
    own.in_flight_ps += entry.launch.duration_ps;
    own.in_flight_sms += entry.launch.sms;
    ++processes_[process].streams[stream].launches;
  }
  submitted_.push(process, lane, entry);
}

bool SoftwareQueues::complete(std::uint64_t now, const FenceMemory& memory) {
  return submitted_.complete(
      now,
      [&](std::uint32_t process, std::uint32_t lane) {
        return memory.load(HostDriver::fence(process, lane));
      },
      [&](std::uint32_t process, std::uint32_t lane) {
        return memory.load(HostDriver::piece_word(process, lane));
      },
      [&](std::uint32_t process, std::uint32_t lane, const SubmittedCommands::Entry& entry,
          std::uint64_t from_ps) {
        complete_command(process, entry, now - from_ps);
        if (lane >= processes_[process].streams.size()) complete_piece(process, entry.stream, memory);
      });
}

void SoftwareQueues::complete_command(std::uint32_t process, const SubmittedCommands::Entry& entry,
                                      std::uint64_t took_ps) {
  ProcessView& own = view_.processes[process];
  --own.in_flight;
  if (!entry.is_launch) return;
  times_.learn(process, entry.kernel, took_ps);
  own.in_flight_ps -= entry.launch.duration_ps;
  own.in_flight_sms -= entry.launch.sms;
  --processes_[process].streams[entry.stream].launches;
  --own.launches_in_flight;
  own.oldest = submitted_.oldest_launch(process);
}

// With the last piece on a lane of its own the launch is complete.
void SoftwareQueues::complete_piece(std::uint32_t process, std::uint32_t number, const FenceMemory& memory) {
  Stream& stream = processes_[process].streams[number];
  if (--stream.concurrent > 0 || !stream.all_sent) return;
  stream.is_cut = false;
  memory.store(HostDriver::fence(process, number), stream.fence_value);
}

}  // namespace heddle
