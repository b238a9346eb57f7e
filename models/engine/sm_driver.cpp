#include "models/engine/sm_driver.h"

#include <algorithm>

#include "models/core/base/check.h"

namespace heddle {

namespace {

constexpr const char* kName = "execution engine";

}  // namespace

SmDriver::SmDriver(const EngineSpec& spec, const SmLimits& limits, std::uint32_t sms,
                   SmPartitioner& partitioner, BlockThrottle& throttle, Preemption& preemption,
                   DispatchPort& port)
    : spec_(spec),
      limits_(limits),
      partitioner_(partitioner),
      order_(partitioner.issue_order()),
      preemption_(preemption),
      port_(port),
      ksrs_(spec.ksrs),
      costs_(ksrs_, smsrs_),
      caps_(throttle, ksrs_, limits, sms,
            [this](SmId sm, const SliceEntry& entry) { cap_changed(sm, entry); }),
      contexts_(spec.contexts),
      halted_(spec.contexts, false),
      partition_(sms),
      sampling_(partitioner.sample_period(), sms),
      asked_(sms),
      may_issue_(sms, false),
      turns_(partitioner.turns_by_context() ? spec.contexts : 0),
      sm_issued_at_(partitioner.turns_by_context() ? sms : 0, Cycle::never()),
      issued_at_(spec.ksrs, Cycle::never()),
      handovers_(preemption, stats_) {
  leaving_.reserve(limits.block_slots);
  handover_.reserve(limits.block_slots);
  view_.sms.resize(sms);
  view_.limits = limits;
  view_.costs = &costs_;
  if (partitioner.sample_period() > 0)
    for (SmView& sm : view_.sms) sm.sample.kernels.reserve(spec.ksrs);
  if (partitioner.sample_period() > 0 && caps_.active()) windows_.resize(sms);
  smsrs_.reserve(sms);
  for (std::uint32_t sm = 0; sm < sms; ++sm)
    smsrs_.emplace_back(limits);  // copies of one SMSR would have no reserved capacity
  stats_.add_level("resident_kernels", "kernel", "KSRs with a kernel", [this] {
    std::uint32_t resident = 0;
    for (std::uint32_t i = 0; i < ksrs_.size(); ++i)
      resident += ksrs_[KsrId{i}].state == Ksr::State::kActive ? 1 : 0;
    return resident;
  });
  stats_.add(kernels_, "kernels", "kernel", "kernels that ended");
  stats_.add(blocks_issued_, "blocks_issued", "block", "thread blocks issued to SMs");
  stats_.add(blocks_done_, "blocks_done", "block", "thread blocks reported done by SMs");
  stats_.add(scheduling_points_, "scheduling_points", "call", "times the SM partitioner was asked");
  stats_.add(set_ups_, "set_ups", "set-up", "SMs set up for a kernel");
  stats_.add(drains_, "drains", "drain", "slices whose blocks were drained for another kernel");
  stats_.add(switches_, "switches", "switch",
             "slices whose blocks were saved to swap space for another kernel");
  stats_.add(blocks_saved_, "blocks_saved", "block", "thread blocks reported saved by SMs");
  stats_.add(blocks_dropped_, "blocks_dropped", "block",
             "thread blocks that ended in swap space, with their context");
  if (preemption.answers(Handover::kFlush)) add_flush_counters();
}

void SmDriver::add_flush_counters() {
  stats_.add(flushes_, "flushes", "flush", "slices whose blocks were flushed for another kernel");
  stats_.add(mixed_, "mixed_handovers", "hand-over", "slices whose blocks left in more than one way");
  stats_.add(blocks_flushed_, "blocks_flushed", "block",
             "thread blocks reported flushed by SMs, which start over");
  stats_.add(blocks_not_restartable_, "blocks_not_restartable", "block",
             "thread blocks drained in place of flushed, because their kernel may not be restarted");
  stats_.add(lost_cycles_, "lost_cycles", "block*cycle",
             "core cycles from the issue of flushed blocks on, without those in swap space");
}

void SmDriver::reset() {
  ksrs_.reset();
  for (Smsr& smsr : smsrs_) smsr.reset();
  costs_.reset();
  caps_.reset();
  std::fill(asked_.begin(), asked_.end(), Asked{});
  std::fill(windows_.begin(), windows_.end(), SmSample{});
  std::fill(contexts_.begin(), contexts_.end(), ContextView{});
  std::fill(halted_.begin(), halted_.end(), false);
  ended_.clear();
  std::fill(shares_told_.begin(), shares_told_.end(), 0);
  shares_version_ = 0;
  shares_stale_ = false;
  for (SmView& sm : view_.sms) {
    sm.slices.clear();
    sm.sample.from = sm.sample.until = Cycle{};
    sm.sample.totals = {};
    sm.sample.kernels.clear();
  }
  sampling_.reset();
  scheduling_point_ = false;
  decision_due_ = Cycle::never();
  asked_at_start_ = false;
  std::fill(may_issue_.begin(), may_issue_.end(), false);
  may_issue_count_ = 0;
  turn_ = 0;
  std::fill(turns_.begin(), turns_.end(), 0);
  std::fill(sm_issued_at_.begin(), sm_issued_at_.end(), Cycle::never());
  std::fill(issued_at_.begin(), issued_at_.end(), Cycle::never());
  handovers_.reset();
  stats_.reset();
  for (EngineObserver* observer : observers_) observer->engine_reset();
}

void SmDriver::load(Cycle now, const KernelLaunch& launch) {
  HEDDLE_CHECK(launch.blocks > 0, kName, now, "kernel {}: no blocks", launch.kernel.value);
  HEDDLE_CHECK(launch.context.value < contexts_.size(), kName, now, "kernel {}: context {} of {}",
               launch.kernel.value, launch.context.value, contexts_.size());
  HEDDLE_CHECK(residency_of(launch.shape, limits_).blocks > 0, kName, now,
               "kernel {}: a block does not fit an SM", launch.kernel.value);
  const KsrId ksr = ksrs_.load(launch, limits_, now + spec_.kernel_launch_latency);
  if (shares_ != nullptr) shares_->load(ksr, launch);
  for (EngineObserver* observer : observers_)
    observer->kernel_event(now, KernelEvent::kLoaded, ksr, ksrs_[ksr].launch);
  if (halted_[launch.context.value]) halt_kernel(now, ksr);
}

void SmDriver::set_context(ContextId context, const ContextView& share) {
  contexts_[context.value] = share;
  if (halted_[context.value]) contexts_[context.value].open = false;
  scheduling_point_ = true;
}

void SmDriver::sm_ready(Cycle now, SmId sm, KsrId ksr) {
  SliceEntry* entry = smsrs_[sm.value].find(ksr);
  HEDDLE_CHECK(entry != nullptr && entry->set_up_pending, kName, now, "SM {} answered no set-up", sm.value);
  entry->set_up_pending = false;
  if (entry->state == SliceState::kSettingUp) {
    entry->state = SliceState::kRunning;
    notify(now, SliceEvent::kRunning, sm, ksr);
    allow_issue(sm);
    if (caps_.active()) caps_.started(now, sm, smsrs_[sm.value], *entry);
  }
  update_slices(now, sm);
}

void SmDriver::block_done(Cycle now, SmId sm, KsrId ksr, BlockId block, const SmWork& work) {
  Smsr& smsr = smsrs_[sm.value];
  SliceEntry* entry = smsr.find(ksr);
  const auto held = entry == nullptr ? std::nullopt : smsr.resources.give_back(ksr, block, ksrs_[ksr].need);
  HEDDLE_CHECK(held && entry->running > 0, kName, now, "SM {} finished block {} it never had", sm.value,
               block.value);
  ++blocks_done_;
  if (shares_ != nullptr && !held->leaves) shares_->remove_block(sm, ksr);
  --entry->running;
  entry->restoring -= held->restoring ? 1 : 0;
  Ksr& kernel = ksrs_[ksr];
  ++kernel.done;
  if (held->saved != nullptr) kernel.saved.give_back(*held->saved);
  kernel.ended_cycles += now - held->since;
  kernel.ended_instructions += work.warp_instructions;
  for (EngineObserver* observer : observers_) observer->block_done(now, sm, ksr, block, work);
  allow_issue(sm);
  if (caps_.active())  // A slice that is leaving may be returned, so that it is followed as others are.
    caps_.block_done(now, sm, smsr, *entry, now - held->since, work);
  const bool over_now = is_over(*entry);
  if (kernel.done == kernel.launch.blocks) end_kernel(now, ksr);
  if (over_now) update_slices(now, sm);
}

void SmDriver::warp_done(SmId sm) {
  smsrs_[sm.value].resources.give_back_warp();
  allow_issue(sm);
}

void SmDriver::room_told(SmId sm, KsrId ksr, std::uint64_t room) {
  SliceEntry* entry = smsrs_[sm.value].find(ksr);
  if (entry == nullptr) return;
  entry->room = room;
  allow_issue(sm);
}

void SmDriver::sampled(Cycle now, SmId sm, const SmSample& sample, Cycle asked) {
  HEDDLE_CHECK(asked_[sm.value].open > 0, kName, now, "SM {} told a sample that nobody asked for", sm.value);
  --asked_[sm.value].open;
  const bool in_period = sampling_.waits() && asked == sampling_.asked();
  if (windows_.empty()) {
    if (in_period) view_.sms[sm.value].sample = sample;
  } else {
    SmSample& window = windows_[sm.value];
    window += sample;
    if (in_period) {
      std::swap(view_.sms[sm.value].sample, window);
      window.clear(sample.until);
    }
  }
  if (in_period && sampling_.answered()) scheduling_point_ = true;
  if (caps_.active()) caps_.sampled(now, sm, smsrs_[sm.value], sample, asked);
}

void SmDriver::step(Cycle now) {
  costs_.set_time(now);
  view_.now = now;
  activate(now);
  if (scheduling_point_ || decision_due_ <= now) schedule(now);
  if (may_issue_count_ > 0) issue(now);
  if (scheduling_point_) schedule(now);  // a slice's kernel ran out of blocks
  ask_samples(now);
  if (shares_ != nullptr) tell_shares();
}

Cycle SmDriver::next_step(Cycle now) const {
  if (scheduling_point_ || may_issue_count_ > 0) return now + 1;
  return std::min({ksrs_.next_activation(), sampling_.due(), caps_.due(), decision_due_});
}

void SmDriver::activate(Cycle now) {
  while (const std::optional<KsrId> ksr = ksrs_.activate(now)) {
    scheduling_point_ = true;
    for (EngineObserver* observer : observers_)
      observer->kernel_event(now, KernelEvent::kActivated, *ksr, ksrs_[*ksr].launch);
    if (ksrs_[*ksr].launch.blocks == 0) end_kernel(now, *ksr);  // it was halted before it became active
  }
}

void SmDriver::set_sm_sets(ContextId context, std::vector<std::vector<bool>> sets) {
  if (sm_sets_.size() <= context.value) sm_sets_.resize(context.value + 1);
  sm_sets_[context.value] = std::move(sets);
}

const std::vector<bool>* SmDriver::sm_set_of(const KernelLaunch& launch) const {
  if (launch.sm_set == 0) return nullptr;
  HEDDLE_CHECK(
      launch.context.value < sm_sets_.size() && launch.sm_set <= sm_sets_[launch.context.value].size(), kName,
      view_.now, "context {} has no set {} of SMs", launch.context.value, launch.sm_set);
  return &sm_sets_[launch.context.value][launch.sm_set - 1];
}

const MachineView& SmDriver::view() {
  view_.kernels.clear();
  for (const KsrId id : ksrs_.active()) {
    const Ksr& ksr = ksrs_[id];
    view_.kernels.push_back({id, ksr.launch.context, ksr.arrival, ksr.unissued(), ksr.running(),
                             ksr.residency, ksr.launch.kernel, ksr.need, ksr.launch.tag, ksr.launch.priority,
                             sm_set_of(ksr.launch)});
  }
  view_.contexts = contexts_;
  if (spec_.sm_order == SmOrder::kNext) view_.first_sm = turn_;
  for (std::size_t sm = 0; sm < smsrs_.size(); ++sm) {
    std::vector<SliceView>& slices = view_.sms[sm].slices;
    slices.clear();
    for (const SliceEntry& entry : smsrs_[sm].slices)
      slices.push_back({entry.slice, entry.state, entry.running, entry.cap, entry.restoring});
  }
  return view_;
}

void SmDriver::schedule(Cycle now) {
  ++scheduling_points_;
  for (std::uint32_t sm = 0; sm < smsrs_.size(); ++sm)
    update_slices(now, SmId{sm});  // drops slices whose kernels have no block left
  scheduling_point_ = false;
  view();
  for (std::size_t sm = 0; sm < smsrs_.size(); ++sm) {
    partition_.take(sm);
    for (const SliceEntry& entry : smsrs_[sm].slices)
      if (entry.state != SliceState::kLeaving) partition_.slices(sm).push_back(entry.slice);
  }
  partitioner_.partition(view_, partition_);
  decision_due_ = partitioner_.next_decision();
  asked_at_start_ = partitioner_.asked_at_start();
  HEDDLE_CHECK(decision_due_ > now, kName, now, "the SM partitioner asked for cycle {}", decision_due_.value);
  for (std::uint32_t sm = 0; sm < smsrs_.size(); ++sm) apply(now, SmId{sm}, partition_.slices(sm));
  for (EngineObserver* observer : observers_) observer->scheduled(now);
}

void SmDriver::apply(Cycle now, SmId sm, const std::vector<Slice>& wanted) {
  std::vector<SliceEntry>& slices = smsrs_[sm.value].slices;
  const auto is_wanted = [&](const SliceEntry& entry) {
    return std::any_of(wanted.begin(), wanted.end(),
                       [&](const Slice& slice) { return slice.kernel == entry.slice.kernel; });
  };
  for (SliceEntry& entry : slices)
    if (entry.state != SliceState::kLeaving && !is_wanted(entry)) preempt(now, sm, entry);
  for (const Slice& slice : wanted) keep_or_wait(now, sm, slice);
  const auto rank = [&](const SliceEntry& entry) {
    if (entry.state == SliceState::kLeaving) return std::ptrdiff_t{-1};
    return std::find_if(wanted.begin(), wanted.end(),
                        [&](const Slice& slice) { return slice.kernel == entry.slice.kernel; }) -
           wanted.begin();
  };
  // Sorts the slices by rank, stable and in place. std::stable_sort would allocate.
  for (auto at = slices.begin(); at != slices.end(); ++at) {
    const auto before = [&](std::ptrdiff_t value, const SliceEntry& other) { return value < rank(other); };
    const auto to = std::upper_bound(slices.begin(), at, rank(*at), before);
    // The block that those before it waited for no longer goes first.
    if (to != at && order_ == IssueOrder::kOneAfterAnother && at->state == SliceState::kRunning)
      allow_issue(sm);
    std::rotate(to, at, at + 1);
  }
  update_slices(now, sm);
}

void SmDriver::keep_or_wait(Cycle now, SmId sm, const Slice& slice) {
  Smsr& smsr = smsrs_[sm.value];
  SliceEntry* entry = smsr.find(slice.kernel);
  if (entry == nullptr) {
    HEDDLE_CHECK(slice.kernel.value < ksrs_.size() && ksrs_[slice.kernel].state == Ksr::State::kActive &&
                     ksrs_[slice.kernel].unissued() > 0,
                 kName, now, "SM {} was given to KSR {}, which has no block for it", sm.value,
                 slice.kernel.value);
    ++ksrs_[slice.kernel].slices;
    smsr.slices.push_back({slice});
    if (smsr.leaving()) notify(now, SliceEvent::kReserved, sm, slice.kernel);
    return;
  }
  const bool returned = entry->state == SliceState::kLeaving;
  const bool other_cap = entry->slice.capped != slice.capped;
  if (returned || other_cap || entry->slice.quota < slice.quota) allow_issue(sm);
  entry->slice = slice;
  if (other_cap && caps_.active() && entry->state != SliceState::kWaiting && !entry->set_up_pending)
    caps_.capping_changed(now, sm, smsr, *entry);
  if (!returned) return;
  entry->left_at = Cycle::never();
  entry->state = entry->set_up_pending ? SliceState::kSettingUp : SliceState::kRunning;
  notify(now, SliceEvent::kReturned, sm, slice.kernel);
}

// A slice is over when it has no block on the SM and will get none.
bool SmDriver::is_over(const SliceEntry& entry) const {
  if (entry.running > 0 || entry.set_up_pending) return false;
  const Ksr& ksr = ksrs_[entry.slice.kernel];
  return entry.state == SliceState::kLeaving || ksr.state == Ksr::State::kEnded || ksr.unissued() == 0;
}

void SmDriver::update_slices(Cycle now, SmId sm) {
  Smsr& smsr = smsrs_[sm.value];
  for (std::size_t i = 0; i < smsr.slices.size();) {
    if (!is_over(smsr.slices[i])) {
      ++i;
      continue;
    }
    const KsrId ksr = smsr.slices[i].slice.kernel;
    const bool ran_out = smsr.slices[i].state == SliceState::kRunning;
    if (smsr.slices[i].left_at != Cycle::never()) report_handover(now, sm, smsr.slices[i]);
    smsr.slices.erase(smsr.slices.begin() + static_cast<std::ptrdiff_t>(i));
    --ksrs_[ksr].slices;
    notify(now, SliceEvent::kFreed, sm, ksr);
    if (caps_.active()) report_throttle(now, sm, ksr);
    ksrs_.release_if_empty(ksr);
    scheduling_point_ = scheduling_point_ || ran_out || smsr.slices.empty();
  }
  if (smsr.leaving()) return;
  for (SliceEntry& entry : smsr.slices) {
    if (entry.state != SliceState::kWaiting) continue;
    entry.state = SliceState::kSettingUp;
    entry.set_up_pending = true;
    entry.issued = 0;
    entry.room = limits_.by_warp ? 0 : SliceEntry::kNoLimit;
    ++set_ups_;
    notify(now, SliceEvent::kSetUp, sm, entry.slice.kernel);
    port_.set_up(sm, entry.slice.kernel, ksrs_[entry.slice.kernel].launch);
  }
}

void SmDriver::issue(Cycle now) {
  if (turns_.empty()) return issue_in_turn(now, turn_, ContextId::none());
  for (std::uint32_t context = 0; context < turns_.size() && may_issue_count_ > 0; ++context)
    issue_in_turn(now, turns_[context], ContextId{context});
}

// Issues blocks of the context, or of every one if it is none.
void SmDriver::issue_in_turn(Cycle now, std::uint32_t& turn, ContextId context) {
  const bool packed = spec_.block_placement == BlockPlacement::kPacked;
  const auto sms = static_cast<std::uint32_t>(smsrs_.size());
  const std::uint32_t first = packed ? 0 : turn;
  for (std::uint32_t i = 0; i < sms; ++i) {
    const SmId sm{first + i < sms ? first + i : first + i - sms};
    if (!may_issue_[sm.value]) continue;
    if (SliceEntry* entry = issuable(sm)) {
      if (context.valid() &&
          (ksrs_[entry->slice.kernel].launch.context != context || sm_issued_at_[sm.value] == now))
        continue;
      if (packed && issued_at_[entry->slice.kernel.value] == now)
        continue;  // an SM with more blocks has issued in this turn
      issue_block(now, sm, *entry);
      if (context.valid()) sm_issued_at_[sm.value] = now;
      turn = sm.value + 1 < sms ? sm.value + 1 : 0;
    }
    if (issuable(sm) == nullptr) {
      may_issue_[sm.value] = false;
      --may_issue_count_;
      update_slices(now, sm);
    }
  }
}

// Returns the slice of the SM whose next block is to be issued, or null if none can issue before something
// changes.
SliceEntry* SmDriver::issuable(SmId sm) {
  Smsr& smsr = smsrs_[sm.value];
  const std::size_t count = smsr.slices.size();
  const std::size_t first = order_ == IssueOrder::kInTurn ? smsr.next_in_turn() : 0;
  for (std::size_t i = 0; i < count; ++i) {
    SliceEntry& entry = smsr.slices[first + i < count ? first + i : first + i - count];
    if (may_issue(smsr, entry)) return &entry;
    if (order_ == IssueOrder::kOneAfterAnother && entry.state != SliceState::kLeaving &&
        entry.running < entry.limit() && ksrs_[entry.slice.kernel].unissued() > 0)
      return nullptr;
  }
  return nullptr;
}

bool SmDriver::may_issue(const Smsr& smsr, const SliceEntry& entry) const {
  if (entry.state != SliceState::kRunning || entry.running >= entry.limit() || entry.issued >= entry.room)
    return false;
  const Ksr& ksr = ksrs_[entry.slice.kernel];
  return ksr.unissued() > 0 && smsr.resources.has_room(ksr.need);
}

void SmDriver::issue_block(Cycle now, SmId sm, SliceEntry& entry) {
  const KsrId id = entry.slice.kernel;
  Ksr& ksr = ksrs_[id];
  const bool resumes = ksr.saved.size() > 0;
  const SavedBlocks::Waiting next =
      resumes ? ksr.saved.pop()
              : SavedBlocks::Waiting{BlockId{ksr.launch.first_block + ksr.issued++}, nullptr, 0};
  ++entry.running;
  ++entry.issued;
  if (next.contents != nullptr)
    ++entry.restoring;
  else
    scheduling_point_ = scheduling_point_ || asked_at_start_;
  smsrs_[sm.value].resources.take(id, next.block, ksr.need, Cycle{now.value - next.elapsed}, next.contents);
  smsrs_[sm.value].issued_last = id;
  issued_at_[id.value] = now;
  if (!resumes) ++blocks_issued_;
  if (shares_ != nullptr) {
    shares_->add_block(sm, id);
    if (next.contents != nullptr) shares_->begin_transfer(sm);
    shares_stale_ = shares_stale_ || shares_told_[sm.value] != shares_->version();
  }
  for (EngineObserver* observer : observers_) {
    if (resumes)
      observer->block_resumed(now, sm, id, next.block);
    else
      observer->block_issued(now, sm, id, next.block);
  }
  port_.issue(sm, id, next.block, next.contents);
  if (order_ == IssueOrder::kOneAfterAnother &&
      ksr.unissued() == 0)  // the next kernel may issue now, on every SM
    for (std::uint32_t other = 0; other < smsrs_.size(); ++other) allow_issue(SmId{other});
}

void SmDriver::end_kernel(Cycle now, KsrId id) {
  ++kernels_;
  ksrs_.end(id);
  scheduling_point_ = true;
  ended_.push_back(ksrs_[id].launch);
  for (EngineObserver* observer : observers_)
    observer->kernel_event(now, KernelEvent::kEnded, id, ksrs_[id].launch);
  for (std::uint32_t sm = 0; sm < smsrs_.size(); ++sm)
    if (SliceEntry* entry = smsrs_[sm].find(id)) {
      if (entry->set_up_pending &&
          entry->state != SliceState::kLeaving) {  // the slice leaves when the SM has answered
        entry->state = SliceState::kLeaving;
        notify(now, SliceEvent::kLeaving, SmId{sm}, id);
      }
      update_slices(now, SmId{sm});
    }
  ksrs_.release_if_empty(id);
}

void SmDriver::ask_samples(Cycle now) {
  if (sampling_.ask(now, !idle()))
    for (std::uint32_t sm = 0; sm < smsrs_.size(); ++sm) ask_sample(now, SmId{sm});
  while (const std::optional<SmId> sm = caps_.ask(now)) ask_sample(now, *sm);
}

void SmDriver::ask_sample(Cycle now, SmId sm) {
  Asked& asked = asked_[sm.value];
  if (asked.last == now) return;
  asked.last = now;
  ++asked.open;
  port_.sample(sm, now);
}

void SmDriver::cap_changed(SmId sm, const SliceEntry& entry) {
  allow_issue(sm);  // of this slice, or of those behind it
  if (caps_.pauses()) port_.limit(sm, entry.slice.kernel, entry.cap);
}

std::vector<std::pair<KsrId, ThrottleReport>> SmDriver::throttled(Cycle now) const {
  std::vector<std::pair<KsrId, ThrottleReport>> reports;
  for (std::uint32_t sm = 0; sm < smsrs_.size(); ++sm)
    for (const SliceEntry& entry : smsrs_[sm].slices)
      if (const auto report = caps_.report(now, SmId{sm}, entry.slice.kernel))
        reports.emplace_back(entry.slice.kernel, *report);
  return reports;
}

void SmDriver::report_throttle(Cycle now, SmId sm, KsrId ksr) {
  const std::optional<ThrottleReport> report = caps_.report(now, sm, ksr);
  caps_.left(sm, ksr);
  if (!report) return;
  for (EngineObserver* observer : observers_) observer->slice_throttled(now, sm, ksr, *report);
}

void SmDriver::allow_issue(SmId sm) {
  if (may_issue_[sm.value]) return;
  may_issue_[sm.value] = true;
  ++may_issue_count_;
}

void SmDriver::notify(Cycle now, SliceEvent event, SmId sm, KsrId ksr) {
  for (EngineObserver* observer : observers_) observer->slice_event(now, event, sm, ksr);
}

}  // namespace heddle
