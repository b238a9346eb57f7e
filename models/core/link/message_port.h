#pragma once
// This file has the typed TLM sockets between blocks, and the inbox behind each end. A message takes effect
// `latency` cycles of the receiver's clock after it was sent. The latency is at least one, so nothing depends
// on the order of calls.

#include <systemc>
#include <tlm>
#include <type_traits>

#include "models/core/base/check.h"
#include "models/core/base/ring.h"
#include "models/core/link/wake_rule.h"
#include "models/core/time/clock_domain.h"

namespace heddle {

template <class Message>
class MessageIf : public virtual sc_core::sc_interface {
 public:
  using protocol_types = MessageIf;  // the sockets use this type to tell protocols apart

  // latency: cycles of the receiver's clock, 1 or more.
  virtual void receive(const Message& message, std::uint64_t latency) = 0;
};

// The initiator side sends messages of type Request; the target side answers with messages of type Reply.
template <class Request, class Reply>
using RequestSocket = tlm::tlm_base_initiator_socket<32, MessageIf<Request>, MessageIf<Reply>>;
template <class Request, class Reply>
using ReplySocket = tlm::tlm_base_target_socket<32, MessageIf<Request>, MessageIf<Reply>>;

// An Inbox receives the messages of one socket for a block, and wakes the block when a message is due.
template <class Message>
class Inbox : public MessageIf<Message> {
 public:
  Inbox(const char* owner, ClockDomain& domain, ClockDomain::Sleeper sleeper, std::size_t capacity)
      : owner_(owner), domain_(domain), sleeper_(sleeper), waiting_(capacity) {}

  void receive(const Message& message, std::uint64_t latency) override {
    const Cycle now = domain_.now();
    const Cycle due = now + latency;
    HEDDLE_CHECK(latency >= 1, owner_, now, "a message without latency");
    HEDDLE_CHECK(!waiting_.full(), owner_, now, "more than {} messages in flight", waiting_.capacity());
    HEDDLE_CHECK(waiting_.empty() || waiting_.back().due <= due, owner_, now, "messages out of order");
    Waiting& last = waiting_.push();
    last.due = due;
    last.message = message;
    domain_.wake_at(sleeper_, due);
  }

  bool has(Cycle now) const { return !waiting_.empty() && waiting_.front().due <= now; }
  const Message& front() const { return waiting_.front().message; }
  void pop() {
    if constexpr (!std::is_trivially_destructible_v<Message>) waiting_.front().message = Message{};
    waiting_.pop();
  }
  void reset() {  // Drops every message in flight.
    while (!waiting_.empty()) pop();
  }
  bool empty() const { return waiting_.empty(); }
  // Returns the next cycle after `now` in which a message takes effect, or never; see WakeRule.
  Cycle due(Cycle now) const { return waiting_.empty() ? Cycle::never() : after(now, waiting_.front().due); }

 private:
  struct Waiting {
    Cycle due;
    Message message;
  };
  const char* owner_;
  ClockDomain& domain_;
  ClockDomain::Sleeper sleeper_;
  Ring<Waiting> waiting_;
};

}  // namespace heddle
