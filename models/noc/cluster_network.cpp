#include "models/noc/cluster_network.h"

#include <algorithm>

namespace heddle {

ClusterNetwork::ClusterNetwork(sc_core::sc_module_name name, const std::vector<SmId>& of,
                               std::uint32_t latency, std::uint32_t interval, ClockDomain& core)
    : sc_core::sc_module(name),
      latency_(latency),
      interval_(interval),
      core_(core),
      sleeper_(core.add(*this)),
      numbers_(of),
      ports_(of.size()) {
  sms.init(of.size());
  for (std::size_t i = 0; i < ports_.size(); ++i) {
    // An SM sends at most one transfer a cycle, which arrives in the next one.
    ports_[i].inbox = std::make_unique<Inbox<ClusterTransfer>>(basename(), core, sleeper_, 2);
    sms[i].bind(*ports_[i].inbox);
  }
}

void ClusterNetwork::reset() {
  for (Port& port : ports_) {
    port.inbox->reset();
    port.queue.clear();
    port.free = Cycle{0};
  }
}

bool ClusterNetwork::idle() const {
  return std::all_of(ports_.begin(), ports_.end(),
                     [](const Port& port) { return port.inbox->empty() && port.queue.empty(); });
}

std::size_t ClusterNetwork::port_of(SmId sm) const {
  const auto at = std::lower_bound(numbers_.begin(), numbers_.end(), sm,
                                   [](SmId a, SmId b) { return a.value < b.value; });
  return static_cast<std::size_t>(at - numbers_.begin());
}

void ClusterNetwork::tick(Cycle now) {
  for (Port& port : ports_)
    for (; port.inbox->has(now); port.inbox->pop())
      ports_[port_of(port.inbox->front().to)].queue.push(port.inbox->front());
  Cycle next = Cycle::never();
  for (std::size_t i = 0; i < ports_.size(); ++i)
    next = std::min({next, deliver(i, now), ports_[i].inbox->due(now)});
  if (next != Cycle::never()) core_.wake_at(sleeper_, next);
}

// A transfer takes one cycle from the SM to the network, and the rest of its latency from the network to the
// other SM.
Cycle ClusterNetwork::deliver(std::size_t number, Cycle now) {
  Port& port = ports_[number];
  if (port.queue.empty()) return Cycle::never();
  if (port.free <= now) {
    port.free = now + std::uint64_t{port.queue.front().packets()} * interval_;
    sms[number]->receive({port.queue.front()}, latency_ - 1);
    port.queue.pop();
  }
  return port.queue.empty() ? Cycle::never() : port.free;
}

}  // namespace heddle
