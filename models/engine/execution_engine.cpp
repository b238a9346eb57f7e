#include "models/engine/execution_engine.h"

#include <algorithm>

#include "models/core/base/log.h"
#include "models/core/time/progress.h"

namespace heddle {

namespace {

// A kernel's completion arrives at the next edge of the receiver's clock domain.
constexpr std::uint64_t kReportLatency = 1;

// Passes a reply of an SM to the driver.
struct ToDriver {
  SmDriver& driver;
  Cycle now;
  SmId sm;

  void operator()(const BlockDone& done) const {
    driver.block_done(now, sm, done.ksr, done.block, done.work);
  }
  void operator()(const SliceReady& ready) const { driver.sm_ready(now, sm, ready.ksr); }
  void operator()(const BlockSaved& saved) const {
    driver.block_saved(now, sm, saved.ksr, saved.block, saved.saved);
  }
  void operator()(const BlockFlushed& flushed) const {
    driver.block_flushed(now, sm, flushed.ksr, flushed.block, flushed.work);
  }
  void operator()(const BlockRestored& restored) const {
    driver.block_restored(sm, restored.ksr, restored.block);
  }
  void operator()(const SmSampled& sampled) const { driver.sampled(now, sm, *sampled.sample, sampled.asked); }
  void operator()(const WarpDone&) const { driver.warp_done(sm); }
  void operator()(const RoomChanged& changed) const { driver.room_told(sm, changed.ksr, changed.room); }
  void operator()(const StateMoved&) const { driver.state_moved(sm); }
};

}  // namespace

ExecutionEngine::ExecutionEngine(sc_core::sc_module_name name, const EngineSpec& spec, const SmLimits& limits,
                                 std::uint32_t sm_count, const Deps& deps)
    : sc_core::sc_module(name),
      spec_(spec),
      core_(deps.core),
      sleeper_(deps.core.add(*this)),
      driver_(spec, limits, sm_count, deps.partitioner, deps.throttle, deps.preemption, *this),
      launches_(basename(), deps.core, sleeper_, spec.ksrs),
      ended_(spec.ksrs),
      context_updates_(basename(), deps.core, sleeper_, deps.context_updates),
      registers_(spec.contexts),
      copy_latency_(deps.copy_latency),
      stats_(basename()) {
  driver_.set_core_hz(deps.core.frequency_hz());
  launches.bind(launches_);
  contexts.bind(context_updates_);
  sms.init(sm_count);
  for (std::uint32_t sm = 0; sm < sm_count; ++sm) {
    // An SM sends a reply for each block, for each set-up, for each sample of a slice or of the clock, and
    // for each block that has its state back. If it gives out its resources by warp, it also sends one for
    // each warp that ends, and one each time that it has room for another number of blocks of a slice.
    const std::size_t most =
        2 * limits.block_slots + 2 * spec.ksrs + 1 + (limits.by_warp ? limits.warps + 2 * spec.ksrs : 0) +
        (deps.bandwidth ? 2 * limits.block_slots : 0);  // a state that is loaded, and stored again
    replies_.push_back(std::make_unique<Inbox<SmReply>>(basename(), core_, sleeper_, most));
    sms[sm].bind(*replies_[sm]);
  }
  if (deps.bandwidth) {
    shares_ = std::make_unique<BandwidthShares>(*deps.bandwidth, deps.core.frequency_hz(), spec.ksrs,
                                                sm_count, deps.copies);
    driver_.share(*shares_);
    if (deps.bandwidth->boost_sms > 0) {
      stats_.add(throttled_cycles_, "throttled_cycles", "cycle",
                 "core cycles with a lower clock for products of matrices, because of the power limit");
      stats_.add(lost_clock_, "lost_clock", "ppm of a cycle",
                 "what these cycles lacked of the full clock, summed");
    }
    copies.init(deps.copies);
    for (std::uint32_t i = 0; i < deps.copies; ++i) {
      copies_.push_back(std::make_unique<Copy>(basename(), core_, sleeper_, deps.copy_demands));
      copies[i].bind(copies_[i]->inbox);
    }
  }
  stats_.attach(driver_.stats());
  stats_.add(active_cycles_, "active_cycles", "cycle", "core cycles with at least one kernel resident");
}

void ExecutionEngine::reset() {
  driver_.reset();
  launches_.reset();
  ended_.clear();
  context_updates_.reset();
  for (const auto& replies : replies_) replies->reset();
  if (shares_ != nullptr) shares_->reset();
  for (const auto& copy : copies_) {
    copy->inbox.reset();
    copy->demand = {};
    copy->told = {};
  }
  std::fill(registers_.begin(), registers_.end(), ContextUpdate{});
  accounted_ = Cycle{0};
  halts_.clear();
  limit_reached_ = false;
  stats_.reset();
}

void ExecutionEngine::tick(Cycle now) {
  account(now);
  take_context_updates(now);
  take_replies(now);
  take_demands(now);
  take_launches(now);
  halt_contexts(now);
  driver_.step(now);
  tell_copies();
  report_ended(now);
  if (!ended_.empty()) core_.wake_at(sleeper_, ended_.front().due);
  core_.wake_at(sleeper_, driver_.next_step(now));
  if (driver_.can_load()) core_.wake_at(sleeper_, launches_.has(now) ? now + 1 : launches_.due(now));
  core_.wake_at(sleeper_, context_updates_.due(now));
  if (!halts_.empty()) core_.wake_at(sleeper_, now + 1);
  if (active_limit_ > active_cycles_.value() && !driver_.idle())
    core_.wake_at(sleeper_, now + (active_limit_ - active_cycles_.value()));
  for (const auto& replies : replies_) core_.wake_at(sleeper_, replies->due(now));
  for (const auto& copy : copies_) core_.wake_at(sleeper_, copy->inbox.due(now));
}

bool ExecutionEngine::idle() const {
  return ended_.empty() && launches_.empty() && context_updates_.empty() && driver_.idle() &&
         (shares_ == nullptr || shares_->idle()) &&
         std::all_of(copies_.begin(), copies_.end(), [](const auto& copy) { return copy->inbox.empty(); }) &&
         std::all_of(replies_.begin(), replies_.end(), [](const auto& replies) { return replies->empty(); });
}

// A change of a context's registers is a scheduling point.
void ExecutionEngine::take_context_updates(Cycle now) {
  for (; context_updates_.has(now); context_updates_.pop()) {
    const ContextUpdate& update = context_updates_.front();
    ContextUpdate& registers = registers_[update.context.value] = update;
    registers.share.open = registers.page_table != 0;
    driver_.set_context(registers.context, registers.share);
  }
}

void ExecutionEngine::take_replies(Cycle now) {
  for (std::uint32_t sm = 0; sm < replies_.size(); ++sm)
    for (Inbox<SmReply>& inbox = *replies_[sm]; inbox.has(now); inbox.pop())
      std::visit(ToDriver{driver_, now, SmId{sm}}, inbox.front());
}

void ExecutionEngine::take_demands(Cycle now) {
  for (std::uint32_t i = 0; i < copies_.size(); ++i)
    for (Inbox<CopyDemand>& inbox = copies_[i]->inbox; inbox.has(now); inbox.pop()) {
      copies_[i]->demand = inbox.front();
      shares_->set_copy(i, inbox.front().bytes_per_second);
    }
}

// A demand is answered, and answered again when its share changes.
void ExecutionEngine::tell_copies() {
  for (std::uint32_t i = 0; i < copies_.size(); ++i) {
    Copy& copy = *copies_[i];
    const CopyShare share{copy.demand.number, shares_->copy_rate(i)};
    if (copy.demand.bytes_per_second == 0 ||
        (share.number == copy.told.number && share.rate == copy.told.rate))
      continue;
    copy.told = share;
    copies[i]->receive(share, copy_latency_);
  }
}

void ExecutionEngine::take_launches(Cycle now) {
  while (launches_.has(now) && driver_.can_load()) {
    driver_.load(now, launches_.front());
    launches_.pop();
  }
}

void ExecutionEngine::report_ended(Cycle now) {
  for (const KernelLaunch& launch : driver_.ended()) {
    HEDDLE_LOG(Severity::kDebug, "engine", "{}: kernel {} of context {} ended at cycle {}", name(),
               launch.kernel.value, launch.context.value, core_.now().value);
    ended_.push({now + spec_.kernel_end_latency, {launch.kernel, launch.context, launch.stream}});
  }
  driver_.ended().clear();
  for (; !ended_.empty() && ended_.front().due <= now; ended_.pop())
    launches->receive(ended_.front().notice, kReportLatency);
}

// All kinds of requests have the same latency, so they arrive in order. The last cycle of the issue latency
// is that of the SM's answer.
void ExecutionEngine::send(SmId sm, const SmRequest& request) {
  sms[sm.value]->receive(request, spec_.block_issue_latency - 1);
}

void ExecutionEngine::set_up(SmId sm, KsrId ksr, const KernelLaunch& launch) {
  const ContextUpdate& registers = registers_[launch.context.value];
  const std::shared_ptr<KernelSetUp> kernel = set_ups_.take();
  *kernel = {launch, registers.page_table, registers.texture_table};
  send(sm, SetUpSlice{ksr, kernel});
}

void ExecutionEngine::issue(SmId sm, KsrId ksr, BlockId block, const std::shared_ptr<const SavedBlock>& saved,
                            const std::shared_ptr<const ClusterPlaces>& cluster) {
  send(sm, IssueBlock{ksr, block, saved, cluster});
}

void ExecutionEngine::save(SmId sm, KsrId ksr, BlockId block, std::uint32_t area) {
  send(sm, SaveBlock{ksr, block, area});
}

void ExecutionEngine::flush(SmId sm, KsrId ksr, BlockId block) {
  send(sm, FlushBlock{ksr, block});
}

void ExecutionEngine::sample(SmId sm, Cycle now) {
  send(sm, TakeSample{now});
}

void ExecutionEngine::limit(SmId sm, KsrId ksr, std::uint32_t blocks) {
  send(sm, LimitBlocks{ksr, blocks});
}

void ExecutionEngine::halt(SmId sm, KsrId ksr) {
  send(sm, HaltBlocks{ksr});
}

void ExecutionEngine::share(SmId sm, const std::shared_ptr<const BandwidthTable>& table) {
  send(sm, ShareBandwidth{table});
}

void ExecutionEngine::halt(ContextId context) {
  halts_.push_back({core_.now(), context});
  core_.wake_at(sleeper_, core_.now() + 1);
}

// An SM that asks for a halt in a cycle may be ticked before or after the engine. So the halt takes effect in
// the next cycle, in the order of contexts.
void ExecutionEngine::halt_contexts(Cycle now) {
  if (active_limit_ != 0 && !limit_reached_ && active_cycles_.value() >= active_limit_) {
    limit_reached_ = true;
    for (std::uint32_t context = 0; context < spec_.contexts; ++context)
      driver_.halt(now, ContextId{context});
  }
  if (halts_.empty()) return;
  std::sort(halts_.begin(), halts_.end(),
            [](const Halt& a, const Halt& b) { return a.context.value < b.context.value; });
  for (const Halt& halt : halts_)
    if (halt.asked < now) driver_.halt(now, halt.context);
  halts_.erase(
      std::remove_if(halts_.begin(), halts_.end(), [now](const Halt& halt) { return halt.asked < now; }),
      halts_.end());
}

void ExecutionEngine::account(Cycle now) {
  if (!driver_.idle()) active_cycles_ += now - accounted_;
  if (shares_ != nullptr && shares_->product_clock() < kFullRate) {
    throttled_cycles_ += now - accounted_;
    lost_clock_ +=
        (now - accounted_) * (std::uint64_t{kFullRate - shares_->product_clock()} * 1000000 / kFullRate);
  }
  accounted_ = now;
}

void ExecutionEngine::update_stats() {
  account(core_.now());
  driver_.update_stats();
}

}  // namespace heddle
