#pragma once
// An ArrivalStream has the times at which requests arrive, one after the other. It draws a time when it is
// asked for it. Times are picoseconds from the moment at which the server is ready. Pure logic.

#include <cstdint>
#include <vector>

#include "models/core/base/random.h"
#include "models/host/requests/hand_over.h"
#include "models/host/requests/request_spec.h"

namespace heddle {

class ArrivalStream {
 public:
  // If `from` is not null, another server hands the requests over, and they arrive when it does so; the
  // arrival times of the spec are then ignored. `ready_ps` is the simulated time from which times count.
  ArrivalStream(const ArrivalSpec& spec, Random random, HandOver* from = nullptr, std::uint64_t ready_ps = 0);

  // Returns the time of the next arrival, never before that of the last one. kNoTime: no request arrives any
  // more, or none is known: with clients, until the request of one has ended.
  std::uint64_t next() const;
  void take();  // the next request has arrived
  // Returns the lengths and times that another server has handed over with the next request. The result is
  // null if no server hands requests over to this one.
  const HandOver::Item* handed() const { return from_ == nullptr ? nullptr : from_->next(); }
  // Whether requests may be handed over that are not known yet.
  bool may_come() const { return from_ != nullptr && from_->may_come(); }
  // The row of the table that the next request is of.
  std::uint64_t row() const { return taken_; }

  // A client's request has ended, or was shed, at `now`. The client thinks before its next one. Other streams
  // ignore the call.
  void answer(std::uint64_t now);
  // All arrivals from now on come later by this time. Clients ignore the call.
  void delay(std::uint64_t ps) { delay_ps_ += ps; }

 private:
  std::uint64_t gap();
  void draw();

  const ArrivalSpec spec_;
  Random random_;
  HandOver* const from_;
  const std::uint64_t ready_ps_;
  Distribution time_;                    // between arrivals, or the think time, if it is drawn
  std::vector<std::uint64_t> thinking_;  // kClosed: when clients send their next requests, the first on top
  std::uint64_t next_ps_ = 0;            // otherwise, without the delay
  std::uint64_t delay_ps_ = 0;
  std::uint64_t taken_ = 0;
};

}  // namespace heddle
