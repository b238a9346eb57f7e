#include "models/machine/machine.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <map>

#include "models/gpu/instance_spec.h"
#include "models/machine/share_levels.h"

namespace heddle {

namespace {

std::uint64_t picoseconds(const sc_core::sc_time& time) {
  return static_cast<std::uint64_t>(std::llround(time.to_seconds() * 1e12));
}

// Returns the sets of SMs of a program, by SM.
std::vector<std::vector<bool>> masks_of(const ApiProgram& program, std::uint32_t sms) {
  std::vector<std::vector<bool>> masks;
  for (const std::vector<std::uint32_t>& set : program.sm_sets) {
    std::vector<bool>& mask = masks.emplace_back(sms);
    for (const std::uint32_t sm : set) {
      HEDDLE_CHECK(sm < sms, "machine", Cycle{}, "{}: SM {} of {}", program.name, sm, sms);
      mask[sm] = true;
    }
  }
  return masks;
}

}  // namespace

Machine::Machine(sc_core::sc_module_name name, const MachineSpec& spec, const GpuOptions& options)
    : sc_core::sc_module(name),
      spec_(spec),
      has_servers_(spec.servers_elsewhere ||
                   std::any_of(spec.processes.begin(), spec.processes.end(),
                               [](const HostProcessSpec& process) { return process.requests.has_value(); })),
      kernel_log_(spec.gpu.engine.ksrs),
      request_log_(spec.processes.size()),
      progress_(has_servers_ ? spec.processes.size() : 0),
      cores_(spec.gpu.host.cores,
             sc_core::sc_time(static_cast<double>(spec.gpu.host.time_slice_ps), sc_core::SC_PS).value()),
      unfinished_(processes_that_end_run()),
      has_finished_(spec.processes.size()),
      stats_(spec.instance) {
  HEDDLE_CHECK(instances_of(spec_.gpu, spec_.gpu.policies, spec_.processes.size()).empty(), basename(),
               Cycle{}, "the GPU is split; see Machines");
  GpuOptions gpu_options = options;
  gpu_options.programs = &programs_;
  gpu_ = std::make_unique<Gpu>("gpu", spec_.gpu, gpu_options);
  memory_ = std::make_unique<SystemMemory>(
      "memory", sc_core::sc_time(static_cast<double>(spec_.gpu.host.memory_latency_ps), sc_core::SC_PS));
  loop_.emplace(RunLoop::Deps{gpu_->core(), [this] { return !done() && failure_.empty(); },
                              [this] { check_progress(); }});
  driver_ = std::make_unique<HostDriver>(spec_.gpu.queues, spec_.gpu.device_bytes, gpu_->device_memory());
  gpu_->system().bind(memory_->socket);
  gpu_->observe(kernel_log_);
  gpu_->observe(programs_);
  gpu_->launches().on_close([this](const KernelLaunch& launch, const LaunchCounts& counts) {
    kernel_log_.close(launch, counts);
    if (!kernels_.empty()) kernels_[launch.context.value][launch.tag].closed += counts;
  });
  gpu_->observe(static_cast<EngineObserver&>(*this));
  make_watch();
  const auto gated = std::count_if(spec_.processes.begin(), spec_.processes.end(),
                                   [](const HostProcessSpec& process) { return process.starts_together; });
  if (gated > 0) gate_ = std::make_unique<StartGate>(static_cast<std::size_t>(gated));
  if (spec_.window_cycles != 0) gpu_->halt_after(spec_.window_cycles);
  make_submitter();
  processes_.resize(spec_.processes.size());
  std::map<std::string, int> instances;
  for (const HostProcessSpec& process : spec_.processes) {
    if (process.target_instructions != 0)
      gpu_->halt_at(ContextId{process.number}, process.target_instructions);
    if (submitter_ == nullptr)
      driver_->add_process(static_cast<std::uint32_t>(process.program.streams.size()));
    std::vector<std::string> kernels;
    std::vector<ProgramLibrary::Open> programs;
    for (const ApiKernel& kernel : process.program.kernels) {
      kernels.push_back(kernel.name);
      programs.push_back(open_of(process, kernel));
    }
    programs_.add_application(std::move(programs));
    gpu_->set_sm_sets(ContextId{process.number}, masks_of(process.program, spec_.gpu.sm.count));
    const int instance = ++instances[process.program.name];
    const std::string application =
        instance == 1 ? process.program.name : fmt::format("{}#{}", process.program.name, instance);
    names_.push_back(application);
    kernel_log_.add_application(application, kernels, gpu_->throttle().caps(),
                                gpu_->preemption().answers(Handover::kFlush), submitter_ != nullptr);
    add_kernels(application, kernels);
    if (process.requests)
      request_log_.add_stats(process.number,
                             kernel_log_.stats().child(KernelLog::group_name(application)).child("requests"));
  }
  for (std::size_t i = 0; i < processes_.size(); ++i) {
    const std::size_t which = options.build_reversed ? processes_.size() - 1 - i : i;
    auto process = std::make_unique<HostProcess>(
        fmt::format("process{}", which).c_str(), spec_.processes[which],
        HostProcess::Deps{
            *driver_, *memory_, ring_released_, [this](std::uint32_t number) { completed(number); },
            [this](const std::string& message) { fail(message); }, spec_.gpu.sm.limits, spec_.gpu.host,
            cores_, cores_changed_, submitter_.get(), gpu_->preemption().answers(Handover::kFlush),
            [this](const RequestRecord& record) { request_ended(record); },
            spec_.processes[which].requests ? watch_.get() : nullptr,
            spec_.processes[which].starts_together ? gate_.get() : nullptr});
    process->mmio.bind(gpu_->mmio());
    process->memory.bind(memory_->socket);
    processes_[which] = std::move(process);
  }
  stats_.attach(kernel_log_.stats());
  stats_.attach(gpu_->stats());
  if (submitter_) stats_.attach(submitter_->stats());
  blocks_seen_.resize(processes_.size());
  hangs_.resize(processes_.size());
  SC_HAS_PROCESS(Machine);
  SC_METHOD(count_shared);
  dont_initialize();
  sensitive << halted_first_;
}

void Machine::make_watch() {
  std::vector<bool> servers;
  for (const HostProcessSpec& process : spec_.processes) servers.push_back(process.requests.has_value());
  if (std::find(servers.begin(), servers.end(), true) == servers.end()) return;
  const GpuSpec& gpu = gpu_->spec();
  watch_ = std::make_unique<RequestWatch>(
      RequestWatch::Gpu{gpu.sm.limits, gpu.sm.count, gpu.engine.ksrs, gpu.dma.engines}, servers, [] {
        return static_cast<std::uint64_t>(sc_core::sc_time_stamp() / sc_core::sc_time(1, sc_core::SC_PS));
      });
  gpu_->observe(static_cast<EngineObserver&>(*watch_));
  gpu_->observe(static_cast<CommandObserver&>(*watch_));
  gpu_->observe(static_cast<TransferObserver&>(*watch_));
}

// Processes write to the rings themselves under the policy `direct`.
void Machine::make_submitter() {
  const auto choice = spec_.gpu.policies.find(Submission::kDecision);
  if (choice == spec_.gpu.policies.end() || choice->second.name == Submission::kFallback) return;
  std::unique_ptr<Submission> policy = PolicyRegistry<Submission>::make(choice->second);
  const GpuSpec& gpu = gpu_->spec();
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
    driver_->add_process(
        SoftwareQueues::lanes_of(spec, static_cast<std::uint32_t>(process.program.streams.size())));
  }
  submitter_ = std::make_unique<Submitter>(
      "submitter", spec, std::move(policy), programs,
      Submitter::Deps{*driver_, *memory_, ring_released_,
                      [this](const std::string& message) { fail(message); }, spec_.gpu.host});
  submitter_->mmio.bind(gpu_->mmio());
  submitter_->memory.bind(memory_->socket);
}

void Machine::add_kernels(const std::string& application, const std::vector<std::string>& kernels) {
  const ContextId context{static_cast<std::uint32_t>(kernel_log_.contexts() - 1)};
  Group& group = kernel_log_.stats().child(KernelLog::group_name(application));
  add_token_level(gpu_->partitioner(), context, group);
  for (std::uint32_t tag = 0; tag < kernels.size(); ++tag)
    add_slice_levels(gpu_->driver(), context, tag, group.child(KernelLog::group_name(kernels[tag])));
  const ExecutionSpec* const execution = gpu_->spec().sm.execution();
  if (execution == nullptr) return;
  std::vector<Kernel>& own = kernels_.emplace_back(kernels.size());
  for (std::size_t tag = 0; tag < kernels.size(); ++tag)
    own[tag].stats =
        std::make_unique<LaunchStats>(*execution, group.child(KernelLog::group_name(kernels[tag])));
  if (EnergyStats* energy = gpu_->energy())
    for (const std::string& kernel : kernels) energy->add_kernel(group.child(KernelLog::group_name(kernel)));
}

// Returns the function that opens the code of the kernel's launches, or null if the kernel has none.
ProgramLibrary::Open Machine::open_of(const HostProcessSpec& process, const ApiKernel& kernel) {
  if (process.program.make_script)
    return [this](const KernelLaunch& launch) {
      const std::uint32_t context = launch.context.value;
      return processes_[context]->script()->open(launch.arguments, gpu_->device_memory()[context],
                                                 gpu_->uses_phases());
    };
  if (!kernel.program) return nullptr;
  return [this, open = kernel.program](const KernelLaunch&) { return open(gpu_->uses_phases()); };
}

void Machine::run(const std::function<void(const Machine&)>& progress) {
  run_to(Cycle::never(), progress);
}

void Machine::run_to(Cycle end, const std::function<void(const Machine&)>& progress) {
  on_end([] { sc_core::sc_pause(); });
  loop_->run_to(end, [&] {
    if (progress) progress(*this);
  });
}

void Machine::reset() {
  gpu_->reset();
  programs_.reset();
  kernel_log_.reset();
  request_log_.reset();
  if (watch_) watch_->reset();
  if (gate_) gate_->reset();
  std::fill(progress_.begin(), progress_.end(), no_progress_);
  for (std::vector<Kernel>& application : kernels_)
    for (Kernel& kernel : application) kernel.closed = {};
  memory_->reset();
  driver_->reset();
  ring_released_.cancel();
  cores_.reset();
  cores_changed_.cancel();
  if (submitter_) submitter_->reset();
  for (const auto& process : processes_) process->reset();
  unfinished_ = processes_that_end_run();
  std::fill(has_finished_.begin(), has_finished_.end(), false);
  failure_.clear();
  first_halt_ = sc_core::SC_ZERO_TIME;
  shared_instructions_.clear();
  halted_first_.cancel();
  std::fill(blocks_seen_.begin(), blocks_seen_.end(), 0);
  std::fill(hangs_.begin(), hangs_.end(), HangCheck{});
  progress_at_ = sc_core::sc_time_stamp();
  loop_->reset();
}

std::size_t Machine::processes_that_end_run() const {
  return static_cast<std::size_t>(std::count_if(spec_.processes.begin(), spec_.processes.end(),
                                                [this](const auto& process) { return ends_run(process); }));
}

void Machine::completed(std::uint32_t process) {
  if (!processes_[process]->has_finished() || has_finished_[process]) return;
  has_finished_[process] = true;
  if (ends_run(spec_.processes[process]) && --unfinished_ == 0 && ended_) ended_();
}

void Machine::context_halted(Cycle, ContextId context) {
  if (first_halt_ == sc_core::SC_ZERO_TIME) {
    first_halt_ = sc_core::sc_time_stamp();
    halted_first_.notify(sc_core::sc_get_time_resolution());
  }
  if (context.value < processes_.size()) processes_[context.value]->halt();
}

void Machine::block_done(Cycle now, SmId, KsrId ksr, BlockId, const SmWork&) {
  if (!has_servers_) return;
  const std::uint32_t process = gpu_->driver().ksrs()[ksr].launch.context.value;
  if (process < processes_.size() && !spec_.processes[process].requests)
    progress_[process].add(picoseconds(gpu_->core().time_of(now)), 1);
}

void Machine::request_ended(const RequestRecord& record) {
  if (record.account != nullptr)
    HEDDLE_CHECK(record.account->queue.sum() == record.queueing_ps() &&
                     record.account->service.sum() == record.service_ps(),
                 basename(), gpu_->core().now(),
                 "request {} of {}: {} ps of {} in the queue and {} of {} in "
                 "service are accounted",
                 record.number, names_[record.process], record.account->queue.sum(), record.queueing_ps(),
                 record.account->service.sum(), record.service_ps());
  if (record.outcome == RequestOutcome::kServed)
    progress_[record.process].add(record.end_ps, static_cast<double>(record.service_ps()));
  request_log_.add(record);
}

void Machine::set_progress_window(std::uint64_t ps) {
  no_progress_ = ProgressWindows(ps, kMostProgressWindows);
  std::fill(progress_.begin(), progress_.end(), no_progress_);
}

ProgressWindows Machine::progress_of(std::size_t process) const {
  ProgressWindows windows = progress_[process];
  windows.cover(picoseconds(sc_core::sc_time_stamp()));
  return windows;
}

void Machine::count_shared() {
  for (const auto& process : processes_)
    shared_instructions_.push_back(gpu_->instructions(ContextId{process->spec().number}));
}

void Machine::fail(const std::string& message) {
  if (failure_.empty()) failure_ = message;
  if (ended_) ended_();
}

void Machine::check_progress() {
  if (!sc_core::sc_pending_activity())
    return fail("deadlock: nothing can happen any more; " + waiting() + gpu_->waiting() + places());
  if (const std::string stuck = gpu_->check_progress(); !stuck.empty()) return fail(stuck + places());
  bool progress = false;
  bool all_idle = true;
  for (std::size_t i = 0; i < processes_.size(); ++i) {
    if (processes_[i]->has_finished()) continue;
    if (const std::string hang = hanging_kernel(i); !hang.empty()) return fail(hang);
    all_idle = all_idle && processes_[i]->is_idle();
    const std::uint64_t blocks = kernel_log_.blocks_issued(i);
    progress = progress || blocks != blocks_seen_[i] || processes_[i]->is_computing();
    blocks_seen_[i] = blocks;
  }
  const sc_core::sc_time& now = sc_core::sc_time_stamp();
  if (progress || all_idle) progress_at_ = now;
  const std::uint64_t since = picoseconds(now - progress_at_);
  if (since >= spec_.starvation_limit_ps)
    fail(fmt::format(
        "starvation: no thread block of an unfinished application for {} us (starvation_limit); {}{}",
        since / 1000000, waiting(), saves()));
}

// Whatever lets a kernel go on that waits for it changes this number: its own blocks and memory, commands
// of its process, copies.
std::uint64_t Machine::progress_count(std::size_t process) const {
  return kernel_log_.blocks_issued(process) + processes_[process]->kernels_launched() +
         processes_[process]->bytes_copied() + gpu_->device_memory()[process].changes();
}

// While the host of the process computes or copies are under way, memory may still change.
std::string Machine::hanging_kernel(std::size_t process) {
  HangCheck& check = hangs_[process];
  bool are_stuck = check.is_watched && check.progress == progress_count(process) &&
                   !processes_[process]->is_computing() && gpu_->copies_idle();
  std::size_t kernels = 0;
  programs_.visit([&](ContextId context, std::uint32_t, KernelProgram& program) {
    if (context.value != process) return;
    are_stuck = are_stuck && program.is_stuck();
    ++kernels;
  });
  if (are_stuck && kernels > 0)
    return fmt::format(
        "{} never ends: each warp of its kernels repeats itself or waits at a barrier, and memory does not "
        "change{}",
        spec_.processes[process].program.name, places());
  if (check.is_watched && check.progress == progress_count(process)) return "";
  const bool is_watched = begins_watch(process) && kernels > 0;
  programs_.visit([&](ContextId context, std::uint32_t, KernelProgram& program) {
    if (context.value == process) program.watch(is_watched);
  });
  check.is_watched = is_watched;
  check.progress = progress_count(process);
  check.blocks = kernel_log_.blocks_issued(process);
  return "";
}

// Kernels are watched from the second check without a new block on, and after a watch that has seen memory
// change only after a pause, because a watch costs time.
bool Machine::begins_watch(std::size_t process) {
  constexpr std::uint32_t kLongestPause = 64;
  HangCheck& check = hangs_[process];
  if (check.blocks != kernel_log_.blocks_issued(process)) {
    check.pause = check.left = 0;
    return false;
  }
  if (check.is_watched) {
    check.pause = std::min(kLongestPause, 2 * check.pause + 1);
    check.left = check.pause;
    return false;
  }
  if (check.left > 0) {
    --check.left;
    return false;
  }
  return check.progress == progress_count(process);
}

std::string Machine::places() const {
  std::string text;
  programs_.visit([&](ContextId context, std::uint32_t tag, KernelProgram& program) {
    const std::string places = program.places();
    if (places.empty()) return;
    const ApiProgram& of = spec_.processes[context.value].program;
    text += fmt::format("\n{}, {}:{}", of.name, of.kernels[tag].name, places);
  });
  return text;
}

std::string Machine::waiting() const {
  std::vector<std::string> waits;
  for (const auto& process : processes_) {
    if (process->has_finished()) continue;
    std::uint64_t flushed = 0;
    for (const KernelLog::KernelCounters& kernel : kernel_log_.kernels(process->spec().number))
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

// Blocks that are preempted again before they have their state back get no further.
std::string Machine::saves() const {
  const std::uint64_t saved = gpu_->driver().blocks_saved().value();
  return saved == 0 ? "" : fmt::format("; {} blocks were saved to go on later", saved);
}

std::vector<ProcessResult> Machine::results() const {
  std::vector<ProcessResult> results;
  for (const auto& process : processes_) {
    const sc_core::sc_time start = process->first_start();
    const sc_core::sc_time& now = sc_core::sc_time_stamp();
    ProcessResult result{process->spec().program.name,
                         process->has_finished() ? picoseconds(process->first_end() - start) : 0,
                         process->completions(),
                         process->bytes_copied(),
                         process->kernels_launched(),
                         gpu_->instructions(ContextId{process->spec().number}),
                         0,
                         0,
                         picoseconds(now - std::min(start, now))};
    if (first_halt_ > start) {
      // A run may end at the time of the first halt, before the instructions have been counted.
      result.shared_ps = picoseconds(first_halt_ - start);
      result.shared_instructions =
          shared_instructions_.empty() ? result.warp_instructions : shared_instructions_[results.size()];
    }
    results.push_back(std::move(result));
  }
  return results;
}

Group& Machine::stats() {
  gpu_->stats();  // brings the counters up to the present
  update_launches();
  if (gpu_->throttle().caps()) kernel_log_.update_throttle(gpu_->driver().throttled(gpu_->core().now()));
  return stats_;
}

void Machine::update_launches() {
  kernel_log_.account_until(gpu_->core().now());
  if (kernels_.empty()) return;
  for (std::vector<Kernel>& application : kernels_)
    for (Kernel& kernel : application) kernel.present = kernel.closed;
  gpu_->launches().visit([this](const KernelLaunch& launch, const LaunchCounts& counts) {
    kernel_log_.update(launch, counts);
    kernels_[launch.context.value][launch.tag].present += counts;
  });
  for (std::vector<Kernel>& application : kernels_)
    for (Kernel& kernel : application) kernel.stats->set(kernel.present);
  if (EnergyStats* energy = gpu_->energy()) energy->update_kernels();
}

void Machine::check_conservation() {
  stats();
  const Cycle now = gpu_->core().now();
  const SmDriver& driver = gpu_->driver();
  std::uint64_t resident = 0;
  std::uint64_t running = 0;
  std::uint64_t begun = 0;
  for (std::uint32_t i = 0; i < driver.ksrs().size(); ++i) {
    const Ksr& ksr = driver.ksrs()[KsrId{i}];
    if (ksr.state != Ksr::State::kLaunching && ksr.state != Ksr::State::kActive) continue;
    ++resident;
    running += ksr.running();
    begun += ksr.begun();
  }
  KernelLog::KernelCounters sum;
  for (std::uint32_t context = 0; context < kernel_log_.contexts(); ++context) {
    std::uint64_t instructions = 0;
    for (const KernelLog::KernelCounters& kernel : kernel_log_.kernels(context)) {
      instructions += kernel.warp_instructions.value();
      sum.launched += kernel.launched.value();
      sum.ended += kernel.ended.value();
      sum.pieces += kernel.pieces.value();
      sum.pieces_ended += kernel.pieces_ended.value();
      sum.blocks_issued += kernel.blocks_issued.value();
      sum.blocks_done += kernel.blocks_done.value();
      sum.blocks_flushed += kernel.blocks_flushed.value();
      sum.lost_cycles += kernel.lost_cycles.value();
      HEDDLE_CHECK(kernel.lost_warp_instructions.value() <= kernel.warp_instructions.value(), "machine", now,
                   "kernel {} lost {} of {} instructions", kernel.name, kernel.lost_warp_instructions.value(),
                   kernel.warp_instructions.value());
    }
    HEDDLE_CHECK(instructions == gpu_->instructions(ContextId{context}), "machine", now,
                 "context {} issued {} instructions, its kernels {}", context,
                 gpu_->instructions(ContextId{context}), instructions);
  }
  HEDDLE_CHECK(sum.pieces.value() == sum.pieces_ended.value() + resident, "machine", now,
               "{} kernels or pieces launched, {} ended, {} resident", sum.pieces.value(),
               sum.pieces_ended.value(), resident);
  HEDDLE_CHECK(sum.ended.value() <= sum.launched.value() && sum.launched.value() <= sum.pieces.value(),
               "machine", now, "{} kernels launched in {} pieces, {} ended", sum.launched.value(),
               sum.pieces.value(), sum.ended.value());
  HEDDLE_CHECK(sum.blocks_issued.value() == sum.blocks_done.value() + begun, "machine", now,
               "{} blocks issued, {} done, {} begun", sum.blocks_issued.value(), sum.blocks_done.value(),
               begun);
  std::uint64_t on_sms = 0;
  for (const Smsr& smsr : driver.smsrs()) on_sms += smsr.resources.used().blocks;
  HEDDLE_CHECK(sum.blocks_flushed.value() == driver.blocks_flushed().value() &&
                   sum.lost_cycles.value() == driver.lost_cycles().value(),
               "machine", now, "{} blocks flushed with {} cycles, their kernels' {} with {}",
               driver.blocks_flushed().value(), driver.lost_cycles().value(), sum.blocks_flushed.value(),
               sum.lost_cycles.value());
  HEDDLE_CHECK(on_sms == running, "machine", now, "{} blocks hold SM resources, {} run", on_sms, running);
  check_requests();
}

void Machine::check_requests() const {
  for (const auto& process : processes_) {
    const ServerQueue* const queue = process->requests();
    if (queue == nullptr) continue;
    const RequestCounts& counts = request_log_.totals(process->spec().number).all;
    HEDDLE_CHECK(queue->arrived() == counts.all() + queue->present() &&
                     (queue->present() == 0 || !process->has_finished()),
                 "machine", gpu_->core().now(),
                 "{}: {} requests arrived, {} were served, {} shed, {} cut off, {} wait or are in service",
                 process->spec().program.name, queue->arrived(), counts.served, counts.shed, counts.cut_off,
                 queue->present());
  }
}

}  // namespace heddle
