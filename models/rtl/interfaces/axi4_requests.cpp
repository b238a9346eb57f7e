#include "models/rtl/interfaces/axi4_requests.h"

#include <fmt/format.h>

#include <algorithm>

#include "models/rtl/interfaces/address_data.h"

namespace heddle {

Axi4Requests::Axi4Requests(RtlPort& port, const RtlRole& role)
    : port_(port),
      aw_(role, "aw"),
      ar_(role, "ar"),
      w_valid_(role.find("w_valid")),
      w_ready_(role.find("w_ready")),
      w_data_(role.find("w_data")),
      w_enables_(role.find("w_enables")),
      w_last_(role.find("w_last")),
      b_valid_(role.find("b_valid")),
      b_ready_(role.find("b_ready")),
      b_id_(role.find("b_id")),
      b_response_(role.find("b_response")),
      r_valid_(role.find("r_valid")),
      r_ready_(role.find("r_ready")),
      r_id_(role.find("r_id")),
      r_data_(role.find("r_data")),
      r_response_(role.find("r_response")),
      r_last_(role.find("r_last")),
      beat_bytes_(axi4_beat_bytes(port, w_data_, r_data_)),
      beat_size_(static_cast<std::uint32_t>(__builtin_ctz(beat_bytes_))) {
  for (const char* signal : {"aw_valid", "aw_ready", "aw_address", "w_valid", "w_ready", "w_data", "b_valid",
                             "ar_ready", "r_data"})
    if (!port.has(role.find(signal))) port.fail(fmt::format("AXI4 needs a pin for {}", signal));
  const bool has_ids = port.has(aw_.id);
  if (port.has(ar_.id) != has_ids || port.has(b_id_) != has_ids || port.has(r_id_) != has_ids)
    port.fail("needs pins for all of aw_id, ar_id, b_id and r_id, or for none");
}

std::uint32_t Axi4Requests::unit(std::uint32_t transfer_bytes) const {
  if (transfer_bytes != 0 && transfer_bytes < beat_bytes_)
    port_.fail(fmt::format("transfers of {} B; a beat has {} B", transfer_bytes, beat_bytes_));
  return std::max(transfer_bytes, beat_bytes_);
}

std::uint64_t Axi4Requests::ids() const {
  const std::uint32_t bits = std::min(port_.width(aw_.id), port_.width(ar_.id));
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
  port_.set(b_ready_, room ? 1 : 0);
  port_.set(r_ready_, room ? 1 : 0);
  const bool write = offered != nullptr && offered->write;
  drive_address(aw_, write && !address_taken_ ? offered : nullptr);
  drive_address(ar_, write ? nullptr : offered);
  const bool has_beat = write && beats_taken_ < beats_of(*offered);
  port_.set(w_valid_, has_beat ? 1 : 0);
  if (!has_beat) return;
  const Address beat = offered->address + Address{beats_taken_} * beat_bytes_;
  drive_data(port_, w_data_, beat);
  drive_enables(port_, w_enables_, *offered, beat);
  port_.set(w_last_, beats_taken_ + 1 == beats_of(*offered) ? 1 : 0);
}

bool Axi4Requests::taken(const RtlTransfer& offered) {
  if (!offered.write) return port_.flag(ar_.ready);
  if (beats_taken_ < beats_of(offered) && port_.flag(w_ready_)) ++beats_taken_;
  address_taken_ = address_taken_ || port_.flag(aw_.ready);
  if (!address_taken_ || beats_taken_ < beats_of(offered)) return false;
  address_taken_ = false;
  beats_taken_ = 0;
  return true;
}

void Axi4Requests::collect(RtlRequests& requests) {
  if (!room_) return;
  if (port_.flag(r_valid_)) collect_beat(requests);
  if (!port_.flag(b_valid_)) return;
  RtlResponse response;
  response.write = true;
  if (port_.has(b_id_)) response.id = port_.number(b_id_);
  response.failed = port_.has(b_response_) && port_.number(b_response_) != 0;
  requests.respond(response);
}

void Axi4Requests::collect_beat(RtlRequests& requests) {
  RtlResponse response;
  if (port_.has(r_id_)) response.id = port_.number(r_id_);
  RtlTransfer* const transfer = requests.find(false, response.id);
  if (transfer == nullptr) return;
  const bool failed = port_.has(r_response_) && port_.number(r_response_) != 0;
  if (!failed)
    requests.check_data(r_data_, *transfer, transfer->address + Address{transfer->beats} * beat_bytes_,
                        "r_data");
  transfer->failed = transfer->failed || failed;
  ++transfer->beats;
  const bool is_last = transfer->beats == beats_of(*transfer);
  if (port_.has(r_last_) && port_.flag(r_last_) != is_last)
    requests.fault(fmt::format("r_last of beat {} of {} of request {}", transfer->beats, beats_of(*transfer),
                               transfer->request.number),
                   is_last ? "1" : "0", is_last ? "0" : "1");
  if (!is_last) return;
  response.failed = transfer->failed;
  requests.respond(response);
}

}  // namespace heddle
