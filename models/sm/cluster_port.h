#pragma once
// The ClusterPort of an SM is its socket to the network between the SMs of its GPC. It sends one transfer
// after another, each of which takes the port for its packets.

#include "models/core/kernel/cluster_messages.h"
#include "models/core/link/message_port.h"
#include "models/sm/pipeline/cluster_outbox.h"
#include "models/sm/spec/sm_spec.h"

namespace heddle {

class ClusterPort {
 public:
  // `sm` is the number of the SM. The sleeper is woken when a transfer has come.
  ClusterPort(const char* owner, const ClusterNetworkSpec& spec, SmId sm, ClockDomain& core,
              ClockDomain::Sleeper sleeper)
      : spec_(spec), sm_(sm), inbox_(owner, core, sleeper, spec.latency + 2) {
    socket.bind(inbox_);
  }

  RequestSocket<ClusterTransfer, ClusterDelivery> socket{"cluster"};

  void reset() {
    inbox_.reset();
    free_ = Cycle{0};
  }
  bool has_transfer(Cycle now) const { return inbox_.has(now); }
  const ClusterTransfer& transfer() const { return inbox_.front().transfer; }
  void pop_transfer() { inbox_.pop(); }
  Cycle next_transfer(Cycle now) const { return inbox_.due(now); }
  bool idle() const { return inbox_.empty(); }

  // Returns whether send() sends a transfer of the outbox in this cycle.
  bool can_send(const ClusterOutbox& outbox, Cycle now) const { return !outbox.empty() && free_ <= now; }
  void send(ClusterOutbox& outbox, Cycle now) {
    if (!can_send(outbox, now)) return;
    ClusterTransfer transfer = outbox.take();
    transfer.from = sm_;
    free_ = now + std::uint64_t{transfer.packets()} * spec_.interval;
    socket->receive(transfer, 1);
  }
  // Returns the next cycle after `now` in which can_send() is true if nothing else comes, or never.
  Cycle next_send(const ClusterOutbox& outbox, Cycle now) const {
    return outbox.empty() ? Cycle::never() : std::max(free_, now + 1);
  }

 private:
  const ClusterNetworkSpec spec_;
  const SmId sm_;
  Inbox<ClusterDelivery> inbox_;
  Cycle free_{0};  // from when on the port takes the next transfer
};

}  // namespace heddle
