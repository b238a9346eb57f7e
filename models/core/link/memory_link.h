#pragma once
// A memory link connects two blocks of the memory path. Requests go over it from the first block to the
// second one, and answers come back. Each end of the link is a TLM socket with a protocol of the memory
// path's own: a call passes the address of a MemoryRequest, which is never copied. The block that makes a
// request takes it from its RequestPool, and gets it back with the answer. In between, the block that has
// received the request last may change it.
//
// The receiver controls the flow. Each call returns whether the receiver has room for another request or
// answer. If it has none, the sender waits until the receiver makes a call that says that it has room again.
//
// A call takes effect at the first edge of the receiver's clock at or after the time `at`, the next edge
// after the present time at the earliest. So nothing depends on the order of the calls of one time.
//
// The adapters in models/core/link/base_protocol.h connect a memory link to blocks that speak the TLM-2.0
// base protocol.

#include <tlm>

#include <cstdint>
#include <memory>

#include "models/core/base/check.h"
#include "models/core/base/ring.h"
#include "models/core/link/memory_port.h"
#include "models/core/link/memory_request.h"

namespace heddle {

class FromBaseProtocol;  // models/core/link/base_protocol.h
class ToBaseProtocol;

// A LinkTime is a time in units of the kernel's time resolution. kNextEdge stands for the next edge.
using LinkTime = std::uint64_t;
constexpr LinkTime kNextEdge = 0;

struct MemoryLinkTypes {};  // the sockets use this type to tell protocols apart

class MemoryRequestIf : public virtual sc_core::sc_interface {
 public:
  using protocol_types = MemoryLinkTypes;

  // The initiator sends a request. The function returns whether the target has room for another request. If
  // it has none, the target calls request_taken() later.
  virtual bool request(MemoryRequest& request, LinkTime at) = 0;
  // After an answer() that has returned false, the initiator makes this call when it has room for another
  // answer.
  virtual void answer_taken(LinkTime at) = 0;
};

class MemoryAnswerIf : public virtual sc_core::sc_interface {
 public:
  using protocol_types = MemoryLinkTypes;

  // The target gives a request back, which is its answer. The function returns whether the initiator has room
  // for another answer. If it has none, the initiator calls answer_taken() later.
  virtual bool answer(MemoryRequest& request, LinkTime at) = 0;
  // After a request() that has returned false, the target makes this call when it has room for another
  // request.
  virtual void request_taken(LinkTime at) = 0;
};

using MemoryLinkInitiatorSocket = tlm::tlm_base_initiator_socket<32, MemoryRequestIf, MemoryAnswerIf>;
using MemoryLinkTargetSocket = tlm::tlm_base_target_socket<32, MemoryRequestIf, MemoryAnswerIf>;

// A block that sends requests has a LinkInitiator as its end of the link. The LinkInitiator sends at most one
// request in a cycle and keeps the answers until the block takes them.
class LinkInitiator : public MemoryPort, private MemoryAnswerIf {
 public:
  // At most `outstanding` requests are without an answer. The other end sends no answer while
  // more than `answers` answers wait here.
  LinkInitiator(const char* name, ClockDomain& domain, ClockDomain::Sleeper sleeper, std::size_t outstanding,
                std::size_t answers);
  LinkInitiator(const char* name, ClockDomain& domain, ClockDomain::Sleeper sleeper, std::size_t outstanding)
      : LinkInitiator(name, domain, sleeper, outstanding, outstanding) {}

  ~LinkInitiator() override;

  MemoryLinkInitiatorSocket socket;
  // Puts an adapter to the base protocol on the link and returns its socket, which is bound instead. It is
  // called before the end of elaboration.
  tlm::tlm_initiator_socket<>& base_protocol();

  // Forgets every request and answer. The other end is reset as well.
  void reset();

  // Returns whether the target has room for a request and one more answer may be outstanding.
  bool can_send(Cycle now) const { return request_free_ <= now && outstanding_ < outstanding_limit_; }
  std::size_t outstanding() const { return outstanding_; }
  // Returns the cycle from which the target takes the next request; never while it has no room.
  Cycle request_free() const { return request_free_; }
  // After send() the block sends nothing until it calls send_from() again.
  void send(MemoryRequest& request, Cycle now);
  void settle(Cycle now) {  // makes the calls that wait for it
    if (has_calls()) make_calls(now);
  }

  std::size_t waiting() const { return answers_.size(); }
  bool has_answer(Cycle now) const { return !answers_.empty() && answers_.front().due <= now; }
  Cycle answer_due() const { return answers_.empty() ? Cycle::never() : answers_.front().due; }
  MemoryRequest& answer() { return *answers_.front().request; }
  void pop_answer();
  // Returns the next cycle after `now` in which an answer can be taken or the target takes a request.
  Cycle due(Cycle now) const { return rule_.due(now, answer_due(), request_free_); }

 private:
  struct Answer {
    Cycle due;
    MemoryRequest* request;
  };

  bool answer(MemoryRequest& request, LinkTime at) override;
  void request_taken(LinkTime at) override;

  static constexpr unsigned kRequest = 1;
  static constexpr unsigned kAnswerTaken = 2;
  void make_calls(Cycle now);
  void hand_over(Cycle now);

  Ring<Answer> answers_;
  std::size_t answers_limit_;
  std::size_t outstanding_limit_;
  std::size_t outstanding_ = 0;
  Cycle request_free_{0};
  MemoryRequest* sending_ = nullptr;  // waits for settle()
  bool full_ = false;                 // the other end waits for answer_taken()
  std::unique_ptr<ToBaseProtocol> adapter_;
};

// A block that answers requests has a LinkTarget as its end of the link. The other end
// sends no request while more than `capacity` requests wait here, so that one more than `capacity` can wait.
// The block sees a request `latency` cycles after its arrival, and a request arrives one cycle after it was
// sent.
class LinkTarget : public MemoryPort, private MemoryRequestIf {
 public:
  LinkTarget(const char* name, ClockDomain& domain, ClockDomain::Sleeper sleeper, std::size_t capacity = 0,
             std::uint64_t latency = 0);

  ~LinkTarget() override;

  MemoryLinkTargetSocket socket;
  // Puts an adapter from the base protocol on the link and returns its socket, which is bound instead. It is
  // called before the end of elaboration.
  tlm::tlm_target_socket<>& base_protocol();

  // Forgets every request and answer. The other end is reset as well.
  void reset();

  bool has_request(Cycle now) const { return !waiting_.empty() && waiting_.front().due <= now; }
  Cycle request_due() const { return waiting_.empty() ? Cycle::never() : waiting_.front().due; }
  MemoryRequest& request() { return *waiting_.front().request; }
  std::size_t waiting() const { return waiting_.size(); }
  MemoryRequest& take_request();  // removes the oldest request
  // Sends the answer in this cycle. The initiator has room for it.
  void answer(MemoryRequest& request, Cycle now);
  void settle() {  // makes the calls that wait for it
    if (has_calls()) make_calls();
  }
  bool can_answer(Cycle now) const { return answer_free() <= now; }
  // Returns the cycle from which the next answer can be sent; never while the initiator has no room.
  Cycle answer_free() const { return answer_free_; }
  // Returns the next cycle after `now` in which a request can be taken or the initiator takes an answer.
  Cycle due(Cycle now) const { return rule_.due(now, request_due(), answer_free_); }

 private:
  struct Waiting {
    Cycle due;
    MemoryRequest* request;
  };

  bool request(MemoryRequest& request, LinkTime at) override;
  void answer_taken(LinkTime at) override;

  static constexpr unsigned kAnswer = 1;
  static constexpr unsigned kRequestTaken = 2;
  void make_calls();
  void hand_over();

  std::size_t capacity_;
  std::uint64_t latency_;
  Ring<Waiting> waiting_;
  MemoryRequest* answering_ = nullptr;  // waits for settle()
  Cycle answer_free_{0};
  bool full_ = false;  // the other end waits for request_taken()
  std::unique_ptr<FromBaseProtocol> adapter_;
};

}  // namespace heddle
