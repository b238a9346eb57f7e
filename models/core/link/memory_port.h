#pragma once
// This file has the base protocol's handshake over nb_transport, once for each side.
//
// A MemoryInitiator sends one request at a time: the next one follows the END_REQ of the last. It collects
// responses, and holds END_RESP back while it is full. A MemoryTarget queues requests, and holds END_REQ back
// while it is full. It sends one response at a time. Both wake their owner at the clock edge at or after the
// annotated time of what arrives, the next edge at the earliest. The annotated times of the calls for one
// payload never decrease (IEEE 1666-2011, Section 15.2.7 c), whatever delays the other side annotates.
//
// The ports of a Divided block are divided, too: a port notes in work() which calls it has to make, and makes
// them in settle(), which the block calls in finish().
//
// The block that owns a port passes the present cycle as an argument. A port reads the clock only in the
// functions that the other side calls through its socket.

#include <tlm>

#include <algorithm>

#include "models/core/base/check.h"
#include "models/core/base/port_set.h"
#include "models/core/base/ring.h"
#include "models/core/link/wake_rule.h"
#include "models/core/time/clock_domain.h"

namespace heddle {

// A MemoryPort is what both sides have: the rule by which its owner wakes, and the calls that wait for
// settle().
class MemoryPort {
 public:
  MemoryPort(ClockDomain& domain, ClockDomain::Sleeper sleeper) : domain_(domain), sleeper_(sleeper) {}

  // From now on everything that comes from the other side puts `port` into `set`.
  void signal_to(PortSet& set, std::uint32_t port) {
    signal_ = &set;
    signal_port_ = port;
  }
  // From now on what comes from the other side takes effect `latency` cycles later, 1 or more, and not in the
  // next cycle.
  void set_latency(std::uint64_t latency) { latency_ = latency; }
  // From now on the port makes its calls of the other side in settle(), and not at once, if the clock's
  // divided blocks work on several threads.
  void divide() { is_divided_ = true; }
  // Returns whether settle() has calls to make. Only after them the port knows when it is free again.
  bool has_calls() const { return calls_ != 0; }

  // These functions set the cycles of the WakeRule. A block that uses them calls them in each tick in which
  // the cycles may have changed, before it calls settle(). Before it sends, it calls send_from() with
  // Cycle::never(), because END_REQ may come within send() and then wakes the block by the cycle set last.
  void take_from(Cycle cycle) { rule_.take_from(cycle); }
  void send_from(Cycle cycle) { rule_.send_from(cycle); }

 protected:
  void reset() {
    rule_.reset();
    calls_ = 0;
  }
  // Returns whether the call is to be made now. If not, it waits for settle().
  bool calls_now(unsigned call) {
    if (!is_divided_ || !domain_.is_shared()) return true;
    calls_ |= call;
    return false;
  }
  // Returns whether the call waits for settle(), and removes it from those that wait.
  bool takes(unsigned call) {
    const bool waited = (calls_ & call) != 0;
    calls_ &= ~call;
    return waited;
  }

  // The next four functions are the border to SystemC, where a delay counts from the kernel's present time,
  // which is not an edge of this clock if the other side has another one. arrival() returns the edge at which
  // a call takes effect that comes in the cycle `now` with an annotated delay.
  Cycle arrival(Cycle now, const sc_core::sc_time& delay) const {
    return arrival(now, delay.value() == 0 ? 0 : annotated(delay).value());
  }
  // The same for a call that takes effect at the time `at`, in units of the kernel's time resolution, or, if
  // `at` is 0, as soon as the latency allows.
  Cycle arrival(Cycle now, std::uint64_t at) const {
    if (at == 0) return now + latency_;
    return std::max(domain_.edge_at(sc_core::sc_time::from_value(at)), now + 1) + (latency_ - 1);
  }
  static sc_core::sc_time annotated(const sc_core::sc_time& delay) {
    return sc_core::sc_time_stamp() + delay;
  }
  // Returns the delay to annotate for a call that takes effect at `time`, or now if that has passed.
  sc_core::sc_time delay_until(const sc_core::sc_time& time) const {
    const sc_core::sc_time& kernel = sc_core::sc_time_stamp();
    return std::max(domain_.ahead(), time > kernel ? time - kernel : sc_core::SC_ZERO_TIME);
  }

  // Something has come in the cycle `now` that takes effect in the cycle `due`.
  void came(Cycle now, Cycle due) {
    rule_.came(now, due);
    wake(due);
  }
  void wake(Cycle due) {
    if (signal_ != nullptr) signal_->set(signal_port_);
    domain_.wake_at(sleeper_, due);
  }

  ClockDomain& domain_;
  WakeRule rule_;

 private:
  ClockDomain::Sleeper sleeper_;
  PortSet* signal_ = nullptr;
  std::uint32_t signal_port_ = 0;
  bool is_divided_ = false;
  unsigned calls_ = 0;
  std::uint64_t latency_ = 1;
};

class MemoryInitiator : public MemoryPort, public tlm::tlm_bw_transport_if<> {
 public:
  using Payload = tlm::tlm_generic_payload;

  // At most `outstanding` requests are without a response. All their responses have a place to wait.
  MemoryInitiator(const char* name, ClockDomain& domain, ClockDomain::Sleeper sleeper,
                  std::size_t outstanding)
      : MemoryInitiator(name, domain, sleeper, outstanding, outstanding) {}
  // Up to `responses` responses wait here and get their END_RESP at once. One more waits without END_RESP,
  // which is the back-pressure. A target that completes requests at once has no back-pressure: its owner
  // sends only while at most `responses` responses wait.
  MemoryInitiator(const char* name, ClockDomain& domain, ClockDomain::Sleeper sleeper,
                  std::size_t outstanding, std::size_t responses)
      : MemoryPort(domain, sleeper),
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

  // Returns whether the target has taken the last request and there is room for one more response.
  bool can_send(Cycle now) const { return request_free_ <= now && outstanding_ < outstanding_limit_; }
  std::size_t outstanding() const { return outstanding_; }
  // Returns the cycle from which the target takes the next request; never while it has not taken the last
  // one.
  Cycle request_free() const { return request_free_; }

  void send(Payload& payload, Cycle now);
  void settle(Cycle now) {  // makes the calls that wait for it
    if (has_calls()) make_calls(now);
  }

  std::size_t waiting() const { return responses_.size(); }
  // response() is the oldest response that has arrived; the owner calls its release() after use.
  // pop_response() sends END_RESP for the response that waits without it, if there is one.
  bool has_response(Cycle now) const { return !responses_.empty() && responses_.front().due <= now; }
  Cycle response_due() const { return responses_.empty() ? Cycle::never() : responses_.front().due; }
  Payload& response() { return *responses_.front().payload; }
  void pop_response();
  // Returns the next cycle after `now` in which a response can be taken or the target takes a request.
  // END_REQ wakes the owner no earlier than send_from(), and not at all if the owner sends nothing.
  Cycle due(Cycle now) const { return rule_.due(now, response_due(), request_free_); }

 private:
  struct Response {
    Cycle due;
    Payload* payload;
  };

  tlm::tlm_sync_enum nb_transport_bw(Payload& payload, tlm::tlm_phase& phase,
                                     sc_core::sc_time& delay) override;
  void invalidate_direct_mem_ptr(sc_dt::uint64, sc_dt::uint64) override {}
  static constexpr unsigned kBeginRequest = 1;
  static constexpr unsigned kEndResponse = 2;
  void make_calls(Cycle now);
  void begin_request(Cycle now);
  void end_response();
  void request_taken(const sc_core::sc_time& delay, Cycle now);
  void respond(Payload& payload, const sc_core::sc_time& delay, Cycle now);
  // Returns whether the response that came last, with this delay, must wait for its END_RESP.
  bool hold(Payload& payload, const sc_core::sc_time& delay);

  Ring<Response> responses_;
  std::size_t responses_limit_;
  std::size_t outstanding_limit_;
  std::size_t outstanding_ = 0;
  Cycle request_free_{0};  // never while a request waits for END_REQ
  Payload* requesting_ = nullptr;
  Payload* held_ = nullptr;      // waits for END_RESP
  sc_core::sc_time held_since_;  // the annotated time of its BEGIN_RESP
};

// Up to `capacity` requests wait in a MemoryTarget and get their END_REQ at once. One more waits without
// END_REQ, which is the back-pressure. With a capacity of 0 a request gets its END_REQ when the owner takes
// it. The owner sees a request `latency` cycles after its arrival, which is one cycle after it was sent.
class MemoryTarget : public MemoryPort, public tlm::tlm_fw_transport_if<> {
 public:
  using Payload = tlm::tlm_generic_payload;

  MemoryTarget(const char* name, ClockDomain& domain, ClockDomain::Sleeper sleeper, std::size_t capacity = 0,
               std::uint64_t latency = 0)
      : MemoryPort(domain, sleeper),
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

  // request() is the oldest request, which has_request() shows from its cycle on.
  bool has_request(Cycle now) const { return !waiting_.empty() && waiting_.front().due <= now; }
  Cycle request_due() const { return waiting_.empty() ? Cycle::never() : waiting_.front().due; }
  Payload& request() { return *waiting_.front().payload; }
  std::size_t waiting() const { return waiting_.size(); }
  // Removes the oldest request, and sends END_REQ for the request that waits without it, if there is one. The
  // payload stays valid until respond().
  Payload& take_request();
  // Sends the response in this cycle. The response before it must have been taken.
  void respond(Payload& payload, Cycle now);
  void settle() {  // makes the calls that wait for it
    if (has_calls()) make_calls();
  }
  bool can_respond(Cycle now) const { return respond_free() <= now; }
  // Returns the cycle from which the next response can be sent; never while the last one has not been taken.
  Cycle respond_free() const { return responding_ == nullptr ? respond_free_ : Cycle::never(); }
  // Returns the next cycle after `now` in which a request can be taken or the initiator takes a response.
  // END_RESP wakes the owner no earlier than send_from(), and not at all if the owner has no response.
  Cycle due(Cycle now) const { return rule_.due(now, request_due(), respond_free()); }

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

  static constexpr unsigned kBeginResponse = 1;
  static constexpr unsigned kEndRequest = 2;
  void make_calls();
  void begin_response();
  void end_request();
  void responded();

  std::size_t capacity_;
  std::uint64_t latency_;
  Ring<Waiting> waiting_;
  Payload* held_ = nullptr;      // waits for END_REQ
  sc_core::sc_time held_since_;  // the annotated time of its BEGIN_REQ
  Payload* responding_ = nullptr;
  Cycle respond_free_{0};
};

}  // namespace heddle
