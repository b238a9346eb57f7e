#pragma once
// The surroundings of one block under test: the other ends of its typed sockets, and the passing of time.

#include <functional>
#include <ostream>
#include <vector>

#include "models/core/link/message_port.h"

namespace heddle {

inline void PrintTo(Cycle cycle, std::ostream* out) {
  *out << "cycle " << cycle.value;
}  // for GoogleTest

}  // namespace heddle

namespace heddle::test {

// Simulates up to and including edge `cycle` of `clock`, and one unit of SystemC's time resolution beyond it.
inline void run_to(const ClockDomain& clock, Cycle cycle) {
  const sc_core::sc_time end = clock.time_of(cycle) + sc_core::sc_get_time_resolution();
  if (end > sc_core::sc_time_stamp()) sc_core::sc_start(end - sc_core::sc_time_stamp());
}

// Simulates until no event is pending.
inline void run_dry() {
  sc_core::sc_start();
}

template <class Message>
struct Received {
  Cycle due;  // in the clock of this end of the socket
  Message message;
};

// The requesting end: sends requests to a block and records its replies.
template <class Request, class Reply>
class Requester : public sc_core::sc_module, private MessageIf<Reply> {
 public:
  Requester(sc_core::sc_module_name name, const ClockDomain& clock)
      : sc_core::sc_module(name), clock_(clock) {
    socket.bind(*this);
  }

  RequestSocket<Request, Reply> socket{"socket"};
  std::vector<Received<Reply>> replies;

  void send(const Request& request) { socket->receive(request, 1); }

 private:
  void receive(const Reply& reply, std::uint64_t latency) override {
    replies.push_back({clock_.now() + latency, reply});
  }
  const ClockDomain& clock_;
};

// The replying end: records the requests of a block, and calls `on_request` for each if it is set.
template <class Request, class Reply>
class Replier : public sc_core::sc_module, private MessageIf<Request> {
 public:
  Replier(sc_core::sc_module_name name, const ClockDomain& clock) : sc_core::sc_module(name), clock_(clock) {
    socket.bind(*this);
  }

  ReplySocket<Request, Reply> socket{"socket"};
  std::vector<Received<Request>> requests;
  std::function<void(const Request&)> on_request;

  void reply(const Reply& reply, std::uint64_t latency = 1) { socket->receive(reply, latency); }

 private:
  void receive(const Request& request, std::uint64_t latency) override {
    requests.push_back({clock_.now() + latency, request});
    if (on_request) on_request(request);
  }
  const ClockDomain& clock_;
};

}  // namespace heddle::test
