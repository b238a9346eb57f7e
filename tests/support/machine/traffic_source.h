#pragma once
// A clocked initiator of base-protocol requests. It sends each request as soon as its cycle has come and the
// target has taken the previous request. It takes responses in the cycle after they have come. Those that
// find `responses` others waiting get their END_RESP then, and the others at once.

#include <vector>

#include "models/core/link/memory_port.h"
#include "models/core/link/payload_pool.h"

namespace heddle::test {

class TrafficSource : public sc_core::sc_module, public Clocked {
 public:
  static constexpr std::size_t kOutstanding = 64;
  struct Request {
    tlm::tlm_command command = tlm::TLM_READ_COMMAND;
    Address address = 0;
    std::uint32_t bytes = 0;
    Cycle not_before;
    RequestKind kind = RequestKind::kOther;
    std::uint8_t lanes = 0;
    std::uint8_t depth = 0;
    ContextId context{0};
    AccountId account{0};
  };
  struct Done {
    Cycle sent;
    Cycle answered;
    std::uint32_t bytes = 0;
    std::uint64_t number = 0;  // of the request, counted from 0
  };

  TrafficSource(sc_core::sc_module_name name, ClockDomain& clock, std::vector<Request> requests,
                SmId sm = SmId{0}, std::size_t responses = kOutstanding);

  tlm::tlm_initiator_socket<>& memory() { return memory_.socket; }
  const std::vector<Done>& done() const { return done_; }

  void tick(Cycle now) override;

 private:
  void start_of_simulation() override { clock_.wake_at(sleeper_, Cycle{1}); }

  ClockDomain& clock_;
  ClockDomain::Sleeper sleeper_;
  const std::vector<Request> requests_;
  const SmId sm_;
  std::size_t next_ = 0;
  PayloadPool pool_;
  MemoryInitiator memory_;
  std::vector<Done> done_;
};

}  // namespace heddle::test
