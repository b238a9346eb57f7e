#pragma once
// A Machine is a GPU, system memory and the host processes that share them. A run ends when every process has
// finished its first execution, while processes that have finished replay theirs, or when every process has
// been halted. With servers it ends when they all have served their requests; what the other processes do
// beside them then does not count.
//
//   Machine machine("machine", spec);
//   machine.run(progress);          // with several machines in one simulation: on_end(), and sc_start()
//   if (!machine.failure().empty()) ...
//
// A machine of an instance whose servers are all elsewhere is done from the start, and goes on while the
// simulation does.

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "models/engine/kernel_log.h"
#include "models/gpu/gpu.h"
#include "models/host/requests/request_log.h"
#include "models/machine/launch_totals.h"
#include "models/machine/machine_host.h"
#include "models/machine/machine_spec.h"
#include "models/machine/process_results.h"
#include "models/machine/progress_check.h"
#include "models/machine/request_watch.h"
#include "models/machine/run_loop.h"
#include "models/stats/group.h"
#include "models/stats/progress_windows.h"

namespace heddle {

class Machine : public sc_core::sc_module, private EngineObserver {
 public:
  Machine(sc_core::sc_module_name name, const MachineSpec& spec, const GpuOptions& options = {});

  // Simulates until done() or a failure, and calls `progress` about once in a millisecond of simulated time.
  void run(const std::function<void(const Machine&)>& progress = {});
  // Does so up to the begin of a core cycle; see RunLoop.
  void run_to(Cycle end, const std::function<void(const Machine&)>& progress = {});
  // From now on run() takes samples; see RunLoop.
  void sample_every(std::uint64_t cycles, std::function<void()> sample) {
    loop_->sample_every(cycles, std::move(sample));
  }
  // Calls `ended` when the machine is done or has failed.
  void on_end(std::function<void()> ended) { ended_ = std::move(ended); }

  // Starts every process again on a GPU and a memory without contents, at the present time: a run that
  // follows gives the statistics and results of a new machine. The call is made while no process runs: before
  // or between calls of run() or sc_start(), also in the middle of a run.
  void reset();

  bool done() const { return unfinished_ == 0; }
  std::size_t unfinished() const { return unfinished_; }
  const std::string& failure() const { return failure_; }

  // Fails the run if it gets no further; see ProgressCheck. The failure names the processes that have not
  // ended and what each waits for.
  void check_progress();

  // Returns where the warps of executed kernels are, for people who look for a fault: a line for each kernel,
  // and those of KernelProgram::places(). Each line follows a line feed.
  std::string places() const { return progress_check_->places(); }

  Gpu& gpu() { return *gpu_; }
  const Gpu& gpu() const { return *gpu_; }
  const MachineSpec& spec() const { return spec_; }
  const KernelLog& kernel_log() const { return kernel_log_; }
  KernelLog& kernel_log() { return kernel_log_; }
  const RequestLog& request_log() const { return request_log_; }
  RequestLog& request_log() { return request_log_; }
  const HostProcess& process(std::size_t number) const { return host_->process(number); }
  // Its application, with "#2" behind it for the second process of that name.
  const std::string& name_of(std::size_t process) const { return names_[process]; }
  bool has_servers() const { return has_servers_; }
  // With servers: the progress of a process over time, up to the present. Of a server each served request
  // counts at its end, with its service time in picoseconds; of another process each block at its end.
  ProgressWindows progress_of(std::size_t process) const;
  // Makes the windows of that progress so long, or 2, 4, .. times as long in a run of more than
  // kMostProgressWindows of them. The call is made before the run.
  void set_progress_window(std::uint64_t ps);
  static constexpr std::size_t kMostProgressWindows = 4096;
  std::vector<ProcessResult> results() const { return results_->results(); }
  Group& stats();  // of the GPU and of the applications, accounted up to the present
  // Throws InvariantError if kernels, blocks, instructions or requests are not conserved; see conservation.h.
  void check_conservation();

 private:
  void make_watch();
  void make_host(bool is_reversed);
  void add_process(const HostProcessSpec& process);
  std::string unique_name(const std::string& program) const;
  void add_kernels(const std::string& application, const std::vector<std::string>& kernels);
  ProgramLibrary::Open open_of(const HostProcessSpec& process, const ApiKernel& kernel);
  bool ends_run(const HostProcessSpec& process) const { return !has_servers_ || process.requests; }
  std::size_t processes_that_end_run() const;
  void completed(std::uint32_t process);
  void context_halted(Cycle now, ContextId context) override;
  void block_done(Cycle now, SmId sm, KsrId ksr, BlockId block, const SmWork& work) override;
  void request_ended(const RequestRecord& record);
  void update_launches();
  void count_shared() { results_->count_shared(); }
  void halt_processes();
  void fail(const std::string& message);

  const MachineSpec spec_;
  const bool has_servers_;
  KernelLog kernel_log_;
  RequestLog request_log_;
  ProgressWindows no_progress_;            // what each process begins with
  std::vector<ProgressWindows> progress_;  // by process; empty without servers
  ProgramLibrary programs_;
  std::unique_ptr<Gpu> gpu_;
  std::unique_ptr<RequestWatch> watch_;  // null without servers
  std::unique_ptr<MachineHost> host_;
  std::optional<ProcessResults> results_;  // these three are always there after construction
  std::optional<ProgressCheck> progress_check_;
  std::optional<RunLoop> loop_;
  std::size_t unfinished_;          // of the processes that end the run
  std::vector<bool> has_finished_;  // by process
  std::vector<std::string> names_;  // by process
  std::string failure_;
  std::function<void()> ended_;
  sc_core::sc_event halted_first_;
  sc_core::sc_event halted_;                // a context has been halted
  std::vector<ContextId> halted_contexts_;  // whose processes do not know yet
  LaunchTotals launches_;                   // empty with timed SMs
  Group stats_;
};

}  // namespace heddle
