#include <algorithm>
#include <array>

#include "models/core/base/random.h"
#include "policies/dram_scheduler/ranked_scheduler.h"

namespace heddle {

namespace {

// Thread Cluster Memory scheduling. At the end of each quantum the contexts that asked least, and together
// took at most `cluster` of the bandwidth, are the latency-sensitive cluster (Algorithm 1). They go first,
// the one that asked least before the others. The rest is the bandwidth-sensitive cluster, whose order is
// shuffled every `shuffle` cycles (Algorithm 2, insertion shuffle), or drawn if their niceness hardly
// differs. The paper orders contexts by misses per thousand instructions. The controllers of a GPU do not see
// instructions, so that requests per quantum stand for them. Each controller measures for itself.
class Tcm final : public RankedScheduler {
 public:
  explicit Tcm(const PolicyParameters& parameters)
      : quantum_(static_cast<std::uint64_t>(parameters["quantum"])),
        cluster_(parameters["cluster"]),
        interval_(static_cast<std::uint64_t>(parameters["shuffle"])),
        insertion_above_(parameters["insertion_above"]),
        quantum_end_(quantum_) {}

  RequestPriority priority(std::uint32_t entry) const override {
    return {contexts_.at(request(entry).context).level, 0};
  }
  Cycle next_change() const override {
    const bool shuffles = bandwidth_.size() > 1;
    return shuffles ? std::min(quantum_end_, begin() + (shuffled_ + 1) * interval_) : quantum_end_;
  }

  void reset() override {
    RankedScheduler::reset();
    contexts_.clear();
    bandwidth_.clear();
    quantum_end_ = Cycle{quantum_};
    shuffled_ = 0;
    banks_ = 0;
  }

 private:
  struct Context {
    std::uint64_t level = 0;
    // The following are of this quantum.
    std::uint64_t bursts = 0;
    std::uint64_t row_hits = 0;     // if the context had the memory alone
    std::uint64_t busy_cycles = 0;  // in which requests of the context wait
    std::uint64_t bank_cycles = 0;  // the banks of these requests, summed over the cycles
    // The following hold across quanta.
    std::array<std::uint32_t, 64> waiting{};   // requests, by bank
    std::array<std::uint32_t, 64> last_row{};  // by bank; the row plus 1, 0: none
    std::uint32_t banks = 0;                   // with a waiting request
    Cycle since{};                             // bank_cycles is up to date until here

    void account_until(Cycle now) {
      if (banks != 0) busy_cycles += now - since;
      bank_cycles += (now - since) * banks;
      since = now;
    }
    double parallelism() const { return ratio(bank_cycles, busy_cycles); }
    double locality() const { return ratio(row_hits, bursts); }
    static double ratio(std::uint64_t part, std::uint64_t whole) {
      return whole == 0 ? 0 : static_cast<double>(part) / static_cast<double>(whole);
    }
  };

  Cycle begin() const { return quantum_end_ - quantum_; }

  void add(const QueuedRequest& request) override {
    banks_ = std::max(banks_, request.bank + 1);
    Context& context = contexts_[request.context];
    context.account_until(request.accepted);
    if (context.waiting[request.bank]++ == 0) ++context.banks;
  }
  void remove(const QueuedRequest& request, Cycle now) override {
    Context& context = contexts_[request.context];
    context.account_until(now);
    if (--context.waiting[request.bank] == 0) --context.banks;
    ++context.bursts;
    if (context.last_row[request.bank] == request.row + 1) ++context.row_hits;
    context.last_row[request.bank] = request.row + 1;
  }

  void pass(Cycle now) override {
    if (now < next_change()) return;
    for (; quantum_end_ <= now; quantum_end_ = quantum_end_ + quantum_) end_quantum();
    shuffled_ = (now - begin()) / interval_;
    shuffle();
    changed();
  }

  void end_quantum() {
    std::vector<Context*> order;
    std::uint64_t total = 0;
    for (Context& one : contexts_.all()) {
      one.account_until(quantum_end_);
      order.push_back(&one);
      total += one.bursts;
    }
    std::stable_sort(order.begin(), order.end(),
                     [](const Context* a, const Context* b) { return a->bursts < b->bursts; });
    double used = 0;
    std::size_t in_front = 0;
    for (; in_front < order.size(); ++in_front) {
      used += static_cast<double>(order[in_front]->bursts);
      if (used > cluster_ * static_cast<double>(total)) break;
      order[in_front]->level = in_front;
    }
    in_front_ = in_front;
    bandwidth_.clear();
    for (std::size_t i = in_front; i < order.size(); ++i)
      bandwidth_.push_back({static_cast<std::uint32_t>(order[i] - contexts_.all().data()), 0});
    measure_niceness();
    for (Context& one : contexts_.all()) one.bursts = one.row_hits = one.busy_cycles = one.bank_cycles = 0;
  }

  struct Member {
    std::uint32_t place;  // of contexts_
    std::int64_t niceness;
  };
  const Context& context_of(const Member& member) const { return contexts_.all()[member.place]; }

  // A context is nice if it uses many banks, which makes it vulnerable, and has few row hits. The niceness is
  // the rank by the first minus the rank by the second.
  void measure_niceness() {
    double most_banks = 0, least_banks = 64, most_hits = 0, least_hits = 1;
    for (Member& member : bandwidth_) {
      const Context& own = context_of(member);
      for (const Member& other : bandwidth_) {
        if (context_of(other).parallelism() < own.parallelism()) ++member.niceness;
        if (context_of(other).locality() < own.locality()) --member.niceness;
      }
      most_banks = std::max(most_banks, own.parallelism());
      least_banks = std::min(least_banks, own.parallelism());
      most_hits = std::max(most_hits, own.locality());
      least_hits = std::min(least_hits, own.locality());
    }
    by_insertion_ =
        most_banks - least_banks > insertion_above_ * banks_ && most_hits - least_hits > insertion_above_;
  }

  // Puts the bandwidth-sensitive cluster into its order after shuffled_ shuffles. The last one goes first.
  void shuffle() {
    const auto nicer_last = [](const Member& a, const Member& b) {
      return a.niceness != b.niceness ? a.niceness < b.niceness : a.place < b.place;
    };
    const auto nicer_first = [&nicer_last](const Member& a, const Member& b) { return nicer_last(b, a); };
    std::sort(bandwidth_.begin(), bandwidth_.end(), nicer_last);
    const std::size_t members = bandwidth_.size();
    if (members == 0) return;
    if (by_insertion_) {
      for (std::uint64_t step = 0; step < shuffled_ % (2 * members); ++step) {
        const auto at = static_cast<std::ptrdiff_t>(step % members);
        if (step < members)
          std::sort(bandwidth_.end() - 1 - at, bandwidth_.end(), nicer_first);
        else
          std::sort(bandwidth_.begin(), bandwidth_.begin() + 1 + at, nicer_last);
      }
    } else {
      Random(begin().value + shuffled_).shuffle(bandwidth_);
    }
    for (std::size_t i = 0; i < members; ++i)
      contexts_.all()[bandwidth_[i].place].level = in_front_ + members - 1 - i;
  }

  const std::uint64_t quantum_;  // command clocks
  const double cluster_;
  const std::uint64_t interval_;  // command clocks
  const double insertion_above_;
  ContextTable<Context> contexts_;
  std::vector<Member> bandwidth_;  // the bandwidth-sensitive cluster
  std::size_t in_front_ = 0;       // contexts of the latency-sensitive cluster
  bool by_insertion_ = false;
  Cycle quantum_end_;
  std::uint64_t shuffled_ = 0;  // shuffles since the quantum began
  std::uint32_t banks_ = 0;     // of the controller, as far as they have been used
};

HEDDLE_POLICY(DramScheduler, Tcm, "tcm",
              "contexts that ask little first; the order of the others is shuffled",
              "Kim et al., MICRO 2010: Thread Cluster Memory scheduling",
              {{"quantum", "CK", 1000000, 1, 1e12, "the time after which contexts are clustered again", true},
               {"cluster", "1", 4.0 / 24, 0, 1,
                "most bandwidth of the latency-sensitive cluster (ClusterThresh)"},
               {"shuffle", "CK", 800, 1, 1e12, "the time between shuffles (ShuffleInterval)", true},
               {"insertion_above", "1", 0.1, 0, 1,
                "least difference in row hits, and in banks used, at which niceness counts "
                "(ShuffleAlgoThresh)"}});

}  // namespace

}  // namespace heddle
