#include <algorithm>

#include "policies/dram_scheduler/ranked_scheduler.h"

namespace heddle {

namespace {

// Start-time fair queueing of bursts. A request has the start tag max(v, f): v is the virtual time, and f the
// end tag of the request of the same context before it. Its own end tag is 1 / weight higher. Requests go by
// start tag. Those of one window of tags are equal, so that row hits go first there. The virtual time is the
// lowest start tag of a waiting request. The start tag of the request in service, which it is for a link that
// serves one packet after the other, would forgive a context what it lacks as soon as a request of another
// one went out of turn because its bank was ready.
class BandwidthShares final : public RankedScheduler {
 public:
  explicit BandwidthShares(const PolicyParameters& parameters)
      : window_(static_cast<std::uint64_t>(parameters["window"]) * StartTags::kUnit),
        tags_(ContextNumbers(parameters, kWeights, 1)) {}

  static std::string misfit(const GpuDescription&, const PolicyParameters& parameters) {
    return ContextNumbers::misfit("bandwidth-shares", parameters, kWeights);
  }

  RequestPriority priority(std::uint32_t entry) const override { return {start_[entry] / window_, 0}; }

  void reset() override {
    RankedScheduler::reset();
    start_.clear();
    tags_.reset();
    virtual_time_ = last_start_ = 0;
  }

 private:
  static constexpr const char* kWeights = "weights";

  void add(const QueuedRequest& request) override {
    if (request.entry >= start_.size()) start_.resize(request.entry + std::size_t{1});
    pass_virtual_time(request.entry);
    start_[request.entry] = tags_.take(request.context, 1, virtual_time_);
  }
  void remove(const QueuedRequest& request, Cycle) override {
    last_start_ = std::max(last_start_, start_[request.entry]);
  }

  // The request of this entry is the one that comes.
  void pass_virtual_time(std::uint32_t entry) {
    std::uint64_t lowest = ~std::uint64_t{0};
    for_each_waiting([&](const QueuedRequest& one) {
      if (one.entry != entry) lowest = std::min(lowest, start_[one.entry]);
    });
    virtual_time_ = std::max(virtual_time_, lowest == ~std::uint64_t{0} ? last_start_ : lowest);
  }

  const std::uint64_t window_;
  StartTags tags_;
  std::vector<std::uint64_t> start_;  // by entry
  std::uint64_t virtual_time_ = 0;
  std::uint64_t last_start_ = 0;  // the highest start tag of a served request
};

HEDDLE_POLICY(
    DramScheduler, BandwidthShares, "bandwidth-shares", "bursts of contexts in proportion to their weights",
    "Goyal et al., SIGCOMM 1996: start-time fair queueing; at a DRAM channel as in Nesbit et al., MICRO 2006",
    {{"weights", "1", IntegerLists{}, 1, 1000,
      "weights by application, in the order of the experiment; `all`, or no entry: weight 1", true},
     {"window", "bursts", 256, 1, 100000, "bursts of a context of weight 1 within which row hits go first",
      true}});

}  // namespace

}  // namespace heddle
