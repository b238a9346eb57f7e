// This file has the register half of CommandQueues, which the host reads and writes through `mmio`.

#include <algorithm>
#include <array>

#include "models/host/command_queues.h"

namespace heddle {

using namespace registers;

void CommandQueues::show_counters(const Group& root) {
  counters_.clear();
  counter_names_.clear();
  root.visit([&](const Statistic& statistic) {
    if (statistic.is_formula()) return;
    counters_.push_back(statistic.counter);
    counter_names_.push_back(statistic.path.substr(0, kNameBytes - 1));
  });
}

void CommandQueues::b_transport(tlm::tlm_generic_payload& payload, sc_core::sc_time& delay) {
  delay += deps_.mmio_latency;
  std::array<unsigned char, 8> bytes{};
  if (payload.get_data_length() != bytes.size() || payload.get_address() % bytes.size() != 0 ||
      payload.get_byte_enable_ptr() != nullptr || payload.get_streaming_width() < bytes.size()) {
    payload.set_response_status(tlm::TLM_ADDRESS_ERROR_RESPONSE);
    return;
  }
  bool known = true;
  if (payload.is_read()) {
    std::uint64_t value = 0;
    deps_.update_stats();
    known = read_register(payload.get_address(), value);
    store_u64(bytes.data(), value);
    if (known) std::copy(bytes.begin(), bytes.end(), payload.get_data_ptr());
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
    std::uint64_t value = 0;
    if (!read_register(address / 8 * 8, value)) break;
    payload.get_data_ptr()[i] = static_cast<unsigned char>(value >> address % 8 * 8);
  }
  return i;
}

bool CommandQueues::read_register(Address address, std::uint64_t& value) {
  if (address >= kEnd) return false;
  if (address >= kCounterValues) {
    value = read_window(address);
    return true;
  }
  const Address which = address % kBlockStride;
  if (address >= kContextBase) {
    const std::uint64_t number = (address - kContextBase) / kBlockStride;
    if (number >= contexts_.size()) return false;
    const LatchedRegister* found = context_register(contexts_[number], which);
    if (found != nullptr) value = found->last_written();
    return found != nullptr;
  }
  if (address >= kQueueBase) {
    const std::uint64_t number = (address - kQueueBase) / kBlockStride;
    if (number >= queues_.size()) return false;
    const Queue& queue = queues_[number];
    switch (which) {
      case kBase:
        value = queue.base.last_written();
        return true;
      case kEntries:
        value = queue.entries.last_written();
        return true;
      case kTail:
        value = queue.tail.last_written();
        return true;
      case kHead:
        value = queue.head;
        return true;
      case kWriteback:
        value = queue.writeback.last_written();
        return true;
      default:
        return false;
    }
  }
  switch (address) {
    case kId:
      value = kIdValue;
      return true;
    case kQueues:
      value = queues_.size();
      return true;
    case kContexts:
      value = contexts_.size();
      return true;
    case kSms:
      value = deps_.sms;
      return true;
    case kCounters:
      value = counters_.size();
      return true;
    case kError:
      value = static_cast<std::uint64_t>(error_);
      return true;
    case kErrorQueue:
      value = error_queue_;
      return true;
    default:
      return false;
  }
}

std::uint64_t CommandQueues::read_window(Address address) const {
  if (address < kCounterNames) {
    const std::uint64_t i = (address - kCounterValues) / 8;
    return i < counters_.size() ? counters_[i]->value() : 0;
  }
  const std::uint64_t i = (address - kCounterNames) / kNameBytes;
  if (i >= counter_names_.size()) return 0;
  std::array<unsigned char, 8> bytes{};
  const Address offset = address % kNameBytes;
  for (Address j = 0; j < bytes.size() && offset + j < counter_names_[i].size(); ++j)
    bytes[j] = static_cast<unsigned char>(counter_names_[i][offset + j]);
  return load_u64(bytes.data());
}

bool CommandQueues::write_register(Address address, std::uint64_t value) {
  const Address which = address % kBlockStride;
  if (address == kError) {
    error_ = QueueError::kNone;
    return true;
  }
  if (address >= kContextBase && address < kContextEnd) {
    const std::uint64_t number = (address - kContextBase) / kBlockStride;
    if (number >= contexts_.size() || !write_context(contexts_[number], which, value)) return false;
    changed_.set(static_cast<std::uint32_t>(number));
    return true;
  }
  if (address >= kQueueBase && address < kContextBase) {
    const std::uint64_t number = (address - kQueueBase) / kBlockStride;
    if (number >= queues_.size()) return false;
    written_.set(static_cast<std::uint32_t>(number));
    return write_queue(queues_[number], which, value);
  }
  return false;
}

bool CommandQueues::write_queue(Queue& queue, Address which, std::uint64_t value) {
  const Cycle now = pcie_.now();
  switch (which) {
    case kBase:
      queue.base.write(value, now);
      return true;
    case kEntries:
      queue.entries.write(value, now);
      return true;
    case kWriteback:
      queue.writeback.write(value, now);
      return true;
    case kTail:
      ++doorbells_;
      queue.tail.write(value, now);
      pcie_.wake_at(sleeper_, now + 1);
      return true;
    default:
      return false;
  }
}

bool CommandQueues::write_context(Context& context, Address which, std::uint64_t value) {
  LatchedRegister* found = context_register(context, which);
  if (found == nullptr) return false;
  found->write(value, pcie_.now());
  pcie_.wake_at(sleeper_, pcie_.now() + 1);
  return true;
}

LatchedRegister* CommandQueues::context_register(Context& context, Address which) {
  switch (which) {
    case kPriority:
      return &context.priority;
    case kTokens:
      return &context.tokens;
    case kPageTable:
      return &context.page_table;
    case kTextureTable:
      return &context.texture_table;
    default:
      return nullptr;
  }
}

}  // namespace heddle
