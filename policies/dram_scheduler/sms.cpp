#include <algorithm>
#include <deque>

#include "models/core/base/random.h"
#include "policies/dram_scheduler/ranked_scheduler.h"

namespace heddle {

namespace {

// Staged Memory Scheduling. Stage 1: reads of a context to one row that come one after the other are a batch.
// It is ready when a read of another row follows, at `batch` reads, or `age` cycles after its first one.
// Stage 2: with the probability `sjf` the ready batch of the context with the fewest waiting reads goes, else
// that of the next context in turn. It moves to the queue of its bank, one read a cycle, as long as that has
// less than `bank_queue` reads. Stage 3: a bank serves its queue in order. Among banks the read that has
// moved first goes, where the paper goes round the banks. A read moves at once if less than `bypass` reads
// wait. Writes are not staged, and are served oldest first after row hits.
class Sms final : public RankedScheduler {
 public:
  explicit Sms(const PolicyParameters& parameters)
      : sjf_(parameters["sjf"]),
        most_(static_cast<std::uint32_t>(parameters["batch"])),
        age_(static_cast<std::uint64_t>(parameters["age"])),
        bank_queue_(static_cast<std::uint32_t>(parameters["bank_queue"])),
        bypass_(static_cast<std::uint32_t>(parameters["bypass"])) {}

  RequestPriority priority(std::uint32_t entry) const override {
    if (request(entry).write) return {};
    return {moved_[entry], 0};
  }
  Cycle next_change() const override { return next_change_; }

  void reset() override {
    RankedScheduler::reset();
    moved_.clear();
    sources_.clear();
    in_banks_.clear();
    random_ = Random(kSeed);
    reads_ = moves_ = 0;
    left_ = 0;
    next_move_ = Cycle{0};
    next_change_ = Cycle::never();
  }

 private:
  static constexpr std::uint64_t kSeed = 1;

  struct Source {
    std::deque<std::uint32_t> held;  // entries of reads that have not moved, in order of arrival
    std::uint32_t waiting = 0;       // reads, whether or not they have moved
  };

  void add(const QueuedRequest& request) override {
    if (request.entry >= moved_.size()) moved_.resize(request.entry + std::size_t{1});
    if (request.bank >= in_banks_.size()) in_banks_.resize(request.bank + std::size_t{1});
    moved_[request.entry] = RequestPriority::kHeld;
    if (request.write) return;
    Source& source = sources_[request.context];
    ++source.waiting;
    if (++reads_ <= bypass_ && source.held.empty())
      move(request.entry);
    else
      source.held.push_back(request.entry);
  }
  void remove(const QueuedRequest& request, Cycle) override {
    if (request.write) return;
    --sources_[request.context].waiting;
    --reads_;
    --in_banks_[request.bank];
  }
  void move(std::uint32_t entry) {
    moved_[entry] = ++moves_;
    ++in_banks_[request(entry).bank];
    changed();
  }

  void pass(Cycle now) override {
    if (now >= next_move_) move_one(now);
    plan(now);
  }

  void move_one(Cycle now) {
    if (left_ == 0 && !take_batch(now)) return;
    std::deque<std::uint32_t>& held = sources_.all()[current_].held;
    if (in_banks_[request(held.front()).bank] >= bank_queue_) return;
    move(held.front());
    held.pop_front();
    --left_;
    next_move_ = now + 1;
  }

  // The reads of the first batch of a source that has held reads.
  std::uint32_t batch_of(const Source& source) const {
    const QueuedRequest& first = request(source.held.front());
    std::uint32_t reads = 1;
    while (reads < source.held.size() && reads < most_ && is_row_of(first, source.held[reads])) ++reads;
    return reads;
  }
  bool is_row_of(const QueuedRequest& first, std::uint32_t entry) const {
    return request(entry).bank == first.bank && request(entry).row == first.row;
  }
  // The cycle from which the first batch of a source is ready.
  Cycle ready_at(const Source& source) const {
    const std::uint32_t reads = batch_of(source);
    if (reads == most_ || reads < source.held.size()) return Cycle{0};
    return request(source.held.front()).accepted + age_;
  }
  bool is_ready(const Source& source, Cycle now) const {
    return !source.held.empty() && ready_at(source) <= now;
  }

  bool take_batch(Cycle now) {
    const std::vector<Source>& sources = sources_.all();
    std::vector<std::uint32_t> ready;  // from the one behind the last taken in turn on
    for (std::size_t i = 0; i < sources.size(); ++i) {
      const std::size_t place = (turn_ + 1 + i) % sources.size();
      if (is_ready(sources[place], now)) ready.push_back(static_cast<std::uint32_t>(place));
    }
    if (ready.empty()) return false;
    if (random_.unit() < sjf_) {
      current_ = *std::min_element(ready.begin(), ready.end(), [&sources](std::uint32_t a, std::uint32_t b) {
        return sources[a].waiting != sources[b].waiting ? sources[a].waiting < sources[b].waiting : a < b;
      });
    } else {
      current_ = turn_ = ready.front();
    }
    left_ = batch_of(sources[current_]);
    return true;
  }

  // A move that waits for room in a bank's queue follows a served read.
  void plan(Cycle now) {
    next_change_ = Cycle::never();
    if (left_ != 0) {
      const std::uint32_t next = sources_.all()[current_].held.front();
      if (in_banks_[request(next).bank] < bank_queue_) next_change_ = std::max(next_move_, now + 1);
      return;
    }
    for (const Source& source : sources_.all())
      if (!source.held.empty())
        next_change_ = std::min(next_change_, std::max({ready_at(source), next_move_, now + 1}));
  }

  const double sjf_;
  const std::uint32_t most_;
  const std::uint64_t age_;  // command clocks
  const std::uint32_t bank_queue_;
  const std::uint32_t bypass_;
  std::vector<std::uint64_t> moved_;  // by entry: number of its move, or kHeld
  ContextTable<Source> sources_;
  std::vector<std::uint32_t> in_banks_;  // by bank: reads that have moved and wait
  Random random_{kSeed};
  std::uint64_t reads_ = 0;  // that wait
  std::uint64_t moves_ = 0;
  std::uint32_t current_ = 0;  // the source whose batch moves
  std::uint32_t turn_ = 0;     // the source that was taken in turn last
  std::uint32_t left_ = 0;     // reads of the batch that have not moved
  Cycle next_move_{0};
  Cycle next_change_ = Cycle::never();
};

HEDDLE_POLICY(DramScheduler, Sms, "sms", "batches of a context to one row, the shortest job first or in turn",
              "Ausavarungnirun et al., ISCA 2012: Staged Memory Scheduling",
              {{"sjf", "1", 0.9, 0, 1, "probability of the shortest job first; else contexts go in turn"},
               {"batch", "requests", 20, 1, 1000000, "most reads of a batch", true},
               {"age", "CK", 200, 1, 1e12, "the time after which a batch is ready at the latest", true},
               {"bank_queue", "requests", 15, 1, 1000000, "reads in the queue of a bank", true},
               {"bypass", "requests", 16, 0, 1000000,
                "up to so many waiting reads, a read goes to the queue of its bank at once", true}});

}  // namespace

}  // namespace heddle
