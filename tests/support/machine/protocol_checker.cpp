#include "tests/support/machine/protocol_checker.h"

#include <gtest/gtest.h>

namespace heddle::test {

ProtocolChecker::Attributes ProtocolChecker::Attributes::of(const Payload& payload) {
  Attributes attributes{payload.get_command(),
                        payload.get_data_ptr(),
                        payload.get_data_length(),
                        payload.get_streaming_width(),
                        payload.get_byte_enable_ptr(),
                        payload.get_byte_enable_length(),
                        {}};
  if (payload.is_write()) attributes.written.assign(attributes.data, attributes.data + attributes.length);
  return attributes;
}

bool ProtocolChecker::Attributes::operator==(const Attributes& other) const {
  return command == other.command && data == other.data && length == other.length &&
         streaming_width == other.streaming_width && byte_enables == other.byte_enables &&
         (byte_enables == nullptr || byte_enable_length == other.byte_enable_length) &&
         written == other.written;
}

ProtocolChecker::ProtocolChecker(sc_core::sc_module_name name) : sc_core::sc_module(name) {
  target.bind(*this);
  initiator.bind(*this);
}

tlm::tlm_sync_enum ProtocolChecker::nb_transport_fw(Payload& payload, tlm::tlm_phase& phase,
                                                    sc_core::sc_time& delay) {
  const tlm::tlm_phase called = phase;
  EXPECT_TRUE(called == tlm::BEGIN_REQ || called == tlm::END_RESP) << name() << ": forward phase " << called;
  if (called == tlm::BEGIN_REQ) begin_request(payload);
  pass_time(payload, delay);
  if (called == tlm::END_RESP) end_response(payload);
  const tlm::tlm_sync_enum status = initiator->nb_transport_fw(payload, phase, delay);
  if (called == tlm::END_RESP || status == tlm::TLM_ACCEPTED) return status;
  pass_time(payload, delay);
  if (requesting_ == &payload) end_request(payload);
  if (status == tlm::TLM_COMPLETED) {
    begin_response(payload);
    end_response(payload);
    return status;
  }
  EXPECT_TRUE(phase == tlm::END_REQ || phase == tlm::BEGIN_RESP)
      << name() << ": BEGIN_REQ updated to " << phase;
  if (phase == tlm::BEGIN_RESP) begin_response(payload);
  return status;
}

tlm::tlm_sync_enum ProtocolChecker::nb_transport_bw(Payload& payload, tlm::tlm_phase& phase,
                                                    sc_core::sc_time& delay) {
  const tlm::tlm_phase called = phase;
  EXPECT_TRUE(called == tlm::END_REQ || called == tlm::BEGIN_RESP) << name() << ": backward phase " << called;
  if (called == tlm::END_REQ) end_request(payload);
  if (called == tlm::BEGIN_RESP) {
    if (requesting_ == &payload) end_request(payload);  // BEGIN_RESP implies END_REQ
    begin_response(payload);
  }
  pass_time(payload, delay);
  const tlm::tlm_sync_enum status = target->nb_transport_bw(payload, phase, delay);
  if (status == tlm::TLM_ACCEPTED) return status;
  pass_time(payload, delay);
  EXPECT_EQ(called, tlm::BEGIN_RESP) << name() << ": END_REQ was answered by more than acceptance";
  EXPECT_TRUE(status != tlm::TLM_UPDATED || phase == tlm::END_RESP)
      << name() << ": BEGIN_RESP updated to " << phase;
  if (responding_ == &payload) end_response(payload);
  return status;
}

void ProtocolChecker::b_transport(Payload& payload, sc_core::sc_time& delay) {
  ++requests_;
  const Attributes before = Attributes::of(payload);
  EXPECT_EQ(payload.get_response_status(), tlm::TLM_INCOMPLETE_RESPONSE) << name();
  initiator->b_transport(payload, delay);
  EXPECT_TRUE(before == Attributes::of(payload)) << name() << ": attributes changed on the way";
  EXPECT_NE(payload.get_response_status(), tlm::TLM_INCOMPLETE_RESPONSE) << name();
  ++responses_;
}

// Section 15.2.7 c.
void ProtocolChecker::pass_time(const Payload& payload, const sc_core::sc_time& delay) {
  const sc_core::sc_time time = sc_core::sc_time_stamp() + delay;
  EXPECT_GE(time.value(), times_[&payload].value()) << name() << ": a decreasing annotation";
  times_[&payload] = time;
}

void ProtocolChecker::begin_request(const Payload& payload) {
  ++requests_;
  times_[&payload] = sc_core::SC_ZERO_TIME;
  EXPECT_EQ(requesting_, nullptr) << name() << ": a request before the last was taken";
  EXPECT_EQ(in_flight_.count(&payload), 0u) << name() << ": a payload sent again before its response";
  EXPECT_TRUE(payload.has_mm() && payload.get_ref_count() > 0)
      << name() << ": a payload without memory manager";
  EXPECT_EQ(payload.get_response_status(), tlm::TLM_INCOMPLETE_RESPONSE) << name();
  EXPECT_FALSE(payload.is_dmi_allowed()) << name();
  EXPECT_NE(payload.get_data_ptr(), nullptr) << name();
  EXPECT_GT(payload.get_data_length(), 0u) << name();
  EXPECT_GT(payload.get_streaming_width(), 0u) << name();
  requesting_ = &payload;
  in_flight_[&payload] = Attributes::of(payload);
}

void ProtocolChecker::end_request(const Payload& payload) {
  EXPECT_EQ(requesting_, &payload) << name() << ": END_REQ for no request";
  requesting_ = nullptr;
}

void ProtocolChecker::begin_response(const Payload& payload) {
  ++responses_;
  EXPECT_EQ(responding_, nullptr) << name() << ": a response before the last was taken";
  const auto sent = in_flight_.find(&payload);
  EXPECT_TRUE(sent != in_flight_.end() && sent->second == Attributes::of(payload))
      << name() << ": a response to no request, or its attributes changed on the way";
  EXPECT_NE(payload.get_response_status(), tlm::TLM_INCOMPLETE_RESPONSE) << name();
  responding_ = &payload;
}

void ProtocolChecker::end_response(const Payload& payload) {
  EXPECT_EQ(responding_, &payload) << name() << ": END_RESP for no response";
  responding_ = nullptr;
  in_flight_.erase(&payload);
}

}  // namespace heddle::test
