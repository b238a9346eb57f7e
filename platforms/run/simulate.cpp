// This file runs one simulation, from a machine to its result, in the job's process.

#include <fmt/format.h>

#include <chrono>
#include <filesystem>
#include <optional>
#include <stdexcept>
#include <utility>

#include <nlohmann/json.hpp>

#include "models/core/base/systemc_reports.h"
#include "models/gpu/host_threads.h"
#include "models/machine/machines.h"
#include "models/stats/writers.h"
#include "platforms/run/describe.h"
#include "platforms/run/handover_file.h"
#include "platforms/run/job.h"
#include "platforms/run/kernel_file.h"
#include "platforms/run/output.h"
#include "platforms/run/request_file.h"
#include "platforms/run/request_result.h"
#include "platforms/run/series_file.h"
#include "platforms/run/stimuli_file.h"
#include "platforms/run/timeline_file.h"
#include "platforms/run/trace_file.h"
#include "stimuli/functional/interruption.h"

namespace heddle {

namespace {

double window_done(const Machine& machine, const MachineSpec& spec) {
  const auto cycles = static_cast<double>(machine.gpu().core().now().value);
  return std::min(1.0, cycles / static_cast<double>(spec.window_cycles));
}

// The progress of the first executions, 0 .. 1 each.
struct Done {
  double sum = 0;
  std::size_t counted = 0;  // processes
};

// A process without a target or a window is measured by its blocks issued. A process whose number of blocks
// is unknown counts as 0 until its first execution has completed. With servers only they count, by their
// requests.
Done done_of(const Machine& machine) {
  const MachineSpec& spec = machine.spec();
  const std::vector<ProcessResult> results = machine.results();
  Done done;
  for (std::size_t i = 0; i < spec.processes.size(); ++i) {
    if (machine.has_servers()) {
      if (!spec.processes[i].requests) continue;
      done.sum += requests_done(machine, i);
      ++done.counted;
      continue;
    }
    ++done.counted;
    const double all = static_cast<double>(spec.processes[i].blocks_per_execution());
    const auto target = static_cast<double>(spec.processes[i].target_instructions);
    done.sum += results[i].completions > 0 ? 1.0
                : target > 0 ? std::min(1.0, static_cast<double>(results[i].warp_instructions) / target)
                : spec.window_cycles > 0 ? window_done(machine, spec)
                : all == 0               ? 0.0
                           : std::min(1.0, static_cast<double>(machine.kernel_log().blocks_issued(i)) / all);
  }
  return done;
}

// Returns the mean over all processes.
double fraction_done(const Machines& machines) {
  Done all;
  for (std::size_t i = 0; i < machines.count(); ++i) {
    const Done done = done_of(machines[i]);
    all.sum += done.sum;
    all.counted += done.counted;
  }
  return all.sum / static_cast<double>(all.counted);
}

// Writes console.txt, the output of the kernels' printf. An empty file is removed at the end.
class ConsoleFile {
 public:
  ConsoleFile(const std::string& directory, const MachineSpec& spec) : path_(directory + "/console.txt") {
    for (const HostProcessSpec& process : spec.processes) {
      if (!process.program.print_to || directory.empty()) continue;
      if (!file_) file_.emplace(path_);
      process.program.print_to(&*file_);
    }
  }

  void finish() {
    if (!file_) return;
    const bool is_empty = file_->tellp() == 0;
    file_->finish();
    if (is_empty) std::filesystem::remove(path_);
  }

 private:
  std::string path_;
  std::optional<OutputFile> file_;
};

// Throws if an application that is halted by instructions has neither a target nor a window, because the run
// would not end.
void check_targets(const MachineSpec& machine) {
  for (const HostProcessSpec& process : machine.processes)
    if (process.is_halted && process.target_instructions == 0 && machine.window_cycles == 0)
      throw std::runtime_error(process.program.name + " alone issues no instruction within the window");
}

// Writes where blocks in RTL first differ from the model, for people and for programs; nothing where none
// does.
void write_differences(const std::string& directory, const Machines& machines) {
  std::string text;
  nlohmann::ordered_json list = nlohmann::ordered_json::array();
  for (std::size_t i = 0; i < machines.count(); ++i)
    for (const RtlDivergence& difference : machines[i].gpu().rtl().divergences()) {
      text += difference.text() + "\n";
      list.push_back(difference.json());
    }
  if (list.empty()) return;
  write_file(directory + "/rtl_differences.txt", text);
  write_file(directory + "/rtl_differences.json", list.dump(1) + "\n");
}

// Makes the windows of progress as long as the interval of the series.
void set_progress_windows(const SeriesRequest& request, Machines& machines) {
  const ClockDomain& core = machines.core();
  const sc_core::sc_time interval =
      core.time_of(Cycle{interval_cycles(request, machines)}) - core.time_of(Cycle{0});
  for (std::size_t i = 0; i < machines.count(); ++i)
    machines[i].set_progress_window(
        static_cast<std::uint64_t>(interval / sc_core::sc_time(1, sc_core::SC_PS)));
}

constexpr std::uint64_t kPollCycles = 20'000;

std::uint64_t warp_instructions(const Machines& machines) {
  std::uint64_t sum = 0;
  for (std::size_t i = 0; i < machines.count(); ++i)
    for (const ProcessResult& process : machines[i].results()) sum += process.warp_instructions;
  return sum;
}

// Makes the run fail at its limits of instructions and of time, and where the user interrupts it. The message
// says where the warps are.
// The trace, which may be null, is written at the same time.
void watch_limits(const RunLimit& limit, Machines& machines, std::chrono::steady_clock::time_point begin,
                  TraceFile* trace) {
  machines.poll_every(kPollCycles, [limit, begin, trace, &machines] {
    if (trace != nullptr) trace->write();
    if (InterruptFlag::is_set())
      throw InterruptedRun(
          fmt::format("interrupted in core cycle {}{}", machines.core().now().value, machines.places()));
    if (limit.warp_instructions != 0 && warp_instructions(machines) > limit.warp_instructions)
      throw std::runtime_error(fmt::format("more than {} warp instructions, the limit of this run{}",
                                           limit.warp_instructions, machines.places()));
    const std::chrono::duration<double> taken = std::chrono::steady_clock::now() - begin;
    if (limit.seconds > 0 && taken.count() > limit.seconds)
      throw std::runtime_error(
          fmt::format("more than {} s, the limit of this run{}", limit.seconds, machines.places()));
  });
}

void check_cycles(const RunLimit& limit, const Machines& machines) {
  if (limit.cycles != 0 && !machines.done() && machines.failure().empty())
    throw std::runtime_error(
        fmt::format("more than {} core cycles, the limit of this run{}", limit.cycles, machines.places()));
}

}  // namespace

std::vector<std::string> unmatched_patterns(const Job& job) {
  Child child = start_child([&job](int pipe) {
    route_systemc_reports();
    Machines machines(job.machine);
    for (const std::string& pattern : job.series.patterns)
      if (!unmatched_patterns(machines.stats(), machines.patterns_of({pattern})).empty())
        send_line(pipe, pattern);
  });
  std::vector<std::string> unmatched;
  while (listen(child, [&](const std::string& line) { unmatched.push_back(line); })) {
  }
  reap(child);
  return unmatched;
}

Simulation simulate(const Job& job, const std::function<void(const JobProgress&)>& progress) {
  route_systemc_reports();
  check_targets(job.machine);
  GpuOptions options;
  options.build_reversed = job.build_reversed;
  options.meter = job.meter;
  std::optional<WorkerPool> pool;
  if (job.threads > 1 && why_one_thread(job.machine.gpu).empty()) options.pool = &pool.emplace(job.threads);
  std::unique_ptr<StimuliFile> stimuli;
  if (!job.stimuli.place.empty()) {
    stimuli = std::make_unique<StimuliFile>(job.stimuli, job.machine.gpu);
    options.taps.push_back({job.stimuli.place, stimuli.get()});
  }
  std::unique_ptr<TraceLog> trace_log;
  if (!job.trace.empty()) {
    trace_log = std::make_unique<TraceLog>(job.trace, [&job](ContextId context, std::uint32_t tag) {
      return job.machine.processes[context.value].program.kernels[tag].name;
    });
    options.trace = trace_log.get();
  }
  Machines machines(job.machine, options);
  if (stimuli && machines.is_split())
    throw std::runtime_error("stimuli are those of one GPU, and the policy of 'instances' splits it");
  if (!job.directory.empty()) std::filesystem::create_directories(job.directory);
  ConsoleFile console(job.directory, job.machine);
  std::unique_ptr<KernelFile> kernels;
  if (!job.directory.empty())
    kernels = std::make_unique<KernelFile>(job.directory + "/kernels.csv", machines);
  std::unique_ptr<HandoverFile> handovers;
  if (!job.directory.empty())
    handovers = std::make_unique<HandoverFile>(job.directory + "/handovers.csv", machines);
  std::unique_ptr<RequestFile> requests;
  if (!job.directory.empty() && machines.has_servers())
    requests = std::make_unique<RequestFile>(job.directory + "/requests.csv", machines);
  std::unique_ptr<TimelineFile> timeline;
  if (job.timeline)
    timeline =
        std::make_unique<TimelineFile>(job.directory + "/timeline.perfetto-trace", *job.timeline, machines);
  std::unique_ptr<TraceFile> trace;
  if (trace_log)
    trace = std::make_unique<TraceFile>(job.directory, *trace_log, machines,
                                        timeline ? &timeline->timeline() : nullptr);
  std::unique_ptr<SeriesFile> series;
  if (job.series.is_wanted()) {
    set_progress_windows(job.series, machines);
    series = std::make_unique<SeriesFile>(job.directory, machines, job,
                                          timeline ? &timeline->timeline() : nullptr);
  }

  if (stimuli) stimuli->watch(machines[0].gpu());
  const double cpu_begin = cpu_seconds();
  const auto begin = std::chrono::steady_clock::now();
  auto told = begin;
  watch_limits(job.limit, machines, begin, trace.get());
  const auto tell = [&] {
    const auto now = std::chrono::steady_clock::now();
    if (now - told < std::chrono::milliseconds(200)) return;
    told = now;
    const double wall = std::chrono::duration<double>(now - begin).count();
    const auto cycles = static_cast<double>(machines.core().now().value);
    progress({0, fraction_done(machines), sc_core::sc_time_stamp().to_seconds() * 1e3, cycles / wall});
  };
  machines.run(tell, job.limit.cycles != 0 ? Cycle{job.limit.cycles} : Cycle::never());
  check_cycles(job.limit, machines);
  const double wall = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
  const double cpu = cpu_seconds() - cpu_begin;
  if (kernels) kernels->finish();
  if (handovers) handovers->finish();
  if (requests) requests->finish();
  if (series) series->finish();
  if (trace) trace->finish();
  if (timeline) timeline->finish();
  console.finish();
  if (stimuli) stimuli->finish();
  if (const std::string failure = machines.failure(); !failure.empty()) throw std::runtime_error(failure);
  machines.check_conservation();

  const Group& stats = machines.stats();
  if (!job.directory.empty()) {
    write_differences(job.directory, machines);
    write_file(job.directory + "/stats.json", [&](std::ostream& out) { write_json(stats, out); });
    if (job.full_stats)
      write_file(job.directory + "/stats.csv", [&](std::ostream& out) { write_csv(stats, out); });
  }
  return {describe(machines), {wall, cpu}};
}

}  // namespace heddle
