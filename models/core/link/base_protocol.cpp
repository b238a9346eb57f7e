#include "models/core/link/base_protocol.h"

#include <algorithm>

namespace heddle {

namespace {

using Payload = tlm::tlm_generic_payload;

// The request that a payload of ToBaseProtocol stands for.
struct RequestOf : public tlm::tlm_extension<RequestOf> {
  MemoryRequest* request = nullptr;

  tlm::tlm_extension_base* clone() const override { return new RequestOf(*this); }
  void copy_from(const tlm::tlm_extension_base& other) override {
    *this = static_cast<const RequestOf&>(other);
  }
};

RequestOf& request_of(Payload& payload) {
  auto* extension = payload.get_extension<RequestOf>();
  if (extension == nullptr) {
    extension = new RequestOf;  // stays with the payload
    payload.set_extension(extension);
  }
  return *extension;
}

LinkTime link_time(const sc_core::sc_time& delay) {
  return delay.value() == 0 ? kNextEdge : (sc_core::sc_time_stamp() + delay).value();
}

sc_core::sc_time delay_of(LinkTime at) {
  const LinkTime now = sc_core::sc_time_stamp().value();
  return sc_core::sc_time::from_value(at > now ? at - now : 0);
}

// A call for a payload takes effect no earlier than the call before it, whose annotated time is `before`.
sc_core::sc_time delay_of(LinkTime at, const sc_core::sc_time& before) {
  return std::max(delay_of(at), delay_of(before.value()));
}

}  // namespace

ToBaseProtocol::ToBaseProtocol(const sc_core::sc_module_name& name, LinkInitiator& from)
    : sc_core::sc_module(name), pool_(kOutstanding, 2 * kLineBytes) {
  socket.bind(*this);
  link_.bind(*this);
  from.socket.bind(link_);
}

void ToBaseProtocol::reset() {
  pool_.reset();
  requesting_ = nullptr;
  held_ = nullptr;
}

Payload& ToBaseProtocol::payload_of(const MemoryRequest& request) {
  HEDDLE_CHECK(!pool_.empty(), name(), Cycle{}, "{} requests without an answer", kOutstanding);
  Payload& payload = pool_.take(is_write(request.kind) ? tlm::TLM_WRITE_COMMAND : tlm::TLM_READ_COMMAND,
                                request.address, request.bytes);
  if (request.partial) {
    unsigned char* enables = payload.get_data_ptr() + kLineBytes;
    const auto first = static_cast<std::uint32_t>(request.address % kLineBytes);
    for (std::uint32_t i = 0; i < request.bytes; ++i) {
      const bool written = (request.written[(first + i) / 64] >> (first + i) % 64 & 1) != 0;
      enables[i] = written ? TLM_BYTE_ENABLED : TLM_BYTE_DISABLED;
    }
    payload.set_byte_enable_ptr(enables);
    payload.set_byte_enable_length(request.bytes);
  }
  RequestInfo& info = *payload.get_extension<RequestInfo>();
  info.context = request.context;
  info.account = request.account;
  info.sm = request.sm;
  info.warp = request.warp;
  info.kind = request.kind;
  info.lanes = request.lanes;
  info.depth = request.depth;
  info.number = request.number;
  info.trace = request.trace;
  info.issued = request.issued;
  return payload;
}

bool ToBaseProtocol::request(MemoryRequest& request, LinkTime at) {
  Payload& payload = payload_of(request);
  request_of(payload).request = &request;
  requesting_ = &payload;
  tlm::tlm_phase phase = tlm::BEGIN_REQ;
  sc_core::sc_time delay = delay_of(at);
  const tlm::tlm_sync_enum status = socket->nb_transport_fw(payload, phase, delay);
  if (status == tlm::TLM_ACCEPTED) return requesting_ == nullptr;
  const bool waits = requesting_ != nullptr;
  requesting_ = nullptr;
  if (status == tlm::TLM_COMPLETED || phase == tlm::BEGIN_RESP) {
    const bool complete = answer(payload, delay);
    if (complete && status == tlm::TLM_UPDATED) {
      phase = tlm::END_RESP;
      socket->nb_transport_fw(payload, phase, delay);
    }
    if (complete) payload.release();
    return true;
  }
  if (waits && delay != sc_core::SC_ZERO_TIME) {
    link_->request_taken(link_time(delay));
    return false;
  }
  return true;
}

bool ToBaseProtocol::answer(Payload& payload, const sc_core::sc_time& delay) {
  HEDDLE_CHECK(payload.is_response_ok(), name(), Cycle{}, "the request for {:#x} was answered {}",
               payload.get_address(), payload.get_response_string());
  MemoryRequest& request = *request_of(payload).request;
  request.missed_line = payload.get_extension<RequestInfo>()->missed_line;
  if (link_->answer(request, link_time(delay))) return true;
  held_ = &payload;
  held_since_ = sc_core::sc_time_stamp() + delay;
  return false;
}

void ToBaseProtocol::answer_taken(LinkTime at) {
  Payload& payload = *held_;
  held_ = nullptr;
  tlm::tlm_phase phase = tlm::END_RESP;
  sc_core::sc_time delay = delay_of(at, held_since_);
  socket->nb_transport_fw(payload, phase, delay);
  payload.release();
}

tlm::tlm_sync_enum ToBaseProtocol::nb_transport_bw(Payload& payload, tlm::tlm_phase& phase,
                                                   sc_core::sc_time& delay) {
  HEDDLE_CHECK(phase == tlm::END_REQ || phase == tlm::BEGIN_RESP, name(), Cycle{},
               "phase {} has no place on the backward path", static_cast<unsigned>(phase));
  if (requesting_ == &payload) {  // a BEGIN_RESP without END_REQ implies END_REQ
    requesting_ = nullptr;
    link_->request_taken(link_time(delay));
  }
  if (phase == tlm::END_REQ) return tlm::TLM_ACCEPTED;
  if (!answer(payload, delay)) return tlm::TLM_ACCEPTED;
  phase = tlm::END_RESP;
  payload.release();
  return tlm::TLM_COMPLETED;
}

FromBaseProtocol::FromBaseProtocol(const sc_core::sc_module_name& name, LinkTarget& to)
    : sc_core::sc_module(name), pool_(kOutstanding) {
  socket.bind(*this);
  link_.bind(*this);
  link_.bind(to.socket);
}

void FromBaseProtocol::reset() {
  pool_.reset();
  held_ = nullptr;
  responding_ = nullptr;
}

void FromBaseProtocol::fill(MemoryRequest& request, Payload& payload) {
  request.address = payload.get_address();
  request.bytes = payload.get_data_length();
  if (const RequestInfo* info = payload.get_extension<RequestInfo>()) {
    request.context = info->context;
    request.account = info->account;
    request.sm = info->sm;
    request.warp = info->warp;
    request.kind = info->kind;
    request.lanes = info->lanes;
    request.depth = info->depth;
    request.number = info->number;
    request.trace = info->trace;
    request.issued = info->issued;
  }
  if (payload.is_write() && !is_write(request.kind)) request.kind = RequestKind::kStore;
  const unsigned char* enables = payload.get_byte_enable_ptr();
  const auto first = static_cast<std::uint32_t>(request.address % kLineBytes);
  if (!payload.is_write() || enables == nullptr || first + request.bytes > kLineBytes) return;
  request.partial = true;
  for (std::uint32_t i = 0; i < request.bytes; ++i)
    if (enables[i % payload.get_byte_enable_length()] != TLM_BYTE_DISABLED)
      request.written[(first + i) / 64] |= std::uint64_t{1} << (first + i) % 64;
}

tlm::tlm_sync_enum FromBaseProtocol::nb_transport_fw(Payload& payload, tlm::tlm_phase& phase,
                                                     sc_core::sc_time& delay) {
  if (phase == tlm::END_RESP) {
    HEDDLE_CHECK(responding_ == &payload, name(), Cycle{}, "END_RESP for another response");
    end(payload);
    link_->answer_taken(link_time(delay));
    return tlm::TLM_COMPLETED;
  }
  HEDDLE_CHECK(phase == tlm::BEGIN_REQ && held_ == nullptr, name(), Cycle{},
               "phase {} while a request waits for its END_REQ", static_cast<unsigned>(phase));
  HEDDLE_CHECK(!pool_.empty(), name(), Cycle{}, "{} requests without an answer", kOutstanding);
  payload.acquire();
  Held& request = pool_.take();
  request = Held();
  request.payload = &payload;
  fill(request, payload);
  if (!link_->request(request, link_time(delay))) {
    held_ = &payload;
    held_since_ = sc_core::sc_time_stamp() + delay;
    return tlm::TLM_ACCEPTED;
  }
  phase = tlm::END_REQ;
  return tlm::TLM_UPDATED;
}

void FromBaseProtocol::request_taken(LinkTime at) {
  Payload& payload = *held_;
  held_ = nullptr;
  tlm::tlm_phase phase = tlm::END_REQ;
  sc_core::sc_time delay = delay_of(at, held_since_);
  socket->nb_transport_bw(payload, phase, delay);
}

bool FromBaseProtocol::answer(MemoryRequest& request, LinkTime at) {
  auto& held = static_cast<Held&>(request);
  Payload& payload = *held.payload;
  payload.set_response_status(tlm::TLM_OK_RESPONSE);
  payload.set_address(request.address);
  if (RequestInfo* info = payload.get_extension<RequestInfo>()) info->missed_line = request.missed_line;
  pool_.give_back(held);
  responding_ = &payload;
  tlm::tlm_phase phase = tlm::BEGIN_RESP;
  sc_core::sc_time delay = delay_of(at);
  const tlm::tlm_sync_enum status = socket->nb_transport_bw(payload, phase, delay);
  const bool complete =
      status == tlm::TLM_COMPLETED || (status == tlm::TLM_UPDATED && phase == tlm::END_RESP);
  if (complete) end(payload);
  return responding_ == nullptr;
}

void FromBaseProtocol::end(Payload& payload) {
  responding_ = nullptr;
  payload.release();
}

// The blocks behind the link take their timing from its calls alone, so b_transport() is an error.
void FromBaseProtocol::b_transport(Payload& payload, sc_core::sc_time&) {
  payload.set_response_status(tlm::TLM_GENERIC_ERROR_RESPONSE);
}

}  // namespace heddle
