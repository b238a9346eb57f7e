#include "models/machine/machine.h"

#include <fmt/format.h>

#include <algorithm>

#include "models/core/time/picoseconds.h"
#include "models/gpu/instance_spec.h"
#include "models/host/submission/submitter.h"
#include "models/machine/conservation.h"
#include "models/machine/share_levels.h"

namespace heddle {

namespace {

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
      unfinished_(processes_that_end_run()),
      has_finished_(spec.processes.size()),
      stats_(spec.instance) {
  HEDDLE_CHECK(instances_of(spec_.gpu, spec_.gpu.policies, spec_.processes.size()).empty(), basename(),
               Cycle{}, "the GPU is split; see Machines");
  GpuOptions gpu_options = options;
  gpu_options.programs = &programs_;
  gpu_ = std::make_unique<Gpu>("gpu", spec_.gpu, gpu_options);
  gpu_->observe(kernel_log_);
  gpu_->observe(programs_);
  gpu_->launches().on_close([this](const KernelLaunch& launch, const LaunchCounts& counts) {
    kernel_log_.close(launch, counts);
    if (!launches_.empty()) launches_.close(launch, counts);
  });
  gpu_->observe(static_cast<EngineObserver&>(*this));
  make_watch();
  if (spec_.window_cycles != 0) gpu_->halt_after(spec_.window_cycles);
  make_host(options.build_reversed);
  for (const HostProcessSpec& process : spec_.processes) add_process(process);
  stats_.attach(kernel_log_.stats());
  stats_.attach(gpu_->stats());
  if (Submitter* submitter = host_->submitter()) stats_.attach(submitter->stats());
  SC_HAS_PROCESS(Machine);
  SC_METHOD(count_shared);
  dont_initialize();
  sensitive << halted_first_;
  SC_METHOD(halt_processes);
  dont_initialize();
  sensitive << halted_;
}

void Machine::make_watch() {
  std::vector<bool> servers;
  for (const HostProcessSpec& process : spec_.processes) servers.push_back(process.requests.has_value());
  if (std::find(servers.begin(), servers.end(), true) == servers.end()) return;
  const GpuSpec& gpu = gpu_->spec();
  watch_ = std::make_unique<RequestWatch>(
      RequestWatch::Gpu{gpu.sm.limits, gpu.sm.count, gpu.engine.ksrs, gpu.dma.engines}, servers,
      [this] { return to_ps(gpu_->core().present()); });
  gpu_->observe(static_cast<EngineObserver&>(*watch_));
  gpu_->observe(static_cast<CommandObserver&>(*watch_));
  gpu_->observe(static_cast<TransferObserver&>(*watch_));
}

void Machine::make_host(bool is_reversed) {
  MachineHost::Deps deps{*gpu_, watch_.get(), [this](std::uint32_t process) { completed(process); },
                         [this](const std::string& message) { fail(message); },
                         [this](const RequestRecord& record) { request_ended(record); }};
  host_ = std::make_unique<MachineHost>(spec_, is_reversed, std::move(deps));
  results_.emplace(*gpu_, *host_);
  progress_check_.emplace(
      ProgressCheck::Deps{*gpu_, *host_, kernel_log_, programs_, spec_.starvation_limit_ps});
  loop_.emplace(RunLoop::Deps{gpu_->core(), [this] { return !done() && failure_.empty(); },
                              [this] { check_progress(); },
                              [this](const sc_core::sc_time& limit) { gpu_->go_ahead_until(limit); }});
}

void Machine::add_process(const HostProcessSpec& process) {
  const ContextId context{process.number};
  if (process.target_instructions != 0) gpu_->halt_at(context, process.target_instructions);
  std::vector<std::string> kernels;
  std::vector<ProgramLibrary::Open> programs;
  for (const ApiKernel& kernel : process.program.kernels) {
    kernels.push_back(kernel.name);
    programs.push_back(open_of(process, kernel));
  }
  programs_.add_application(std::move(programs));
  gpu_->set_sm_sets(context, masks_of(process.program, spec_.gpu.sm.count));
  const std::string application = unique_name(process.program.name);
  names_.push_back(application);
  kernel_log_.add_application(application, kernels, gpu_->throttle().caps(),
                              gpu_->preemption().answers(Handover::kFlush), host_->submitter() != nullptr);
  add_kernels(application, kernels);
  if (process.requests)
    request_log_.add_stats(process.number,
                           kernel_log_.stats().child(KernelLog::group_name(application)).child("requests"));
}

// Returns the name of the next process, which runs this program.
std::string Machine::unique_name(const std::string& program) const {
  std::size_t instance = 1;
  for (std::size_t i = 0; i < names_.size(); ++i)
    instance += spec_.processes[i].program.name == program ? 1 : 0;
  return instance == 1 ? program : fmt::format("{}#{}", program, instance);
}

void Machine::add_kernels(const std::string& application, const std::vector<std::string>& kernels) {
  const ContextId context{static_cast<std::uint32_t>(kernel_log_.contexts() - 1)};
  Group& group = kernel_log_.stats().child(KernelLog::group_name(application));
  add_token_level(gpu_->partitioner(), context, group);
  for (std::uint32_t tag = 0; tag < kernels.size(); ++tag)
    add_slice_levels(gpu_->driver(), context, tag, group.child(KernelLog::group_name(kernels[tag])));
  const ExecutionSpec* const execution = gpu_->spec().sm.execution();
  if (execution == nullptr) return;
  std::vector<Group*> groups;
  groups.reserve(kernels.size());
  for (const std::string& kernel : kernels) groups.push_back(&group.child(KernelLog::group_name(kernel)));
  launches_.add_application(*execution, groups);
  if (EnergyStats* energy = gpu_->energy())
    for (Group* const kernel : groups) energy->add_kernel(*kernel);
}

// Returns the function that opens the code of the kernel's launches, or null if the kernel has none.
ProgramLibrary::Open Machine::open_of(const HostProcessSpec& process, const ApiKernel& kernel) {
  if (process.program.make_script)
    return [this](const KernelLaunch& launch) {
      const std::uint32_t context = launch.context.value;
      return host_->process(context).script()->open(launch.arguments, gpu_->device_memory()[context],
                                                    gpu_->code_options());
    };
  if (!kernel.program) return nullptr;
  return [this, open = kernel.program](const KernelLaunch&) { return open(gpu_->code_options()); };
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
  std::fill(progress_.begin(), progress_.end(), no_progress_);
  launches_.reset();
  host_->reset();
  unfinished_ = processes_that_end_run();
  std::fill(has_finished_.begin(), has_finished_.end(), false);
  failure_.clear();
  results_->reset();
  halted_first_.cancel();
  halted_.cancel();
  halted_contexts_.clear();
  progress_check_->reset();
  loop_->reset();
}

std::size_t Machine::processes_that_end_run() const {
  return static_cast<std::size_t>(std::count_if(spec_.processes.begin(), spec_.processes.end(),
                                                [this](const auto& process) { return ends_run(process); }));
}

void Machine::completed(std::uint32_t process) {
  if (!host_->process(process).has_finished() || has_finished_[process]) return;
  has_finished_[process] = true;
  if (ends_run(spec_.processes[process]) && --unfinished_ == 0 && ended_) ended_();
}

// The processes learn of it at the same time, when the kernel has come to it.
void Machine::context_halted(Cycle, ContextId context) {
  halted_contexts_.push_back(context);
  gpu_->core().notify(halted_);
}

void Machine::halt_processes() {
  if (results_->halt()) halted_first_.notify(sc_core::sc_get_time_resolution());
  for (const ContextId context : halted_contexts_)
    if (context.value < host_->processes()) host_->process(context.value).halt();
  halted_contexts_.clear();
}

void Machine::block_done(Cycle now, SmId, KsrId ksr, BlockId, const SmWork&) {
  if (!has_servers_) return;
  const std::uint32_t process = gpu_->driver().ksrs()[ksr].launch.context.value;
  if (process < host_->processes() && !spec_.processes[process].requests)
    progress_[process].add(to_ps(gpu_->core().time_of(now)), 1);
}

void Machine::request_ended(const RequestRecord& record) {
  check_account(*gpu_, record, names_[record.process]);
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
  windows.cover(to_ps(sc_core::sc_time_stamp()));
  return windows;
}

void Machine::fail(const std::string& message) {
  if (failure_.empty()) failure_ = message;
  if (ended_) ended_();
}

void Machine::check_progress() {
  if (const std::string stuck = progress_check_->check(); !stuck.empty()) fail(stuck);
}

Group& Machine::stats() {
  gpu_->stats();  // brings the counters up to the present
  update_launches();
  if (gpu_->throttle().caps()) kernel_log_.update_throttle(gpu_->driver().throttled(gpu_->core().now()));
  return stats_;
}

void Machine::update_launches() {
  kernel_log_.account_until(gpu_->core().now());
  if (launches_.empty()) return;
  launches_.start();
  gpu_->launches().visit([this](const KernelLaunch& launch, const LaunchCounts& counts) {
    kernel_log_.update(launch, counts);
    launches_.add(launch, counts);
  });
  launches_.publish();
  if (EnergyStats* energy = gpu_->energy()) energy->update_kernels();
}

void Machine::check_conservation() {
  stats();
  check_kernels(*gpu_, kernel_log_);
  check_requests(*gpu_, *host_, request_log_);
}

}  // namespace heddle
