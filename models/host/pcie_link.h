#pragma once
// The PCIe link has half of its lanes in each direction. A packet occupies the lanes in the direction of its
// data (CUsched, Table I). Ports are served at packet boundaries, the lowest port first, so that command
// fetches and fence writes go before bulk data. `system` connects the GPU with system memory. Several links
// may share their lanes, which they then use in turn (LinkTurns).

#include <algorithm>
#include <array>
#include <memory>
#include <vector>

#include "models/core/link/memory_port.h"
#include "models/host/host_spec.h"
#include "models/host/link_turns.h"
#include "models/stats/group.h"

namespace heddle {

class PcieLink : public sc_core::sc_module, public Clocked {
 public:
  // `turns` belongs to all links that share the lanes, and outlives them. It is null if no other link has
  // these lanes.
  PcieLink(sc_core::sc_module_name name, const PcieSpec& spec, std::uint32_t ports, ClockDomain& pcie,
           LinkTurns* turns = nullptr);

  tlm::tlm_target_socket<>& port(std::uint32_t i) { return ports_[i].target->socket; }
  tlm::tlm_initiator_socket<>& system() { return system_.socket; }

  void reset();
  void tick(Cycle now) override;
  bool idle() const;
  // Brings the counters up to the present: a packet that is crossing counts as far as it has.
  void update_stats();
  Group& stats() { return stats_; }

 private:
  using Payload = tlm::tlm_generic_payload;
  struct Port {
    std::unique_ptr<MemoryTarget> target;
    bool on_wire = false;  // its request was granted
    Cycle end_request;     // the cycle of END_REQ while on_wire
  };
  struct Transit {  // a packet from its grant to its response
    Payload* payload = nullptr;
    std::uint32_t port = 0;
    Cycle forward;  // goes to system memory in this cycle: a read at once, a write when its data has crossed
                    // the link
    Cycle respond;  // the earliest cycle of the response, when its data has crossed the link
    bool sent = false;
    bool answered = false;
  };
  static constexpr std::size_t kTransits = 128;  // in flight each way
  struct Lanes {                                 // one direction
    Cycle free;
    Ring<Transit> transits{kTransits};
    // All packets up to the last one, which may be crossing until `free`.
    std::uint64_t packets = 0;
    std::uint64_t bytes = 0;
    std::uint64_t cycles = 0;
    std::uint64_t last_bytes = 0;  // of the last packet
    std::uint64_t last_cycles = 0;
  };

  void collect_responses(Cycle now);
  void advance(Lanes& lanes, Cycle now);
  void end_requests(Cycle now);
  void grant(std::size_t direction, Cycle now);
  // Returns when another packet can start in this direction.
  Cycle free(std::size_t direction) const {
    const Cycle own = lanes_[direction].free;
    return turns_ == nullptr ? own : std::max(own, turns_->free(direction));
  }
  Cycle next_wake(Cycle now) const;

  const PcieSpec spec_;
  ClockDomain& pcie_;
  ClockDomain::Sleeper sleeper_;
  MemoryInitiator system_;
  std::vector<Port> ports_;
  LinkTurns* const turns_;
  const std::uint32_t number_;  // among the links of `turns_`
  std::array<Lanes, 2> lanes_;  // 0: towards the GPU (reads), 1: towards the host (writes)

  Group stats_;
  std::array<Counter, 2> packets_;
  std::array<Counter, 2> bytes_;
  std::array<Counter, 2> busy_cycles_;
};

}  // namespace heddle
