#include "models/machine/machine_host.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <utility>

#include "models/core/time/picoseconds.h"
#include "models/host/submission/submitter.h"

namespace heddle {

namespace {

std::uint32_t streams_of(const HostProcessSpec& process) {
  return static_cast<std::uint32_t>(process.program.streams.size());
}

}  // namespace

MachineHost::MachineHost(const MachineSpec& spec, bool is_reversed, Deps deps)
    : spec_(spec),
      deps_(std::move(deps)),
      memory_("memory", from_ps(spec.gpu.host.memory_latency_ps)),
      driver_(spec.gpu.queues, spec.gpu.device_bytes, deps_.gpu.device_memory()),
      cores_(spec.gpu.host.cores, from_ps(spec.gpu.host.time_slice_ps).value()) {
  deps_.gpu.system().bind(memory_.socket);
  const auto gated = std::count_if(spec.processes.begin(), spec.processes.end(),
                                   [](const HostProcessSpec& process) { return process.starts_together; });
  if (gated > 0) gate_ = std::make_unique<StartGate>(static_cast<std::size_t>(gated));
  make_submitter();
  make_hand_overs();
  if (submitter_ == nullptr)
    for (const HostProcessSpec& process : spec.processes) driver_.add_process(streams_of(process));
  processes_.resize(spec.processes.size());
  for (std::size_t i = 0; i < processes_.size(); ++i)
    make_process(is_reversed ? processes_.size() - 1 - i : i);
}

MachineHost::~MachineHost() = default;

// Processes write to the rings themselves under the policy `direct`.
void MachineHost::make_submitter() {
  const auto choice = spec_.gpu.policies.find(Submission::kDecision);
  if (choice == spec_.gpu.policies.end() || choice->second.name == Submission::kFallback) return;
  std::unique_ptr<Submission> policy = PolicyRegistry<Submission>::make(choice->second);
  const GpuSpec& gpu = deps_.gpu.spec();
  SoftwareQueues::Spec spec;
  spec.queues = gpu.queues;
  spec.gpu = {gpu.sm.limits,
              gpu.sm.count,
              gpu.core_hz,
              gpu.engine.kernel_launch_latency + gpu.engine.set_up_cycles(),
              gpu.engine.block_issue_latency,
              gpu.bandwidth};
  spec.concurrent_pieces = policy->concurrent_pieces();
  std::vector<const ApiProgram*> programs;
  for (const HostProcessSpec& process : spec_.processes) {
    programs.push_back(&process.program);
    driver_.add_process(SoftwareQueues::lanes_of(spec, streams_of(process)));
  }
  submitter_ = std::make_unique<Submitter>(
      "submitter", spec, std::move(policy), programs,
      Submitter::Deps{driver_, memory_, ring_released_, deps_.failed, spec_.gpu.host});
  submitter_->mmio.bind(deps_.gpu.mmio());
  submitter_->memory.bind(memory_.socket);
}

void MachineHost::make_hand_overs() {
  for (const HostProcessSpec& process : spec_.processes)
    hand_overs_.push_back(process.takes_over ? std::make_unique<HandOver>(*process.takes_over) : nullptr);
}

// Returns what takes the requests that the process hands over; null if it keeps them.
HandOver* MachineHost::hand_over_from(std::uint32_t process) const {
  for (std::size_t i = 0; i < hand_overs_.size(); ++i)
    if (hand_overs_[i] && spec_.processes[i].takes_over->from == process) return hand_overs_[i].get();
  return nullptr;
}

void MachineHost::make_process(std::size_t number) {
  const HostProcessSpec& spec = spec_.processes[number];
  auto process = std::make_unique<HostProcess>(
      fmt::format("process{}", number).c_str(), spec,
      HostProcess::Deps{driver_, memory_, ring_released_, deps_.completed, deps_.failed, spec_.gpu.sm.limits,
                        spec_.gpu.host, cores_, cores_changed_, submitter_.get(),
                        deps_.gpu.preemption().answers(Handover::kFlush), deps_.recorded,
                        spec.requests ? deps_.accountant : nullptr,
                        spec.starts_together ? gate_.get() : nullptr, hand_overs_[number].get(),
                        hand_over_from(spec.number)});
  process->mmio.bind(deps_.gpu.mmio());
  process->memory.bind(memory_.socket);
  processes_[number] = std::move(process);
}

void MachineHost::reset() {
  if (gate_) gate_->reset();
  memory_.reset();
  driver_.reset();
  ring_released_.cancel();
  cores_.reset();
  cores_changed_.cancel();
  if (submitter_) submitter_->reset();
  for (const auto& hand_over : hand_overs_)
    if (hand_over) hand_over->reset();
  for (const auto& process : processes_) process->reset();
}

std::string MachineHost::waiting(const KernelLog& log) const {
  std::vector<std::string> waits;
  for (const auto& process : processes_) {
    if (process->has_finished()) continue;
    std::uint64_t flushed = 0;
    for (const KernelLog::KernelCounters& kernel : log.kernels(process->spec().number))
      flushed += kernel.blocks_flushed.value();
    waits.push_back(fmt::format("{} waits for {}{}", process->spec().program.name, process->waiting_for(),
                                flushed == 0 ? "" : fmt::format(", and {} blocks were flushed", flushed)));
  }
  if (submitter_) {
    std::vector<std::string> names;
    for (const auto& process : processes_) names.push_back(process->spec().program.name);
    if (const std::string held = submitter_->waiting(names); !held.empty()) waits.push_back(held);
  }
  return fmt::format("{}", fmt::join(waits, ", "));
}

}  // namespace heddle
