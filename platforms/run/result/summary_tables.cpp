#include "platforms/run/result/summary_tables.h"

#include <fmt/format.h>

#include <algorithm>

#include "models/stats/writers.h"

namespace heddle {

namespace {

constexpr Table::Align kRight = Table::Align::kRight;

std::string ms(std::uint64_t ps) {
  return fmt::format("{:.3f}", static_cast<double>(ps) / 1e9);
}

std::string ratio(std::optional<double> value) {
  return value ? fmt::format("{:.3f}", *value) : "–";
}

void print_ntt(const Summary& summary, std::ostream& out) {
  out << "\n\nNormalised turnaround time (NTT): together / alone, lower is better\n";
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

void print_metrics(const Summary& summary, std::ostream& out) {
  out << "\n";
  Table table({{"policies"},
               {"ANTT", kRight},
               {"STP", kRight},
               {"fairness", kRight},
               {"occupancy", kRight},
               {"fill", kRight},
               {"prioritised (ms)", kRight},
               {"simulated (ms)", kRight}});
  for (const RunSummary& run : summary.runs) {
    const RunMeasures& of = run.measures;
    table.add_row({run.label, ratio(of.multiprogram.antt), ratio(of.multiprogram.stp),
                   ratio(of.multiprogram.fairness), ratio(of.run.occupancy.value), ratio(of.run.fill.value),
                   of.prioritised_turnaround_ps ? ms(*of.prioritised_turnaround_ps) : "–",
                   ms(of.run.simulated_ps)});
  }
  table.print(out);
}

// Prints the instructions, and the share of all SMs' cycles of each stall bucket in per cent.
void print_sm_cycles(const Summary& summary, std::ostream& out) {
  std::vector<Table::Column> columns{
      {"policies"}, {"cycles", kRight}, {"warp instructions", kRight}, {"per cycle", kRight}};
  for (std::size_t i = 0; i < kBuckets; ++i) {
    std::string title = name_of(static_cast<Bucket>(i));
    std::replace(title.begin(), title.end(), '_', ' ');
    columns.push_back({title + " %", kRight});
  }
  Table table(columns);
  for (const RunSummary& summarised : summary.runs) {
    const RunResult& run = summarised.measures.run;
    double all = 0;
    for (const std::uint64_t cycles : run.sms->sm_cycles) all += static_cast<double>(cycles);
    std::vector<std::string> cells{
        summarised.label, fmt::format("{}", run.cycles), fmt::format("{}", run.warp_instructions),
        fmt::format("{:.2f}", static_cast<double>(run.warp_instructions) / static_cast<double>(run.cycles))};
    for (const std::uint64_t cycles : run.sms->sm_cycles)
      cells.push_back(all == 0 ? "–" : fmt::format("{:.1f}", 100 * static_cast<double>(cycles) / all));
    table.add_row(cells);
  }
  out << "\nSM cycles, over all SMs\n";
  table.print(out);
}

}  // namespace

void print_summary(const Summary& summary, std::ostream& out) {
  if (!summary.question.empty()) out << summary.question << "\n";
  out << summary.platform;
  if (!summary.mix.empty()) out << ", " << summary.mix;
  print_ntt(summary, out);
  print_metrics(summary, out);
  if (summary.runs.front().measures.run.sms) print_sm_cycles(summary, out);
}

}  // namespace heddle
