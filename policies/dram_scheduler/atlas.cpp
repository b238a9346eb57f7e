#include <algorithm>

#include "policies/dram_scheduler/ranked_scheduler.h"

namespace heddle {

namespace {

// ATLAS: the context with the least attained service goes first. A quantum's service counts with 1 - alpha,
// and what was attained before with alpha. The service of a context is the number of its bursts, where the
// paper takes the time for which they keep banks busy. Each controller counts for itself, because
// interleaving gives every context the same share of each channel; the paper's controllers add up.
class Atlas final : public RankedScheduler {
 public:
  explicit Atlas(const PolicyParameters& parameters)
      : quantum_(static_cast<std::uint64_t>(parameters["quantum"])),
        alpha_(parameters["alpha"]),
        starved_(static_cast<std::uint64_t>(parameters["threshold"])),
        quantum_end_(quantum_) {}

  RequestPriority priority(std::uint32_t entry) const override {
    const QueuedRequest& waiting = request(entry);
    const std::uint64_t rank = contexts_.at(waiting.context).rank;
    return {starved_.exceeded(waiting) ? rank : kNotStarved + rank, 0};
  }
  Cycle next_change() const override { return std::min(quantum_end_, starved_.next()); }

  void reset() override {
    RankedScheduler::reset();
    contexts_.clear();
    quantum_end_ = Cycle{quantum_};
    starved_.reset();
  }

 private:
  static constexpr std::uint64_t kNotStarved = std::uint64_t{1} << 40;  // above every rank
  struct Context {
    double attained = 0;       // bursts of earlier quanta, weighted
    std::uint64_t bursts = 0;  // of this quantum
    std::uint64_t rank = 0;    // contexts with less attained service
  };

  void add(const QueuedRequest& request) override {
    contexts_[request.context];
    starved_.arrived(request);
  }
  void remove(const QueuedRequest& request, Cycle) override { ++contexts_[request.context].bursts; }

  void pass(Cycle now) override {
    if (now >= starved_.next() && starved_.pass(now, [this](auto visit) { for_each_waiting(visit); }))
      changed();
    if (now < quantum_end_) return;
    for (; quantum_end_ <= now; quantum_end_ = quantum_end_ + quantum_) end_quantum();
    for (Context& one : contexts_.all())
      one.rank = static_cast<std::uint64_t>(
          std::count_if(contexts_.all().begin(), contexts_.all().end(),
                        [&one](const Context& other) { return other.attained < one.attained; }));
    changed();
  }

  void end_quantum() {
    for (Context& one : contexts_.all()) {
      one.attained = alpha_ * one.attained + (1 - alpha_) * static_cast<double>(one.bursts);
      one.bursts = 0;
    }
  }

  const std::uint64_t quantum_;  // command clocks
  const double alpha_;
  WaitBound starved_;
  ContextTable<Context> contexts_;
  Cycle quantum_end_;
};

HEDDLE_POLICY(DramScheduler, Atlas, "atlas", "the context with the least attained service first",
              "Kim et al., HPCA 2010: ATLAS",
              {{"quantum", "CK", 10000000, 1, 1e12, "the time after which contexts are ranked again", true},
               {"alpha", "1", 0.875, 0, 1, "weight of the service attained in earlier quanta"},
               {"threshold", "CK", 100000, 1, 1e12, "a request that has waited as long goes first", true}});

}  // namespace

}  // namespace heddle
