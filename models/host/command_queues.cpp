#include "models/host/command_queues.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "models/core/base/log.h"

namespace heddle {

using registers::QueueError;

namespace {

constexpr std::uint64_t kWritebackNumber = std::uint64_t{1}
                                           << 32;  // marks the request number of a head write-back

bool same(const ContextUpdate& a, const ContextUpdate& b) {
  return a.share.priority == b.share.priority && a.share.tokens == b.share.tokens &&
         a.page_table == b.page_table && a.texture_table == b.texture_table;
}

}  // namespace

CommandQueues::CommandQueues(sc_core::sc_module_name name, const QueueSpec& spec, Deps deps)
    : sc_core::sc_module(name),
      spec_(spec),
      deps_(std::move(deps)),
      pcie_(deps_.pcie),
      sleeper_(deps_.pcie.add(*this)),
      taken_(basename(), deps_.pcie, sleeper_, spec.count),
      no_replies_(basename(), deps_.pcie, sleeper_, 1),
      pool_(2 * spec.count, kDescriptorBytes),
      memory_("memory", deps_.pcie, sleeper_, 2 * spec.count),
      queues_(spec.count),
      written_(spec.count),
      contexts_(deps_.contexts),
      changed_(deps_.contexts),
      stats_(basename()) {
  mmio.bind(*this);
  commands.bind(taken_);
  contexts.bind(no_replies_);
  stats_.add(doorbells_, "doorbells", "write", "writes of a queue's TAIL");
  stats_.add(fetched_, "fetched", "command", "command descriptors fetched and accepted");
  for (std::uint32_t i = 0; i < spec.count; ++i)
    stats_.child(fmt::format("queue{}", i))
        .add_level("commands", "command", "commands in the queue that no engine has taken", [this, i] {
          return static_cast<double>(queues_[i].tail.last_written() - queues_[i].head);
        });
  stats_.add(halts_, "halts", "queue", "queues halted by a descriptor that could not be accepted");
}

void CommandQueues::reset() {
  taken_.reset();
  no_replies_.reset();
  memory_.reset();
  pool_.reset();
  std::fill(queues_.begin(), queues_.end(), Queue{});
  written_.reset();
  std::fill(contexts_.begin(), contexts_.end(), Context{});
  changed_.reset();
  error_ = QueueError::kNone;
  error_queue_ = 0;
  stats_.reset();
}

void CommandQueues::tick(Cycle now) {
  send_context_updates(now);
  collect_reads(now);
  take_notices(now);
  start_fetches(now);
  send_requests(now);
  pcie_.wake_at(sleeper_, std::min(taken_.due(now), memory_.due(now)));
}

bool CommandQueues::idle() const {
  if (!changed_.empty()) return false;
  return memory_.outstanding() == 0 && std::all_of(queues_.begin(), queues_.end(), [](const Queue& queue) {
           return (queue.state == QueueState::kEmpty && queue.tail.last_written() == queue.head) ||
                  queue.state == QueueState::kHalted;
         });
}

void CommandQueues::send_context_updates(Cycle now) {
  changed_.for_each([&](std::uint32_t i) {
    Context& context = contexts_[i];
    const ContextView share{static_cast<std::int32_t>(context.priority.read(now)),
                            static_cast<std::int32_t>(context.tokens.read(now))};
    const ContextUpdate update{ContextId{i}, share, context.page_table.read(now),
                               context.texture_table.read(now)};
    if (!same(update, context.sent)) contexts->receive(context.sent = update, 1);
    if (context.priority.pending(now) || context.tokens.pending(now) || context.page_table.pending(now) ||
        context.texture_table.pending(now))
      pcie_.wake_at(sleeper_, now + 1);
    else
      changed_.clear(i);
  });
}

void CommandQueues::collect_reads(Cycle now) {
  for (; memory_.has_response(now); memory_.pop_response()) {
    tlm::tlm_generic_payload& payload = memory_.response();
    const std::uint64_t number = payload.get_extension<RequestInfo>()->number;
    const auto queue = static_cast<std::uint32_t>(number & (kWritebackNumber - 1));
    if (!payload.is_response_ok())
      halt(queues_[queue], queue, QueueError::kBus);
    else if (number < kWritebackNumber && queues_[queue].state != QueueState::kHalted)
      decode_fetched(queues_[queue], queue, payload.get_data_ptr());
    payload.release();
  }
}

void CommandQueues::decode_fetched(Queue& queue, std::uint32_t number, const unsigned char* bytes) {
  if (queue.state == QueueState::kFetchCommand) {
    const DecodedCommand decoded = decode_command(bytes, spec_, deps_.contexts);
    if (decoded.error != QueueError::kNone) return halt(queue, number, decoded.error);
    queue.command = decoded.command;
    queue.command.queue = QueueId{number};
    if (queue.command.kind != Command::Kind::kLaunch) return hand_over(queue);
    queue.state = QueueState::kFetchKernel;
    queue.fetch = decoded.kernel_address;
    queue.wants_read = true;
    return;
  }
  const DecodedKernel decoded = decode_kernel(bytes, deps_.limits, deps_.timed);
  if (decoded.error != QueueError::kNone) return halt(queue, number, decoded.error);
  const KernelLaunch of_command = queue.command.launch;
  queue.command.launch = decoded.launch;
  queue.command.launch.priority = of_command.priority;
  queue.command.launch.sm_set = of_command.sm_set;
  queue.command.launch.context = queue.command.context;
  queue.command.launch.stream = queue.command.stream;
  hand_over(queue);
}

void CommandQueues::hand_over(Queue& queue) {
  queue.command.priority =
      static_cast<std::int32_t>(contexts_[queue.command.context.value].priority.read(pcie_.now()));
  queue.state = QueueState::kHead;
  ++fetched_;
  commands->receive(queue.command, 1);
}

void CommandQueues::halt(Queue& queue, std::uint32_t number, QueueError error) {
  if (queue.state == QueueState::kHalted) return;  // its halt could not be written back
  queue.state = QueueState::kHalted;
  queue.wants_read = false;
  queue.wants_writeback = true;
  queue.written_back = registers::kHalted;
  error_ = error;
  error_queue_ = number;
  ++halts_;
  HEDDLE_LOG(Severity::kWarning, "queues", "{}: queue {} halted, error {}", name(), number,
             static_cast<std::uint64_t>(error));
}

void CommandQueues::take_notices(Cycle now) {
  for (; taken_.has(now); taken_.pop()) {
    Queue& queue = queues_[taken_.front().queue.value];
    if (queue.state == QueueState::kHalted) continue;  // it halted because its head could not be written back
    queue.state = QueueState::kEmpty;
    queue.wants_writeback = true;
    queue.written_back = ++queue.head;
  }
}

void CommandQueues::start_fetches(Cycle now) {
  written_.for_each([&](std::uint32_t i) { start_fetch(i, now); });
}

void CommandQueues::start_fetch(std::uint32_t number, Cycle now) {
  Queue& queue = queues_[number];
  const std::uint64_t tail = queue.tail.read(now);
  if (queue.tail.pending(now)) pcie_.wake_at(sleeper_, now + 1);
  if (queue.state != QueueState::kEmpty || tail == queue.head) return;
  const std::uint64_t entries = queue.entries.read(now);
  if (entries == 0 || entries > spec_.entries || tail - queue.head > entries)
    return halt(queue, number, QueueError::kRing);
  queue.state = QueueState::kFetchCommand;
  queue.fetch = queue.base.read(now) + queue.head % entries * kDescriptorBytes;
  queue.wants_read = true;
}

void CommandQueues::send_requests(Cycle now) {
  written_.for_each([&](std::uint32_t i) { send_request(i, now); });
}

// The fetch of the next command goes before the write-back of the head. A request for which there is no room
// is sent later.
void CommandQueues::send_request(std::uint32_t number, Cycle now) {
  Queue& queue = queues_[number];
  if (queue.wants_writeback && queue.writeback.read(now) == 0) queue.wants_writeback = false;
  if (!queue.wants_writeback && !queue.wants_read) return;
  if (!memory_.can_send(now) || pool_.empty()) return;
  const bool read = queue.wants_read;
  tlm::tlm_generic_payload& payload =
      read ? pool_.take(tlm::TLM_READ_COMMAND, queue.fetch, kDescriptorBytes)
           : pool_.take(tlm::TLM_WRITE_COMMAND, queue.writeback.read(now), sizeof queue.written_back);
  RequestInfo& info = *payload.get_extension<RequestInfo>();
  info.context = queue.command.context;
  info.number = number + (read ? 0 : kWritebackNumber);
  info.issued = now;
  if (!read) store_u64(payload.get_data_ptr(), queue.written_back);
  (read ? queue.wants_read : queue.wants_writeback) = false;
  memory_.send(payload, now);
}

}  // namespace heddle
