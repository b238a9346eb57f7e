#include "models/machine/progress_check.h"

#include <fmt/format.h>

#include <algorithm>

#include "models/core/time/picoseconds.h"

namespace heddle {

ProgressCheck::ProgressCheck(const Deps& deps)
    : deps_(deps), watches_(deps.host.processes()), blocks_seen_(deps.host.processes()) {}

void ProgressCheck::reset() {
  std::fill(watches_.begin(), watches_.end(), KernelWatch{});
  std::fill(blocks_seen_.begin(), blocks_seen_.end(), 0);
  progress_at_ = sc_core::sc_time_stamp();
}

std::string ProgressCheck::check() {
  if (!sc_core::sc_pending_activity())
    return "deadlock: nothing can happen any more; " + deps_.host.waiting(deps_.log) + deps_.gpu.waiting() +
           places();
  if (const std::string stuck = deps_.gpu.check_progress(); !stuck.empty()) return stuck + places();
  bool has_progress = false;
  bool all_idle = true;
  for (std::size_t i = 0; i < deps_.host.processes(); ++i) {
    const HostProcess& process = deps_.host.process(i);
    if (process.has_finished()) continue;
    if (never_ends(i))
      return fmt::format(
          "{} never ends: each warp of its kernels repeats itself or waits at a barrier, and memory does not "
          "change{}",
          process.spec().program.name, places());
    all_idle = all_idle && process.is_idle();
    const std::uint64_t blocks = deps_.log.blocks_issued(i);
    has_progress = has_progress || blocks != blocks_seen_[i] || process.is_computing();
    blocks_seen_[i] = blocks;
  }
  return starvation(has_progress || all_idle);
}

bool ProgressCheck::never_ends(std::size_t process) {
  const HostProcess& own = deps_.host.process(process);
  KernelWatch::Progress progress;
  progress.blocks = deps_.log.blocks_issued(process);
  progress.events = progress.blocks + own.kernels_launched() + own.bytes_copied() +
                    deps_.gpu.device_memory()[process].changes();
  progress.memory_may_change = own.is_computing() || !deps_.gpu.copies_idle();
  std::vector<KernelProgram*> kernels;
  deps_.programs.visit([&](ContextId context, std::uint32_t, KernelProgram& program) {
    if (context.value == process) kernels.push_back(&program);
  });
  return watches_[process].check(progress, kernels);
}

// Blocks that are preempted again before they have their state back get no further.
std::string ProgressCheck::starvation(bool has_progress) {
  const sc_core::sc_time& now = sc_core::sc_time_stamp();
  if (has_progress) progress_at_ = now;
  const std::uint64_t since = to_ps(now - progress_at_);
  if (since < deps_.starvation_limit_ps) return "";
  const std::uint64_t saved = deps_.gpu.driver().blocks_saved().value();
  return fmt::format(
      "starvation: no thread block of an unfinished application for {} us (starvation_limit); {}{}",
      since / 1000000, deps_.host.waiting(deps_.log),
      saved == 0 ? "" : fmt::format("; {} blocks were saved to go on later", saved));
}

std::string ProgressCheck::places() const {
  std::string text;
  deps_.programs.visit([&](ContextId context, std::uint32_t tag, KernelProgram& program) {
    const std::string places = program.places();
    if (places.empty()) return;
    const ApiProgram& of = deps_.host.process(context.value).spec().program;
    text += fmt::format("\n{}, {}:{}", of.name, of.kernels[tag].name, places);
  });
  return text;
}

}  // namespace heddle
