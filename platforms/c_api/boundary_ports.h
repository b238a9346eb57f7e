#pragma once
// The two sides of a block that stands alone: who sends requests to it, and what answers its own.

#include <cstdint>
#include <optional>

#include "models/core/base/ring.h"
#include "models/core/link/memory_port.h"
#include "models/core/link/payload_pool.h"

namespace heddle {

struct BoundaryRequest {
  std::uint64_t id = 0;  // the caller's, which comes back with the response
  Address address = 0;
  std::uint32_t bytes = 0;
  bool write = false;
};

// Sends what the caller gives it between two cycles, at most one request a cycle.
class BoundarySource final : public sc_core::sc_module, public Clocked {
 public:
  static constexpr std::size_t kOutstanding = 1024;  // requests whose response the caller has not taken

  BoundarySource(sc_core::sc_module_name name, ClockDomain& clock);

  tlm::tlm_initiator_socket<>& socket() { return port_.socket; }

  // Returns whether the request is sent in `cycle`, the next one. If not, the block has no room for it now.
  bool send(const BoundaryRequest& request, Cycle cycle);
  std::optional<std::uint64_t> take();  // the id of the oldest response that was not taken

  void reset();
  void tick(Cycle now) override;

 private:
  ClockDomain& clock_;
  ClockDomain::Sleeper sleeper_;
  PayloadPool pool_;
  MemoryInitiator port_;
  std::optional<BoundaryRequest> next_;
  Ring<std::uint64_t> responses_;  // ids
};

// Answers each request a fixed number of cycles after it has arrived, in order and at most one a cycle.
class FarSide final : public sc_core::sc_module, public Clocked {
 public:
  FarSide(sc_core::sc_module_name name, ClockDomain& clock, std::uint64_t latency);

  tlm::tlm_target_socket<>& socket() { return port_.socket; }

  void reset();
  void tick(Cycle now) override;

 private:
  struct Answer {
    Cycle due;
    tlm::tlm_generic_payload* payload = nullptr;
  };
  static constexpr std::size_t kMost = 4096;  // requests that wait for their answer

  ClockDomain& clock_;
  ClockDomain::Sleeper sleeper_;
  const std::uint64_t latency_;
  MemoryTarget port_;
  Ring<Answer> answers_;  // in order of due cycle
};

}  // namespace heddle
