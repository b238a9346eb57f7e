#include "models/core/link/memory_port.h"

#include <algorithm>

namespace heddle {

void MemoryInitiator::reset() {
  PortWaker::reset();
  responses_.clear();
  outstanding_ = 0;
  request_free_ = next_request_ = Cycle{0};
  requesting_ = nullptr;
  held_ = nullptr;
}

void MemoryTarget::reset() {
  PortWaker::reset();
  waiting_.clear();
  held_ = nullptr;
  responding_ = nullptr;
  respond_free_ = Cycle{0};
  next_response_ = Cycle{0};
}

void MemoryInitiator::send(Payload& payload) {
  HEDDLE_CHECK(requesting_ == nullptr && outstanding_ < outstanding_limit_, socket.name(), domain_.now(),
               "a request before the last was taken");
  ++outstanding_;
  requesting_ = &payload;
  request_free_ = Cycle::never();
  if (calls_now(kBeginRequest)) begin_request();
}

void MemoryInitiator::make_calls() {
  if (takes(kBeginRequest)) begin_request();
  if (takes(kEndResponse)) end_response();
}

void MemoryInitiator::begin_request() {
  Payload& payload = *requesting_;
  tlm::tlm_phase phase = tlm::BEGIN_REQ;
  sc_core::sc_time delay = sc_core::SC_ZERO_TIME;
  const tlm::tlm_sync_enum status = socket->nb_transport_fw(payload, phase, delay);
  if (status == tlm::TLM_ACCEPTED) return;
  if (status == tlm::TLM_COMPLETED) {
    request_taken(sc_core::SC_ZERO_TIME);
    respond(payload, delay);
    return;
  }
  if (requesting_ != nullptr) request_taken(delay);
  if (phase == tlm::BEGIN_RESP) {
    respond(payload, delay);
    if (hold(payload, delay)) return;
    phase = tlm::END_RESP;
    socket->nb_transport_fw(payload, phase, delay);
  }
}

tlm::tlm_sync_enum MemoryInitiator::nb_transport_bw(Payload& payload, tlm::tlm_phase& phase,
                                                    sc_core::sc_time& delay) {
  HEDDLE_CHECK(phase == tlm::END_REQ || phase == tlm::BEGIN_RESP, socket.name(), domain_.now(),
               "phase {} has no place on the backward path", static_cast<unsigned>(phase));
  if (requesting_ == &payload) request_taken(delay);  // a BEGIN_RESP without END_REQ implies END_REQ
  if (phase == tlm::END_REQ) return tlm::TLM_ACCEPTED;
  respond(payload, delay);
  if (hold(payload, delay)) return tlm::TLM_ACCEPTED;
  phase = tlm::END_RESP;
  return tlm::TLM_COMPLETED;
}

bool MemoryInitiator::hold(Payload& payload, const sc_core::sc_time& delay) {
  if (responses_.size() <= responses_limit_) return false;
  held_ = &payload;
  held_since_ = sc_core::sc_time_stamp() + delay;
  return true;
}

void MemoryInitiator::request_taken(const sc_core::sc_time& delay) {
  requesting_ = nullptr;
  const Cycle now = domain_.now();
  request_free_ = arrival(now, delay);
  if (next_request_ != Cycle::never()) wake(request_wake(now));
}

void MemoryInitiator::respond(Payload& payload, const sc_core::sc_time& delay) {
  HEDDLE_CHECK(held_ == nullptr && !responses_.full(), socket.name(), domain_.now(),
               "a response while {} wait", responses_.size());
  const Cycle now = domain_.now();
  Cycle due = arrival(now, delay);
  if (!responses_.empty()) due = std::max(due, responses_[responses_.size() - 1].due);
  responses_.push({due, &payload});
  ask(now, due);
}

void MemoryInitiator::pop_response() {
  responses_.pop();
  --outstanding_;
  if (held_ != nullptr && calls_now(kEndResponse)) end_response();
}

void MemoryInitiator::end_response() {
  Payload& held = *held_;
  held_ = nullptr;
  tlm::tlm_phase phase = tlm::END_RESP;
  sc_core::sc_time delay = delay_until(held_since_);
  socket->nb_transport_fw(held, phase, delay);
}

MemoryTarget::Payload& MemoryTarget::take_request() {
  Payload& payload = *waiting_.front().payload;
  waiting_.pop();
  if (held_ != nullptr && calls_now(kEndRequest)) end_request();
  return payload;
}

void MemoryTarget::make_calls() {
  if (takes(kBeginResponse)) begin_response();
  if (takes(kEndRequest)) end_request();
}

void MemoryTarget::end_request() {
  Payload& held = *held_;
  held_ = nullptr;
  tlm::tlm_phase phase = tlm::END_REQ;
  sc_core::sc_time delay = delay_until(held_since_);
  socket->nb_transport_bw(held, phase, delay);
}

void MemoryTarget::respond(Payload& payload) {
  HEDDLE_CHECK(responding_ == nullptr, socket.name(), domain_.now(), "a response before the last was taken");
  responding_ = &payload;
  if (calls_now(kBeginResponse)) begin_response();
}

void MemoryTarget::begin_response() {
  Payload& payload = *responding_;
  tlm::tlm_phase phase = tlm::BEGIN_RESP;
  sc_core::sc_time delay = sc_core::SC_ZERO_TIME;
  const tlm::tlm_sync_enum status = socket->nb_transport_bw(payload, phase, delay);
  if (status == tlm::TLM_COMPLETED || (status == tlm::TLM_UPDATED && phase == tlm::END_RESP)) responded();
}

void MemoryTarget::responded() {
  responding_->release();
  responding_ = nullptr;
}

tlm::tlm_sync_enum MemoryTarget::nb_transport_fw(Payload& payload, tlm::tlm_phase& phase,
                                                 sc_core::sc_time& delay) {
  if (phase == tlm::END_RESP) {
    HEDDLE_CHECK(responding_ == &payload, socket.name(), domain_.now(), "END_RESP for another response");
    responded();
    const Cycle now = domain_.now();
    respond_free_ = now + 1;
    if (next_response_ != Cycle::never()) ask(now, std::max(respond_free_, next_response_));
    return tlm::TLM_COMPLETED;
  }
  HEDDLE_CHECK(phase == tlm::BEGIN_REQ && held_ == nullptr, socket.name(), domain_.now(),
               "phase {} while a request waits for its END_REQ", static_cast<unsigned>(phase));
  payload.acquire();
  const Cycle now = domain_.now();
  const Cycle due = arrival(now, delay) + latency_;
  waiting_.push({due, &payload});
  ask(now, due);
  if (waiting_.size() > capacity_) {
    held_ = &payload;
    held_since_ = sc_core::sc_time_stamp() + delay;
    return tlm::TLM_ACCEPTED;
  }
  phase = tlm::END_REQ;
  return tlm::TLM_UPDATED;
}

// The blocks behind this port take their timing from the phases alone, so b_transport() is an error.
void MemoryTarget::b_transport(Payload& payload, sc_core::sc_time&) {
  payload.set_response_status(tlm::TLM_GENERIC_ERROR_RESPONSE);
}

}  // namespace heddle
