#include "models/host/command_queues.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "models/core/base/log.h"

namespace heddle {

using registers::QueueError;

namespace {

constexpr std::uint64_t kRegisterBytes = 8;
// A write of a queue's head to system memory has the queue's number plus this as its request number, and a
// read of a descriptor has the queue's number alone.
constexpr std::uint64_t kWritebackNumber = std::uint64_t{1} << 32;

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
      registers_(spec.count, deps_.contexts, deps_.sms),
      queues_(spec.count),
      sent_(deps_.contexts),
      stats_(basename()) {
  mmio.bind(*this);
  commands.bind(taken_);
  contexts.bind(no_replies_);
  stats_.add(doorbells_, "doorbells", "write", "writes of a queue's TAIL");
  stats_.add(fetched_, "fetched", "command", "command descriptors fetched and accepted");
  for (std::uint32_t i = 0; i < spec.count; ++i)
    stats_.child(fmt::format("queue{}", i))
        .add_level("commands", "command", "commands in the queue that no engine has taken", [this, i] {
          return static_cast<double>(registers_.queue(i).tail.last_written() - registers_.queue(i).head);
        });
  stats_.add(halts_, "halts", "queue", "queues halted by a descriptor that could not be accepted");
}

void CommandQueues::reset() {
  taken_.reset();
  no_replies_.reset();
  memory_.reset();
  pool_.reset();
  registers_.reset();
  std::fill(queues_.begin(), queues_.end(), Queue{});
  std::fill(sent_.begin(), sent_.end(), ContextUpdate{});
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
  if (!registers_.changed_contexts().empty() || memory_.outstanding() > 0) return false;
  for (std::uint32_t i = 0; i < queues_.size(); ++i) {
    const MmioRegisters::Queue& ring = registers_.queue(i);
    const bool is_empty = queues_[i].state == QueueState::kEmpty && ring.tail.last_written() == ring.head;
    if (!is_empty && queues_[i].state != QueueState::kHalted) return false;
  }
  return true;
}

void CommandQueues::b_transport(tlm::tlm_generic_payload& payload, sc_core::sc_time& delay) {
  delay += deps_.mmio_latency;
  if (payload.get_data_length() != kRegisterBytes || payload.get_address() % kRegisterBytes != 0 ||
      payload.get_byte_enable_ptr() != nullptr || payload.get_streaming_width() < kRegisterBytes) {
    payload.set_response_status(tlm::TLM_ADDRESS_ERROR_RESPONSE);
    return;
  }
  bool known = true;
  if (payload.is_read()) {
    deps_.update_stats();
    const std::optional<std::uint64_t> value = registers_.read(payload.get_address());
    known = value.has_value();
    if (value) store_u64(payload.get_data_ptr(), *value);
  } else if (payload.is_write()) {
    known = write_register(payload.get_address(), load_u64(payload.get_data_ptr()));
  }
  payload.set_response_status(known ? tlm::TLM_OK_RESPONSE : tlm::TLM_ADDRESS_ERROR_RESPONSE);
}

tlm::tlm_sync_enum CommandQueues::nb_transport_fw(tlm::tlm_generic_payload& payload, tlm::tlm_phase& phase,
                                                  sc_core::sc_time& delay) {
  if (phase != tlm::BEGIN_REQ) return tlm::TLM_ACCEPTED;
  b_transport(payload, delay);
  return tlm::TLM_COMPLETED;
}

unsigned int CommandQueues::transport_dbg(tlm::tlm_generic_payload& payload) {
  if (!payload.is_read()) return 0;
  deps_.update_stats();
  unsigned int i = 0;
  for (; i < payload.get_data_length(); ++i) {
    const Address address = payload.get_address() + i;
    const std::optional<std::uint64_t> value = registers_.read(address / kRegisterBytes * kRegisterBytes);
    if (!value) break;
    payload.get_data_ptr()[i] = static_cast<unsigned char>(*value >> address % kRegisterBytes * 8);
  }
  return i;
}

bool CommandQueues::write_register(Address address, std::uint64_t value) {
  using Effect = MmioRegisters::Effect;
  const Cycle now = pcie_.now();
  const Effect effect = registers_.write(address, value, now);
  if (effect == Effect::kDoorbell) ++doorbells_;
  if (effect == Effect::kDoorbell || effect == Effect::kContext) pcie_.wake_at(sleeper_, now + 1);
  return effect != Effect::kNone;
}

void CommandQueues::send_context_updates(Cycle now) {
  PortSet& changed = registers_.changed_contexts();
  changed.for_each([&](std::uint32_t i) {
    MmioRegisters::Context& context = registers_.context(i);
    const ContextView share{static_cast<std::int32_t>(context.priority.read(now)),
                            static_cast<std::int32_t>(context.tokens.read(now))};
    const ContextUpdate update{ContextId{i}, share, context.page_table.read(now),
                               context.texture_table.read(now)};
    if (!same(update, sent_[i])) contexts->receive(sent_[i] = update, 1);
    if (context.priority.pending(now) || context.tokens.pending(now) || context.page_table.pending(now) ||
        context.texture_table.pending(now))
      pcie_.wake_at(sleeper_, now + 1);
    else
      changed.clear(i);
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
      static_cast<std::int32_t>(registers_.context(queue.command.context.value).priority.read(pcie_.now()));
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
  registers_.set_error(error, number);
  ++halts_;
  HEDDLE_LOG(Severity::kWarning, "queues", "{}: queue {} halted, error {}", name(), number,
             static_cast<std::uint64_t>(error));
}

void CommandQueues::take_notices(Cycle now) {
  for (; taken_.has(now); taken_.pop()) {
    const std::uint32_t number = taken_.front().queue.value;
    Queue& queue = queues_[number];
    if (queue.state == QueueState::kHalted) continue;  // it halted because its head could not be written back
    queue.state = QueueState::kEmpty;
    queue.wants_writeback = true;
    queue.written_back = ++registers_.queue(number).head;
  }
}

void CommandQueues::start_fetches(Cycle now) {
  registers_.written_queues().for_each([&](std::uint32_t i) { start_fetch(i, now); });
}

void CommandQueues::start_fetch(std::uint32_t number, Cycle now) {
  Queue& queue = queues_[number];
  MmioRegisters::Queue& ring = registers_.queue(number);
  const std::uint64_t tail = ring.tail.read(now);
  if (ring.tail.pending(now)) pcie_.wake_at(sleeper_, now + 1);
  if (queue.state != QueueState::kEmpty || tail == ring.head) return;
  const std::uint64_t entries = ring.entries.read(now);
  if (entries == 0 || entries > spec_.entries || tail - ring.head > entries)
    return halt(queue, number, QueueError::kRing);
  queue.state = QueueState::kFetchCommand;
  queue.fetch = ring.base.read(now) + ring.head % entries * kDescriptorBytes;
  queue.wants_read = true;
}

void CommandQueues::send_requests(Cycle now) {
  registers_.written_queues().for_each([&](std::uint32_t i) { send_request(i, now); });
}

// The fetch of the next command goes before the write-back of the head. A request for which there is no room
// is sent later.
void CommandQueues::send_request(std::uint32_t number, Cycle now) {
  Queue& queue = queues_[number];
  LatchedRegister& writeback = registers_.queue(number).writeback;
  if (queue.wants_writeback && writeback.read(now) == 0) queue.wants_writeback = false;
  if (!queue.wants_writeback && !queue.wants_read) return;
  if (!memory_.can_send(now) || pool_.empty()) return;
  const bool read = queue.wants_read;
  tlm::tlm_generic_payload& payload =
      read ? pool_.take(tlm::TLM_READ_COMMAND, queue.fetch, kDescriptorBytes)
           : pool_.take(tlm::TLM_WRITE_COMMAND, writeback.read(now), sizeof queue.written_back);
  RequestInfo& info = *payload.get_extension<RequestInfo>();
  info.context = queue.command.context;
  info.number = number + (read ? 0 : kWritebackNumber);
  info.issued = now;
  if (!read) store_u64(payload.get_data_ptr(), queue.written_back);
  (read ? queue.wants_read : queue.wants_writeback) = false;
  memory_.send(payload, now);
}

}  // namespace heddle
