#include "models/engine/kernel_log.h"

#include <algorithm>

namespace heddle {

void KernelLog::add_application(const std::string& name, const std::vector<std::string>& kernels,
                                bool is_throttled) {
  applications_.push_back(std::make_unique<Application>());
  applications_.back()->name = name;
  std::vector<KernelCounters>& counters = applications_.back()->kernels;
  counters.resize(kernels.size());
  Group& group = stats_.child(name);
  for (std::size_t i = 0; i < kernels.size(); ++i) {
    KernelCounters& kernel = counters[i];
    kernel.name = kernels[i];
    Group& own = group.child(kernels[i]);
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
    own.add_level(
        "running_blocks", "block", "thread blocks issued and not done, on SMs or in swap space",
        [&kernel] { return static_cast<double>(kernel.blocks_issued.value() - kernel.blocks_done.value()); });
    if (is_throttled) add_throttle_counters(own, kernel);
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
  std::fill(open_.begin(), open_.end(), Open{});
  for (std::vector<SmWork>* work : {&reported_, &counted_}) std::fill(work->begin(), work->end(), SmWork{});
  for (const auto& application : applications_)
    for (KernelCounters& kernel : application->kernels) kernel.left = kernel.throttled = {};
  stats_.reset();
}

std::uint64_t KernelLog::blocks_issued(std::size_t context) const {
  std::uint64_t blocks = 0;
  for (const KernelCounters& kernel : kernels(context)) blocks += kernel.blocks_issued.value();
  return blocks;
}

void KernelLog::kernel_event(Cycle now, KernelEvent event, KsrId ksr, const KernelLaunch& launch) {
  Open& open = open_[ksr.value];
  switch (event) {
    case KernelEvent::kLoaded:
      load(now, ksr, launch);
      break;
    case KernelEvent::kActivated:
      open.record.activated = now;
      break;
    case KernelEvent::kHalted:
      open.record.is_halted = true;
      break;
    case KernelEvent::kEnded:
      if (open.counters == nullptr) break;
      ++open.counters->ended;
      open.counters->cycles += now - open.record.loaded;
      open.record.ended = now;
      if (take_) take_(open.record);
      break;
  }
}

// The log does not count a launch whose application has not been added to it.
void KernelLog::load(Cycle now, KsrId ksr, const KernelLaunch& launch) {
  Open& open = open_[ksr.value];
  open = Open{};
  if (launch.context.value >= applications_.size()) return;
  Application& application = *applications_[launch.context.value];
  if (launch.tag >= application.kernels.size()) return;
  open.counters = &application.kernels[launch.tag];
  open.record.application = application.name;
  open.record.kernel = open.counters->name;
  open.record.launch = launch;
  open.record.ksr = ksr;
  open.record.loaded = now;
  ++open.counters->launched;
}

void KernelLog::visit_open(const std::function<void(const LaunchRecord&)>& take) const {
  for (const Open& open : open_)
    if (open.counters != nullptr && !open.record.ended) take(open.record);
}

void KernelLog::slice_throttled(Cycle, SmId, KsrId ksr, const ThrottleReport& report) {
  if (KernelCounters* counters = open_[ksr.value].counters) counters->left.add(report);
}

void KernelLog::update_throttle(const std::vector<std::pair<KsrId, ThrottleReport>>& present) {
  for (const auto& application : applications_)
    for (KernelCounters& kernel : application->kernels) kernel.throttled = kernel.left;
  for (const auto& [ksr, report] : present)
    if (KernelCounters* counters = open_[ksr.value].counters) counters->throttled.add(report);
  for (const auto& application : applications_)
    for (KernelCounters& kernel : application->kernels)
      for (std::size_t i = 0; i < ThrottleSums::kFields; ++i)
        kernel.throttle[i].set(kernel.throttled.values[i]);
}

void KernelLog::block_issued(Cycle now, SmId, KsrId ksr, BlockId) {
  Open& open = open_[ksr.value];
  if (open.counters == nullptr) return;
  ++open.counters->blocks_issued;
  ++open.record.blocks_issued;
  if (open.record.started) return;
  open.record.started = now;
  open.counters->wait_cycles += now - open.record.activated.value_or(now);
}

void KernelLog::block_done(Cycle, SmId, KsrId ksr, BlockId, const SmWork& work) {
  reported_[ksr.value] += work;
  update_work(ksr, reported_[ksr.value]);
  KernelCounters* counters = open_[ksr.value].counters;
  if (counters == nullptr) return;
  ++counters->blocks_done;
  LaunchRecord& record = open_[ksr.value].record;
  ++record.blocks_done;
  if (record.is_halted) ++counters->blocks_halted;
}

void KernelLog::block_dropped(Cycle now, KsrId ksr, BlockId block, const SmWork& work) {
  block_done(now, SmId{}, ksr, block, work);
}

void KernelLog::update_work(KsrId ksr, const SmWork& issued) {
  SmWork& counted = counted_[ksr.value];
  if (issued.warp_instructions <= counted.warp_instructions) return;
  Open& open = open_[ksr.value];
  if (open.counters != nullptr) {
    const std::uint64_t warp_instructions = issued.warp_instructions - counted.warp_instructions;
    const std::uint64_t thread_instructions = issued.thread_instructions - counted.thread_instructions;
    open.counters->warp_instructions += warp_instructions;
    open.counters->thread_instructions += thread_instructions;
    open.record.work.warp_instructions += warp_instructions;
    open.record.work.thread_instructions += thread_instructions;
  }
  counted = issued;
}

}  // namespace heddle
