#include "models/rtl/interfaces/axi4_requests.h"

#include <fmt/format.h>

#include <algorithm>

#include "models/rtl/interfaces/address_data.h"

namespace heddle {

Axi4Requests::Axi4Requests(RtlPort& port, const RtlRole& role)
    : port_(port),
      pins_(role, ""),
      beat_bytes_(axi4_beat_bytes(port, pins_)),
      beat_size_(static_cast<std::uint32_t>(__builtin_ctz(beat_bytes_))) {
  for (const char* signal : {"aw_valid", "aw_ready", "aw_address", "w_valid", "w_ready", "w_data", "b_valid",
                             "ar_ready", "r_data"})
    if (!port.has(role.find(signal))) port.fail(fmt::format("AXI4 needs a pin for {}", signal));
  const bool has_ids = port.has(pins_.aw.id);
  if (port.has(pins_.ar.id) != has_ids || port.has(pins_.b_id) != has_ids || port.has(pins_.r_id) != has_ids)
    port.fail("needs pins for all of aw_id, ar_id, b_id and r_id, or for none");
}

std::uint32_t Axi4Requests::unit(std::uint32_t transfer_bytes) const {
  if (transfer_bytes != 0 && transfer_bytes < beat_bytes_)
    port_.fail(fmt::format("transfers of {} B; a beat has {} B", transfer_bytes, beat_bytes_));
  return std::max(transfer_bytes, beat_bytes_);
}

std::uint64_t Axi4Requests::ids() const {
  const std::uint32_t bits = std::min(port_.width(pins_.aw.id), port_.width(pins_.ar.id));
  return bits == 0 ? 0 : std::uint64_t{1} << std::min(bits, 32u);
}

void Axi4Requests::reset() {
  address_taken_ = false;
  beats_taken_ = 0;
}

void Axi4Requests::drive_address(const Axi4AddressPins& pins, const RtlTransfer* transfer) {
  port_.set(pins.valid, transfer == nullptr ? 0 : 1);
  if (transfer == nullptr) return;
  port_.set(pins.id, transfer->id);
  port_.set(pins.address, transfer->address);
  port_.set(pins.length, beats_of(*transfer) - 1);
  port_.set(pins.size, beat_size_);
  port_.set(pins.burst, kAxi4Incrementing);
}

void Axi4Requests::drive(const RtlTransfer* offered, bool room) {
  room_ = room;
  port_.set(pins_.b_ready, room ? 1 : 0);
  port_.set(pins_.r_ready, room ? 1 : 0);
  const bool write = offered != nullptr && offered->write;
  drive_address(pins_.aw, write && !address_taken_ ? offered : nullptr);
  drive_address(pins_.ar, write ? nullptr : offered);
  const bool has_beat = write && beats_taken_ < beats_of(*offered);
  port_.set(pins_.w_valid, has_beat ? 1 : 0);
  if (!has_beat) return;
  const Address beat = offered->address + Address{beats_taken_} * beat_bytes_;
  drive_data(port_, pins_.w_data, beat);
  drive_enables(port_, pins_.w_enables, *offered, beat);
  port_.set(pins_.w_last, beats_taken_ + 1 == beats_of(*offered) ? 1 : 0);
}

bool Axi4Requests::taken(const RtlTransfer& offered) {
  if (!offered.write) return port_.flag(pins_.ar.ready);
  if (beats_taken_ < beats_of(offered) && port_.flag(pins_.w_ready)) ++beats_taken_;
  address_taken_ = address_taken_ || port_.flag(pins_.aw.ready);
  if (!address_taken_ || beats_taken_ < beats_of(offered)) return false;
  address_taken_ = false;
  beats_taken_ = 0;
  return true;
}

void Axi4Requests::collect(RtlRequests& requests) {
  if (!room_) return;
  if (port_.flag(pins_.r_valid)) collect_beat(requests);
  if (!port_.flag(pins_.b_valid)) return;
  RtlResponse response;
  response.write = true;
  if (port_.has(pins_.b_id)) response.id = port_.number(pins_.b_id);
  response.failed = port_.has(pins_.b_response) && port_.number(pins_.b_response) != 0;
  requests.respond(response);
}

void Axi4Requests::collect_beat(RtlRequests& requests) {
  RtlResponse response;
  if (port_.has(pins_.r_id)) response.id = port_.number(pins_.r_id);
  RtlTransfer* const transfer = requests.find(false, response.id);
  if (transfer == nullptr) return;
  const bool failed = port_.has(pins_.r_response) && port_.number(pins_.r_response) != 0;
  if (!failed)
    requests.check_data(pins_.r_data, *transfer, transfer->address + Address{transfer->beats} * beat_bytes_,
                        "r_data");
  transfer->failed = transfer->failed || failed;
  ++transfer->beats;
  const bool is_last = transfer->beats == beats_of(*transfer);
  if (port_.has(pins_.r_last) && port_.flag(pins_.r_last) != is_last)
    requests.fault(fmt::format("r_last of beat {} of {} of request {}", transfer->beats, beats_of(*transfer),
                               transfer->request.number),
                   is_last ? "1" : "0", is_last ? "0" : "1");
  if (!is_last) return;
  response.failed = transfer->failed;
  requests.respond(response);
}

}  // namespace heddle
