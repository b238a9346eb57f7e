#pragma once
// A system memory that follows the full base-protocol handshake. It takes a request some cycles after its
// arrival and answers some cycles later, so that the initiator meets back-pressure and gets its responses on
// the backward path.

#include "models/core/link/memory_port.h"
#include "models/core/memory/sparse_memory.h"

namespace heddle::test {

class SlowMemory : public sc_core::sc_module, public Clocked {
 public:
  SlowMemory(sc_core::sc_module_name name, ClockDomain& clock, std::uint64_t accept, std::uint64_t answer)
      : sc_core::sc_module(name),
        clock_(clock),
        sleeper_(clock.add(*this)),
        accept_(accept),
        answer_(answer),
        port_("port", clock, sleeper_) {}

  tlm::tlm_target_socket<>& socket() { return port_.socket; }
  SparseMemory bytes;

  void tick(Cycle now) override {
    while (!waiting_.empty() && waiting_.front().due <= now && port_.can_respond(now)) {
      tlm::tlm_generic_payload& payload = *waiting_.front().payload;
      waiting_.pop();
      if (payload.is_read())
        bytes.read(payload.get_address(), payload.get_data_ptr(), payload.get_data_length());
      if (payload.is_write())
        bytes.write(payload.get_address(), payload.get_data_ptr(), payload.get_data_length());
      payload.set_response_status(tlm::TLM_OK_RESPONSE);
      port_.respond(payload, now);
    }
    if (port_.has_request(now) && port_.request_due() + accept_ <= now && !waiting_.full())
      waiting_.push({now + answer_, &port_.take_request()});
    if (!waiting_.empty()) clock_.wake_at(sleeper_, std::max(waiting_.front().due, now + 1));
    if (port_.request_due() != Cycle::never())
      clock_.wake_at(sleeper_, std::max(port_.request_due() + accept_, now + 1));
  }

 private:
  struct Waiting {
    Cycle due;
    tlm::tlm_generic_payload* payload = nullptr;
  };
  ClockDomain& clock_;
  ClockDomain::Sleeper sleeper_;
  const std::uint64_t accept_;
  const std::uint64_t answer_;
  MemoryTarget port_;
  Ring<Waiting> waiting_{16};
};

}  // namespace heddle::test
