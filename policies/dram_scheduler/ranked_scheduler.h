#pragma once
// A RankedScheduler is the base of schedulers that rank requests. It knows the waiting requests, and chooses
// among banks by level, then column commands before row commands, then rank, then arrival. What the papers
// call a thread, an application or a source is a context here.

#include <cstddef>
#include <utility>
#include <vector>

#include "policies/dram_scheduler/i_dram_scheduler.h"

namespace heddle {

// One element for each context that has been named, and one for requests without a context. The number of a
// place is that of the context plus 1.
template <class T>
class ContextTable {
 public:
  T& operator[](ContextId context) {
    const std::uint32_t place = place_of(context);
    if (place >= elements_.size()) elements_.resize(place + std::size_t{1});
    return elements_[place];
  }
  // The context has been named before.
  const T& at(ContextId context) const { return elements_[place_of(context)]; }
  std::vector<T>& all() { return elements_; }
  const std::vector<T>& all() const { return elements_; }
  void fill(const T& value) { elements_.assign(elements_.size(), value); }
  void clear() { elements_.clear(); }

 private:
  // none() has the largest number, to which the addition of 1 gives place 0.
  static std::uint32_t place_of(ContextId context) { return context.value + 1; }
  std::vector<T> elements_;
};

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

}  // namespace heddle
