#pragma once
// One direction of the crossbar: a first-in first-out buffer of flits at each input, and at each output an
// arbiter over the packets at the heads of the inputs. A packet keeps its input and its output, a flit a
// cycle, until its tail has passed; it starts when the output's buffer has room for all of it.
//
// Within a cycle: take packets from the outputs, give packets to the inputs, then arbitrate().

#include <vector>

#include "models/core/base/ids.h"
#include "models/core/base/port_set.h"
#include "models/core/base/ring.h"
#include "models/noc/noc_spec.h"
#include "models/stats/group.h"

namespace heddle {

class Switch {
 public:
  struct Packet {
    void* load = nullptr;  // the caller's
    Cycle arrived;         // at the crossbar
    Cycle issued;          // its request, by the initiator's clock
    std::uint32_t output = 0;
    std::uint32_t flits = 0;  // 1 or more
  };

  Switch(const NocSpec& spec, std::uint32_t inputs, std::uint32_t outputs);

  bool fits(std::uint32_t input, std::uint32_t flits, Cycle now);
  void push(std::uint32_t input, const Packet& packet, Cycle now);
  // When flits of this input that are on their way out leave room behind; never if none are.
  Cycle room_at(std::uint32_t input, Cycle now) const;

  // No packet is held afterwards.
  void reset();

  // Starts what can start. Returns the next cycle at which more can, without anything pushed or popped.
  Cycle arbitrate(Cycle now);

  const PortSet& loaded() const { return loaded_; }  // outputs with a packet
  Cycle due(std::uint32_t output) const { return outputs_[output].passed.front().due; }  // its tail is there
  const Packet& front(std::uint32_t output) const { return outputs_[output].passed.front().packet; }
  void pop(std::uint32_t output, Cycle now);

  std::uint64_t held() const { return held_; }  // packets pushed and not popped
  std::uint64_t waiting(std::uint32_t input) const { return inputs_[input].packets.size(); }
  std::uint64_t passed(std::uint32_t output) const { return outputs_[output].passed.size(); }
  const Counter& packets() const { return packets_; }  // that have left
  void add_stats(Group& group);

 private:
  struct Input {
    explicit Input(std::uint32_t flits) : packets(flits) {}
    Ring<Packet> packets;
    std::uint32_t used = 0;     // flits, those that depart included
    std::uint32_t leaving = 0;  // flits that leave by `free`
    Cycle free;
    Cycle head_since;  // the head could have gone
  };
  struct Passed {
    Packet packet;
    Cycle due;
  };
  struct Output {
    Output(std::uint32_t flits, std::uint32_t inputs) : passed(flits), requests(inputs), next(0) {}
    Ring<Passed> passed;
    PortSet requests;  // inputs whose head wants this output
    std::uint32_t next;
    std::uint32_t used = 0;  // flits
    Cycle free;
  };

  void settle(Input& input, Cycle now);
  void request(std::uint32_t input, Cycle since);
  std::uint32_t choose(const Output& output) const;
  void grant(std::uint32_t input, std::uint32_t output, Cycle now);

  const NocSpec spec_;
  std::vector<Input> inputs_;
  std::vector<Output> outputs_;
  PortSet busy_;    // inputs with a packet behind one on its way out
  PortSet wanted_;  // outputs with requests that may find room
  PortSet loaded_;
  std::uint64_t held_ = 0;

  Counter packets_;
  Counter flits_;
  Counter latency_cycles_;
  Counter arbitration_cycles_;
  Counter blocked_cycles_;
};

}  // namespace heddle
