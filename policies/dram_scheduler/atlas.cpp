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
        threshold_(static_cast<std::uint64_t>(parameters["threshold"])),
        quantum_end_(quantum_) {}

  RequestPriority priority(std::uint32_t entry) const override {
    const QueuedRequest& waiting = request(entry);
    const std::uint64_t rank = contexts_.at(waiting.context).rank;
    return {waiting.arrival < starved_before_ ? rank : kNotStarved + rank, 0};
  }
  Cycle next_change() const override { return std::min(quantum_end_, starves_at_); }

  void reset() override {
    RankedScheduler::reset();
    contexts_.clear();
    quantum_end_ = Cycle{quantum_};
    starved_before_ = 0;
    starves_at_ = Cycle::never();
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
    starves_at_ = std::min(starves_at_, request.accepted + threshold_);
  }
  void remove(const QueuedRequest& request, Cycle) override { ++contexts_[request.context].bursts; }

  void pass(Cycle now) override {
    if (now >= starves_at_) find_starved(now);
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

  // Requests starve in order of arrival.
  void find_starved(Cycle now) {
    starves_at_ = Cycle::never();
    for_each_waiting([&](const QueuedRequest& one) {
      if (one.accepted + threshold_ > now) {
        starves_at_ = std::min(starves_at_, one.accepted + threshold_);
      } else if (one.arrival >= starved_before_) {
        starved_before_ = one.arrival + 1;
        changed();
      }
    });
  }

  const std::uint64_t quantum_;  // command clocks
  const double alpha_;
  const std::uint64_t threshold_;  // command clocks
  ContextTable<Context> contexts_;
  Cycle quantum_end_;
  std::uint64_t starved_before_ = 0;   // requests with a lower number have waited beyond the threshold
  Cycle starves_at_ = Cycle::never();  // at most the next cycle at which a request starves
};

HEDDLE_POLICY(DramScheduler, Atlas, "atlas", "the context with the least attained service first",
              "Kim et al., HPCA 2010: ATLAS",
              {{"quantum", "CK", 10000000, 1, 1e12, "the time after which contexts are ranked again", true},
               {"alpha", "1", 0.875, 0, 1, "weight of the service attained in earlier quanta"},
               {"threshold", "CK", 100000, 1, 1e12, "a request that has waited as long goes first", true}});

}  // namespace

}  // namespace heddle
