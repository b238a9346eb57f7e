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
#include "platforms/run/describe_requests.h"
#include "platforms/run/job.h"
#include "platforms/run/output.h"
#include "platforms/run/run_files.h"
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

constexpr std::uint64_t kPollCycles = 20'000;

std::uint64_t warp_instructions(const Machines& machines) {
  std::uint64_t sum = 0;
  for (std::size_t i = 0; i < machines.count(); ++i)
    for (const ProcessResult& process : machines[i].results()) sum += process.warp_instructions;
  return sum;
}

// Makes the run fail at its limits of instructions and of time, and where the user interrupts it. The message
// says where the warps are.
// The files are written at the same time.
void watch_limits(const RunLimit& limit, Machines& machines, std::chrono::steady_clock::time_point begin,
                  RunFiles& files) {
  machines.poll_every(kPollCycles, [limit, begin, &machines, &files] {
    files.write();
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
  RunFiles files(job);
  files.observe(options);
  Machines machines(job.machine, options);
  files.open(machines);

  const double cpu_begin = cpu_seconds();
  const auto begin = std::chrono::steady_clock::now();
  auto told = begin;
  watch_limits(job.limit, machines, begin, files);
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
  files.finish();
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
