#include "platforms/run/result/tables/request_tables.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "platforms/run/result/tables/account_table.h"

namespace heddle {

namespace {

constexpr double kPsPerMs = 1e9;

std::string time_of(std::optional<double> ps) {
  return ps ? fmt::format("{:.3f}", *ps / kPsPerMs) : "–";
}

std::string count(std::uint64_t number) {
  return fmt::format("{}", number);
}

std::string rate(std::optional<double> value) {
  return value ? fmt::format("{:.1f}", *value) : "–";
}

// Calls `row` for each server of each run.
template <class Row>
void for_each_server(const Summary& summary, Row row) {
  for (const RunSummary& run : summary.runs)
    for (std::size_t i = 0; i < run.measures.requests.size(); ++i)
      if (const ApplicationResult& application = run.measures.run.applications[i]; application.requests)
        row(run.label, application.application, *application.requests, *run.measures.requests[i]);
}

}  // namespace

std::string ratio_text(std::optional<double> value) {
  return value && !std::isnan(*value) ? fmt::format("{:.3f}", *value) : "–";
}

void add_times(std::vector<std::string>& cells, const TimeSummary& times, double unit_ps) {
  const auto text = [unit_ps](auto ps) { return fmt::format("{:.3f}", static_cast<double>(ps) / unit_ps); };
  cells.push_back(times.mean_ps ? text(*times.mean_ps) : "–");
  for (const PercentileResult& of : times.percentiles)
    cells.push_back(of.value_ps
                        ? fmt::format("{} ({}..{})", text(*of.value_ps), text(*of.low_ps), text(*of.high_ps))
                        : fmt::format("needs {}", of.needs));
  cells.push_back(times.mean_ps ? text(times.max_ps) : "–");
}

std::vector<Table::Column> with_times(std::vector<Table::Column> columns) {
  for (const char* title : {"mean", "p50", "p90", "p95", "p99", "p99.9", "max"})
    columns.push_back({title, kRight});
  return columns;
}

void print_requests(const Summary& summary, std::ostream& out) {
  out << "\nRequests per server: arrived, served, shed; mean times in ms of waiting and of service; "
         "share in "
         "time;\nserved in time per second (goodput), served per second (throughput), and that over alone\n";
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
    table.add_row({label, server, count(of.measured.arrived), count(of.measured.served),
                   count(of.measured.shed), time_of(of.queueing.mean_ps), time_of(of.service.mean_ps),
                   ratio_text(measures.deadlines_met), rate(measures.goodput), rate(measures.throughput),
                   ratio_text(measures.normalised_throughput)});
  });
  table.print(out);
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

void print_tokens(const Summary& summary, std::ostream& out) {
  struct Of {
    const char* title;
    TimeSummary TokensResult::*times;
  };
  static constexpr Of kTimes[] = {
      {"\nTime to the first token (TTFT), from the arrival, in ms; percentiles with their 95 % interval\n",
       &TokensResult::first},
      {"\nTime between tokens (TBT), in ms; percentiles with their 95 % interval\n", &TokensResult::between},
      {"\nMean time between the tokens of a request (TPOT), in ms; percentiles with their 95 % interval\n",
       &TokensResult::mean_between}};
  bool has_any = false;
  Table steps({{"policies"},
               {"server"},
               {"steps", kRight},
               {"prompt tokens", kRight},
               {"tokens", kRight},
               {"/ s", kRight},
               {"mean sequences", kRight},
               {"most", kRight},
               {"cached", kRight},
               {"evicted", kRight}});
  for_each_server(summary, [&](const std::string& label, const std::string& server, const RequestsResult& of,
                               const RequestMeasures&) {
    if (!of.tokens) return;
    has_any = true;
    const TokensResult& tokens = *of.tokens;
    steps.add_row({label, server, count(tokens.steps), count(tokens.prefill), count(tokens.generated),
                   rate(tokens.per_second), fmt::format("{:.1f}", tokens.mean_sequences),
                   count(tokens.most_sequences), count(tokens.most_cached), count(tokens.evictions)});
  });
  if (!has_any) return;
  out << "\nSteps of batches: tokens of prompts read, tokens generated, those of measured requests per "
         "second;\n"
         "sequences of a step; most tokens whose keys and values were in the cache; sequences that lost "
         "theirs\n";
  steps.print(out);
  for (const Of& of_times : kTimes) {
    bool has_rows = false;
    Table table(with_times({{"policies"}, {"server"}}));
    for_each_server(summary, [&](const std::string& label, const std::string& server,
                                 const RequestsResult& of, const RequestMeasures&) {
      if (!of.tokens || !(*of.tokens.*of_times.times).mean_ps) return;
      std::vector<std::string> cells{label, server};
      add_times(cells, *of.tokens.*of_times.times, kPsPerMs);
      table.add_row(cells);
      has_rows = true;
    });
    if (has_rows) out << of_times.title;
    if (has_rows) table.print(out);
  }
}

}  // namespace heddle
