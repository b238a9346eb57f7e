#include <algorithm>
#include <array>
#include <tuple>

#include "policies/dram_scheduler/ranked_scheduler.h"

namespace heddle {

namespace {

// PAR-BS: Parallelism-Aware Batch Scheduling. When no marked read is left, the oldest `cap` reads of each
// context in each bank are marked. Marked reads go before others (Rule 1), then row hits, then reads of a
// context of higher rank, then older ones (Rule 2). Contexts are ranked by Max-Total (Rule 3): fewest marked
// reads in the bank where the context has most, then fewest in all banks. Equal contexts go by number, where
// the paper draws. Writes are not marked, and are served oldest first after row hits.
class ParBs final : public RankedScheduler {
 public:
  explicit ParBs(const PolicyParameters& parameters) : cap_(static_cast<std::uint32_t>(parameters["cap"])) {}

  RequestPriority priority(std::uint32_t entry) const override {
    const QueuedRequest& waiting = request(entry);
    if (waiting.write) return {};
    return {marked_[entry] != 0 ? 0u : 1u, contexts_.at(waiting.context).rank};
  }

  void reset() override {
    RankedScheduler::reset();
    marked_.clear();
    contexts_.clear();
    left_ = reads_ = 0;
  }

 private:
  struct Context {
    std::array<std::uint32_t, 64> marked{};  // by bank
    std::uint32_t most = 0;                  // of one bank
    std::uint32_t total = 0;
    std::uint64_t rank = 0;
  };

  void add(const QueuedRequest& request) override {
    if (request.entry >= marked_.size()) marked_.resize(request.entry + std::size_t{1});
    marked_[request.entry] = 0;
    contexts_[request.context];
    if (!request.write) ++reads_;
  }
  void remove(const QueuedRequest& request, Cycle) override {
    if (request.write) return;
    --reads_;
    left_ -= marked_[request.entry];
    marked_[request.entry] = 0;
  }
  void pass(Cycle) override {
    if (left_ == 0 && reads_ != 0) form_batch();
  }

  void form_batch() {
    contexts_.fill({});
    oldest_.clear();
    for_each_waiting([this](const QueuedRequest& one) {
      if (!one.write) oldest_.push_back(&one);
    });
    std::sort(oldest_.begin(), oldest_.end(),
              [](const QueuedRequest* a, const QueuedRequest* b) { return a->arrival < b->arrival; });
    for (const QueuedRequest* one : oldest_) {
      Context& context = contexts_[one->context];
      std::uint32_t& in_bank = context.marked[one->bank];
      if (in_bank == cap_) continue;
      marked_[one->entry] = 1;
      ++left_;
      ++context.total;
      context.most = std::max(context.most, ++in_bank);
    }
    rank();
    changed();
  }

  void rank() {
    const auto load = [this](std::size_t place) {
      const Context& one = contexts_.all()[place];
      return std::make_tuple(one.most, one.total, place);
    };
    for (std::size_t place = 0; place < contexts_.all().size(); ++place)
      for (std::size_t other = 0; other < contexts_.all().size(); ++other)
        if (load(other) < load(place)) ++contexts_.all()[place].rank;
  }

  const std::uint32_t cap_;
  std::vector<std::uint8_t> marked_;  // by entry
  std::uint32_t left_ = 0;            // marked reads that wait
  std::uint32_t reads_ = 0;           // all reads that wait
  ContextTable<Context> contexts_;
  std::vector<const QueuedRequest*> oldest_;  // reads in order of arrival, while a batch is formed
};

HEDDLE_POLICY(DramScheduler, ParBs, "par-bs",
              "batches of the oldest reads of each context, the shortest job first",
              "Mutlu and Moscibroda, ISCA 2008: PAR-BS",
              {{"cap", "requests", 5, 1, 1000000, "marked reads of a context in a bank (Marking-Cap)",
                true}});

}  // namespace

}  // namespace heddle
