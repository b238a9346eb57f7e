#include "models/rtl/interfaces/rtl_memory.h"

#include <fmt/format.h>

#include <algorithm>

#include "models/rtl/interfaces/address_data.h"

namespace heddle {

RtlMemory::RtlMemory(RtlPort& port, std::unique_ptr<MemoryPins> pins, std::uint32_t burst_bytes,
                     bool checks_data, RtlFault fault)
    : port_(port),
      pins_(std::move(pins)),
      burst_bytes_(burst_bytes),
      checks_data_(checks_data),
      fault_(std::move(fault)),
      slots_(kMostRequests),
      ready_{Ring<std::uint32_t>(kMostRequests), Ring<std::uint32_t>(kMostRequests)},
      bursts_(kMostBursts) {
  if (pins_->id_bits() > kMostIdBits)
    port_.fail(fmt::format("numbers of requests to memory have {} bits; at most {} are known",
                           pins_->id_bits(), kMostIdBits));
  reset();
}

void RtlMemory::reset() {
  pins_->reset();
  free_.clear();
  for (auto i = kMostRequests; i-- > 0;) free_.push_back(i);
  for (auto& last : last_) last.assign(std::size_t{1} << pins_->id_bits(), kNone);
  for (auto& ready : ready_) ready.clear();
  bursts_.clear();
  in_use_ = 0;
}

void RtlMemory::take(const RtlMemoryRequest& request) {
  if (free_.empty() || bursts_.capacity() - bursts_.size() < request.bytes / burst_bytes_ + 2)
    port_.fail("asks memory for more than it can hold, and has no pin for memory_ready");
  const std::uint32_t number = free_.back();
  free_.pop_back();
  ++in_use_;
  Slot& slot = slots_[number];
  slot = {request, 0, true, kNone};
  if (!request.write || pins_->answers_writes()) {
    std::uint32_t& last = last_[direction(request.write)][request.id];
    if (last != kNone) {
      slots_[last].next = number;
      slot.first = false;
    }
    last = number;
  }
  const Address end = request.address + request.bytes;
  for (Address at = request.address; at < end;) {
    const Address next = std::min(end, (at / burst_bytes_ + 1) * burst_bytes_);
    RtlMemoryBurst burst{at, static_cast<std::uint32_t>(next - at), request.write, 0, number};
    for (Address byte = at; request.write && byte < next; ++byte) {
      const Address i = byte - request.address;
      burst.enables |= (request.enables[i / 64] >> (i % 64) & 1) << (byte - at);
    }
    bursts_.push(burst);
    ++slot.bursts;
    at = next;
  }
}

void RtlMemory::answered(std::uint32_t request) {
  Slot& slot = slots_[request];
  if (--slot.bursts > 0) return;
  if (slot.request.write && !pins_->answers_writes()) {
    free_.push_back(request);
    --in_use_;
    return;
  }
  answer_if_first(request);
}

void RtlMemory::answer_if_first(std::uint32_t number) {
  if (slots_[number].first && slots_[number].bursts == 0)
    ready_[direction(slots_[number].request.write)].push(number);
}

const RtlMemoryRequest* RtlMemory::answer(bool write) const {
  const Ring<std::uint32_t>& ready = ready_[direction(write)];
  return ready.empty() ? nullptr : &slots_[ready.front()].request;
}

// An answer whose number has been given frees the next one of its number.
void RtlMemory::pop_answer(bool write) {
  Ring<std::uint32_t>& ready = ready_[direction(write)];
  const std::uint32_t number = ready.front();
  ready.pop();
  const Slot& slot = slots_[number];
  if (slot.next == kNone) {
    last_[direction(write)][slot.request.id] = kNone;
  } else {
    slots_[slot.next].first = true;
    answer_if_first(slot.next);
  }
  free_.push_back(number);
  --in_use_;
}

void RtlMemory::check_data(const DataBeat& data, const RtlMemoryRequest& request, Address beat,
                           const char* what) {
  if (!checks_data_) return;
  const auto is_written = [&request](Address byte) {
    const Address i = byte - request.address;
    return byte >= request.address && i < request.bytes && (request.enables[i / 64] >> (i % 64) & 1) != 0;
  };
  if (const auto wrong = wrong_data(data, beat, is_written))
    fault_(fmt::format("{} at 'h{:x}", what, wrong->address), fmt::format("'h{:x}", wrong->expected),
           fmt::format("'h{:x}", wrong->got));
}

}  // namespace heddle
