#include "platforms/run/result/tables/summary_tables.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "models/core/kernel/observer.h"
#include "models/stats/writers.h"
#include "platforms/run/result/tables/account_table.h"
#include "platforms/run/result/tables/decision_table.h"

namespace heddle {

namespace {

constexpr Table::Align kRight = Table::Align::kRight;

std::string ms(std::uint64_t ps) {
  return fmt::format("{:.3f}", static_cast<double>(ps) / 1e9);
}

std::string ratio(std::optional<double> value) {
  return value && !std::isnan(*value) ? fmt::format("{:.3f}", *value) : "–";
}

// A title for each Bucket, which the legend below the table explains.
constexpr std::array<const char*, kBuckets> kBucketTitles{"active", "LSU full", "ALU full", "load",
                                                          "ALU",    "fetch",    "barrier",  "no warp"};
constexpr const char* kBucketLegend =
    "IPC: warp instructions per cycle of the GPU. Then of the SMs' cycles in per cent: active: a warp "
    "issued;\n"
    "LSU full, ALU full: a ready warp found the unit full; load, ALU: warps waited for a register of a load, "
    "of\n"
    "another unit; fetch: for instructions; barrier: at one; no warp: the SM had none.\n";

bool has_servers(const Summary& summary) {
  return summary.runs.front().measures.run.progress_window_ps.has_value();
}

void print_ntt(const Summary& summary, std::ostream& out) {
  out << (has_servers(summary)
              ? "\nNormalised turnaround time (NTT): of a server the mean service time together / alone, of "
                "another application\nthe time per block together / alone; lower is better\n"
              : "\nNormalised turnaround time (NTT): together / alone, lower is better\n");
  std::vector<Table::Column> columns{{"application"}, {"alone (ms)", kRight}};
  for (const RunSummary& run : summary.runs) columns.push_back({run.label, kRight});
  Table table(columns);
  for (std::size_t i = 0; i < summary.alone.size(); ++i) {
    const AloneTime& alone = summary.alone[i];
    const bool is_prioritised = alone.application == summary.prioritised;
    std::vector<std::string> cells{alone.application + (is_prioritised ? " *" : ""), ms(alone.turnaround_ps)};
    for (const RunSummary& run : summary.runs) cells.push_back(ratio(run.measures.multiprogram.ntt[i]));
    table.add_row(cells);
  }
  table.print(out);
  if (summary.prioritised) out << "* prioritised\n";
}

// Prints what the policies do to all applications together.
void print_metrics(const Summary& summary, std::ostream& out) {
  out << "\nAverage NTT (ANTT), system throughput (STP, higher is better), fairness of the slowdowns (1 is "
         "best),\n"
         "SM time with a block while a kernel is there (occupancy), blocks there of those that fit (fill)\n";
  std::vector<Table::Column> columns{
      {"policies"},          {"ANTT", kRight}, {"STP", kRight},           {"fairness", kRight},
      {"occupancy", kRight}, {"fill", kRight}, {"simulated (ms)", kRight}};
  if (summary.prioritised) columns.push_back({"prioritised (ms)", kRight});
  Table table(columns);
  for (const RunSummary& run : summary.runs) {
    const RunMeasures& of = run.measures;
    std::vector<std::string> cells{run.label,
                                   ratio(of.multiprogram.antt),
                                   ratio(of.multiprogram.stp),
                                   ratio(of.multiprogram.fairness),
                                   ratio(of.run.occupancy.value),
                                   ratio(of.run.fill.value),
                                   ms(of.run.simulated_ps)};
    if (summary.prioritised)
      cells.push_back(of.prioritised_turnaround_ps ? ms(*of.prioritised_turnaround_ps) : "–");
    table.add_row(cells);
  }
  table.print(out);
}

// Nothing disturbs a single application, so its time is what counts.
void print_turnaround(const Summary& summary, std::ostream& out) {
  out << "\nTime of " << summary.alone.front().application
      << ", SM time with a block while a kernel is there (occupancy), blocks there of those that fit "
         "(fill)\n";
  Table table({{"policies"}, {"turnaround (ms)", kRight}, {"occupancy", kRight}, {"fill", kRight}});
  for (const RunSummary& summarised : summary.runs) {
    const RunResult& run = summarised.measures.run;
    table.add_row({summarised.label, ms(run.applications.front().turnaround_ps), ratio(run.occupancy.value),
                   ratio(run.fill.value)});
  }
  table.print(out);
}

std::string time_of(std::optional<double> ps) {
  return ps ? fmt::format("{:.3f}", *ps / 1e9) : "–";
}

constexpr double kPsPerMs = 1e9;
constexpr double kPsPerUs = 1e6;

// Appends mean, percentiles and maximum in a unit of so many picoseconds. A percentile has its confidence
// interval, or says how many samples it needs.
void add_times(std::vector<std::string>& cells, const TimeSummary& times, double unit_ps) {
  const auto text = [unit_ps](auto ps) { return fmt::format("{:.3f}", static_cast<double>(ps) / unit_ps); };
  cells.push_back(times.mean_ps ? text(*times.mean_ps) : "–");
  for (const PercentileResult& of : times.percentiles)
    cells.push_back(of.value_ps
                        ? fmt::format("{} ({}..{})", text(*of.value_ps), text(*of.low_ps), text(*of.high_ps))
                        : fmt::format("needs {}", of.needs));
  cells.push_back(times.mean_ps ? text(times.max_ps) : "–");
}

// Calls `row` for each server of each run.
template <class Row>
void for_each_server(const Summary& summary, Row row) {
  for (const RunSummary& run : summary.runs)
    for (std::size_t i = 0; i < run.measures.requests.size(); ++i)
      if (const ApplicationResult& application = run.measures.run.applications[i]; application.requests)
        row(run.label, application.application, *application.requests, *run.measures.requests[i]);
}

// Prints what became of the measured requests of the servers.
void print_requests(const Summary& summary, std::ostream& out) {
  out << "\nRequests per server: arrived, served, shed; mean times in ms of waiting and of service; "
         "deadlines "
         "met;\nserved in time per second (goodput), served per second (throughput), and that over alone\n";
  Table table({{"policies"},
               {"server"},
               {"arrived", kRight},
               {"served", kRight},
               {"shed", kRight},
               {"waiting", kRight},
               {"service", kRight},
               {"in time", kRight},
               {"goodput", kRight},
               {"throughput", kRight},
               {"/ alone", kRight}});
  for_each_server(summary, [&table](const std::string& label, const std::string& server,
                                    const RequestsResult& of, const RequestMeasures& measures) {
    const auto count = [](std::uint64_t number) { return fmt::format("{}", number); };
    const auto rate = [](std::optional<double> value) { return value ? fmt::format("{:.1f}", *value) : "–"; };
    table.add_row({label, server, count(of.measured.arrived), count(of.measured.served),
                   count(of.measured.shed), time_of(of.queueing.mean_ps), time_of(of.service.mean_ps),
                   ratio(measures.deadlines_met), rate(measures.goodput), rate(measures.throughput),
                   ratio(measures.normalised_throughput)});
  });
  table.print(out);
}

std::vector<Table::Column> with_times(std::vector<Table::Column> columns) {
  for (const char* title : {"mean", "p50", "p90", "p95", "p99", "p99.9", "max"})
    columns.push_back({title, kRight});
  return columns;
}

void print_responses(const Summary& summary, std::ostream& out) {
  out << "\nResponse times of served requests, from arrival to end, in ms; percentiles with their 95 % "
         "interval\n";
  Table table(with_times({{"policies"}, {"server"}}));
  for_each_server(summary, [&table](const std::string& label, const std::string& server,
                                    const RequestsResult& of, const RequestMeasures&) {
    std::vector<std::string> cells{label, server};
    add_times(cells, of.response, kPsPerMs);
    table.add_row(cells);
  });
  table.print(out);
  for (const std::string& sentence : equal_percentiles(summary, {0.5, 0.99})) out << sentence << "\n";
}

// Whether a run has a server, or blocks that left an SM before their end.
bool shows_handovers(const RunMeasures& of) {
  const std::vector<HandoverResult>& handovers = of.run.handovers;
  const bool drains_alone = handovers.size() == 2 && handovers.back().way == name_of(HandoverWay::kDrain);
  return !handovers.empty() && (of.unfairness || !drains_alone);
}

std::string lost_text(const RunResult& run, std::uint64_t LostWork::*value) {
  std::optional<std::uint64_t> sum;
  for (const ApplicationResult& application : run.applications)
    if (const std::optional<LostWork> lost = application.lost()) sum = sum.value_or(0) + (*lost).*value;
  return sum ? fmt::format("{}", *sum) : "–";
}

// Prints the latency of preemption, and what flushes have thrown away.
void print_handovers(const Summary& summary, std::ostream& out) {
  const auto shows = [](const RunSummary& run) { return shows_handovers(run.measures); };
  if (std::none_of(summary.runs.begin(), summary.runs.end(), shows)) return;
  out << "\nHand-overs of SMs by the way in which the blocks left: times from the decision to the hand-over "
         "in "
         "us, percentiles\nwith their 95 % interval; blocks that flushes stopped, and their core cycles that "
         "were "
         "lost\n";
  std::vector<Table::Column> columns = with_times({{"policies"}, {"way"}, {"slices", kRight}});
  columns.push_back({"blocks flushed", kRight});
  columns.push_back({"cycles lost", kRight});
  Table table(columns);
  for (const RunSummary& run : summary.runs) {
    if (!shows_handovers(run.measures)) continue;
    for (const HandoverResult& handover : run.measures.run.handovers) {
      const bool is_all = handover.way == run.measures.run.handovers.front().way;
      std::vector<std::string> cells{run.label, handover.way, fmt::format("{}", handover.count)};
      add_times(cells, handover.latency, kPsPerUs);
      cells.push_back(is_all ? lost_text(run.measures.run, &LostWork::blocks_flushed) : "");
      cells.push_back(is_all ? lost_text(run.measures.run, &LostWork::block_cycles) : "");
      table.add_row(cells);
    }
  }
  table.print(out);
}

void print_sm_cycles(const Summary& summary, std::ostream& out) {
  std::vector<Table::Column> columns{
      {"policies"}, {"cycles", kRight}, {"instructions", kRight}, {"IPC", kRight}};
  for (const char* title : kBucketTitles) columns.push_back({title, kRight});
  Table table(columns);
  for (const RunSummary& summarised : summary.runs) {
    const RunResult& run = summarised.measures.run;
    const SmMeasures& sms = *summarised.measures.sms;
    std::vector<std::string> cells{summarised.label, fmt::format("{}", run.cycles),
                                   fmt::format("{}", run.warp_instructions),
                                   sms.ipc ? fmt::format("{:.2f}", *sms.ipc) : "–"};
    for (const std::optional<double>& share : sms.resident_share_of)
      cells.push_back(share ? fmt::format("{:.1f}", 100 * *share) : "–");
    table.add_row(cells);
  }
  out << "\nCycles in which a kernel is on the GPU, and what its SMs did in them\n";
  table.print(out);
  out << kBucketLegend;
}

}  // namespace

void print_summary(const Summary& summary, std::ostream& out) {
  if (!summary.question.empty()) out << summary.question << "\n";
  out << summary.platform;
  if (!summary.mix.empty()) out << ", " << summary.mix;
  out << "\n";
  if (summary.alone.size() > 1) {
    print_ntt(summary, out);
    print_metrics(summary, out);
  } else {
    print_turnaround(summary, out);
  }
  if (has_servers(summary)) {
    print_requests(summary, out);
    print_responses(summary, out);
    print_accounts(summary, out);
  }
  print_handovers(summary, out);
  print_decisions(summary, out);
  if (summary.runs.front().measures.sms) print_sm_cycles(summary, out);
  if (!summary.missing.empty())
    out << fmt::format("\nMissing, because the experiment was interrupted: {}\n",
                       fmt::join(summary.missing, "; "));
}

}  // namespace heddle
