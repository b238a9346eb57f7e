#pragma once
// A stand-in for an SM. It sends random requests, takes the responses after random delays, and asserts that
// each request is answered once and that responses keep the guaranteed order.

#include <cstdint>
#include <vector>

#include "models/core/base/random.h"
#include "models/core/link/memory_port.h"
#include "models/core/link/payload_pool.h"

namespace heddle::test {

class RandomRequester : public sc_core::sc_module, public Clocked {
 public:
  RandomRequester(sc_core::sc_module_name name, ClockDomain& clock, SmId sm, std::uint64_t requests,
                  std::uint64_t seed);

  tlm::tlm_initiator_socket<>& memory() { return memory_.socket; }
  std::uint64_t answered() const { return answered_; }
  // Returns a hash over the order and the cycles of all responses.
  std::uint64_t digest() const { return digest_; }
  bool idle() const { return answered_ == requests_ && pool_.in_use() == 0; }

  void tick(Cycle now) override;

 private:
  struct Sent {
    std::uint64_t number = 0;
    Address address = 0;
    std::uint32_t bytes = 0;
    ContextId context;
    bool write = false;
  };

  void start_of_simulation() override { clock_.wake_at(sleeper_, Cycle{1}); }
  void answer(Cycle now);
  void send(Cycle now);
  void choose(Sent& sent, RequestKind& kind);
  void leave_bytes_out(tlm::tlm_generic_payload& payload);

  ClockDomain& clock_;
  ClockDomain::Sleeper sleeper_;
  const SmId sm_;
  const std::uint64_t requests_;
  Random random_;
  PayloadPool pool_;
  MemoryInitiator memory_;
  std::vector<Sent> in_flight_;  // in order of sending
  std::uint64_t sent_ = 0;
  std::uint64_t answered_ = 0;
  std::uint64_t digest_ = 0;
  Cycle send_from_{0};
  Cycle answer_from_{0};
};

}  // namespace heddle::test
