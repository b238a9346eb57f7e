#pragma once
// A memory without contents that follows the full base-protocol handshake. It takes at most one request per
// interval, answers each after a number of cycles, and records what it has taken. With `chance` above 0,
// random cycles are added to both times; requests are answered in the order of their due cycles, which may
// then differ from the order of arrival. With an interval of kNever it takes no request.

#include <vector>

#include "models/core/base/random.h"
#include "models/core/link/memory_port.h"
#include "models/core/link/payload_pool.h"

namespace heddle::test {

class MemorySink : public sc_core::sc_module, public Clocked {
 public:
  static constexpr std::uint64_t kNever = ~std::uint64_t{0};
  struct Options {
    std::size_t capacity = 1;    // requests that wait after END_REQ
    std::uint64_t interval = 1;  // cycles between two requests taken
    std::uint64_t answer = 1;    // cycles from taking a request to its answer
    std::size_t most = 64;       // requests taken but not answered
    // Each interval and each answer takes 0 to `chance` additional cycles.
    std::uint64_t chance = 0;
    std::uint64_t seed = 1;
  };
  struct Seen {
    Cycle taken;
    bool write = false;
    Address address = 0;
    std::uint32_t bytes = 0;
    SmId sm;
    std::uint64_t number = 0;
    bool partial = false;  // true if some byte enables are off
  };

  MemorySink(sc_core::sc_module_name name, ClockDomain& clock, const Options& options)
      : sc_core::sc_module(name),
        clock_(clock),
        sleeper_(clock.add(*this)),
        options_(options),
        random_(options.seed),
        port_("port", clock, sleeper_, options.capacity) {
    waiting_.reserve(options.most);
  }

  tlm::tlm_target_socket<>& socket() { return port_.socket; }
  std::vector<Seen> seen;
  std::uint64_t taken() const { return taken_; }
  // Whether requests are recorded in `seen`.
  bool keep = true;
  bool idle() const { return waiting_.empty() && port_.waiting() == 0; }

  void tick(Cycle now) override {
    answer(now);
    take(now);
    port_.take_from(waiting_.size() < options_.most ? std::max(take_from_, now + 1) : Cycle::never());
    Cycle next = port_.due(now);
    if (const std::size_t first = this->next(); first < waiting_.size() && port_.can_respond(now))
      next = std::min(next, std::max(waiting_[first].due, now + 1));
    if (next != Cycle::never()) clock_.wake_at(sleeper_, next);
  }

 private:
  struct Waiting {
    Cycle due;
    tlm::tlm_generic_payload* payload = nullptr;
  };

  std::uint64_t some() { return options_.chance == 0 ? 0 : random_.below(options_.chance + 1); }

  // Returns the index of the request with the earliest due cycle. Without `chance` the requests are already
  // in this order.
  std::size_t next() const {
    std::size_t first = 0;
    for (std::size_t i = 1; options_.chance > 0 && i < waiting_.size(); ++i)
      if (waiting_[i].due < waiting_[first].due) first = i;
    return first;
  }

  void answer(Cycle now) {
    if (port_.respond_free() > now) return;
    const std::size_t first = next();
    if (first == waiting_.size() || waiting_[first].due > now) return;
    tlm::tlm_generic_payload& payload = *waiting_[first].payload;
    waiting_.erase(waiting_.begin() + static_cast<std::ptrdiff_t>(first));
    payload.set_response_status(tlm::TLM_OK_RESPONSE);
    port_.respond(payload, now);
  }

  void take(Cycle now) {
    if (options_.interval == kNever || take_from_ > now || !port_.has_request(now)) return;
    if (waiting_.size() == options_.most) return;
    tlm::tlm_generic_payload& payload = port_.request();
    const RequestInfo& info = *payload.get_extension<RequestInfo>();
    if (keep)
      seen.push_back({now, payload.is_write(), payload.get_address(), payload.get_data_length(), info.sm,
                      info.number, payload.get_byte_enable_ptr() != nullptr});
    ++taken_;
    waiting_.push_back({now + options_.answer + some(), &payload});
    take_from_ = now + options_.interval + some();
    port_.take_request();
  }

  ClockDomain& clock_;
  ClockDomain::Sleeper sleeper_;
  const Options options_;
  Random random_;
  MemoryTarget port_;
  std::vector<Waiting> waiting_;
  Cycle take_from_{0};
  std::uint64_t taken_ = 0;
};

}  // namespace heddle::test
