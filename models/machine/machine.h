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
#include "models/host/host_process.h"
#include "models/host/requests/request_log.h"
#include "models/host/submitter.h"
#include "models/machine/launch_stats.h"
#include "models/machine/machine_spec.h"
#include "models/machine/request_watch.h"
#include "models/machine/run_loop.h"
#include "models/stats/group.h"
#include "models/stats/progress_windows.h"

namespace heddle {

struct ProcessResult {
  std::string application;
  std::uint64_t turnaround_ps = 0;  // of the first execution, or a server's; 0 if it has not ended
  std::uint64_t completions = 0;
  std::uint64_t bytes_copied = 0;
  std::uint64_t kernels_launched = 0;
  std::uint64_t warp_instructions = 0;  // issued up to the present
  // From the first start of the process until a process was halted first: the time, and the warp instructions
  // that this process issued. Both are 0 before.
  std::uint64_t shared_ps = 0;
  std::uint64_t shared_instructions = 0;
  std::uint64_t present_ps = 0;  // since the first start
};

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

  // Fails the run if no event is pending, if the kernels of a process are shown to never end, or if the
  // processes in their first execution and the servers with a request have issued no thread block for the
  // starvation limit while none of them computed. The failure names them and what each waits for.
  void check_progress();

  // Returns where the warps of executed kernels are, for people who look for a fault: a line for each kernel,
  // and those of KernelProgram::places(). Each line follows a line feed.
  std::string places() const;

  Gpu& gpu() { return *gpu_; }
  const Gpu& gpu() const { return *gpu_; }
  const MachineSpec& spec() const { return spec_; }
  const KernelLog& kernel_log() const { return kernel_log_; }
  KernelLog& kernel_log() { return kernel_log_; }
  const RequestLog& request_log() const { return request_log_; }
  RequestLog& request_log() { return request_log_; }
  const HostProcess& process(std::size_t number) const { return *processes_[number]; }
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
  std::vector<ProcessResult> results() const;
  Group& stats();  // of the GPU and of the applications, accounted up to the present
  // Throws InvariantError if kernels, blocks or requests are not conserved: each one that entered has left or
  // is in flight, and each instruction that a context has issued is one of its kernels'.
  void check_conservation();

 private:
  void make_submitter();
  void make_watch();
  ProgramLibrary::Open open_of(const HostProcessSpec& process, const ApiKernel& kernel);
  bool ends_run(const HostProcessSpec& process) const { return !has_servers_ || process.requests; }
  std::size_t processes_that_end_run() const;
  void check_requests() const;
  void completed(std::uint32_t process);
  void context_halted(Cycle now, ContextId context) override;
  void block_done(Cycle now, SmId sm, KsrId ksr, BlockId block, const SmWork& work) override;
  void request_ended(const RequestRecord& record);
  void add_kernels(const std::string& application, const std::vector<std::string>& kernels);
  void update_launches();
  void count_shared();
  void fail(const std::string& message);
  std::string hanging_kernel(std::size_t process);
  bool begins_watch(std::size_t process);
  std::uint64_t progress_count(std::size_t process) const;
  std::string waiting() const;
  std::string saves() const;

  const MachineSpec spec_;
  const bool has_servers_;
  KernelLog kernel_log_;
  RequestLog request_log_;
  ProgressWindows no_progress_;            // what each process begins with
  std::vector<ProgressWindows> progress_;  // by process; empty without servers
  ProgramLibrary programs_;
  std::unique_ptr<Gpu> gpu_;
  std::unique_ptr<RequestWatch> watch_;  // null without servers
  std::unique_ptr<SystemMemory> memory_;
  std::unique_ptr<HostDriver> driver_;
  HostCores cores_;
  sc_core::sc_event ring_released_;
  sc_core::sc_event cores_changed_;
  std::unique_ptr<StartGate> gate_;       // null: no process waits for others with its first launch
  std::unique_ptr<Submitter> submitter_;  // null: processes write to the rings themselves
  std::vector<std::unique_ptr<HostProcess>> processes_;
  std::size_t unfinished_;          // of the processes that end the run
  std::vector<bool> has_finished_;  // by process
  std::vector<std::string> names_;  // by process
  std::string failure_;
  std::function<void()> ended_;
  sc_core::sc_time first_halt_;  // zero before the first halt
  // Of each process at that time. They are counted just after it, so that the order in which the SMs issue
  // within a cycle has no effect.
  std::vector<std::uint64_t> shared_instructions_;
  sc_core::sc_event halted_first_;
  std::vector<std::uint64_t> blocks_seen_;  // by process, at the last check
  sc_core::sc_time progress_at_;
  // The watch over the kernels of a process at the last check; see KernelProgram::watch().
  struct HangCheck {
    bool is_watched = false;
    std::uint64_t progress = 0;  // progress_count()
    std::uint64_t blocks = 0;    // issued
    // Checks from the end of a watch that has seen memory change to the next watch, and those that are left.
    std::uint32_t pause = 0;
    std::uint32_t left = 0;
  };
  std::vector<HangCheck> hangs_;  // by process
  std::optional<RunLoop> loop_;   // always there after construction
  // What the launches of a kernel have caused.
  struct Kernel {
    LaunchCounts closed;   // launches of which nothing is left in the machine
    LaunchCounts present;  // all launches, as of the last stats()
    std::unique_ptr<LaunchStats> stats;
  };
  std::vector<std::vector<Kernel>> kernels_;  // by context and tag; with cycle SMs
  Group stats_;
};

}  // namespace heddle
