#include "models/engine/kernel_log.h"

#include <algorithm>

namespace heddle {

std::string KernelLog::group_name(std::string name) {
  std::replace(name.begin(), name.end(), '.', ':');
  return name;
}

void KernelLog::add_application(const std::string& name, const std::vector<std::string>& kernels,
                                bool is_throttled, bool is_flushed, bool has_pieces) {
  applications_.push_back(std::make_unique<Application>());
  applications_.back()->name = name;
  std::vector<KernelCounters>& counters = applications_.back()->kernels;
  counters.resize(kernels.size());
  Group& group = stats_.child(group_name(name));
  for (std::size_t i = 0; i < kernels.size(); ++i) {
    KernelCounters& kernel = counters[i];
    kernel.name = kernels[i];
    Group& own = group.child(group_name(kernels[i]));
    own.add(kernel.launched, "launched", "kernel", "launches that reached the execution engine");
    own.add(kernel.ended, "ended", "kernel", "launches whose last block is done");
    own.add(kernel.blocks_issued, "blocks_issued", "block", "thread blocks issued");
    own.add(kernel.blocks_done, "blocks_done", "block", "thread blocks done");
    own.add(kernel.blocks_halted, "blocks_halted", "block",
            "of those, ended after their application had reached its end");
    own.add(kernel.warp_instructions, "warp_instructions", "instruction",
            "instructions issued for the warps of its blocks; none on timed SMs");
    own.add(kernel.thread_instructions, "thread_instructions", "instruction", "lanes that took part in them");
    own.add(kernel.cycles, "cycles", "cycle",
            "core cycles from KSR load to last block, over the launches that ended");
    own.add(kernel.wait_cycles, "wait_cycles", "cycle", "of those, from active queue to first block issued");
    own.add(kernel.held_time, "held_time", "cycle/1000",
            "time of SMs with a block of the kernel, summed over the SMs; launches that are on an SM at the "
            "same time share it equally");
    own.add_level(
        "running_blocks", "block",
        "thread blocks issued and not done, on SMs, in swap space or waiting to start over",
        [&kernel] { return static_cast<double>(kernel.blocks_issued.value() - kernel.blocks_done.value()); });
    if (is_throttled) add_throttle_counters(own, kernel);
    if (is_flushed) add_flush_counters(own, kernel);
    if (has_pieces) {
      own.add(kernel.pieces, "pieces", "piece",
              "pieces of launches that reached the execution engine; a whole launch is one");
      own.add(kernel.pieces_ended, "pieces_ended", "piece", "of these, whose last block is done");
    }
    own.add_formula("mean_cycles", "cycle", "core cycles of a launch", {kernel.cycles}, {kernel.ended});
  }
}

void ThrottleSums::add(const ThrottleReport& report) {
  const std::array<std::uint64_t, kFields> added{1,
                                                 report.settled ? 1u : 0u,
                                                 report.most,
                                                 report.cap,
                                                 report.samples,
                                                 report.cycles,
                                                 report.cycles_to_settle};
  for (std::size_t i = 0; i < kFields; ++i) values[i] += added[i];
}

void KernelLog::add_flush_counters(Group& group, KernelCounters& kernel) {
  group.add(kernel.blocks_flushed, "blocks_flushed", "block",
            "thread blocks that were stopped to start over, each time that they were");
  group.add(kernel.lost_warp_instructions, "lost_warp_instructions", "instruction",
            "of the warp instructions, those of flushed blocks; none on timed SMs");
  group.add(kernel.lost_thread_instructions, "lost_thread_instructions", "instruction",
            "lanes that took part in them");
  group.add(kernel.lost_cycles, "lost_cycles", "block*cycle",
            "core cycles from the issue of flushed blocks on, without those in swap space");
}

void KernelLog::add_throttle_counters(Group& group, KernelCounters& kernel) {
  const char* const texts[][3] = {
      {"slices", "slice", "times that the kernel had blocks on an SM"},
      {"settled_slices", "slice", "of these, in which the block throttle chose a cap"},
      {"most_blocks", "block", "that its slices could have without a cap, summed"},
      {"caps", "block", "that its slices could have in the end, summed"},
      {"samples", "sample", "that the block throttle took of its slices"},
      {"slice_cycles", "cycle", "core cycles of its slices"},
      {"cycles_to_settle", "cycle", "of these, before the cap was chosen"}};
  for (std::size_t i = 0; i < ThrottleSums::kFields; ++i)
    group.add(kernel.throttle[i], texts[i][0], texts[i][1], texts[i][2]);
  group.add_formula("mean_cap", "block", "blocks that a slice could have in the end",
                    {kernel.throttle[ThrottleSums::kCaps]}, {kernel.throttle[ThrottleSums::kSlices]});
}

void KernelLog::reset() {
  open_.clear();
  std::fill(loaded_.begin(), loaded_.end(), Loaded{});
  sms_.clear();
  resident_ = 0;
  resident_since_ = Cycle{0};
  shared_cycles_ = 0;
  for (const auto& application : applications_)
    for (KernelCounters& kernel : application->kernels) {
      kernel.pieces.set(0);
      kernel.pieces_ended.set(0);
      kernel.left = kernel.throttled = {};
      kernel.held_by_closed = 0;
    }
  stats_.reset();
}

std::uint64_t KernelLog::blocks_issued(std::size_t context) const {
  std::uint64_t blocks = 0;
  for (const KernelCounters& kernel : kernels(context)) blocks += kernel.blocks_issued.value();
  return blocks;
}

void KernelLog::kernel_event(Cycle now, KernelEvent event, KsrId ksr, const KernelLaunch& launch) {
  if (event == KernelEvent::kLoaded) count_resident(now, 1);
  if (event == KernelEvent::kEnded) count_resident(now, -1);
  if (event == KernelEvent::kLoaded) return load(now, ksr, launch);
  Open& open = of(ksr);
  if (event == KernelEvent::kActivated) open.record.activated = now;
  if (event == KernelEvent::kHalted) open.record.is_halted = true;
  if (event != KernelEvent::kEnded || open.counters == nullptr) return;
  if (launch.is_last) ++open.counters->ended;
  ++open.counters->pieces_ended;
  open.counters->cycles += now - open.record.loaded;
  open.record.ended = now;
}

void KernelLog::count_resident(Cycle now, int change) {
  shared_cycles_ = shared_cycles(now);
  resident_since_ = now;
  resident_ += change;
}

std::uint64_t KernelLog::shared_cycles(Cycle now) const {
  return shared_cycles_ + (resident_ < 2 ? 0 : now - resident_since_);
}

// The log does not count a launch whose application has not been added to it.
void KernelLog::load(Cycle now, KsrId ksr, const KernelLaunch& launch) {
  loaded_[ksr.value] = {launch.account, nullptr};
  if (launch.account.value >= open_.size()) open_.resize(launch.account.value + 1);
  Open& open = open_[launch.account.value];
  open = Open{};
  if (launch.context.value >= applications_.size()) return;
  Application& application = *applications_[launch.context.value];
  if (launch.tag >= application.kernels.size()) return;
  open.counters = loaded_[ksr.value].counters = &application.kernels[launch.tag];
  open.record.application = application.name;
  open.record.kernel = open.counters->name;
  open.record.launch = launch;
  open.record.ksr = ksr;
  open.record.loaded = now;
  if (launch.first_block == 0) ++open.counters->launched;
  ++open.counters->pieces;
}

void KernelLog::visit_open(const std::function<void(const LaunchRecord&)>& take) const {
  for (const Open& open : open_)
    if (open.counters != nullptr) take(open.record);
}

void KernelLog::update(const KernelLaunch& launch, const LaunchCounts& counts) {
  Open& open = open_[launch.account.value];
  open.record.counts = counts;
  add_work(open, {counts.sm.warp_instructions, counts.sm.thread_instructions, 0});
}

void KernelLog::close(const KernelLaunch& launch, const LaunchCounts& counts) {
  update(launch, counts);
  Open& open = open_[launch.account.value];
  if (open.counters == nullptr) return;
  open.record.held_time = open.held;
  open.counters->held_by_closed += open.held;
  if (take_) take_(open.record);
  open.counters = nullptr;
}

void KernelLog::slice_throttled(Cycle, SmId, KsrId ksr, const ThrottleReport& report) {
  if (KernelCounters* counters = loaded_[ksr.value].counters) counters->left.add(report);
}

void KernelLog::update_throttle(const std::vector<std::pair<KsrId, ThrottleReport>>& present) {
  for (const auto& application : applications_)
    for (KernelCounters& kernel : application->kernels) kernel.throttled = kernel.left;
  for (const auto& [ksr, report] : present)
    if (KernelCounters* counters = loaded_[ksr.value].counters) counters->throttled.add(report);
  for (const auto& application : applications_)
    for (KernelCounters& kernel : application->kernels)
      for (std::size_t i = 0; i < ThrottleSums::kFields; ++i)
        kernel.throttle[i].set(kernel.throttled.values[i]);
}

std::uint64_t KernelLog::held_since(const Sm& sm, Cycle now) {
  return sm.shares.empty() ? 0 : (now - sm.accounted) * 1000 / sm.shares.size();
}

KernelLog::Sm& KernelLog::account(Cycle now, SmId id) {
  if (id.value >= sms_.size()) sms_.resize(id.value + 1);
  Sm& sm = sms_[id.value];
  const std::uint64_t time = held_since(sm, now);
  for (const Share& share : sm.shares) open_[share.account.value].held += time;
  sm.accounted = now;
  return sm;
}

// What is shared is rounded only when the blocks on an SM change, so that the values do not depend on when
// they are read.
void KernelLog::account_until(Cycle now) {
  for (Open& open : open_) open.record.held_time = open.held;
  for (const Sm& sm : sms_)
    for (const Share& share : sm.shares) open_[share.account.value].record.held_time += held_since(sm, now);
  for (const auto& application : applications_)
    for (KernelCounters& kernel : application->kernels) kernel.held_time.set(kernel.held_by_closed);
  for (Open& open : open_)
    if (open.counters != nullptr) open.counters->held_time += open.record.held_time;
}

void KernelLog::come(Cycle now, SmId id, KsrId ksr) {
  Sm& sm = account(now, id);
  const AccountId mine = loaded_[ksr.value].account;
  const auto found = std::find_if(sm.shares.begin(), sm.shares.end(),
                                  [mine](const Share& share) { return share.account == mine; });
  if (found != sm.shares.end())
    ++found->blocks;
  else
    sm.shares.push_back({mine, 1});
}

void KernelLog::leave(Cycle now, SmId id, KsrId ksr) {
  Sm& sm = account(now, id);
  const AccountId mine = loaded_[ksr.value].account;
  const auto found = std::find_if(sm.shares.begin(), sm.shares.end(),
                                  [mine](const Share& share) { return share.account == mine; });
  if (--found->blocks == 0) sm.shares.erase(found);
}

void KernelLog::block_issued(Cycle now, SmId sm, KsrId ksr, BlockId) {
  come(now, sm, ksr);
  Open& open = of(ksr);
  if (open.counters == nullptr) return;
  ++open.counters->blocks_issued;
  ++open.record.blocks_issued;
  if (open.record.started) return;
  open.record.started = now;
  open.counters->wait_cycles += now - open.record.activated.value_or(now);
}

void KernelLog::block_saved(Cycle now, SmId sm, KsrId ksr, BlockId) {
  leave(now, sm, ksr);
}

void KernelLog::block_flushed(Cycle now, SmId sm, KsrId ksr, BlockId, const SmWork& work,
                              std::uint64_t cycles) {
  leave(now, sm, ksr);
  Open& open = of(ksr);
  open.reported += work;
  add_work(open, open.reported);
  open.record.lost += {work.warp_instructions, work.thread_instructions, 1};
  open.record.lost_cycles += cycles;
  if (open.counters == nullptr) return;
  ++open.counters->blocks_flushed;
  open.counters->lost_warp_instructions += work.warp_instructions;
  open.counters->lost_thread_instructions += work.thread_instructions;
  open.counters->lost_cycles += cycles;
}

void KernelLog::block_resumed(Cycle now, SmId sm, KsrId ksr, BlockId) {
  come(now, sm, ksr);
}

void KernelLog::block_done(Cycle now, SmId sm, KsrId ksr, BlockId, const SmWork& work) {
  leave(now, sm, ksr);
  end_block(ksr, work);
}

void KernelLog::block_dropped(Cycle, KsrId ksr, BlockId, const SmWork& work) {
  end_block(ksr, work);
}

void KernelLog::end_block(KsrId ksr, const SmWork& work) {
  Open& open = of(ksr);
  open.reported += work;
  add_work(open, open.reported);
  if (open.counters == nullptr) return;
  ++open.counters->blocks_done;
  ++open.record.blocks_done;
  if (open.record.is_halted) ++open.counters->blocks_halted;
}

// `issued` is the work of the launch up to now, or less: the end of a block may not have been reported yet
// when its work has been counted.
void KernelLog::add_work(Open& open, const SmWork& issued) {
  SmWork& work = open.record.work;
  if (issued.warp_instructions <= work.warp_instructions) return;
  if (open.counters != nullptr) {
    open.counters->warp_instructions += issued.warp_instructions - work.warp_instructions;
    open.counters->thread_instructions += issued.thread_instructions - work.thread_instructions;
  }
  work.warp_instructions = issued.warp_instructions;
  work.thread_instructions = issued.thread_instructions;
}

}  // namespace heddle
