// This file runs one simulation, from a machine to its result, in the job's process.

#include <chrono>
#include <filesystem>
#include <optional>
#include <utility>

#include <nlohmann/json.hpp>

#include "models/core/base/systemc_reports.h"
#include "models/gpu/gpu.h"
#include "models/machine/machine.h"
#include "models/stats/writers.h"
#include "platforms/run/handover_file.h"
#include "platforms/run/handover_results.h"
#include "platforms/run/job.h"
#include "platforms/run/kernel_file.h"
#include "platforms/run/output.h"
#include "platforms/run/request_file.h"
#include "platforms/run/request_result.h"
#include "platforms/run/series_file.h"
#include "platforms/run/stimuli_file.h"
#include "platforms/run/timeline_file.h"

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

// A process without a target or a window is measured by its blocks issued. A process whose number of blocks is unknown counts as
// 0 until its first execution has completed. With servers only they count, by their requests.
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

Ratio ratio(const Formula& formula) {
  return {formula.value(), formula.numerator_sum(), formula.denominator_sum()};
}

// Returns the requests of loads and stores to the L2; the SMs must be cycle SMs.
std::uint64_t transactions_of(const SmTotals& totals) {
  return totals.sum(&KernelCounts::loads) + totals.sum(&KernelCounts::stores);
}

// Returns the results that only cycle SMs have.
SmResult sms_of(const Gpu& gpu) {
  const MemoryPath& memory = *gpu.memory();
  const Utilisation& utilisation = *gpu.utilisation();
  SmResult sms;
  sms.icnt_hz = memory.icnt().frequency_hz();
  sms.l2_hz = memory.l2().frequency_hz();
  sms.dram_hz = memory.dram().frequency_hz();
  for (std::size_t i = 0; i < kBuckets; ++i)
    sms.sm_cycles[i] = gpu.sm_totals()->cycles(static_cast<Bucket>(i)).value();
  for (std::size_t i = 0; i < kBuckets; ++i)
    sms.issue_slots[i] = gpu.sm_totals()->slots(static_cast<Bucket>(i)).value();
  for (std::size_t i = 0; i < kUnitKinds; ++i)
    if (const Formula* formula = utilisation.unit(static_cast<UnitKind>(i))) sms.units[i] = ratio(*formula);
  sms.registers = ratio(utilisation.registers());
  sms.shared_memory = ratio(utilisation.shared_memory());
  sms.schedulable_warps = ratio(utilisation.schedulable_warps());
  if (const Formula* rate = utilisation.registers_hit_rate()) sms.registers_hit_rate = ratio(*rate);
  if (const Formula* rate = utilisation.shared_memory_hit_rate()) sms.shared_memory_hit_rate = ratio(*rate);
  if (const Formula* use = utilisation.registers_use()) sms.registers_use = ratio(*use);
  if (const Formula* use = utilisation.shared_memory_use()) sms.shared_memory_use = ratio(*use);
  sms.l1_miss_rate = ratio(utilisation.l1_miss_rate());
  sms.l2_miss_rate = ratio(memory.l2_miss_rate());
  sms.l2_mpki = ratio(memory.l2_mpki());
  return sms;
}

// Copies what a partitioner that profiles has decided, and the quotas of its last decision over all
// applications.
void describe_decisions(Machine& machine, RunResult& run) {
  const std::size_t applications = machine.kernel_log().contexts();
  for (const PartitionDecision& decision : machine.gpu().partitioner().decisions()) {
    DecisionResult told{decision.at.value, decision.kind, decision.loss, {}};
    std::vector<std::optional<std::uint32_t>> quotas(applications);
    std::set<std::uint32_t> seen;
    for (const PartitionDecision::Share& share : decision.shares) {
      const std::uint32_t context = share.context.value;
      told.shares.push_back({machine.spec().processes[context].program.name,
                             machine.kernel_log().kernels(context)[share.tag].name, share.blocks,
                             share.performance});
      seen.insert(context);
      if (decision.kind == PartitionDecision::Kind::kQuotas) quotas[context] = share.blocks;
    }
    run.decisions.push_back(std::move(told));
    if (is_choice(decision.kind) && seen.size() == applications) run.quotas = std::move(quotas);
  }
}

ThrottleResult throttle_of(const KernelLog::KernelCounters& kernel) {
  const auto value = [&kernel](ThrottleSums::Field field) { return kernel.throttle[field].value(); };
  return {value(ThrottleSums::kSlices),        value(ThrottleSums::kSettled), value(ThrottleSums::kMost),
          value(ThrottleSums::kCaps),          value(ThrottleSums::kSamples), value(ThrottleSums::kCycles),
          value(ThrottleSums::kCyclesToSettle)};
}

LostWork lost_of(const KernelLog::KernelCounters& kernel) {
  return {kernel.blocks_flushed.value(), kernel.lost_cycles.value(), kernel.lost_warp_instructions.value()};
}

ApplicationResult application_of(const ProcessResult& process,
                                 const std::vector<KernelLog::KernelCounters>& kernels, bool is_throttled,
                                 bool is_flushed) {
  ApplicationResult application{
      process.application,      process.turnaround_ps,       process.completions,
      process.kernels_launched, process.bytes_copied,        process.warp_instructions,
      process.shared_ps,        process.shared_instructions, {}};
  for (const KernelLog::KernelCounters& kernel : kernels)
    application.kernels.push_back({kernel.name, kernel.ended.value(), kernel.cycles.value(),
                                   kernel.wait_cycles.value(), kernel.blocks_done.value(),
                                   kernel.warp_instructions.value(),
                                   is_throttled ? std::optional(throttle_of(kernel)) : std::nullopt,
                                   is_flushed ? std::optional(lost_of(kernel)) : std::nullopt});
  return application;
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

// Reads the counters as of the last machine.stats().
RunResult describe(Machine& machine) {
  const Gpu& gpu = machine.gpu();
  RunResult run;
  run.simulated_ps =
      static_cast<std::uint64_t>(sc_core::sc_time_stamp() / sc_core::sc_time(1, sc_core::SC_PS));
  run.cycles = gpu.active_cycles().value();
  run.core_hz = gpu.core().frequency_hz();
  run.pcie_hz = gpu.pcie().frequency_hz();
  if (gpu.memory() != nullptr) run.sms = sms_of(gpu);
  run.occupancy = ratio(gpu.occupancy());
  run.fill = ratio(gpu.fill());
  describe_decisions(machine, run);
  const bool is_throttled = gpu.throttle().caps();
  const bool is_flushed = gpu.preemption().answers(Handover::kFlush);
  run.handovers = handovers_of(gpu);
  std::size_t context = 0;
  for (const ProcessResult& process : machine.results()) {
    run.warp_instructions += process.warp_instructions;
    run.applications.push_back(
        application_of(process, machine.kernel_log().kernels(context++), is_throttled, is_flushed));
  }
  describe_requests(machine, run);
  if (gpu.energy() != nullptr) {
    run.energy_fj = gpu.energy()->total().value();
    run.dynamic_energy_fj = gpu.energy()->dynamic();
  }
  if (gpu.sm_totals() != nullptr) run.transactions = transactions_of(*gpu.sm_totals());
  return run;
}

std::uint64_t interval_ps(const SeriesRequest& request, const Machine& machine) {
  const ClockDomain& core = machine.gpu().core();
  const sc_core::sc_time interval =
      core.time_of(Cycle{interval_cycles(request, machine)}) - core.time_of(Cycle{0});
  return static_cast<std::uint64_t>(interval / sc_core::sc_time(1, sc_core::SC_PS));
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
  std::unique_ptr<StimuliFile> stimuli;
  if (!job.stimuli.place.empty()) {
    stimuli = std::make_unique<StimuliFile>(job.stimuli, job.machine.gpu);
    options.taps.push_back({job.stimuli.place, stimuli.get()});
  }
  Machines machines(job.machine, options);
  if (stimuli && machines.is_split())
    throw std::runtime_error("stimuli are those of one GPU, and the policy of 'instances' splits it");
  if (!job.directory.empty()) std::filesystem::create_directories(job.directory);
  ConsoleFile console(job.directory, job.machine);
  std::unique_ptr<KernelFile> kernels;
  if (!job.directory.empty()) kernels = std::make_unique<KernelFile>(job.directory + "/kernels.csv", machine);
  std::unique_ptr<HandoverFile> handovers;
  if (!job.directory.empty())
    handovers = std::make_unique<HandoverFile>(job.directory + "/handovers.csv", machine);
  std::unique_ptr<RequestFile> requests;
  if (!job.directory.empty() && machines.has_servers())
    requests = std::make_unique<RequestFile>(job.directory + "/requests.csv", machines);
  std::unique_ptr<TimelineFile> timeline;
  if (job.timeline)
    timeline =
        std::make_unique<TimelineFile>(job.directory + "/timeline.perfetto-trace", *job.timeline, machine);
  std::unique_ptr<SeriesFile> series;
  if (job.series.is_wanted()) {
    machine.set_progress_window(interval_ps(job.series, machine));
    series =
        std::make_unique<SeriesFile>(job.directory, machine, job, timeline ? &timeline->timeline() : nullptr);
  }

  if (stimuli) stimuli->watch(machines[0].gpu());
  const double cpu_begin = cpu_seconds();
  const auto begin = std::chrono::steady_clock::now();
  auto told = begin;
  machines.run([&] {
    const auto now = std::chrono::steady_clock::now();
    if (now - told < std::chrono::milliseconds(200)) return;
    told = now;
    const double wall = std::chrono::duration<double>(now - begin).count();
    const auto cycles = static_cast<double>(machines.core().now().value);
    progress({0, fraction_done(machines), sc_core::sc_time_stamp().to_seconds() * 1e3, cycles / wall});
  });
  const double wall = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
  const double cpu = cpu_seconds() - cpu_begin;
  if (kernels) kernels->finish();
  if (handovers) handovers->finish();
  if (requests) requests->finish();
  if (series) series->finish();
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
