#pragma once
// A GPU of pure logic around an SmDriver. Its SMs take their set-up time and hold every block for its
// residence time, and one event loop calls the driver as the execution engine does. The GPU checks the rules
// of the hardware: an SM is set up before it gets blocks; it has one kernel at a time unless share_sms() was
// called; it gets at most one block per cycle; its blocks fit; no block is issued twice; a block that was
// saved goes on with its own state, whose area no other block has meanwhile; only blocks of restartable
// kernels are flushed. A violation throws InvariantError.

#include <algorithm>
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <set>
#include <utility>
#include <vector>

#include "models/core/base/check.h"
#include "models/engine/sm_driver.h"
#include "models/sm/sm_sampler.h"
#include "models/sm/timed/residence_time.h"

namespace heddle {

// The times and blocks of one launch.
struct KernelSpan {
  Cycle loaded = Cycle::never();
  Cycle activated = Cycle::never();
  Cycle first_block = Cycle::never();
  Cycle ended = Cycle::never();
  std::vector<std::uint8_t> issued;  // how often, by block
  std::vector<std::uint8_t> done;    // how often, by block
};

class FakeGpu final : public DispatchPort, public EngineObserver {
 public:
  FakeGpu(const EngineSpec& spec, const SmLimits& limits, std::uint32_t sms, SmPartitioner& partitioner,
          Preemption& preemption, BlockThrottle* throttle = nullptr)
      : spec_(spec),
        limits_(limits),
        sms_(sms, Sm(spec.ksrs)),
        driver_(spec, limits, sms, partitioner, throttle != nullptr ? *throttle : *no_throttle_, preemption,
                *this) {
    driver_.observe(*this);
  }

  SmDriver& driver() { return driver_; }
  Cycle now() const { return now_; }
  std::uint64_t steps() const { return steps_; }
  const KernelSpan& span(KernelId kernel) const { return spans_.at(kernel.value); }
  const std::vector<KernelSpan>& spans() const { return spans_; }

  // Allows several kernels on an SM at once.
  void share_sms() { exclusive_ = false; }
  // Sets the warp instructions per cycle that a kernel with so many blocks on an SM executes. A sample counts
  // them for the blocks that are resident at the end of its window.
  void perform(std::function<double(KernelId, std::uint32_t blocks)> ipc) { ipc_ = std::move(ipc); }
  // Sets the warp instructions that each block reports at its end.
  void work_of_blocks(std::uint64_t instructions) { block_instructions_ = instructions; }
  // Sets the share of cycles, 0 to 1, in which all warps of a kernel with so many blocks on an SM wait for
  // loads. The blocks are those at the end of a window.
  void stall(std::function<double(KernelId, std::uint32_t blocks)> share) { stalled_ = std::move(share); }
  // Returns the most blocks of the KSR that may issue on the SM, as the driver said last; 0: it said nothing.
  std::uint32_t issuing(SmId sm, KsrId ksr) { return sms_[sm.value].limits[ksr]; }
  // Sets the share of all cycles, 0 to 1, in which every SM waits for memory.
  void wait_for_memory(double share) { waiting_ = share; }
  // Sets the cycles from the arrival of a request to save a block to the end of its stores, and those of the
  // loads when it goes on.
  void swap_in(std::uint64_t cycles) { swap_cycles_ = cycles; }
  std::uint64_t blocks_saved() const { return saved_count_; }
  std::uint64_t blocks_flushed() const { return flushed_count_; }
  // Returns the core cycles from the issue of flushed blocks on, without those in swap space, summed.
  std::uint64_t lost_cycles() const { return lost_cycles_; }
  // Calls the driver in every cycle, instead of only when it has something to do.
  void step_every_cycle() { every_cycle_ = true; }

  // Adds a launch at cycle `at` and returns its kernel number, counted from 0. Launches are added in order of
  // time.
  KernelId launch(Cycle at, KernelLaunch launch) {
    launch.kernel = KernelId{spans_.size()};
    spans_.emplace_back();
    spans_.back().issued.resize(launch.blocks);
    spans_.back().done.resize(launch.blocks);
    launches_.push_back({at, launch});
    return launch.kernel;
  }
  void set_context(Cycle at, ContextId context, const ContextView& share) {
    if (at <= now_ && steps_ == 0) return driver_.set_context(context, share);
    post(at, [this, context, share] { driver_.set_context(context, share); });
  }

  void halt(Cycle at, ContextId context) {
    post(at, [this, context] { driver_.halt(now_, context); });
  }

  // Returns the cycle in which the SM will have answered every message that it has received so far, or now()
  // if none is open.
  Cycle busy_until(SmId sm) const { return std::max(now_, sms_[sm.value].busy_until); }

  // Runs until every launch has ended. Throws InvariantError if blocks or kernels are left and no event is
  // pending.
  void run() {
    while (advance(Cycle::never())) {
    }
    HEDDLE_CHECK(driver_.idle() && launches_.empty(), "fake GPU", now_,
                 "stuck: {} of {} launches not loaded, {}", launches_.size(), spans_.size(),
                 driver_.idle() ? "the rest ended" : "kernels left");
  }
  // Runs all events up to and including cycle `last`.
  void run_until(Cycle last) {
    while (advance(last)) {
    }
  }

 private:
  struct Running {
    std::uint64_t number;
    KsrId ksr;
    BlockId block;
    BlockResources need;
    Cycle end;
    Cycle since;          // its issue, later by the time in swap space
    Cycle begin;          // when it can issue: its arrival, or when it has its state back
    bool leaves = false;  // it is being saved
  };
  struct Sm {
    explicit Sm(std::uint32_t ksrs) : sampler(ksrs), counts(ksrs) {}
    std::set<KsrId> ready;  // KSRs whose set-up is complete
    std::map<KsrId, std::uint32_t> running;
    std::map<KsrId, std::uint32_t> limits;  // as limit() says
    SmSampler sampler;
    std::vector<KernelCounts> counts;  // by KSR; only `blocks` is counted
    std::vector<Running> blocks;
    BlockResources used;
    Cycle issued_at = Cycle::never();
    Cycle busy_until;
    Cycle sampled_at;
  };
  struct Arrival {
    Cycle at;
    KernelLaunch launch;
  };
  using Event = std::function<void()>;

  void post(Cycle at, Event event) { events_[{at.value, posted_++}] = std::move(event); }

  Cycle next() const {
    Cycle at = step_at_;
    if (!events_.empty()) at = std::min(at, Cycle{events_.begin()->first.first});
    if (!launches_.empty() && driver_.can_load())
      at = std::min(at, steps_ == 0 ? launches_.front().at : std::max(launches_.front().at, now_ + 1));
    if (every_cycle_ && at != Cycle::never()) at = steps_ == 0 ? Cycle{0} : now_ + 1;
    return at;
  }

  bool advance(Cycle last) {
    const Cycle at = next();
    if (at == Cycle::never() || at > last) return false;
    now_ = at;
    while (!events_.empty() && events_.begin()->first.first == now_.value) {
      const Event event = std::move(events_.begin()->second);
      events_.erase(events_.begin());
      event();
    }
    for (; !launches_.empty() && launches_.front().at <= now_ && driver_.can_load(); launches_.pop_front())
      driver_.load(now_, launches_.front().launch);
    driver_.step(now_);
    ++steps_;
    step_at_ = driver_.next_step(now_);
    HEDDLE_CHECK(step_at_ > now_, "fake GPU", now_, "asked for cycle {} again", step_at_.value);
    return true;
  }

  void set_up(SmId id, KsrId ksr, const KernelLaunch& launch) override {
    Sm& sm = sms_[id.value];
    if (exclusive_) {
      HEDDLE_CHECK(sm.used.blocks == 0, "fake GPU", now_, "SM {} set up with blocks on it", id.value);
      sm.ready.clear();
    }
    programs_[ksr] = launch;
    sm.sampler.set_kernel(ksr, launch.kernel, sm.counts[ksr.value]);
    sm.busy_until = std::max(sm.busy_until, now_ + spec_.set_up_cycles());
    post(now_ + spec_.set_up_cycles(), [this, id, ksr] {
      sms_[id.value].ready.insert(ksr);
      driver_.sm_ready(now_, id, ksr);
    });
  }

  void issue(SmId id, KsrId ksr, BlockId block, const std::shared_ptr<const SavedBlock>& saved,
             const std::shared_ptr<const ClusterPlaces>&) override {
    Sm& sm = sms_[id.value];
    HEDDLE_CHECK(sm.ready.count(ksr) != 0, "fake GPU", now_, "SM {} is not set up for KSR {}", id.value,
                 ksr.value);
    HEDDLE_CHECK(sm.issued_at != now_, "fake GPU", now_, "SM {} got a second block", id.value);
    const KernelLaunch& launch = programs_.at(ksr);
    const BlockResources need = resources_of(launch.shape, limits_);
    HEDDLE_CHECK(fits(sm.used, need, limits_), "fake GPU", now_, "a block does not fit SM {}", id.value);
    HEDDLE_CHECK(!exclusive_ || sm.used.blocks == sm.running[ksr], "fake GPU", now_, "two kernels on SM {}",
                 id.value);
    sm.issued_at = now_;
    sm.used += need;
    ++sm.running[ksr];
    flushed_.erase({ksr, block});
    std::uint64_t cycles = residence_of(launch, block);
    Cycle since = now_;
    if (saved != nullptr) {
      const auto found = cycles_left_.find({ksr, block});
      HEDDLE_CHECK(found != cycles_left_.end() && found->second.second == saved->area, "fake GPU", now_,
                   "block {} goes on with the state of another one", block.value);
      cycles = swap_cycles_ + found->second.first;
      since = Cycle{now_.value - elapsed_.at({ksr, block})};
      cycles_left_.erase(found);
    }
    const Cycle end = now_ + spec_.block_issue_latency + cycles;
    const Cycle begin = now_ + spec_.block_issue_latency + (saved != nullptr ? swap_cycles_ : 0);
    sm.busy_until = std::max(sm.busy_until, end);
    const std::uint64_t number = posted_;
    sm.blocks.push_back({number, ksr, block, need, end, since, begin});
    post(end, [this, id, number] { end_block(id, number); });
    if (saved != nullptr) post(begin, [this, id, number] { restore_block(id, number); });
  }

  // A block whose end is due before the request arrives ends. Any other one leaves when it is stored.
  void save(SmId id, KsrId ksr, BlockId block, std::uint32_t area) override {
    for (const auto& [key, state] : cycles_left_)
      HEDDLE_CHECK(key.first != ksr || state.second != area, "fake GPU", now_,
                   "block {} is stored over block {}", block.value, key.second.value);
    const Cycle leaves = now_ + spec_.block_issue_latency + swap_cycles_;
    sms_[id.value].busy_until = std::max(sms_[id.value].busy_until, leaves);
    post(now_ + spec_.block_issue_latency, [this, id, ksr, block, leaves, area] {
      Sm& sm = sms_[id.value];
      const auto found = std::find_if(sm.blocks.begin(), sm.blocks.end(), [&](const Running& running) {
        return running.ksr == ksr && running.block == block;
      });
      if (found == sm.blocks.end()) return;
      found->leaves = true;
      cycles_left_[{ksr, block}] = {std::max<std::uint64_t>(1, found->end - std::max(now_, found->begin)),
                                    area};
      post(leaves, [this, id, number = found->number] { leave(id, number); });
    });
  }

  // If a block is saved again during its restore, the restore is not reported.
  void restore_block(SmId id, std::uint64_t number) {
    for (const Running& running : sms_[id.value].blocks)
      if (running.number == number && !running.leaves)
        return driver_.block_restored(id, running.ksr, running.block);
  }

  void leave(SmId id, std::uint64_t number) {
    Sm& sm = sms_[id.value];
    const auto found = std::find_if(sm.blocks.begin(), sm.blocks.end(),
                                    [&](const Running& running) { return running.number == number; });
    if (found == sm.blocks.end()) return;  // its context was halted
    const Running left = *found;
    sm.blocks.erase(found);
    sm.used -= left.need;
    --sm.running[left.ksr];
    ++saved_count_;
    elapsed_[{left.ksr, left.block}] = now_ - left.since;
    const auto state = std::make_shared<SavedBlock>();
    state->area = cycles_left_.at({left.ksr, left.block}).second;
    driver_.block_saved(now_, id, left.ksr, left.block, state);
  }

  // A block whose end is due before the request arrives ends. Any other one leaves at once.
  void flush(SmId id, KsrId ksr, BlockId block) override {
    sms_[id.value].busy_until = std::max(sms_[id.value].busy_until, now_ + spec_.block_issue_latency);
    post(now_ + spec_.block_issue_latency, [this, id, ksr, block] {
      Sm& sm = sms_[id.value];
      const auto found = std::find_if(sm.blocks.begin(), sm.blocks.end(), [&](const Running& running) {
        return running.ksr == ksr && running.block == block;
      });
      if (found == sm.blocks.end()) return;
      HEDDLE_CHECK(programs_.at(ksr).restartable, "fake GPU", now_, "block {} may not start over",
                   block.value);
      const Running left = *found;
      sm.blocks.erase(found);
      sm.used -= left.need;
      --sm.running[left.ksr];
      ++flushed_count_;
      flushed_.insert({ksr, block});
      lost_cycles_ += now_ - left.since;
      SmWork work;
      work.warp_instructions = block_instructions_;
      driver_.block_flushed(now_, id, ksr, block, work);
    });
  }

  // Ends the block with this number. A block that has already ended, because its context was halted, is
  // ignored, and so is one that is being saved, unless its context is halted.
  void end_block(SmId id, std::uint64_t number, bool halted = false) {
    Sm& sm = sms_[id.value];
    const auto found = std::find_if(sm.blocks.begin(), sm.blocks.end(),
                                    [&](const Running& running) { return running.number == number; });
    if (found == sm.blocks.end() || (found->leaves && !halted)) return;
    const Running ended = *found;
    if (ended.leaves) cycles_left_.erase({ended.ksr, ended.block});
    sm.blocks.erase(found);
    sm.used -= ended.need;
    --sm.running[ended.ksr];
    ++sm.counts[ended.ksr.value].blocks;
    SmWork work;
    work.warp_instructions = block_instructions_;
    driver_.block_done(now_, id, ended.ksr, ended.block, work);
  }

  void halt(SmId id, KsrId ksr) override {
    post(now_ + spec_.block_issue_latency, [this, id, ksr] {
      const std::vector<Running> running = sms_[id.value].blocks;
      for (const Running& one : running)
        if (one.ksr == ksr) end_block(id, one.number, true);
    });
  }

  void limit(SmId id, KsrId ksr, std::uint32_t blocks) override { sms_[id.value].limits[ksr] = blocks; }

  void sample(SmId id, Cycle asked) override {
    post(now_ + spec_.block_issue_latency, [this, id, asked] {
      Sm& sm = sms_[id.value];
      if (ipc_) count_instructions(sm);
      CycleTotals totals;
      totals.issue_slots = now_.value;
      totals.memory_slots = static_cast<std::uint64_t>(waiting_ * static_cast<double>(now_.value));
      sm.sampler.begin(now_, totals);
      for (std::uint32_t i = 0; i < sm.counts.size(); ++i)
        sm.sampler.add(KsrId{i}, sm.running[KsrId{i}], sm.counts[i]);
      SmSample sample = *sm.sampler.sample();
      if (stalled_)
        for (KernelSample& kernel : sample.kernels) count_stalls(sample, kernel);
      driver_.sampled(now_, id, sample, asked);
    });
  }

  // The kernel's warps wait for the scoreboard in the share of cycles that stall() says, and issue in the
  // others.
  void count_stalls(const SmSample& sample, KernelSample& kernel) const {
    const double share = stalled_(kernel.kernel, kernel.resident);
    const auto stalls = static_cast<std::uint64_t>(share * static_cast<double>(sample.cycles()));
    kernel.stalls.waiting[reason(Bucket::kScoreboardMemory)] = stalls;
    kernel.stalls.active = sample.cycles() - stalls;
  }

  void count_instructions(Sm& sm) {
    const auto cycles = static_cast<double>(now_ - sm.sampled_at);
    for (const auto& [ksr, blocks] : sm.running)
      if (blocks > 0)
        sm.counts[ksr.value].warp_instructions +=
            static_cast<std::uint64_t>(cycles * ipc_(kernels_.at(ksr), blocks));
    sm.sampled_at = now_;
  }

  void kernel_event(Cycle now, KernelEvent event, KsrId ksr, const KernelLaunch& launch) override {
    KernelSpan& span = spans_[launch.kernel.value];
    switch (event) {
      case KernelEvent::kLoaded:
        span.loaded = now;
        break;
      case KernelEvent::kActivated:
        span.activated = now;
        break;
      case KernelEvent::kHalted:
        break;
      case KernelEvent::kEnded:
        span.ended = now;
        break;
    }
    kernels_[ksr] = launch.kernel;
  }
  void block_issued(Cycle now, SmId, KsrId ksr, BlockId block) override {
    KernelSpan& span = spans_[kernels_.at(ksr).value];
    span.first_block = std::min(span.first_block, now);
    HEDDLE_CHECK(++span.issued.at(block.value) == 1, "fake GPU", now, "block {} issued again", block.value);
  }
  void block_dropped(Cycle now, KsrId ksr, BlockId block, const SmWork& work) override {
    HEDDLE_CHECK(cycles_left_.erase({ksr, block}) + flushed_.erase({ksr, block}) == 1, "fake GPU", now,
                 "block {} was neither saved nor flushed", block.value);
    block_done(now, SmId{}, ksr, block, work);
  }
  void block_done(Cycle now, SmId, KsrId ksr, BlockId block, const SmWork&) override {
    KernelSpan& span = spans_[kernels_.at(ksr).value];
    HEDDLE_CHECK(++span.done.at(block.value) == 1, "fake GPU", now, "block {} done again", block.value);
  }

  const EngineSpec spec_;
  const SmLimits limits_;
  const std::unique_ptr<BlockThrottle> no_throttle_ = PolicyRegistry<BlockThrottle>::make({"none", {}});
  std::vector<Sm> sms_;
  SmDriver driver_;
  std::map<KsrId, KernelLaunch> programs_;
  std::map<KsrId, KernelId> kernels_;
  std::vector<KernelSpan> spans_;
  std::function<double(KernelId, std::uint32_t blocks)> ipc_;
  std::function<double(KernelId, std::uint32_t blocks)> stalled_;
  std::uint64_t block_instructions_ = 0;
  double waiting_ = 0;
  std::uint64_t swap_cycles_ = 5;
  std::uint64_t saved_count_ = 0;
  std::uint64_t flushed_count_ = 0;
  std::uint64_t lost_cycles_ = 0;
  std::map<std::pair<KsrId, BlockId>, std::uint64_t>
      elapsed_;                                  // by block: core cycles on SMs at its last save
  std::set<std::pair<KsrId, BlockId>> flushed_;  // the blocks that are to start over
  // By block in swap space, or on its way there: the cycles that it has left, and its area.
  std::map<std::pair<KsrId, BlockId>, std::pair<std::uint64_t, std::uint32_t>> cycles_left_;
  std::deque<Arrival> launches_;
  std::map<std::pair<std::uint64_t, std::uint64_t>, Event> events_;  // by (cycle, order of posting)
  std::uint64_t posted_ = 0;
  std::uint64_t steps_ = 0;
  Cycle now_{0};
  Cycle step_at_ = Cycle::never();
  bool exclusive_ = true;
  bool every_cycle_ = false;
};

}  // namespace heddle
