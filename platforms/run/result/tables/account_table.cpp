#include "platforms/run/result/tables/account_table.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "models/host/requests/request_account.h"
#include "models/stats/writers.h"

namespace heddle {

namespace {

// The columns, in the order in which a request passes the parts.
constexpr RequestPart kColumns[] = {RequestPart::kHost,    RequestPart::kSubmission, RequestPart::kCopyWait,
                                    RequestPart::kCopying, RequestPart::kSmWait,     RequestPart::kExecuting,
                                    RequestPart::kSlowed};
constexpr const char* kTitles[] = {"host",    "submission", "copy wait", "copying",
                                   "SM wait", "executing",  "slowed"};

std::string percent(double part, double whole) {
  const double share = whole > 0 ? 100 * part / whole : 0;
  return share == 0 ? "0" : share < 0.5 ? "<1" : fmt::format("{:.0f}", share);
}

std::string share_text(double slowest) {
  return slowest >= 1 ? "all" : fmt::format("slowest {:g} %", 100 * slowest);
}

// Returns the largest part of the response in words. What the server did while the request waited for it is
// of that part, too.
std::string mostly(const AccountResult& account) {
  if (account.parts.empty()) return "–";
  const auto most = std::max_element(account.parts.begin(), account.parts.end(),
                                     [](const auto& a, const auto& b) { return a.ps() < b.ps(); });
  return fmt::format("{} % {}", percent(most->ps(), account.response_ps), words_of(*most));
}

void add_row(const std::string& label, const std::string& server, const AccountResult& account,
             Table& table) {
  std::vector<std::string> cells{label,
                                 server,
                                 share_text(account.slowest),
                                 fmt::format("{}", account.requests),
                                 fmt::format("{:.3f}", account.response_ps / 1e9),
                                 percent(account.queue_ps(), account.response_ps)};
  for (const RequestPart column : kColumns) {
    double sum = 0;
    for (const PartResult& part : account.parts)
      if (part.part == name_of(column)) sum += part.service_ps;
    cells.push_back(percent(sum, account.response_ps));
  }
  cells.push_back(mostly(account));
  table.add_row(cells);
}

}  // namespace

namespace {

struct LabelledPercentile {
  std::string label;
  PercentileResult percentile;
};

// The percentile of a server in each run that has its interval.
std::vector<LabelledPercentile> percentiles_of(const Summary& summary, std::size_t server, double q) {
  std::vector<LabelledPercentile> found;
  for (const RunSummary& run : summary.runs) {
    const auto& requests = run.measures.run.applications[server].requests;
    if (!requests) continue;
    for (const PercentileResult& percentile : requests->response.percentiles)
      if (percentile.q == q && percentile.low_ps && percentile.high_ps)
        found.push_back({run.label, percentile});
  }
  return found;
}

bool overlap(const PercentileResult& a, const PercentileResult& b) {
  return *a.low_ps <= *b.high_ps && *b.low_ps <= *a.high_ps;
}

// "a and b; a and c", or that none or all of the runs differ.
std::string equal_runs(const std::vector<LabelledPercentile>& runs) {
  constexpr std::size_t kMostNamed = 6;
  std::vector<std::string> pairs;
  for (std::size_t i = 0; i < runs.size(); ++i)
    for (std::size_t j = i + 1; j < runs.size(); ++j)
      if (overlap(runs[i].percentile, runs[j].percentile))
        pairs.push_back(fmt::format("{} and {}", runs[i].label, runs[j].label));
  if (pairs.empty()) return "all runs differ";
  if (pairs.size() == runs.size() * (runs.size() - 1) / 2)
    return "the runs do not differ: all intervals overlap";
  const std::size_t more = pairs.size() > kMostNamed ? pairs.size() - kMostNamed : 0;
  pairs.resize(pairs.size() - more);
  return fmt::format("these do not differ, their intervals overlap: {}{}", fmt::join(pairs, "; "),
                     more > 0 ? fmt::format("; and {} more pairs", more) : "");
}

}  // namespace

std::vector<std::string> equal_percentiles(const Summary& summary, const std::vector<double>& qs) {
  std::vector<std::string> sentences;
  if (summary.runs.empty()) return sentences;
  const std::vector<ApplicationResult>& applications = summary.runs.front().measures.run.applications;
  for (std::size_t i = 0; i < applications.size(); ++i)
    for (const double q : qs) {
      const std::vector<LabelledPercentile> runs = percentiles_of(summary, i, q);
      if (runs.size() > 1)
        sentences.push_back(
            fmt::format("p{:g} of {}: {}", 100 * q, applications[i].application, equal_runs(runs)));
    }
  return sentences;
}

std::string words_of(const PartResult& part) {
  const bool is_own = part.application.empty();
  if (part.part == name_of(RequestPart::kHost)) return "is work of the host";
  if (part.part == name_of(RequestPart::kSubmission)) return "is submission";
  if (part.part == name_of(RequestPart::kCopying)) return "is its own copies";
  if (part.part == name_of(RequestPart::kExecuting)) return "is execution";
  if (part.part == name_of(RequestPart::kCopyWait))
    return is_own ? "waits for its own copies" : "waits for a copy of " + part.application;
  if (part.part == name_of(RequestPart::kSmWait))
    return is_own ? "waits for SMs that are set up" : "waits for SMs that " + part.application + " has";
  return is_own ? "is slowed by its share of the GPU" : "is slowed by " + part.application;
}

void print_accounts(const Summary& summary, std::ostream& out) {
  std::vector<Table::Column> columns{{"policies"},
                                     {"server"},
                                     {"of"},
                                     {"requests", Table::Align::kRight},
                                     {"mean", Table::Align::kRight},
                                     {"queue", Table::Align::kRight}};
  for (const char* title : kTitles) columns.push_back({title, Table::Align::kRight});
  columns.push_back({"most of it"});
  Table table(columns);
  bool is_empty = true;
  for (const RunSummary& run : summary.runs)
    for (const ApplicationResult& application : run.measures.run.applications) {
      if (!application.requests) continue;
      for (const AccountResult& account : application.requests->accounts) {
        if (account.slowest < 1 && account.slowest > 0.01) continue;
        add_row(run.label, application.application, account, table);
        is_empty = false;
      }
    }
  if (is_empty) return;
  out << "\nWhere the time of requests goes: mean response in ms, and of it in per cent: waiting for the "
         "server "
         "that serves others (queue);\nthen of the service: work of the host, submission, waiting for a copy "
         "engine, copying, waiting for SMs, executing, slowed.\nMost of it: the largest part, whose cause "
         "counts "
         "in the queue, too\n";
  table.print(out);
}

}  // namespace heddle
