#pragma once
// The ranking of a DRAM scheduler that knows more of a request than its bank. The controller tells the
// ranking of every request that comes and that is served, and asks it for priorities. The next request of a
// bank is the first one by
//
//   level, then a request for the open row if DramScheduler::keep_row() keeps it, then rank, then arrival.
//
// A row that has just been opened serves one request before it is closed for a request of a lower level, so
// that every activate is used. The order among banks is that of DramScheduler::choose().

#include <cstdint>

#include "models/core/base/ids.h"

namespace heddle {

// A request in the queue of a controller.
struct QueuedRequest {
  std::uint32_t entry = 0;    // of the queue; no other waiting request has the number
  std::uint64_t arrival = 0;  // number among all requests of the controller, in order of arrival
  Cycle accepted{};           // command clock
  ContextId context;          // none() if nobody knows it, as in a trace of addresses
  std::uint32_t bank = 0;
  std::uint32_t row = 0;
  bool write = false;
  std::uint32_t data_cycles = 0;  // command clocks for which its data occupy the data bus
};

// Lower numbers go first.
struct RequestPriority {
  static constexpr std::uint64_t kHeld = ~std::uint64_t{0};

  std::uint64_t level = 0;  // kHeld: the request has no command until its level changes
  std::uint64_t rank = 0;
};

class RequestRanking {
 public:
  virtual ~RequestRanking() = default;

  virtual void arrived(const QueuedRequest& request) = 0;
  virtual void served(std::uint32_t entry, Cycle now) = 0;  // its column command is issued at `now`

  // The priority of a waiting request. It changes only where update() says so, or for a request of the bank
  // whose request has just arrived or been served.
  virtual RequestPriority priority(std::uint32_t entry) const = 0;

  // Brings the ranking up to `now`, and returns whether priorities have changed since the last call. The
  // controller calls it after each arrival, after each served request, and at next_change() as long as
  // requests wait. Without requests it may be called after several changes at once; the ranking is then as
  // if it had been called at each of them.
  virtual bool update(Cycle now) = 0;
  // The next cycle, after that of the last call of update(), at which priorities change by themselves.
  virtual Cycle next_change() const = 0;
};

}  // namespace heddle
