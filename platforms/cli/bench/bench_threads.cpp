#include "platforms/cli/bench/bench_threads.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <nlohmann/json.hpp>
#include <numeric>
#include <ostream>
#include <stdexcept>
#include <string>
#include <thread>

#include "models/core/base/worker_pool.h"
#include "models/stats/writers.h"
#include "platforms/cli/bench/bench_jobs.h"
#include "platforms/load/platform_loader.h"

namespace heddle {

namespace {

using Json = nlohmann::ordered_json;

double now_ns() {
  return std::chrono::duration<double, std::nano>(std::chrono::steady_clock::now().time_since_epoch())
      .count();
}

// Returns what one call of `step` takes, in nanoseconds.
template <class Step>
double cost_ns(Step step) {
  constexpr int kTimes = 20000;
  const double begin = now_ns();
  for (int i = 0; i < kTimes; ++i) step();
  return (now_ns() - begin) / kTimes;
}

std::vector<Job> jobs_to_measure() {
  std::vector<Job> jobs;
  for (const GpuSpec& gpu : {large_fermi(60, 24), load_platform("large-pascal")}) {
    jobs.push_back(
        bench_job("compute-heavy", gpu, {fmt::format("kernels.fma.blocks={}", 12 * gpu.sm.count)}));
    const std::uint32_t blocks = 4 * gpu.sm.count;
    std::vector<std::string> sets{fmt::format("kernels.triad.blocks={}", blocks)};
    for (const char* buffer : {"a", "b", "c"})  // 32 KiB of each for a block
      sets.push_back(fmt::format("buffers.{}={}KiB", buffer, 32 * blocks));
    jobs.push_back(bench_job("bandwidth-bound", gpu, sets));
  }
  return jobs;
}

// A Measured is what a run with a SpeedUpMeter has found.
struct Measured {
  double share = 0;     // of the run that is work which blocks do at once
  double cycle_us = 0;  // such work of a cycle of one clock
  std::vector<double> limits;
};

Measured measure_work(Job job, double sync_ns) {
  Measured measured;
  std::string failure;
  Child child = start_child([&](int pipe) {
    SpeedUpMeter meter(now_ns, cost_ns(now_ns));
    job.meter = &meter;
    Json found;
    try {
      const Simulation done = simulate(job, [](const JobProgress&) {});
      const double run = done.cost.wall_seconds * 1e9 - meter.clocks_ns();
      found["share"] = meter.work_ns() / run;
      found["cycle_us"] = meter.work_ns() / static_cast<double>(meter.cycles()) / 1e3;
      for (const double ns : meter.run_ns(run, sync_ns)) found["limits"].push_back(run / ns);
    } catch (const std::exception& error) {
      found["failure"] = error.what();
    }
    send_line(pipe, found.dump());
  });
  while (wait_for({&child}), listen(child, [&](const std::string& line) {
           const Json found = Json::parse(line);
           if (found.contains("failure")) throw std::runtime_error(found["failure"].get<std::string>());
           measured = {found["share"], found["cycle_us"], found["limits"].get<std::vector<double>>()};
         })) {
  }
  reap(child);
  return measured;
}

// Returns the wall time of the job, and of `copies` of it at once.
double seconds_of(const Job& job, std::size_t copies) {
  const auto results = run_jobs(std::vector<Job>(copies, job), copies, [](const JobProgress&) {});
  double most = 0;
  for (const JobResult& result : results) {
    if (!result.failure.empty()) throw std::runtime_error(fmt::format("{}: {}", job.label, result.failure));
    most = std::max(most, result.done.cost.wall_seconds);
  }
  return most;
}

struct Gain {
  std::string run;
  Measured work;
  double two_threads = 0;  // speed-up measured with two threads
  double two_runs = 0;     // how many times as much two runs at once get done as one: what the host can give
};

Gain gain_of(const Job& job, std::size_t repetitions, double sync_ns) {
  std::vector<double> threads;
  std::vector<double> runs;
  for (std::size_t i = 0; i < repetitions; ++i) {
    Job two = job;
    two.threads = 2;
    const double alone = seconds_of(job, 1);
    threads.push_back(alone / seconds_of(two, 1));
    runs.push_back(2 * alone / seconds_of(job, 2));
  }
  return {job.label, measure_work(job, sync_ns), median(threads), median(runs)};
}

// Returns the time that it takes to start a second thread and to wait for it.
double synchronisation_ns() {
  WorkerPool pool(2);
  auto nothing = [](unsigned) {};
  return cost_ns([&] { pool.run(nothing); });
}

}  // namespace

void SpeedUpMeter::begin_cycle() {
  worked_.clear();
  begun_ = clock_();
  clocks_ns_ += clock_ns_;
}

void SpeedUpMeter::end_block(std::size_t block) {
  const double now = clock_();
  worked_.emplace_back(block, std::max(0.0, now - begun_ - clock_ns_));
  begun_ = now;
  clocks_ns_ += clock_ns_;
}

void SpeedUpMeter::end_cycle(std::size_t blocks) {
  const double begin = clock_();
  ++cycles_;
  for (const auto& [block, ns] : worked_) work_ns_ += ns;
  for (std::size_t i = 0; i < kThreadsOfLimits.size(); ++i) {
    const std::size_t threads = std::min<std::size_t>(kThreadsOfLimits[i], blocks);
    of_thread_.assign(threads, 0);
    for (const auto& [block, ns] : worked_) of_thread_[block * threads / blocks] += ns;
    longest_ns_[i] += *std::max_element(of_thread_.begin(), of_thread_.end());
  }
  clocks_ns_ += clock_() - begin + clock_ns_;
}

std::array<double, kThreadsOfLimits.size()> SpeedUpMeter::run_ns(double run_ns, double sync_ns) const {
  std::array<double, kThreadsOfLimits.size()> result{};
  for (std::size_t i = 0; i < result.size(); ++i)
    result[i] = run_ns - work_ns_ + longest_ns_[i] + static_cast<double>(cycles_) * sync_ns;
  return result;
}

void bench_threads(std::size_t repetitions, bool json, std::ostream& out) {
  const double sync_ns = synchronisation_ns();
  std::vector<Gain> rows;
  for (const Job& job : jobs_to_measure()) rows.push_back(gain_of(job, repetitions, sync_ns));
  if (json) {
    Json all{{"repetitions", repetitions},
             {"cores", std::thread::hardware_concurrency()},
             {"synchronisation_ns", sync_ns}};
    for (const Gain& row : rows)
      all["rows"].push_back({{"run", row.run},
                             {"share", row.work.share},
                             {"cycle_us", row.work.cycle_us},
                             {"limits", row.work.limits},
                             {"two_threads", row.two_threads},
                             {"two_runs", row.two_runs}});
    out << all.dump() << "\n";
    return;
  }
  std::vector<Table::Column> columns{
      {"run"}, {"at once", Table::Align::kRight}, {"us each time", Table::Align::kRight}};
  for (const unsigned threads : kThreadsOfLimits)
    columns.push_back({fmt::format("limit of {}", threads), Table::Align::kRight});
  columns.push_back({"two threads", Table::Align::kRight});
  columns.push_back({"two runs", Table::Align::kRight});
  Table table(columns);
  for (const Gain& row : rows) {
    std::vector<std::string> cells{row.run, fmt::format("{:.0f} %", 100 * row.work.share),
                                   fmt::format("{:.1f}", row.work.cycle_us)};
    for (const double limit : row.work.limits) cells.push_back(fmt::format("{:.2f}", limit));
    cells.push_back(fmt::format("{:.2f}", row.two_threads));
    cells.push_back(fmt::format("{:.2f}", row.two_runs));
    table.add_row(cells);
  }
  table.print(out);
  out << fmt::format(
      "\nTimes as fast as on one thread, median of {}. 'at once' is the share of a run in which SMs,\n"
      "L2 slices or channels work for themselves. The limits come from the work of each in each\n"
      "cycle, measured on one thread, and from {:.2f} us to synchronise the threads. 'two runs' is how much\n"
      "more this machine gets done with two runs at once than with one.\n",
      repetitions, sync_ns / 1e3);
}

}  // namespace heddle
