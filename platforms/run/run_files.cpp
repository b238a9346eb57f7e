#include "platforms/run/run_files.h"

#include <filesystem>
#include <stdexcept>

#include "platforms/run/console_file.h"
#include "platforms/run/handover_file.h"
#include "platforms/run/kernel_file.h"
#include "platforms/run/request_file.h"
#include "platforms/run/series_file.h"
#include "platforms/run/stimuli_file.h"
#include "platforms/run/timeline_file.h"
#include "platforms/run/trace_file.h"

namespace heddle {

namespace {

struct Opening {
  const Job& job;
  Machines& machines;
  TraceLog* trace;               // null: there is none
  Timeline* timeline = nullptr;  // null: there is none, or it is not open yet
};

// Each function below opens a file, or returns null if the job does not ask for it.
using Opened = std::unique_ptr<RunFile>;

Opened open_console(Opening& of) {
  if (of.job.directory.empty() || !ConsoleFile::has_output(of.job.machine)) return nullptr;
  return std::make_unique<ConsoleFile>(of.job.directory + "/console.txt", of.job.machine);
}

Opened open_kernels(Opening& of) {
  if (of.job.directory.empty()) return nullptr;
  return std::make_unique<KernelFile>(of.job.directory + "/kernels.csv", of.machines);
}

Opened open_handovers(Opening& of) {
  if (of.job.directory.empty()) return nullptr;
  return std::make_unique<HandoverFile>(of.job.directory + "/handovers.csv", of.machines);
}

Opened open_requests(Opening& of) {
  if (of.job.directory.empty() || !of.machines.has_servers()) return nullptr;
  return std::make_unique<RequestFile>(of.job.directory + "/requests.csv", of.machines);
}

Opened open_timeline(Opening& of) {
  if (!of.job.timeline) return nullptr;
  auto file = std::make_unique<TimelineFile>(of.job.directory + "/timeline.perfetto-trace", *of.job.timeline,
                                             of.machines);
  of.timeline = &file->timeline();
  return file;
}

Opened open_trace(Opening& of) {
  if (of.trace == nullptr) return nullptr;
  return std::make_unique<TraceFile>(of.job.directory, *of.trace, of.machines, of.timeline);
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

Opened open_series(Opening& of) {
  if (!of.job.series.is_wanted()) return nullptr;
  set_progress_windows(of.job.series, of.machines);
  return std::make_unique<SeriesFile>(of.job.directory, of.machines, of.job, of.timeline);
}

constexpr Opened (*kFiles[])(Opening&) = {open_console,  open_kernels, open_handovers, open_requests,
                                          open_timeline, open_trace,   open_series};

}  // namespace

RunFiles::~RunFiles() = default;

void RunFiles::observe(GpuOptions& options) {
  if (!job_.trace.empty()) {
    trace_ = std::make_unique<TraceLog>(job_.trace, [this](ContextId context, std::uint32_t tag) {
      return job_.machine.processes[context.value].program.kernels[tag].name;
    });
    options.trace = trace_.get();
  }
  if (job_.stimuli.place.empty()) return;
  auto file = std::make_unique<StimuliFile>(job_.stimuli, job_.machine.gpu);
  stimuli_ = file.get();
  options.taps.push_back({job_.stimuli.place, stimuli_});
  files_.push_back(std::move(file));
}

void RunFiles::open(Machines& machines) {
  if (stimuli_ != nullptr && machines.is_split())
    throw std::runtime_error("stimuli are those of one GPU, and the policy of 'instances' splits it");
  if (!job_.directory.empty()) std::filesystem::create_directories(job_.directory);
  Opening opening{job_, machines, trace_.get()};
  for (const auto open_file : kFiles)
    if (Opened file = open_file(opening)) files_.push_back(std::move(file));
  if (stimuli_ != nullptr) stimuli_->watch(machines[0].gpu());
}

void RunFiles::write() {
  for (const auto& file : files_) file->write();
}

void RunFiles::finish() {
  for (auto file = files_.rbegin(); file != files_.rend(); ++file) (*file)->finish();
}

}  // namespace heddle
