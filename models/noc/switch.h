#pragma once
// A Switch is one direction of the crossbar. Each input has a first-in first-out buffer of flits. Each output
// has a buffer, and a policy that arbitrates among the packets at the heads of the inputs. A packet starts
// when the output's buffer has room for the whole packet. It then holds its input and its output until its
// tail has passed, one flit a cycle.
//
// In each cycle the owner pops packets from the outputs, then pushes packets to the inputs, then calls
// arbitrate().

#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "models/core/base/ids.h"
#include "models/core/base/port_set.h"
#include "models/core/base/ring.h"
#include "models/core/kernel/account_table.h"
#include "models/noc/noc_spec.h"
#include "models/noc/outstanding_limits.h"
#include "models/stats/context_turns.h"
#include "models/stats/group.h"
#include "policies/crossbar_arbiter/i_crossbar_arbiter.h"

namespace heddle {

class Switch {
 public:
  // A Message passes the switch as one packet or as several, one after another, each of which is granted by
  // itself.
  struct Message {
    void* load = nullptr;  // what the owner of the switch has back with the last packet
    Cycle arrived;         // when the message came to the crossbar
    Cycle issued;          // when its request was issued, in cycles of the initiator's clock
    std::uint32_t output = 0;
    AccountId account{};           // of the launch that causes it
    std::uint32_t last_flits = 0;  // of its last packet, 1 or more
    std::uint32_t flits = 0;       // of each packet before
    std::uint32_t before = 0;      // the number of packets before the last one
    ContextId context{};           // whose process sent it; none() if it is not known

    std::uint32_t all_flits() const { return before * flits + last_flits; }
  };
  // A Passed packet has been granted.
  struct Passed {
    void* load = nullptr;  // null: a packet before the last one of its message
    Cycle arrived;
    Cycle due;  // when the packet's tail has passed
    std::uint32_t flits = 0;
  };

  // `arbiters` has one policy for each output. `outstanding_of` is NocSpec::outstanding_of for the switch of
  // requests, whose messages are answered and have one packet each, and empty for the switch of replies.
  Switch(const NocSpec& spec, std::uint32_t inputs, std::vector<std::unique_ptr<CrossbarArbiter>> arbiters,
         const std::vector<std::uint32_t>& outstanding_of = {});

  bool fits(std::uint32_t input, std::uint32_t flits, Cycle now) {
    free_taken_slots(inputs_[input], now);
    return inputs_[input].used + flits <= spec_.input_flits;
  }
  void push(std::uint32_t input, const Message& message, Cycle now);
  // Returns when the packet that is leaving this input frees its flits in the buffer, or never if no packet
  // is leaving.
  Cycle room_at(std::uint32_t input, Cycle now) const;

  // A request of the context that passed to this output is answered. Its place goes to a request of the same
  // context that waits for one.
  void answered(std::uint32_t output, ContextId context, Cycle now);

  void reset();  // Drops every packet.

  // Grants a packet to each free output. Returns the next cycle at which another packet can be granted if
  // nothing is pushed or popped before.
  Cycle arbitrate(Cycle now);

  const PortSet& loaded() const { return loaded_; }  // outputs that hold a packet
  const Passed& front(std::uint32_t output) const { return outputs_[output].passed.front(); }
  Cycle due(std::uint32_t output) const { return front(output).due; }
  void pop(std::uint32_t output, Cycle now) {
    Output& out = outputs_[output];
    const Passed& passed = out.passed.front();
    ++packets_;
    latency_cycles_ += now - passed.arrived;
    blocked_cycles_ += now - passed.due;
    out.used -= passed.flits;
    out.passed.pop();
    --held_;
    if (out.passed.empty()) loaded_.clear(output);
    if (!out.requests.empty()) requested_.set(output);
  }

  std::uint64_t held() const { return held_; }  // packets that were pushed and not popped
  std::uint64_t waiting(std::uint32_t input) const { return inputs_[input].waiting; }  // packets
  std::uint64_t passed(std::uint32_t output) const { return outputs_[output].passed.size(); }
  void add_stats(Group& group);
  // Brings the counters up to `now`: a packet that is passing counts with the flits that have passed.
  void update_stats(Cycle now);
  std::uint64_t flits(AccountId account, Cycle now) const;  // of a launch
  void close(AccountId account) { flits_of_.clear(account); }

 private:
  struct Input {
    explicit Input(std::uint32_t flits) : messages(flits) {}
    Ring<Message> messages;     // of the first one, the packets that have not been granted
    std::uint32_t waiting = 0;  // packets that have not been granted
    std::uint32_t used = 0;     // flits in the buffer, including those of a leaving packet
    std::uint32_t leaving = 0;  // flits of the leaving packet
    Cycle free;                 // when the leaving packet has left completely
    Cycle head_since;           // when the packet at the head began to request its output
  };
  struct Output {
    Output(std::uint32_t flits, std::uint32_t inputs, std::unique_ptr<CrossbarArbiter> policy)
        : passed(flits), requests(inputs), arbiter(std::move(policy)) {}
    Ring<Passed> passed;
    PortSet requests;  // inputs whose head requests this output
    std::unique_ptr<CrossbarArbiter> arbiter;
    std::uint32_t used = 0;  // flits in the buffer
    AccountId account{};     // of the packet that was granted last
    Cycle free;              // when that packet has passed
  };

  static void free_taken_slots(Input& input, Cycle now) {
    if (input.leaving == 0 || input.free > now) return;
    input.used -= input.leaving;
    input.leaving = 0;
  }
  // Returns how many flits the next packet of the message has.
  static std::uint32_t next_flits(const Message& message) {
    return message.before > 0 ? message.flits : message.last_flits;
  }
  void request(std::uint32_t input, Cycle since, Cycle now);
  void request_output(std::uint32_t input);
  void count_contexts(Group& group);
  void count_context(std::uint32_t input, std::uint32_t output, Cycle now);
  // Returns the flits of the packet that is passing to the output which have not passed before `now`.
  static std::uint64_t to_come(const Output& output, Cycle now) {
    return output.free > now ? output.free - now : 0;
  }
  void grant(std::uint32_t input, std::uint32_t output, Cycle now);

  const NocSpec spec_;
  std::vector<Input> inputs_;
  std::vector<Cycle> issued_;  // by input: Packet::issued of the packet that requests its output
  std::vector<RequestingPacket> packets_at_heads_;  // by input, if an arbiter uses contexts; else empty
  std::vector<Output> outputs_;
  std::optional<OutstandingLimits> limits_;  // none: no context has a limit
  PortSet busy_;                             // inputs whose head waits for the packet before it to leave
  PortSet requested_;                        // outputs with requests that may find room
  PortSet loaded_;                           // outputs that hold a packet
  std::uint64_t held_ = 0;

  Counter packets_;
  std::uint64_t granted_flits_ = 0;
  Counter flits_;                         // of these, those that have passed
  AccountTable<std::uint64_t> flits_of_;  // granted, by launch
  Counter latency_cycles_;
  Counter arbitration_cycles_;
  Counter blocked_cycles_;
  std::unique_ptr<ContextTurns> contexts_;  // null: no arbiter uses contexts, or there are no statistics
};

}  // namespace heddle
