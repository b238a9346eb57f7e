#pragma once
// The ClusterNetwork connects the SMs of a GPC, whose blocks of a cluster access each other's shared memory
// by it (NVIDIA H100 white paper, "Distributed Shared Memory": a network from SM to SM). A transfer waits
// until the port of the SM that it goes to is free, which then takes it packet by packet. Transfers to an SM
// keep the order in which they arrived; of those that arrive in one cycle the one of the SM with the lowest
// number is first.

#include <memory>
#include <vector>

#include "models/core/base/growing_ring.h"
#include "models/core/kernel/cluster_messages.h"
#include "models/core/link/message_port.h"

namespace heddle {

class ClusterNetwork : public sc_core::sc_module, public Clocked {
 public:
  // `sms` are the SMs of the GPC. `latency` is the time of a transfer from one SM to another, and `interval`
  // that of a packet at a port, in core cycles; see ClusterNetworkSpec.
  ClusterNetwork(sc_core::sc_module_name name, const std::vector<SmId>& sms, std::uint32_t latency,
                 std::uint32_t interval, ClockDomain& core);

  sc_core::sc_vector<ReplySocket<ClusterTransfer, ClusterDelivery>> sms{"sms"};  // in the order of `sms`

  void reset();  // drops every transfer
  void tick(Cycle now) override;
  bool idle() const;

 private:
  // The port of an SM.
  struct Port {
    std::unique_ptr<Inbox<ClusterTransfer>> inbox;  // what the SM has sent
    GrowingRing<ClusterTransfer> queue;             // what goes to the SM
    Cycle free{0};                                  // from when on it takes the next transfer
  };
  std::size_t port_of(SmId sm) const;
  Cycle deliver(std::size_t port, Cycle now);  // returns the cycle of its next call, or never

  const std::uint32_t latency_;
  const std::uint32_t interval_;
  ClockDomain& core_;
  const ClockDomain::Sleeper sleeper_;
  const std::vector<SmId> numbers_;  // of the SMs, ascending
  std::vector<Port> ports_;
};

}  // namespace heddle
