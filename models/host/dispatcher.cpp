#include "models/host/dispatcher.h"

#include <algorithm>
#include <array>

#include "models/core/base/log.h"

namespace heddle {

namespace {

Direction direction_of(Command::Kind kind) {
  switch (kind) {
    case Command::Kind::kCopyDown:
      return Direction::kDown;
    case Command::Kind::kCopyAcross:
      return Direction::kAcross;
    case Command::Kind::kFill:
      return Direction::kFill;
    default:
      return Direction::kUp;
  }
}

const char* name_of(Direction direction) {
  static constexpr std::array<const char*, 4> kNames{"up", "down", "across", "filled"};
  return kNames[static_cast<std::size_t>(direction)];
}

}  // namespace

Dispatcher::Dispatcher(sc_core::sc_module_name name, const QueueSpec& queues, const DmaSpec& dma,
                       const Deps& deps)
    : sc_core::sc_module(name),
      queues_(queues),
      dma_(dma),
      pcie_(deps.pcie),
      sleeper_(deps.pcie.add(*this)),
      arbiter_(deps.arbiter),
      inbox_(basename(), deps.pcie, sleeper_, queues.count),
      kernels_done_(basename(), deps.pcie, sleeper_, deps.ksrs),
      fences_(this->name(), deps.pcie, sleeper_, deps.contexts * queues.streams + queues.count),
      heads_(queues.count),
      streams_(deps.contexts * queues.streams),
      events_(deps.contexts * queues.events),
      ksrs_(deps.ksrs),
      launch_credits_(deps.ksrs),
      transfer_credits_(dma.engines, dma.transfers),
      stats_(basename()) {
  commands.bind(inbox_);
  launches.bind(kernels_done_);
  transfers.init(dma.engines);
  for (std::uint32_t engine = 0; engine < dma.engines; ++engine) {
    transfers_done_.push_back(
        std::make_unique<Inbox<TransferDone>>(basename(), deps.pcie, sleeper_, dma.transfers));
    transfers[engine].bind(*transfers_done_[engine]);
  }
  stats_.add(counts_.launches, "launches", "kernel", "kernel launches sent to the execution engine");
  stats_.add(counts_.copies, "copies", "transfer", "copies sent to the DMA engines");
  stats_.add(counts_.events_recorded, "events_recorded", "event", "events recorded");
  stats_.add(counts_.events_waited, "events_waited", "event", "waits for an event that were met");
  stats_.add(fences_.written(), "fences", "write", "fences written to system memory");
}

void Dispatcher::reset() {
  inbox_.reset();
  kernels_done_.reset();
  for (const auto& done : transfers_done_) done->reset();
  std::fill(heads_.begin(), heads_.end(), Head{});
  std::fill(streams_.begin(), streams_.end(), Stream{});
  std::fill(events_.begin(), events_.end(), 0);
  fences_.reset();
  state_ = {};
  launch_credits_ = ksrs_;
  std::fill(transfer_credits_.begin(), transfer_credits_.end(), dma_.transfers);
  stats_.reset();
}

void Dispatcher::tick(Cycle now) {
  take_heads(now);
  collect_completions(now);
  dispatch(now);
  fences_.write(now);
  Cycle next = std::min({inbox_.due(now), kernels_done_.due(now), fences_.due(now)});
  for (const auto& done : transfers_done_) next = std::min(next, done->due(now));
  pcie_.wake_at(sleeper_, next);
}

void Dispatcher::take_heads(Cycle now) {
  for (; inbox_.has(now); inbox_.pop()) {
    Head& head = heads_[inbox_.front().queue.value];
    HEDDLE_CHECK(!head.present, name(), now, "a second command at the head of queue {}",
                 inbox_.front().queue.value);
    head = {true, state_.arrivals++, inbox_.front()};
  }
}

void Dispatcher::collect_completions(Cycle now) {
  for (; kernels_done_.has(now); kernels_done_.pop()) {
    ++launch_credits_;
    complete(stream_of(kernels_done_.front().context, kernels_done_.front().stream));
  }
  for (std::uint32_t engine = 0; engine < transfers_done_.size(); ++engine)
    for (Inbox<TransferDone>& done = *transfers_done_[engine]; done.has(now); done.pop()) {
      ++transfer_credits_[engine];
      complete(stream_of(done.front().context, done.front().stream));
    }
  fences_.collect(now);
}

void Dispatcher::complete(Stream& stream) {
  stream.busy = false;
  --state_.outstanding;
  fences_.add(stream.fence);
}

void Dispatcher::dispatch(Cycle now) {
  view_.heads.clear();
  view_.outstanding = state_.outstanding;
  view_.last_context = state_.last_context;
  for (std::uint32_t queue = 0; queue < heads_.size(); ++queue) {
    Head& head = heads_[queue];
    if (!head.present) continue;
    view_.heads.push_back({QueueId{queue}, head.command.context, head.arrival, ready(head.command)});
    if (!observers_.empty()) tell_wait(now, head);
  }
  if (view_.heads.empty()) return;
  const std::size_t chosen = arbiter_.choose(view_);
  if (chosen == view_.heads.size()) return;
  HEDDLE_CHECK(chosen < view_.heads.size() && view_.heads[chosen].ready, name(), now,
               "the command arbiter chose a head that is not ready");
  Head& head = heads_[view_.heads[chosen].queue.value];
  send(head.command);
  if (head.waits_for_engine)
    for (CommandObserver* observer : observers_) observer->sent(now, head.command);
  state_.last_context = head.command.context;
  head.present = false;
  commands->receive({head.command.queue}, 1);
  if (view_.heads.size() > 1) pcie_.wake_at(sleeper_, now + 1);
}

void Dispatcher::tell_wait(Cycle now, Head& head) {
  if (head.waits_for_engine || !may_go(head.command) || engine_has_room(head.command)) return;
  head.waits_for_engine = true;
  for (CommandObserver* observer : observers_) observer->waits_for_engine(now, head.command);
}

// Returns whether the command's stream has nothing outstanding, its engine can take it and its event has
// come.
bool Dispatcher::ready(const Command& command) {
  return may_go(command) && engine_has_room(command);
}

// Returns whether nothing but its engine keeps the command.
bool Dispatcher::may_go(const Command& command) {
  if (stream_of(command.context, command.stream).busy) return false;
  if (fences_.waiting() + state_.outstanding >= fences_.capacity())
    return false;  // every outstanding command has room for its fence
  return command.kind != Command::Kind::kWait || event_of(command) >= command.event_value;
}

bool Dispatcher::engine_has_room(const Command& command) const {
  if (command.kind == Command::Kind::kLaunch) return launch_credits_ > 0;
  return !is_transfer(command.kind) || transfer_credits_[engine_for(command.kind)] > 0;
}

void Dispatcher::send(const Command& command) {
  const Fence fence{command.context, command.fence_address, command.fence_value};
  if (command.kind == Command::Kind::kRecord || command.kind == Command::Kind::kWait) {
    if (command.kind == Command::Kind::kRecord)
      event_of(command) = std::max(event_of(command), command.event_value);
    ++(command.kind == Command::Kind::kRecord ? counts_.events_recorded : counts_.events_waited);
    fences_.add(fence);
    return;
  }
  Stream& stream = stream_of(command.context, command.stream);
  stream.busy = true;
  stream.fence = fence;
  ++state_.outstanding;
  if (command.kind != Command::Kind::kLaunch) return start_transfer(command);
  KernelLaunch launch = command.launch;
  launch.kernel = KernelId{state_.kernels++};
  --launch_credits_;
  ++counts_.launches;
  HEDDLE_LOG(Severity::kDebug, "dispatcher", "{}: kernel {} of context {}, {} blocks", name(),
             launch.kernel.value, launch.context.value, launch.blocks);
  launches->receive(launch, 1);
}

void Dispatcher::start_transfer(const Command& command) {
  const std::uint32_t engine = engine_for(command.kind);
  Transfer transfer;
  transfer.number = state_.transfers++;
  transfer.context = command.context;
  transfer.stream = command.stream;
  transfer.priority = command.priority;
  transfer.direction = direction_of(command.kind);
  transfer.system_address = command.system_address;
  transfer.device_address = command.device_address;
  transfer.source_address = command.source_address;
  transfer.value = command.value;
  transfer.bytes = command.bytes;
  --transfer_credits_[engine];
  ++counts_.copies;
  HEDDLE_LOG(Severity::kDebug, "dispatcher", "{}: copy {} of context {}, {} bytes {}", name(),
             transfer.number, transfer.context.value, transfer.bytes, name_of(transfer.direction));
  transfers[engine]->receive(transfer, 1);
}

std::uint32_t Dispatcher::engine_for(Command::Kind kind) const {
  return dma_.engines > 1 && kind == Command::Kind::kCopyDown ? 1 : 0;
}

}  // namespace heddle
