#include "models/rtl/interfaces/valid_ready_memory.h"

#include <fmt/format.h>

#include <algorithm>

#include "models/rtl/interfaces/address_data.h"

namespace heddle {

ValidReadyMemory::ValidReadyMemory(RtlPort& port, const RtlRole& role, std::uint32_t transfer_bytes)
    : port_(port),
      valid_(role.find("memory_valid")),
      ready_(role.find("memory_ready")),
      write_(role.find("memory_write")),
      address_(role.find("memory_address")),
      bytes_(role.find("memory_bytes")),
      id_(role.find("memory_id")),
      data_(role.find("memory_data")),
      enables_(role.find("memory_enables")),
      fill_valid_(role.find("fill_valid")),
      fill_ready_(role.find("fill_ready")),
      fill_write_(role.find("fill_write")),
      fill_id_(role.find("fill_id")),
      fill_address_(role.find("fill_address")),
      fill_data_(role.find("fill_data")),
      default_bytes_(default_bytes(transfer_bytes)) {
  if (port.has(id_) != port.has(fill_id_))
    port.fail("needs pins for both memory_id and fill_id, or for neither");
}

// The size of a request whose block does not say it.
std::uint32_t ValidReadyMemory::default_bytes(std::uint32_t transfer_bytes) const {
  if (transfer_bytes != 0) return transfer_bytes;
  const std::uint32_t widest = std::max(port_.width(data_), port_.width(fill_data_)) / 8;
  return widest == 0 ? kLineBytes : widest;
}

void ValidReadyMemory::drive(RtlMemory& memory, bool room) {
  room_ = room || !port_.has(ready_);  // a block without the pin does not wait
  port_.set(ready_, room ? 1 : 0);
  const RtlMemoryRequest* const answer = memory.answer(false);
  filling_ = answer != nullptr;
  port_.set(fill_valid_, filling_ ? 1 : 0);
  if (!filling_) return;
  port_.set(fill_write_, answer->write ? 1 : 0);
  port_.set(fill_id_, answer->id);
  port_.set(fill_address_, answer->address);
  drive_data(port_, fill_data_, answer->address);
}

void ValidReadyMemory::collect(RtlMemory& memory) {
  if (filling_ && (!port_.has(fill_ready_) || port_.flag(fill_ready_))) memory.pop_answer(false);
  if (room_ && port_.flag(valid_)) memory.take(request(memory));
}

RtlMemoryRequest ValidReadyMemory::request(RtlMemory& memory) const {
  RtlMemoryRequest request;
  request.address = port_.number(address_);
  request.bytes = default_bytes_;
  if (port_.has(bytes_)) {
    const std::uint64_t bytes = port_.number(bytes_);
    if (bytes == 0 || bytes > RtlMemoryRequest::kMostBytes)
      port_.fail(fmt::format("memory_bytes is {}; a request to memory has 1 to {} B", bytes,
                             RtlMemoryRequest::kMostBytes));
    request.bytes = static_cast<std::uint32_t>(bytes);
  }
  request.write = port_.has(write_) && port_.flag(write_);
  if (port_.has(id_)) request.id = port_.number(id_);
  if (!request.write) return request;
  for (std::uint32_t low = 0; low < request.bytes; low += 64) {
    const std::uint32_t count = std::min(request.bytes - low, 64u);
    const std::uint64_t all = ~std::uint64_t{0} >> (64 - count);
    request.enables[low / 64] = low < port_.width(enables_) ? port_.bits(enables_, low, count) : all;
  }
  if (port_.has(data_)) memory.check_data(read_beat(port_, data_), request, request.address, "memory_data");
  return request;
}

}  // namespace heddle
