#include "platforms/c_api/boundary_ports.h"

#include <algorithm>

namespace heddle {

BoundarySource::BoundarySource(sc_core::sc_module_name name, ClockDomain& clock)
    : sc_core::sc_module(name),
      clock_(clock),
      sleeper_(clock.add(*this)),
      pool_(kOutstanding, kLineBytes),
      port_("port", clock, sleeper_, kOutstanding),
      responses_(kOutstanding) {}

bool BoundarySource::send(const BoundaryRequest& request, Cycle cycle) {
  const bool has_room = pool_.in_use() + responses_.size() < kOutstanding;
  if (next_ || !has_room || !port_.can_send(cycle)) return false;
  next_ = request;
  clock_.wake_at(sleeper_, cycle);
  return true;
}

std::optional<std::uint64_t> BoundarySource::take() {
  if (responses_.empty()) return std::nullopt;
  const std::uint64_t id = responses_.front();
  responses_.pop();
  return id;
}

void BoundarySource::reset() {
  pool_.reset();
  port_.reset();
  next_.reset();
  responses_.clear();
}

void BoundarySource::tick(Cycle now) {
  for (; port_.has_response(now); port_.pop_response()) {
    tlm::tlm_generic_payload& payload = port_.response();
    responses_.push(payload.get_extension<RequestInfo>()->number);
    payload.release();
  }
  if (next_) {
    tlm::tlm_generic_payload& payload = pool_.take(
        next_->write ? tlm::TLM_WRITE_COMMAND : tlm::TLM_READ_COMMAND, next_->address, next_->bytes);
    RequestInfo& info = *payload.get_extension<RequestInfo>();
    info.number = next_->id;
    info.kind = next_->write ? RequestKind::kStore : RequestKind::kLoad;
    info.context = ContextId{0};
    info.account = AccountId{0};
    info.sm = SmId{0};
    info.issued = now;
    next_.reset();
    port_.send(payload, now);
  }
  clock_.wake_at(sleeper_, port_.due(now));
}

FarSide::FarSide(sc_core::sc_module_name name, ClockDomain& clock, std::uint64_t latency)
    : sc_core::sc_module(name),
      clock_(clock),
      sleeper_(clock.add(*this)),
      latency_(latency),
      port_("port", clock, sleeper_, 1),
      answers_(kMost) {}

void FarSide::reset() {
  port_.reset();
  answers_.clear();
}

void FarSide::tick(Cycle now) {
  if (!answers_.empty() && answers_.front().due <= now && port_.respond_free() <= now) {
    answers_.front().payload->set_response_status(tlm::TLM_OK_RESPONSE);
    port_.respond(*answers_.front().payload, now);
    answers_.pop();
  }
  if (port_.has_request(now) && answers_.size() < kMost)
    answers_.push({now + latency_, &port_.take_request()});
  port_.take_from(answers_.size() < kMost ? now + 1 : Cycle::never());
  Cycle next = port_.due(now);
  if (!answers_.empty() && port_.can_respond(now))
    next = std::min(next, std::max(answers_.front().due, now + 1));
  if (next != Cycle::never()) clock_.wake_at(sleeper_, next);
}

}  // namespace heddle
