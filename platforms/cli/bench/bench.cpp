#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <iostream>
#include <nlohmann/json.hpp>
#include <optional>
#include <stdexcept>

#include "models/core/base/random.h"
#include "models/core/config/data_path.h"
#include "models/stats/writers.h"
#include "platforms/channel/channel_run.h"
#include "platforms/cli/bench/bench_jobs.h"
#include "platforms/cli/bench/bench_threads.h"
#include "platforms/cli/options.h"
#include "platforms/cli/verb.h"
#include "platforms/load/platform_loader.h"
#include "platforms/run/job.h"
#include "stimuli/traceg/trace_application.h"

namespace heddle {

namespace {

namespace fs = std::filesystem;
using Json = nlohmann::ordered_json;

struct BenchOptions {
  bool quick = false;  // one measurement instead of the median of three
  bool json = false;
  bool threads = false;
};

// Returns the list of a shipped trace. Traces lie in the source tree; an installation can lack them.
fs::path trace_list(const std::string& name) {
  const fs::path data = fs::path(find_data("platforms", "gtx480")).parent_path().parent_path();
  return data / "stimuli/traces" / name / "kernelslist.g";
}

// The measurements of one job; its CPU time is the median of the repetitions.
struct Cost {
  double cycles = 0;            // core cycles with a kernel on the GPU
  double simulated_cycles = 0;  // all
  double warp_instructions = 0;
  double transactions = 0;
  double sms = 0;
  double cpu_seconds = 0;
};

Cost measure(const Job& job, std::size_t repetitions) {
  Cost cost;
  cost.sms = job.machine.gpu.sm.count;
  std::vector<double> seconds;
  for (const JobResult& result : run_jobs(std::vector<Job>(repetitions, job), 1, [](const JobProgress&) {})) {
    if (!result.failure.empty()) throw std::runtime_error(fmt::format("{}: {}", job.label, result.failure));
    const RunResult& run = result.done.result;
    cost.cycles = static_cast<double>(run.cycles);
    cost.simulated_cycles = static_cast<double>(run.simulated_ps) * 1e-12 * run.core_hz;
    cost.warp_instructions = static_cast<double>(run.warp_instructions);
    cost.transactions = static_cast<double>(run.transactions);
    seconds.push_back(result.done.cost.cpu_seconds);
  }
  cost.cpu_seconds = median(seconds);
  return cost;
}

struct Row {
  std::string run;
  std::string measure;  // or why there is no value
  std::optional<double> value;
  std::string unit;
  std::optional<double> goal;
};

class Report {
 public:
  explicit Report(std::size_t repetitions) : repetitions_(repetitions) {}

  void add(const std::string& run, const std::string& measure, double value, const std::string& unit,
           std::optional<double> goal = std::nullopt) {
    rows_.push_back({run, measure, value, unit, goal});
  }
  void skip(const std::string& run, const std::string& why) { rows_.push_back({run, why, {}, "", {}}); }

  Json json() const {
    Json json{{"repetitions", repetitions_}};
    for (const Row& row : rows_)
      json["rows"].push_back({{"run", row.run},
                              {"measure", row.measure},
                              {"value", row.value ? Json(*row.value) : Json(nullptr)},
                              {"unit", row.unit},
                              {"goal", row.goal ? Json(*row.goal) : Json(nullptr)}});
    return json;
  }
  void print(std::ostream& out) const {
    Table table(
        {{"run"}, {"measure"}, {"value", Table::Align::kRight}, {"goal", Table::Align::kRight}, {"unit"}});
    for (const Row& row : rows_)
      table.add_row({row.run, row.measure, text(row.value), text(row.goal), row.unit});
    table.print(out);
    out << fmt::format("\nCPU time, median of {}; goals are for a quiet machine.\n", repetitions_);
  }

 private:
  static std::string text(std::optional<double> value) {
    if (!value) return "–";
    return *value >= 1000 ? fmt::format("{:.0f}", *value) : fmt::format("{:.3g}", *value);
  }

  const std::size_t repetitions_;
  std::vector<Row> rows_;
};

void bench_trace(const std::string& name, std::size_t repetitions, Report& report) {
  const std::string run = "trace " + name;
  const fs::path list = trace_list(name);
  std::error_code ignored;
  if (!fs::exists(list, ignored)) return report.skip(run, "not installed");
  Job job;
  job.label = run;
  job.machine = bench_machine(load_platform("gtx480"), read_trace_application(list.string()));
  const Cost cost = measure(job, repetitions);
  report.add(run, "simulated", cost.cycles, "cycles");
  report.add(run, "CPU time", cost.cpu_seconds, "s");
  report.add(run, "cycles per CPU second", cost.cycles / cost.cpu_seconds / 1e3, "k/s");
  report.add(run, "warp instructions per CPU second", cost.warp_instructions / cost.cpu_seconds / 1e3, "k/s");
}

// The grid fills the SMs twice, so that no SM waits for others at the end.
void bench_busy(const std::string& platform, std::size_t repetitions, Report& report) {
  const GpuSpec gpu = load_platform(platform);
  const Job job = bench_job("compute-heavy", gpu, {fmt::format("kernels.fma.blocks={}", 12 * gpu.sm.count)});
  const Cost cost = measure(job, repetitions);
  const double ns = cost.cpu_seconds * 1e9 / (cost.cycles * cost.sms);
  report.add(job.label, "busy SM cycle", ns, "ns", 150);
  report.add(job.label, "warp instruction", cost.cpu_seconds * 1e9 / cost.warp_instructions, "ns");
  report.add(job.label, "16 SMs for 2 million cycles", ns * 16 * 2e6 * 1e-9, "s", 15);
}

void bench_memory(std::size_t repetitions, Report& report) {
  const Job job = bench_job("bandwidth-bound", load_platform("gtx480"));
  const Cost cost = measure(job, repetitions);
  report.add(job.label, "memory transaction", cost.cpu_seconds * 1e9 / cost.transactions, "ns", 1000);
}

// Each warp waits for one load at a time, so that the SMs and most of the memory path sleep nearly always.
void bench_waiting(const GpuSpec& gpu, std::uint32_t warps, double goal, std::size_t repetitions,
                   Report& report) {
  const Job job = bench_job("latency-bound", gpu,
                            {fmt::format("kernels.chase.blocks={}", warps), "kernels.chase.threads=32",
                             "kernels.chase.code[0].loop=512"});
  const Cost cost = measure(job, repetitions);
  report.add(fmt::format("{}, {} warp{}", job.label, warps, warps == 1 ? "" : "s"), "waiting GPU cycle",
             cost.cpu_seconds * 1e9 / cost.cycles, "ns", goal);
}

// The host computes for a second, and the GPU has nothing to do.
void bench_idle(const GpuSpec& gpu, std::size_t repetitions, Report& report) {
  Application application;
  ApiCall computes;
  computes.kind = ApiCall::Kind::kCpu;
  computes.time_ps = 1'000'000'000'000;
  application.program.name = "idle";
  application.program.calls.push_back(computes);
  Job job;
  job.label = "no kernel on " + gpu.name;
  job.machine = bench_machine(gpu, application);
  job.machine.starvation_limit_ps = 10 * computes.time_ps;
  const Cost cost = measure(job, repetitions);
  report.add(job.label, "idle GPU cycle", cost.cpu_seconds * 1e9 / cost.simulated_cycles, "ns", 5);
}

// Sends three reads to one write at random addresses as fast as the channel accepts them; returns the cycles.
std::uint64_t load_channel(DramChannel& channel) {
  constexpr std::uint64_t kRequests = 400'000;
  Random random(1);
  const std::uint64_t bytes = channel.map().bytes();
  std::uint64_t left = kRequests;
  const auto next = [&](DramRequest& request) {
    if (left == 0) return false;
    --left;
    request = {random.below(bytes), random.below(4) == 0, 0};
    return true;
  };
  return run_channel(channel, next, 64).cycles;
}

// Sends a read every 100,000 cycles, with nothing but refreshes in between; returns the cycles.
std::uint64_t idle_channel(DramChannel& channel) {
  constexpr std::uint64_t kReads = 2'000;
  constexpr std::uint64_t kBetween = 100'000;
  for (std::uint64_t i = 0; i < kReads; ++i) {
    Cycle now{i * kBetween};
    channel.accept({0, false, 0}, now);
    for (; !channel.idle(); now = channel.next_wake()) channel.tick(now);
  }
  channel.account_until(Cycle{kReads * kBetween});
  return kReads * kBetween;
}

void bench_channel(const std::string& measure, std::uint64_t (*drive)(DramChannel&), double goal,
                   std::size_t repetitions, Report& report) {
  const GpuSpec gpu = load_platform("gtx480");
  std::vector<double> rates;
  for (std::size_t i = 0; i < repetitions; ++i) {
    const auto channel = make_channel(gpu);
    const double begin = cpu_seconds();
    const auto cycles = static_cast<double>(drive(*channel));
    rates.push_back(cycles / std::max(cpu_seconds() - begin, 1e-6) / 1e6);
  }
  report.add("DRAM channel of gtx480", measure, median(rates), "M/s", goal);
}

int run_benchmarks(const BenchOptions& options) {
  catch_interrupts();
  const std::size_t repetitions = options.quick ? 1 : 3;
  if (options.threads) {
    bench_threads(repetitions, options.json, std::cout);
    return 0;
  }
  Report report(repetitions);
  for (const char* trace : {"fma32", "triad1m"}) bench_trace(trace, repetitions, report);
  for (const char* platform : {"gtx480", "fermi-warped-slicer"}) bench_busy(platform, repetitions, report);
  bench_memory(repetitions, report);
  for (const std::uint32_t warps : {1u, 15u})
    bench_waiting(load_platform("gtx480"), warps, 20, repetitions, report);
  const GpuSpec large = large_fermi(132, 96);
  bench_waiting(large, large.sm.count, 40, repetitions, report);
  bench_idle(large, repetitions, report);
  bench_channel("command clocks, loaded", load_channel, 2, repetitions, report);
  bench_channel("command clocks, idle", idle_channel, 20, repetitions, report);
  if (options.json)
    std::cout << report.json().dump() << "\n";
  else
    report.print(std::cout);
  return 0;
}

void declare_bench(CommandLine& verb, BenchOptions& options) {
  verb.add_flag("--quick", options.quick, "measure once, not the median of three");
  verb.add_flag(
      "--threads", options.threads,
      "measure instead what a run gains from several threads (heddle run --threads), and how much it "
      "could gain from more than this machine has");
  add_json_flag(verb, options.json, "the result as one JSON object and nothing else");
}

const VerbRegistration kBench("bench", 10, "Measure what simulation costs on this machine, in CPU time",
                              declare_bench, run_benchmarks);

}  // namespace

}  // namespace heddle
