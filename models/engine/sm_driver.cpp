#include "models/engine/sm_driver.h"

#include <algorithm>

#include "models/core/base/check.h"

namespace heddle {

namespace {

SmsrFile make_smsrs(const SmLimits& limits, std::uint32_t sms) {
  SmsrFile smsrs;
  smsrs.reserve(sms);
  for (std::uint32_t sm = 0; sm < sms; ++sm)
    smsrs.emplace_back(limits);  // copies of one SMSR would have no reserved capacity
  return smsrs;
}

}  // namespace

SmDriver::SmDriver(const EngineSpec& spec, const SmLimits& limits, std::uint32_t sms,
                   SmPartitioner& partitioner, BlockThrottle& throttle, Preemption& preemption,
                   DispatchPort& port)
    : spec_(spec),
      limits_(limits),
      port_(port),
      ksrs_(spec.ksrs),
      smsrs_(make_smsrs(limits, sms)),
      contexts_(spec.contexts),
      shares_(port, smsrs_, observers_),
      handovers_(spec, limits, preemption, {ksrs_, smsrs_, port, shares_, observers_}, stats_),
      placer_(spec, partitioner, ksrs_, smsrs_),
      caps_(throttle, ksrs_, limits, sms,
            [this](SmId sm, const SliceEntry& entry) { cap_changed(sm, entry); }),
      partitioning_(partitioner, limits, sms, spec.gpcs.gpcs, spec.ksrs, handovers_.costs()),
      slices_({ksrs_, smsrs_, port, partitioning_, placer_, caps_, handovers_, observers_}, limits.by_warp,
              stats_),
      samples_(partitioner.sample_period(), sms, caps_.active(), port) {
  add_counters();
}

void SmDriver::add_counters() {
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
}

void SmDriver::reset() {
  ksrs_.reset();
  for (Smsr& smsr : smsrs_) smsr.reset();
  contexts_.reset();
  ended_.clear();
  shares_.reset();
  handovers_.reset();
  placer_.reset();
  caps_.reset();
  partitioning_.reset();
  samples_.reset();
  stats_.reset();
  observers_.tell(&EngineObserver::engine_reset);
}

void SmDriver::load(Cycle now, const KernelLaunch& launch) {
  HEDDLE_CHECK(launch.blocks > 0, kEngineName, now, "kernel {}: no blocks", launch.kernel.value);
  HEDDLE_CHECK(launch.context.value < contexts_.size(), kEngineName, now, "kernel {}: context {} of {}",
               launch.kernel.value, launch.context.value, contexts_.size());
  HEDDLE_CHECK(can_reside(launch.shape, limits_) && launch.blocks % launch.shape.cluster == 0, kEngineName,
               now, "kernel {}: a block does not fit an SM, or a cluster a GPC", launch.kernel.value);
  const KsrId ksr = ksrs_.load(launch, limits_, now + spec_.kernel_launch_latency);
  shares_.load(ksr, launch);
  observers_.tell(&EngineObserver::kernel_event, now, KernelEvent::kLoaded, ksr, ksrs_[ksr].launch);
  if (contexts_.is_halted(launch.context)) halt_kernel(now, ksr);
}

void SmDriver::set_context(ContextId context, const ContextView& share) {
  contexts_.set(context, share);
  partitioning_.request();
}

void SmDriver::sm_ready(Cycle now, SmId sm, KsrId ksr) {
  slices_.set_up(now, sm, ksr);
}

void SmDriver::block_done(Cycle now, SmId sm, KsrId ksr, BlockId block, const SmWork& work) {
  Smsr& smsr = smsrs_[sm.value];
  SliceEntry* entry = smsr.find(ksr);
  const auto held = entry == nullptr ? std::nullopt : smsr.resources.give_back(ksr, block, ksrs_[ksr].need);
  HEDDLE_CHECK(held && entry->running > 0, kEngineName, now, "SM {} finished block {} it never had", sm.value,
               block.value);
  ++blocks_done_;
  if (!held->leaves) shares_.block_left(sm, ksr);
  --entry->running;
  entry->restoring -= held->restoring ? 1 : 0;
  Ksr& kernel = ksrs_[ksr];
  ++kernel.done;
  if (held->area) kernel.saved.give_back_area(*held->area);
  kernel.ended_cycles += now - held->since;
  kernel.ended_instructions += work.warp_instructions;
  observers_.tell(&EngineObserver::block_done, now, sm, ksr, block, work);
  placer_.allow(sm);
  if (caps_.active())  // A slice that is leaving may be returned, so that it is followed as others are.
    caps_.block_done(now, sm, smsr, *entry, now - held->since, work);
  const bool over_now = slices_.is_over(*entry);
  if (kernel.done == kernel.launch.blocks) end_kernel(now, ksr);
  if (over_now) slices_.update(now, sm);
}

void SmDriver::block_saved(Cycle now, SmId sm, KsrId ksr, BlockId block,
                           const std::shared_ptr<const SavedBlock>& saved) {
  wait_again(now, sm, ksr, handovers_.saved(now, sm, ksr, block, saved));
}

void SmDriver::block_flushed(Cycle now, SmId sm, KsrId ksr, BlockId block, const SmWork& work) {
  wait_again(now, sm, ksr, handovers_.flushed(now, sm, ksr, block, work));
}

void SmDriver::block_restored(SmId sm, KsrId ksr, BlockId block) {
  if (handovers_.restored(sm, ksr, block)) partitioning_.block_started();
}

// A kernel that had issued all its blocks has one to issue again, which other SMs may take.
void SmDriver::wait_again(Cycle now, SmId sm, KsrId ksr, const SavedBlocks::Waiting& block) {
  Ksr& kernel = ksrs_[ksr];
  placer_.allow(sm);
  if (contexts_.is_halted(kernel.launch.context)) {
    handovers_.drop(now, ksr, block);
  } else {
    kernel.saved.push(block);
    if (kernel.unissued() == 1) {
      partitioning_.request();
      placer_.allow_all();
    }
  }
  const bool over_now = slices_.is_over(*smsrs_[sm.value].find(ksr));
  if (kernel.done == kernel.launch.blocks) end_kernel(now, ksr);
  if (over_now) slices_.update(now, sm);
}

void SmDriver::warp_done(SmId sm) {
  smsrs_[sm.value].resources.give_back_warp();
  placer_.allow(sm);
}

void SmDriver::room_told(SmId sm, KsrId ksr, std::uint64_t room) {
  SliceEntry* entry = smsrs_[sm.value].find(ksr);
  if (entry == nullptr) return;
  entry->room = room;
  placer_.allow(sm);
}

void SmDriver::sampled(Cycle now, SmId sm, const SmSample& sample, Cycle asked) {
  if (samples_.answered(now, sm, sample, asked, partitioning_.sample(sm))) partitioning_.request();
  if (caps_.active()) caps_.sampled(now, sm, smsrs_[sm.value], sample, asked);
}

void SmDriver::halt(Cycle now, ContextId context) {
  contexts_.halt(context);
  for (std::uint32_t i = 0; i < ksrs_.size(); ++i) {
    const Ksr& ksr = ksrs_[KsrId{i}];
    const bool lives = ksr.state == Ksr::State::kLaunching || ksr.state == Ksr::State::kActive;
    if (lives && ksr.launch.context == context) halt_kernel(now, KsrId{i});
  }
  observers_.tell(&EngineObserver::context_halted, now, context);
}

void SmDriver::halt_kernel(Cycle now, KsrId id) {
  handovers_.halt(now, id);
  partitioning_.request();
  placer_.allow_all();  // other slices may have waited until its blocks were issued
  const Ksr& ksr = ksrs_[id];
  if (ksr.state == Ksr::State::kActive && ksr.done == ksr.launch.blocks) end_kernel(now, id);
}

void SmDriver::step(Cycle now) {
  handovers_.set_time(now);
  partitioning_.set_time(now);
  activate(now);
  if (partitioning_.is_due(now)) schedule(now);
  if (placer_.has_work())
    placer_.place(
        now, [&](KsrId ksr, const std::vector<SmId>& sms) { issue_blocks(now, ksr, sms); },
        [&](SmId sm) { slices_.update(now, sm); });
  if (partitioning_.is_requested()) schedule(now);  // a slice's kernel ran out of blocks
  ask_samples(now);
  shares_.tell(now);
}

Cycle SmDriver::next_step(Cycle now) const {
  if (partitioning_.is_requested()) return now + 1;
  const Cycle next_block = placer_.has_work() ? placer_.next_issue(now) : Cycle::never();
  return std::min({next_block, ksrs_.next_activation(), samples_.due(), caps_.due(), partitioning_.due()});
}

void SmDriver::activate(Cycle now) {
  while (const std::optional<KsrId> ksr = ksrs_.activate(now)) {
    partitioning_.request();
    observers_.tell(&EngineObserver::kernel_event, now, KernelEvent::kActivated, *ksr, ksrs_[*ksr].launch);
    if (ksrs_[*ksr].launch.blocks == 0) end_kernel(now, *ksr);  // it was halted before it became active
  }
}

std::size_t SmDriver::first_sm() const {
  return spec_.sm_order == SmOrder::kNext ? placer_.next_sm() : 0;
}

const MachineView& SmDriver::view() {
  return partitioning_.view(ksrs_, smsrs_, contexts_, first_sm());
}

void SmDriver::schedule(Cycle now) {
  ++scheduling_points_;
  for (std::uint32_t sm = 0; sm < smsrs_.size(); ++sm)
    slices_.update(now, SmId{sm});  // drops slices whose kernels have no block left
  const Partition& partition = partitioning_.decide(now, ksrs_, smsrs_, contexts_, first_sm());
  for (std::uint32_t sm = 0; sm < smsrs_.size(); ++sm) slices_.apply(now, SmId{sm}, partition.slices(sm));
  observers_.tell(&EngineObserver::scheduled, now);
}

void SmDriver::issue_blocks(Cycle now, KsrId id, const std::vector<SmId>& sms) {
  const Ksr& ksr = ksrs_[id];
  std::shared_ptr<const ClusterPlaces> cluster;
  if (sms.size() > 1)
    cluster =
        std::make_shared<ClusterPlaces>(ClusterPlaces{BlockId{ksr.launch.first_block + ksr.issued}, sms});
  for (const SmId sm : sms) issue_block(now, sm, id, cluster);
}

void SmDriver::issue_block(Cycle now, SmId sm, KsrId id,
                           const std::shared_ptr<const ClusterPlaces>& cluster) {
  SliceEntry& entry = *smsrs_[sm.value].find(id);
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
    partitioning_.block_started();
  smsrs_[sm.value].resources.take(
      id, next.block, ksr.need, Cycle{now.value - next.elapsed},
      next.contents == nullptr ? std::nullopt : std::optional(next.contents->area));
  if (!resumes) ++blocks_issued_;
  shares_.block_issued(sm, id, next.contents != nullptr);
  observers_.tell(resumes ? &EngineObserver::block_resumed : &EngineObserver::block_issued, now, sm, id,
                  next.block);
  port_.issue(sm, id, next.block, next.contents, cluster);
}

void SmDriver::end_kernel(Cycle now, KsrId id) {
  ++kernels_;
  ksrs_.end(id);
  partitioning_.request();
  ended_.push_back(ksrs_[id].launch);
  observers_.tell(&EngineObserver::kernel_event, now, KernelEvent::kEnded, id, ksrs_[id].launch);
  for (std::uint32_t sm = 0; sm < smsrs_.size(); ++sm) slices_.kernel_ended(now, SmId{sm}, id);
  ksrs_.release_if_empty(id);
}

void SmDriver::ask_samples(Cycle now) {
  samples_.ask_all(now, !idle());
  while (const std::optional<SmId> sm = caps_.ask(now)) samples_.ask(now, *sm);
}

void SmDriver::cap_changed(SmId sm, const SliceEntry& entry) {
  placer_.allow(sm);  // of this slice, or of those behind it
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

}  // namespace heddle
