#include "models/rtl/interfaces/valid_ready_requests.h"

#include <fmt/format.h>

#include <algorithm>

#include "models/rtl/interfaces/address_data.h"

namespace heddle {

ValidReadyRequests::ValidReadyRequests(RtlPort& port, const RtlRole& role, bool answers_writes)
    : port_(port),
      answers_writes_(answers_writes),
      valid_(role.find("request_valid")),
      ready_(role.find("request_ready")),
      write_(role.find("request_write")),
      atomic_(role.find("request_atomic")),
      lanes_(role.find("request_lanes")),
      address_(role.find("request_address")),
      bytes_(role.find("request_bytes")),
      id_(role.find("request_id")),
      data_(role.find("request_data")),
      enables_(role.find("request_enables")),
      response_valid_(role.find("response_valid")),
      response_ready_(role.find("response_ready")),
      response_id_(role.find("response_id")),
      response_error_(role.find("response_error")),
      response_hit_(role.find("response_hit")),
      response_address_(role.find("response_address")),
      response_data_(role.find("response_data")) {
  if (port.has(id_) != port.has(response_id_))
    port.fail("needs pins for both request_id and response_id, or for neither");
}

// A transfer passes in one tick, so it is at most as wide as the data.
std::uint32_t ValidReadyRequests::unit(std::uint32_t transfer_bytes) const {
  const std::uint32_t widest = std::max(port_.width(data_), port_.width(response_data_)) / 8;
  if (transfer_bytes == 0) return widest == 0 ? kLineBytes : std::min(widest, kLineBytes);
  if (widest != 0 && transfer_bytes > widest)
    port_.fail(fmt::format("transfers of {} B; the data have {} B", transfer_bytes, widest));
  return transfer_bytes;
}

std::uint64_t ValidReadyRequests::ids() const {
  const std::uint32_t bits = port_.width(id_);
  return bits == 0 ? 0 : std::uint64_t{1} << std::min(bits, 32u);
}

void ValidReadyRequests::drive(const RtlTransfer* offered, bool room) {
  room_ = room;
  port_.set(response_ready_, room ? 1 : 0);
  port_.set(valid_, offered == nullptr ? 0 : 1);
  if (offered == nullptr) return;
  port_.set(write_, offered->write ? 1 : 0);
  port_.set(atomic_, offered->atomic ? 1 : 0);
  port_.set(lanes_, offered->atomic ? offered->request.lanes : 0);
  port_.set(address_, offered->address);
  port_.set(bytes_, offered->bytes);
  port_.set(id_, offered->id);
  drive_data(port_, data_, offered->address);
  drive_enables(port_, enables_, *offered, offered->address);
}

bool ValidReadyRequests::taken(const RtlTransfer&) {
  return !port_.has(ready_) || port_.flag(ready_);
}

void ValidReadyRequests::collect(RtlRequests& requests) {
  if (!room_ || !port_.flag(response_valid_)) return;
  RtlResponse response;
  if (port_.has(response_id_)) response.id = port_.number(response_id_);
  response.failed = port_.has(response_error_) && port_.flag(response_error_);
  if (port_.has(response_hit_)) response.hit = port_.flag(response_hit_);
  const RtlTransfer* const transfer = requests.find(false, response.id);
  if (transfer == nullptr) return;
  if (port_.has(response_address_) && port_.number(response_address_) != transfer->address)
    requests.fault(fmt::format("response_address of request {}", transfer->request.number),
                   fmt::format("'h{:x}", transfer->address),
                   fmt::format("'h{:x}", port_.number(response_address_)));
  if (port_.has(response_data_) && !transfer->write)
    requests.check_data(response_data_, *transfer, transfer->address, "response_data");
  requests.respond(response);
}

}  // namespace heddle
