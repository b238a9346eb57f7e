#include "models/rtl/interfaces/axi4_memory.h"

#include <fmt/format.h>

#include <algorithm>

#include "models/rtl/interfaces/address_data.h"

namespace heddle {

Axi4Memory::Axi4Memory(RtlPort& port, const RtlRole& role)
    : port_(port), pins_(role, "memory_"), beat_bytes_(axi4_beat_bytes(port, pins_)) {}

std::uint32_t Axi4Memory::id_bits() const {
  return std::max(port_.width(pins_.aw.id), port_.width(pins_.ar.id));
}

void Axi4Memory::reset() {
  writing_ = false;
  held_.reset();
  read_beat_ = write_beat_ = 0;
}

void Axi4Memory::drive(RtlMemory& memory, bool room) {
  room_ = room;
  port_.set(pins_.ar.ready, room ? 1 : 0);
  port_.set(pins_.aw.ready, room && !writing_ ? 1 : 0);
  port_.set(pins_.w_ready, writing_ || (room && !held_) ? 1 : 0);
  const RtlMemoryRequest* const write = memory.answer(true);
  port_.set(pins_.b_valid, write == nullptr ? 0 : 1);
  if (write != nullptr) {
    port_.set(pins_.b_id, write->id);
    port_.set(pins_.b_response, 0);
  }
  const RtlMemoryRequest* const read = memory.answer(false);
  port_.set(pins_.r_valid, read == nullptr ? 0 : 1);
  if (read == nullptr) return;
  port_.set(pins_.r_id, read->id);
  port_.set(pins_.r_response, 0);
  const Address first = read->address / beat_bytes_ * beat_bytes_;
  drive_data(port_, pins_.r_data, first + Address{read_beat_} * beat_bytes_);
  port_.set(pins_.r_last,
            first + Address{read_beat_ + 1} * beat_bytes_ >= read->address + read->bytes ? 1 : 0);
}

void Axi4Memory::collect(RtlMemory& memory) {
  collect_answers(memory);
  collect_write(memory);
  if (room_ && port_.flag(pins_.ar.valid)) memory.take(request(pins_.ar, false));
}

void Axi4Memory::collect_answers(RtlMemory& memory) {
  if (memory.answer(true) != nullptr && (!port_.has(pins_.b_ready) || port_.flag(pins_.b_ready)))
    memory.pop_answer(true);
  const RtlMemoryRequest* const read = memory.answer(false);
  if (read == nullptr || (port_.has(pins_.r_ready) && !port_.flag(pins_.r_ready))) return;
  ++read_beat_;
  const Address first = read->address / beat_bytes_ * beat_bytes_;
  if (first + Address{read_beat_} * beat_bytes_ < read->address + read->bytes) return;
  read_beat_ = 0;
  memory.pop_answer(false);
}

void Axi4Memory::collect_write(RtlMemory& memory) {
  const bool takes_beat = port_.flag(pins_.w_valid) && (writing_ || (room_ && !held_));
  if (!writing_ && room_ && port_.flag(pins_.aw.valid)) {
    write_ = request(pins_.aw, true);
    writing_ = true;
    write_beat_ = 0;
    if (held_) take_beat(memory, *held_);
    held_.reset();
  }
  if (!takes_beat) return;
  if (writing_)
    take_beat(memory, read_write_beat());
  else
    held_ = read_write_beat();
}

Axi4Memory::WriteBeat Axi4Memory::read_write_beat() const {
  WriteBeat beat;
  beat.data = read_beat(port_, pins_.w_data);
  for (std::uint32_t byte = 0; byte < beat_bytes_; ++byte)
    if (!port_.has(pins_.w_enables) || port_.bits(pins_.w_enables, byte, 1) != 0)
      beat.enables[byte / 64] |= std::uint64_t{1} << (byte % 64);
  beat.is_last = port_.has(pins_.w_last) && port_.flag(pins_.w_last);
  return beat;
}

void Axi4Memory::take_beat(RtlMemory& memory, const WriteBeat& beat) {
  const Address first = write_.address / beat_bytes_ * beat_bytes_;
  const Address address = first + Address{write_beat_} * beat_bytes_;
  for (std::uint32_t byte = 0; byte < beat_bytes_; ++byte) {
    if (address + byte < write_.address || (beat.enables[byte / 64] >> (byte % 64) & 1) == 0) continue;
    const Address i = address + byte - write_.address;
    write_.enables[i / 64] |= std::uint64_t{1} << (i % 64);
  }
  memory.check_data(beat.data, write_, address, "memory_w_data");
  ++write_beat_;
  const bool is_last = address + beat_bytes_ >= write_.address + write_.bytes;
  if (port_.has(pins_.w_last) && beat.is_last != is_last)
    memory.fault(fmt::format("memory_w_last of beat {} of the write of {} B at 'h{:x}", write_beat_,
                             write_.bytes, write_.address),
                 is_last ? "1" : "0", is_last ? "0" : "1");
  if (!is_last) return;
  writing_ = false;
  memory.take(write_);
}

// Returns the request of an address channel. Its first beat may begin within the width of the data.
RtlMemoryRequest Axi4Memory::request(const Axi4AddressPins& pins, bool write) const {
  const auto number = [&](RtlSignalId signal, std::uint64_t absent) {
    return port_.has(signal) ? port_.number(signal) : absent;
  };
  RtlMemoryRequest request;
  request.address = port_.number(pins.address);
  request.write = write;
  request.id = number(pins.id, 0);
  const std::uint64_t beats = number(pins.length, 0) + 1;
  const auto whole = static_cast<std::uint64_t>(__builtin_ctz(beat_bytes_));
  const std::uint64_t bytes = (request.address / beat_bytes_ + beats) * beat_bytes_ - request.address;
  if (number(pins.size, whole) != whole || number(pins.burst, kAxi4Incrementing) != kAxi4Incrementing ||
      bytes > RtlMemoryRequest::kMostBytes)
    port_.fail(
        fmt::format("a burst to memory at 'h{:x} of {} beats of {} B, burst type {}; bursts have "
                    "incrementing addresses, full beats and at most {} B",
                    request.address, beats, std::uint64_t{1} << number(pins.size, whole),
                    number(pins.burst, kAxi4Incrementing), RtlMemoryRequest::kMostBytes));
  request.bytes = static_cast<std::uint32_t>(bytes);
  return request;
}

}  // namespace heddle
