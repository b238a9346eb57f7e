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
#include "platforms/run/result/tables/request_tables.h"

namespace heddle {

namespace {

std::string ms(std::uint64_t ps) {
  return fmt::format("{:.3f}", static_cast<double>(ps) / 1e9);
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
    for (const RunSummary& run : summary.runs) cells.push_back(ratio_text(run.measures.multiprogram.ntt[i]));
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
                                   ratio_text(of.multiprogram.antt),
                                   ratio_text(of.multiprogram.stp),
                                   ratio_text(of.multiprogram.fairness),
                                   ratio_text(of.run.occupancy.value),
                                   ratio_text(of.run.fill.value),
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
    table.add_row({summarised.label, ms(run.applications.front().turnaround_ps),
                   ratio_text(run.occupancy.value), ratio_text(run.fill.value)});
  }
  table.print(out);
}

constexpr double kPsPerUs = 1e6;

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
    print_tokens(summary, out);
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
