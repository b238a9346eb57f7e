#pragma once
// A RankedScheduler is the base of schedulers that rank requests. It knows the waiting requests, and chooses
// among banks by level, then column commands before row commands, then rank, then arrival. What the papers
// call a thread, an application or a source is a context here.

#include <algorithm>
#include <cstddef>
#include <utility>
#include <vector>

#include "policies/context_table.h"
#include "policies/dram_scheduler/i_dram_scheduler.h"

namespace heddle {

class RankedScheduler : public DramScheduler, public RequestRanking {
 public:
  bool keep_row(const OpenRowView&) override { return true; }
  std::size_t choose(const CommandSlotView& slot) override;
  RequestRanking* ranking() final { return this; }
  void reset() override {
    requests_.clear();
    changed_ = false;
  }

  void arrived(const QueuedRequest& request) final;
  void served(std::uint32_t entry, Cycle now) final;
  bool update(Cycle now) final {
    pass(now);
    return std::exchange(changed_, false);
  }
  Cycle next_change() const override { return Cycle::never(); }

 protected:
  // What a policy learns. The request is among the waiting ones during both of the first calls.
  virtual void add(const QueuedRequest&) {}
  virtual void remove(const QueuedRequest&, Cycle) {}
  virtual void pass(Cycle) {}  // the time has come to this cycle

  void changed() { changed_ = true; }
  const QueuedRequest& request(std::uint32_t entry) const { return requests_[entry].request; }
  // Calls the visitor for each waiting request, by entry.
  template <class Visitor>
  void for_each_waiting(Visitor visit) const {
    for (const Waiting& one : requests_)
      if (one.waits) visit(one.request);
  }

 private:
  struct Waiting {
    QueuedRequest request;
    bool waits = false;
  };
  std::vector<Waiting> requests_;  // by entry
  bool changed_ = false;
};

// A WaitBound finds the requests that have waited for a bound or longer. Requests exceed the bound in order
// of arrival.
class WaitBound {
 public:
  explicit WaitBound(std::uint64_t cycles) : cycles_(cycles) {}  // command clocks

  void reset() {
    exceeded_before_ = 0;
    next_ = Cycle::never();
  }
  bool exceeded(const QueuedRequest& request) const { return request.arrival < exceeded_before_; }
  // Returns a cycle before which no further request exceeds the bound.
  Cycle next() const { return next_; }

  void arrived(const QueuedRequest& request) { next_ = std::min(next_, request.accepted + cycles_); }
  // Brings the bound up to `now`, which is next() or later. `for_each_waiting` calls its argument for each
  // waiting request. Returns whether further requests have exceeded the bound.
  template <class ForEachWaiting>
  bool pass(Cycle now, ForEachWaiting for_each_waiting) {
    bool more = false;
    next_ = Cycle::never();
    for_each_waiting([&](const QueuedRequest& one) {
      if (one.accepted + cycles_ > now) {
        next_ = std::min(next_, one.accepted + cycles_);
      } else if (one.arrival >= exceeded_before_) {
        exceeded_before_ = one.arrival + 1;
        more = true;
      }
    });
    return more;
  }

 private:
  const std::uint64_t cycles_;
  std::uint64_t exceeded_before_ = 0;  // requests with a lower number have exceeded the bound
  Cycle next_ = Cycle::never();
};

}  // namespace heddle
