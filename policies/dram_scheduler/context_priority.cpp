#include <algorithm>

#include "policies/dram_scheduler/ranked_scheduler.h"

namespace heddle {

namespace {

// Each context has a priority, which the experiment states. A request that has waited for `bound` CK or
// longer goes first. Then the requests of the context with the largest priority go. Among requests of one
// priority row hits go first, and then the oldest request.
class ContextPriority final : public RankedScheduler {
 public:
  explicit ContextPriority(const PolicyParameters& parameters)
      : priorities_(parameters, kPriorities, 0), late_(static_cast<std::uint64_t>(parameters["bound"])) {}

  static std::string misfit(const GpuDescription&, const PolicyParameters& parameters) {
    return ContextNumbers::misfit("context-priority", parameters, kPriorities);
  }

  RequestPriority priority(std::uint32_t entry) const override {
    const QueuedRequest& waiting = request(entry);
    return {late_.exceeded(waiting) ? 0 : kMost + 1 - priorities_.of(waiting.context), 0};
  }
  Cycle next_change() const override { return late_.next(); }

  void reset() override {
    RankedScheduler::reset();
    late_.reset();
  }

 private:
  static constexpr const char* kPriorities = "priorities";
  static constexpr std::uint64_t kMost = 1000;

  void add(const QueuedRequest& request) override { late_.arrived(request); }
  void pass(Cycle now) override {
    if (now >= late_.next() && late_.pass(now, [this](auto visit) { for_each_waiting(visit); })) changed();
  }

  const ContextNumbers priorities_;
  WaitBound late_;
};

HEDDLE_POLICY(
    DramScheduler, ContextPriority, "context-priority",
    "the context with the largest number first, after requests that have waited for a bound",
    "fixed priority; the bound as in Kim et al., HPCA 2010: ATLAS",
    {{"priorities", "1", IntegerLists{}, 0, 1000,
      "by application, in the order of the experiment: the larger goes first; `all`, or no entry: 0", true},
     {"bound", "CK", 10000, 1, 1e12, "a request that has waited as long goes first", true}});

}  // namespace

}  // namespace heddle
