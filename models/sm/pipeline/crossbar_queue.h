#pragma once
// The CrossbarQueue holds the requests of a load/store unit to the crossbar, in order. A request that L1
// sends to L2 enters the queue after the latency of L1, and waits in L1 while the queue is full; any other
// request enters it at once.

#include <algorithm>

#include "models/core/base/ring.h"
#include "models/core/link/memory_request.h"
#include "models/sm/pipeline/coalescer.h"
#include "models/sm/pipeline/request_number.h"
#include "models/sm/pipeline/warp_tracer.h"

namespace heddle {

class CrossbarQueue {
 public:
  // An access makes two runs of sectors at most, two of an evicted line, and two of an atomic in swap space,
  // which is a store, too.
  static constexpr std::size_t kMostOfAnAccess = 6;

  // `places` is the number of requests in the queue from which on an access is refused, `latency` that of L1.
  CrossbarQueue(std::size_t places, std::uint32_t latency)
      : requests_(places + kMostOfAnAccess), leaving_(latency + kMostOfAnAccess), places_(places) {}

  void reset() {
    requests_.clear();
    leaving_.clear();
  }
  void trace(WarpTracer& tracer) { tracer_ = &tracer; }

  bool has_room() const { return requests_.size() < places_; }
  std::size_t in_l1() const { return leaving_.size(); }  // requests that have not entered the queue

  // Adds one request for each run of adjacent sectors, and returns the number of requests. They enter the
  // queue after `latency` cycles. The lanes of an atomic are shared out to its requests.
  std::uint32_t add(const MemoryRequest& whole, RequestNumber number, Cache::Sectors sectors,
                    std::uint32_t latency, Cycle now, const LineAccess* atomic);
  // Moves the requests whose time in L1 is over, and returns whether one of them has entered the queue.
  bool leave_l1(Cycle now) {
    return !leaving_.empty() && leaving_.front().due <= now && has_room() && move(now);
  }

  bool has_request() const { return !requests_.empty(); }
  const MemoryRequest& front() const { return requests_.front(); }
  void pop() { requests_.pop(); }

  // Returns the next cycle after `now` in which leave_l1() moves a request, or never.
  Cycle due(Cycle now) const {
    return leaving_.empty() || !has_room() ? Cycle::never() : std::max(leaving_.front().due, now + 1);
  }

 private:
  struct Leaving {
    Cycle due;
    MemoryRequest request;
  };
  bool move(Cycle now);

  Ring<MemoryRequest> requests_;
  Ring<Leaving> leaving_;  // requests from L1, in order of due cycle
  std::size_t places_;
  WarpTracer* tracer_ = nullptr;  // null: there is no trace
};

}  // namespace heddle
