#include "models/host/pcie_link.h"

#include <algorithm>

namespace heddle {

namespace {

// END_REQ is sent this many cycles before the lanes are free, so that the next packet has arrived by then:
// one cycle for the initiator to see END_REQ and one for its request to arrive.
constexpr std::uint64_t kRequestAhead = 2;

}  // namespace

PcieLink::PcieLink(sc_core::sc_module_name name, const PcieSpec& spec, std::uint32_t ports, ClockDomain& pcie,
                   LinkTurns* turns)
    : sc_core::sc_module(name),
      spec_(spec),
      pcie_(pcie),
      sleeper_(pcie.add(*this)),
      system_("system", pcie, sleeper_, 2 * kTransits),
      ports_(ports),
      turns_(turns),
      number_(turns == nullptr ? 0 : turns->join()),
      stats_(basename()) {
  for (std::uint32_t i = 0; i < ports; ++i)
    ports_[i].target = std::make_unique<MemoryTarget>(("port" + std::to_string(i)).c_str(), pcie, sleeper_);
  const std::array<const char*, 2> way{"to_gpu", "to_host"};
  for (std::size_t d = 0; d < way.size(); ++d) {
    Group& group = stats_.child(way[d]);
    group.add(packets_[d], "packets", "packet", "packets whose data crossed the link this way");
    group.add(bytes_[d], "bytes", "byte", "data that crossed the link this way");
    group.add(busy_cycles_[d], "busy_cycles", "cycle", "PCIe cycles in which these lanes carried data");
  }
}

void PcieLink::reset() {
  system_.reset();
  for (Port& port : ports_) {
    port.target->reset();
    port.on_wire = false;
  }
  for (Lanes& lanes : lanes_) {
    lanes.free = Cycle{};
    lanes.transits.clear();
    lanes.packets = lanes.bytes = lanes.cycles = lanes.last_bytes = lanes.last_cycles = 0;
  }
  if (turns_ != nullptr) turns_->reset();
  stats_.reset();
}

void PcieLink::tick(Cycle now) {
  collect_responses(now);
  for (Lanes& lanes : lanes_) advance(lanes, now);
  end_requests(now);
  for (std::size_t direction = 0; direction < lanes_.size(); ++direction) grant(direction, now);
  pcie_.wake_at(sleeper_, next_wake(now));
}

void PcieLink::collect_responses(Cycle now) {
  for (; system_.has_response(now); system_.pop_response())
    for (Lanes& lanes : lanes_)
      for (std::size_t i = 0; i < lanes.transits.size(); ++i)
        if (lanes.transits[i].payload == &system_.response()) lanes.transits[i].answered = true;
}

void PcieLink::advance(Lanes& lanes, Cycle now) {
  for (std::size_t i = 0; i < lanes.transits.size() && system_.can_send(now); ++i) {
    Transit& transit = lanes.transits[i];
    if (transit.sent) continue;
    if (transit.forward > now) break;
    transit.sent = true;
    system_.send(*transit.payload, now);
  }
  while (!lanes.transits.empty()) {
    const Transit& oldest = lanes.transits.front();
    if (!oldest.answered || oldest.respond > now || !ports_[oldest.port].target->can_respond(now)) return;
    ports_[oldest.port].target->respond(*oldest.payload, now);
    lanes.transits.pop();
  }
}

void PcieLink::end_requests(Cycle now) {
  for (Port& port : ports_)
    if (port.on_wire && port.end_request <= now) {
      port.on_wire = false;
      port.target->take_request();
    }
}

void PcieLink::grant(std::size_t direction, Cycle now) {
  Lanes& lanes = lanes_[direction];
  if (lanes.free > now || lanes.transits.full()) return;
  for (std::uint32_t i = 0; i < ports_.size(); ++i) {
    Port& port = ports_[i];
    if (port.on_wire || !port.target->has_request(now)) continue;
    Payload& payload = port.target->request();
    if (payload.is_write() != (direction == 1)) continue;
    if (turns_ != nullptr && !turns_->ask(direction, number_, now)) return;
    const std::uint64_t bytes = payload.get_data_length();
    const std::uint64_t cycles =
        std::max<std::uint64_t>(1, (bytes + spec_.bytes_per_cycle() - 1) / spec_.bytes_per_cycle());
    lanes.free = now + cycles;
    if (turns_ != nullptr) turns_->start(direction, lanes.free);
    const Cycle crossed = lanes.free + spec_.latency;
    lanes.transits.push({&payload, i, payload.is_write() ? crossed : now, crossed, false, false});
    port.on_wire = true;
    port.end_request = now + (cycles > kRequestAhead ? cycles - kRequestAhead : 0);
    ++lanes.packets;
    lanes.bytes += lanes.last_bytes = bytes;
    lanes.cycles += lanes.last_cycles = cycles;
    advance(lanes, now);
    if (port.end_request <= now) end_requests(now);
    return;
  }
}

void PcieLink::update_stats() {
  const Cycle now = pcie_.now();
  for (std::size_t direction = 0; direction < lanes_.size(); ++direction) {
    const Lanes& lanes = lanes_[direction];
    const std::uint64_t cycles_to_come = lanes.free > now ? lanes.free - now : 0;
    const std::uint64_t crossed =
        std::min(lanes.last_bytes, (lanes.last_cycles - cycles_to_come) * spec_.bytes_per_cycle());
    packets_[direction].set(lanes.packets - (cycles_to_come > 0 ? 1 : 0));
    bytes_[direction].set(lanes.bytes - (lanes.last_bytes - crossed));
    busy_cycles_[direction].set(lanes.cycles - cycles_to_come);
  }
}

Cycle PcieLink::next_wake(Cycle now) const {
  Cycle next = system_.due(now);
  const auto at = [&](Cycle cycle) { next = std::min(next, std::max(cycle, now + 1)); };
  for (const Port& port : ports_) {
    if (port.on_wire)
      at(port.end_request);
    else if (port.target->has_request(now))
      at(free(port.target->request().is_write() ? 1 : 0));
    else
      at(port.target->due(now));
  }
  for (const Lanes& lanes : lanes_)
    for (std::size_t i = 0; i < lanes.transits.size(); ++i) {
      const Transit& transit = lanes.transits[i];
      if (!transit.sent) {  // due() has the cycle from which system memory takes the next request
        if (transit.forward > now || system_.can_send(now)) at(transit.forward);
        break;
      }
      if (i == 0 && transit.answered) at(transit.respond);
    }
  return next;
}

bool PcieLink::idle() const {
  return lanes_[0].transits.empty() && lanes_[1].transits.empty() &&
         std::none_of(ports_.begin(), ports_.end(),
                      [](const Port& port) { return port.target->request_due() != Cycle::never(); });
}

}  // namespace heddle
