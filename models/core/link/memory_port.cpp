#include "models/core/link/memory_port.h"

#include <algorithm>

namespace heddle {

void MemoryInitiator::reset() {
  MemoryPort::reset();
  responses_.clear();
  outstanding_ = 0;
  request_free_ = Cycle{0};
  requesting_ = nullptr;
  held_ = nullptr;
}

void MemoryTarget::reset() {
  MemoryPort::reset();
  waiting_.clear();
  held_ = nullptr;
  responding_ = nullptr;
  respond_free_ = Cycle{0};
}

void MemoryInitiator::send(Payload& payload, Cycle now) {
  HEDDLE_CHECK(requesting_ == nullptr && outstanding_ < outstanding_limit_, socket.name(), now,
               "a request before the last was taken");
  ++outstanding_;
  requesting_ = &payload;
  request_free_ = Cycle::never();
  if (calls_now(kBeginRequest)) begin_request(now);
}

void MemoryInitiator::make_calls(Cycle now) {
  if (takes(kBeginRequest)) begin_request(now);
  if (takes(kEndResponse)) end_response();
}

void MemoryInitiator::begin_request(Cycle now) {
  Payload& payload = *requesting_;
  tlm::tlm_phase phase = tlm::BEGIN_REQ;
  const sc_core::sc_time ahead = domain_.ahead();
  sc_core::sc_time delay = ahead;
  const tlm::tlm_sync_enum status = socket->nb_transport_fw(payload, phase, delay);
  if (status == tlm::TLM_ACCEPTED) return;
  if (status == tlm::TLM_COMPLETED) {
    request_taken(ahead, now);
    respond(payload, delay, now);
    return;
  }
  if (requesting_ != nullptr) request_taken(delay, now);
  if (delay == ahead) request_free_ = now + 1;  // the target has room already
  if (phase == tlm::BEGIN_RESP) {
    respond(payload, delay, now);
    if (hold(payload, delay)) return;
    phase = tlm::END_RESP;
    socket->nb_transport_fw(payload, phase, delay);
  }
}

tlm::tlm_sync_enum MemoryInitiator::nb_transport_bw(Payload& payload, tlm::tlm_phase& phase,
                                                    sc_core::sc_time& delay) {
  const Cycle now = domain_.now();
  HEDDLE_CHECK(phase == tlm::END_REQ || phase == tlm::BEGIN_RESP, socket.name(), now,
               "phase {} has no place on the backward path", static_cast<unsigned>(phase));
  if (requesting_ == &payload) request_taken(delay, now);  // a BEGIN_RESP without END_REQ implies END_REQ
  if (phase == tlm::END_REQ) return tlm::TLM_ACCEPTED;
  respond(payload, delay, now);
  if (hold(payload, delay)) return tlm::TLM_ACCEPTED;
  phase = tlm::END_RESP;
  return tlm::TLM_COMPLETED;
}

bool MemoryInitiator::hold(Payload& payload, const sc_core::sc_time& delay) {
  if (responses_.size() <= responses_limit_) return false;
  held_ = &payload;
  held_since_ = annotated(delay);
  return true;
}

// The wake depends on the state of the port alone, so that due() gives it whether END_REQ comes before or
// after the owner's tick of the same cycle.
void MemoryInitiator::request_taken(const sc_core::sc_time& delay, Cycle now) {
  requesting_ = nullptr;
  request_free_ = arrival(now, delay);
  if (rule_.sends()) wake(rule_.sends_at(request_free_));
}

void MemoryInitiator::respond(Payload& payload, const sc_core::sc_time& delay, Cycle now) {
  HEDDLE_CHECK(held_ == nullptr && !responses_.full(), socket.name(), now, "a response while {} wait",
               responses_.size());
  Cycle due = arrival(now, delay);
  if (!responses_.empty()) due = std::max(due, responses_[responses_.size() - 1].due);
  responses_.push({due, &payload});
  came(now, due);
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

void MemoryTarget::respond(Payload& payload, Cycle now) {
  HEDDLE_CHECK(responding_ == nullptr, socket.name(), now, "a response before the last was taken");
  responding_ = &payload;
  if (calls_now(kBeginResponse)) begin_response();
}

void MemoryTarget::begin_response() {
  Payload& payload = *responding_;
  tlm::tlm_phase phase = tlm::BEGIN_RESP;
  sc_core::sc_time delay = domain_.ahead();
  const tlm::tlm_sync_enum status = socket->nb_transport_bw(payload, phase, delay);
  if (status == tlm::TLM_COMPLETED || (status == tlm::TLM_UPDATED && phase == tlm::END_RESP)) responded();
}

void MemoryTarget::responded() {
  responding_->release();
  responding_ = nullptr;
}

tlm::tlm_sync_enum MemoryTarget::nb_transport_fw(Payload& payload, tlm::tlm_phase& phase,
                                                 sc_core::sc_time& delay) {
  const Cycle now = domain_.now();
  if (phase == tlm::END_RESP) {
    HEDDLE_CHECK(responding_ == &payload, socket.name(), now, "END_RESP for another response");
    responded();
    respond_free_ = now + 1;
    if (rule_.sends()) came(now, rule_.sends_at(respond_free_));
    return tlm::TLM_COMPLETED;
  }
  HEDDLE_CHECK(phase == tlm::BEGIN_REQ && held_ == nullptr, socket.name(), now,
               "phase {} while a request waits for its END_REQ", static_cast<unsigned>(phase));
  payload.acquire();
  const Cycle due = arrival(now, delay) + latency_;
  waiting_.push({due, &payload});
  came(now, due);
  if (waiting_.size() > capacity_) {
    held_ = &payload;
    held_since_ = annotated(delay);
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
