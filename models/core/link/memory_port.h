#pragma once
// The base protocol's handshake over nb_transport, written once for each side.
//
// MemoryInitiator sends one request at a time (the next when END_REQ has come), collects responses, and holds
// END_RESP back when it is full; MemoryTarget queues requests, holds END_REQ back when it is full, and sends
// responses, one at a time. Both wake their owner at the clock edge at or after the annotated time of what
// arrives, the next edge at the earliest.

#include <tlm>

#include <algorithm>

#include "models/core/base/check.h"
#include "models/core/time/clock_domain.h"
#include "models/core/base/port_set.h"
#include "models/core/base/ring.h"

namespace heddle {

// How a port wakes its owner. A wake asked for before the owner's tick of the same cycle is spent with that
// tick: an owner that asks for asked_for() again at the end of its tick is ticked in the same cycles whatever
// the order of calls within one.
class PortWaker {
 public:
  PortWaker(ClockDomain& domain, ClockDomain::Sleeper sleeper) : domain_(domain), sleeper_(sleeper) {}

  // From now on whatever comes from the other side puts `port` into `set`.
  void signal_to(PortSet& set, std::uint32_t port) {
    signal_ = &set;
    signal_port_ = port;
  }
  // The wake that this cycle's arrivals have asked for, or never.
  Cycle asked_for(Cycle now) const { return asked_at_ == now ? asked_ : Cycle::never(); }

 protected:
  void reset() { asked_at_ = Cycle::never(); }
  // The cycle at which what comes now, annotated with `delay`, is there: an edge, the next at the earliest.
  Cycle arrival(Cycle now, const sc_core::sc_time& delay) const {
    if (delay.value() == 0) return now + 1;
    return std::max(domain_.edge_at(sc_core::sc_time_stamp() + delay), now + 1);
  }
  void ask(Cycle now, Cycle due) {
    asked_ = asked_at_ == now ? std::min(asked_, due) : due;
    asked_at_ = now;
    if (signal_ != nullptr) signal_->set(signal_port_);
    domain_.wake_at(sleeper_, due);
  }

  ClockDomain& domain_;

 private:
  ClockDomain::Sleeper sleeper_;
  Cycle asked_at_ = Cycle::never();
  Cycle asked_;
  PortSet* signal_ = nullptr;
  std::uint32_t signal_port_ = 0;
};

class MemoryInitiator : public PortWaker, public tlm::tlm_bw_transport_if<> {
 public:
  using Payload = tlm::tlm_generic_payload;

  // At most `outstanding` requests without response. All their responses have a place to wait.
  MemoryInitiator(const char* name, ClockDomain& domain, ClockDomain::Sleeper sleeper,
                  std::size_t outstanding)
      : MemoryInitiator(name, domain, sleeper, outstanding, outstanding) {}
  // Up to `responses` wait here with END_RESP given at once; one more waits without it, which is the
  // back-pressure. A target that completes requests at once cannot be held back: then the owner sends only
  // while at most `responses` wait.
  MemoryInitiator(const char* name, ClockDomain& domain, ClockDomain::Sleeper sleeper,
                  std::size_t outstanding, std::size_t responses)
      : PortWaker(domain, sleeper),
        socket(name),
        responses_(responses + 2),
        responses_limit_(responses),
        outstanding_limit_(outstanding) {
    socket.bind(*this);
  }

  tlm::tlm_initiator_socket<> socket;

  // Forgets every request and response. Their pool takes the payloads back (PayloadPool::reset()), and the
  // other side of the socket is reset as well.
  void reset();

  // True once the target has taken the last request, and there is room for one more response.
  bool can_send(Cycle now) const { return request_free_ <= now && outstanding_ < outstanding_limit_; }
  std::size_t outstanding() const { return outstanding_; }
  // The cycle from which the target takes the next request; never while it has not taken the last.
  Cycle request_free() const { return request_free_; }

  void send(Payload& payload);

  std::size_t waiting() const { return responses_.size(); }
  // The oldest response that has arrived; release() it after use. pop_response() signals END_RESP for the one
  // held back, if any.
  bool has_response(Cycle now) const { return !responses_.empty() && responses_.front().due <= now; }
  Cycle response_due() const { return responses_.empty() ? Cycle::never() : responses_.front().due; }
  Payload& response() { return *responses_.front().payload; }
  void pop_response();
  // When the owner must look again: the next response, or the cycle from which it can send once more. A tick
  // ends by asking for it, because a wake that arrived earlier in the same cycle is spent with that tick.
  Cycle next_wake(Cycle now) const {
    const Cycle response = responses_.empty() ? Cycle::never() : responses_.front().due;
    return request_free_ > now ? std::min(response, request_free_) : response;
  }

 private:
  struct Response {
    Cycle due;
    Payload* payload;
  };

  tlm::tlm_sync_enum nb_transport_bw(Payload& payload, tlm::tlm_phase& phase,
                                     sc_core::sc_time& delay) override;
  void invalidate_direct_mem_ptr(sc_dt::uint64, sc_dt::uint64) override {}
  void request_taken(const sc_core::sc_time& delay);
  void respond(Payload& payload, const sc_core::sc_time& delay);
  // Whether the response that came last must wait for its END_RESP.
  bool hold(Payload& payload);

  Ring<Response> responses_;
  std::size_t responses_limit_;
  std::size_t outstanding_limit_;
  std::size_t outstanding_ = 0;
  Cycle request_free_{0};  // never: a request waits for END_REQ
  Payload* requesting_ = nullptr;
  Payload* held_ = nullptr;  // waits for END_RESP
};

// Up to `capacity` requests wait here with END_REQ given at once; one more waits without it, which is the
// back-pressure. With a capacity of 0 END_REQ comes when the owner takes the request. A request is there for
// the owner `latency` cycles after it came, beside the cycle that everything takes.
class MemoryTarget : public PortWaker, public tlm::tlm_fw_transport_if<> {
 public:
  using Payload = tlm::tlm_generic_payload;

  MemoryTarget(const char* name, ClockDomain& domain, ClockDomain::Sleeper sleeper, std::size_t capacity = 0,
               std::uint64_t latency = 0)
      : PortWaker(domain, sleeper),
        socket(name),
        capacity_(capacity),
        latency_(latency),
        waiting_(capacity + 1) {
    socket.bind(*this);
  }

  tlm::tlm_target_socket<> socket;

  // Forgets every request and response. Their pool takes the payloads back (PayloadPool::reset()), and the
  // other side of the socket is reset as well.
  void reset();

  // The oldest request, from its cycle on.
  bool has_request(Cycle now) const { return !waiting_.empty() && waiting_.front().due <= now; }
  Cycle request_due() const { return waiting_.empty() ? Cycle::never() : waiting_.front().due; }
  Payload& request() { return *waiting_.front().payload; }
  std::size_t waiting() const { return waiting_.size(); }
  // Takes the oldest out, and signals END_REQ for the one held back, if any: the initiator's next may come.
  // The payload stays valid until respond().
  Payload& take_request();
  // Sends the response now; BEGIN_RESP must have been completed for the one before.
  void respond(Payload& payload);
  bool can_respond() const { return respond_free() <= domain_.now(); }
  // The cycle from which the next response can go; never while the last has not been taken.
  Cycle respond_free() const { return responding_ == nullptr ? respond_free_ : Cycle::never(); }
  // END_RESP wakes the owner no earlier than `due`, its next response (never: there is none). An owner that
  // says so says so at the end of each tick that changes it, and responds at most once a cycle.
  void next_response(Cycle due) { next_response_ = due; }

 private:
  struct Waiting {
    Cycle due;
    Payload* payload;
  };

  tlm::tlm_sync_enum nb_transport_fw(Payload& payload, tlm::tlm_phase& phase,
                                     sc_core::sc_time& delay) override;
  void b_transport(Payload& payload, sc_core::sc_time& delay) override;
  unsigned int transport_dbg(Payload&) override { return 0; }
  bool get_direct_mem_ptr(Payload&, tlm::tlm_dmi&) override { return false; }

  void responded();

  std::size_t capacity_;
  std::uint64_t latency_;
  Ring<Waiting> waiting_;
  Payload* held_ = nullptr;  // waits for END_REQ
  Payload* responding_ = nullptr;
  Cycle respond_free_{0};
  Cycle next_response_{0};
};

}  // namespace heddle
