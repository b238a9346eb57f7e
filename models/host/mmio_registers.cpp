#include "models/host/mmio_registers.h"

#include <algorithm>

namespace heddle {

using namespace registers;

namespace {

// Returns the register of a context, which may be constant; null if it has none at `which`.
template <class Context>
auto register_of(Context& context, Address which) -> decltype(&context.priority) {
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

}  // namespace

MmioRegisters::MmioRegisters(std::uint32_t queues, std::uint32_t contexts, std::uint32_t sms)
    : sms_(sms), queues_(queues), contexts_(contexts), written_(queues), changed_(contexts) {}

void MmioRegisters::reset() {
  std::fill(queues_.begin(), queues_.end(), Queue{});
  std::fill(contexts_.begin(), contexts_.end(), Context{});
  written_.reset();
  changed_.reset();
  set_error(QueueError::kNone, 0);
}

void MmioRegisters::set_error(QueueError error, std::uint32_t queue) {
  error_ = error;
  error_queue_ = queue;
}

std::optional<std::uint64_t> MmioRegisters::read(Address address) const {
  if (address >= kEnd) return std::nullopt;
  if (address >= kCounterValues) return counters_.read(address);
  const Address which = address % kBlockStride;
  if (address >= kContextBase) return read_context((address - kContextBase) / kBlockStride, which);
  if (address >= kQueueBase) return read_queue((address - kQueueBase) / kBlockStride, which);
  return read_global(address);
}

std::optional<std::uint64_t> MmioRegisters::read_global(Address address) const {
  switch (address) {
    case kId:
      return kIdValue;
    case kQueues:
      return queues_.size();
    case kContexts:
      return contexts_.size();
    case kSms:
      return sms_;
    case kCounters:
      return counters_.size();
    case kError:
      return static_cast<std::uint64_t>(error_);
    case kErrorQueue:
      return error_queue_;
    default:
      return std::nullopt;
  }
}

std::optional<std::uint64_t> MmioRegisters::read_queue(std::uint64_t number, Address which) const {
  if (number >= queues_.size()) return std::nullopt;
  const Queue& queue = queues_[number];
  switch (which) {
    case kBase:
      return queue.base.last_written();
    case kEntries:
      return queue.entries.last_written();
    case kTail:
      return queue.tail.last_written();
    case kHead:
      return queue.head;
    case kWriteback:
      return queue.writeback.last_written();
    default:
      return std::nullopt;
  }
}

std::optional<std::uint64_t> MmioRegisters::read_context(std::uint64_t number, Address which) const {
  if (number >= contexts_.size()) return std::nullopt;
  const LatchedRegister* found = register_of(contexts_[number], which);
  if (found == nullptr) return std::nullopt;
  return found->last_written();
}

MmioRegisters::Effect MmioRegisters::write(Address address, std::uint64_t value, Cycle now) {
  const Address which = address % kBlockStride;
  if (address == kError) {
    error_ = QueueError::kNone;
    return Effect::kStored;
  }
  if (address >= kContextBase && address < kContextEnd)
    return write_context((address - kContextBase) / kBlockStride, which, value, now);
  if (address >= kQueueBase && address < kContextBase)
    return write_queue((address - kQueueBase) / kBlockStride, which, value, now);
  return Effect::kNone;
}

MmioRegisters::Effect MmioRegisters::write_queue(std::uint64_t number, Address which, std::uint64_t value,
                                                 Cycle now) {
  if (number >= queues_.size()) return Effect::kNone;
  written_.set(static_cast<std::uint32_t>(number));
  Queue& queue = queues_[number];
  switch (which) {
    case kBase:
      queue.base.write(value, now);
      return Effect::kStored;
    case kEntries:
      queue.entries.write(value, now);
      return Effect::kStored;
    case kWriteback:
      queue.writeback.write(value, now);
      return Effect::kStored;
    case kTail:
      queue.tail.write(value, now);
      return Effect::kDoorbell;
    default:
      return Effect::kNone;
  }
}

MmioRegisters::Effect MmioRegisters::write_context(std::uint64_t number, Address which, std::uint64_t value,
                                                   Cycle now) {
  if (number >= contexts_.size()) return Effect::kNone;
  LatchedRegister* found = register_of(contexts_[number], which);
  if (found == nullptr) return Effect::kNone;
  found->write(value, now);
  changed_.set(static_cast<std::uint32_t>(number));
  return Effect::kContext;
}

}  // namespace heddle
