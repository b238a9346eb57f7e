#pragma once
// The InputPorts are the ports at the inputs of a Switch, where messages wait until the input buffer has room
// for all flits of the message. The messages themselves stay in the links; the InputPorts know which ports
// have one, and which of these the switch has refused.

#include <algorithm>
#include <cstdint>
#include <vector>

#include "models/core/base/counter.h"
#include "models/core/base/port_set.h"
#include "models/noc/switch.h"
#include "models/stats/group.h"

namespace heddle {

class InputPorts {
 public:
  // The switch must outlive the object.
  InputPorts(Switch& direction, std::uint32_t ports)
      : switch_(direction), loaded_(ports), refused_(ports), refused_flits_(ports) {}

  void reset() {
    loaded_.reset();
    refused_.reset();
  }
  void add_stats(Group& group) {
    group.add(refused_cycles_, "refused_cycles", "cycle",
              "sum over packets of the time at a port whose input buffer had no room");
  }

  // The ports with a message. The links add a port, and the owner removes it when no message is left.
  PortSet& loaded() { return loaded_; }
  const PortSet& loaded() const { return loaded_; }

  // Returns false if the message that was refused last at this port finds no room yet.
  bool may_push(std::uint32_t port, Cycle now) {
    if (refused_.test(port) && !switch_.fits(port, refused_flits_[port], now)) return false;
    refused_.clear(port);
    return true;
  }
  // Returns whether the next message of the port, which has so many flits and has waited since `arrived`,
  // finds room. The owner then pushes it. If it does not, the port is refused until may_push().
  bool accepts(std::uint32_t port, std::uint32_t flits, Cycle arrived, Cycle now) {
    if (!switch_.fits(port, flits, now)) {
      refused_.set(port);
      refused_flits_[port] = flits;
      return false;
    }
    refused_cycles_ += now - arrived;
    return true;
  }
  // Returns when flits of a refused port's input leave next, or never. The call follows Switch::arbitrate().
  Cycle room_at(Cycle now) const {
    Cycle next = Cycle::never();
    refused_.for_each([&](std::uint32_t port) { next = std::min(next, switch_.room_at(port, now)); });
    return next;
  }

 private:
  Switch& switch_;
  PortSet loaded_;
  PortSet refused_;                           // of these, the ports whose message finds no room
  std::vector<std::uint32_t> refused_flits_;  // by port: flits of that message
  Counter refused_cycles_;
};

}  // namespace heddle
