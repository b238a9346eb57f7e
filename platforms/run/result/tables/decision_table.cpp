#include "platforms/run/result/tables/decision_table.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "models/stats/writers.h"
#include "policies/sm_partitioner/i_sm_partitioner.h"

namespace heddle {

namespace {

using Kind = PartitionDecision::Kind;

// One line of the table: of one application, or of all of them if `application` is empty.
struct Decided {
  std::string application;
  std::string what;
};

std::string percent(double share) {
  return fmt::format("{:.1f} %", 100 * share);
}

std::size_t count_of(const RunResult& run, Kind kind) {
  return static_cast<std::size_t>(std::count_if(run.decisions.begin(), run.decisions.end(),
                                                [kind](const auto& one) { return one.kind == kind; }));
}

std::string counted(std::size_t count, const char* one, const char* many) {
  return fmt::format("{} {}", count, count == 1 ? one : many);
}

std::string share_text(const DecisionResult& decision, const ShareResult& share) {
  if (decision.kind == Kind::kSpatial) return share.kernel + ": SMs of its own";
  std::string text = fmt::format("{}: {} an SM", share.kernel, counted(share.blocks, "block", "blocks"));
  if (share.blocks > 0 && share.blocks <= share.performance.size())
    text += fmt::format(", {} of its best performance", percent(share.performance[share.blocks - 1]));
  return text;
}

// Of a partitioner that profiles: how often it did what, and its last choice over the most kernels.
void add_profiles(const RunMeasures& of, std::vector<Decided>& lines) {
  const RunResult& run = of.run;
  if (run.decisions.empty()) return;
  lines.push_back({"", fmt::format("{}, {} of the run's cycles; {} of quotas, {} of SMs for each kernel",
                                   counted(count_of(run, Kind::kProfile), "profile", "profiles"),
                                   percent(of.profiled.value_or(0)),
                                   counted(count_of(run, Kind::kQuotas), "choice", "choices"),
                                   count_of(run, Kind::kSpatial))});
  const DecisionResult* last = nullptr;
  for (const DecisionResult& decision : run.decisions)
    if (is_choice(decision.kind) && (last == nullptr || decision.shares.size() >= last->shares.size()))
      last = &decision;
  if (last == nullptr) return;
  for (const ShareResult& share : last->shares)
    lines.push_back({share.application, share_text(*last, share)});
}

void add_caps(const RunMeasures& of, std::vector<Decided>& lines) {
  if (!of.throttle) return;
  for (std::size_t i = 0; i < of.run.applications.size(); ++i) {
    const ThrottleMeasures& throttle = *of.throttle;
    if (!throttle.caps[i]) continue;
    lines.push_back(
        {of.run.applications[i].application,
         fmt::format("cap of {:.2f} of {:.2f} blocks an SM in the mean, chosen for {} of the slices, "
                     "after {} of their cycles",
                     *throttle.caps[i], throttle.most_blocks[i].value_or(0),
                     percent(throttle.settled[i].value_or(0)), percent(throttle.settling[i].value_or(0)))});
  }
}

void add_sets(const RunMeasures& of, std::vector<Decided>& lines) {
  for (std::size_t i = 0; i < of.run.sm_sets.size(); ++i) {
    const std::vector<std::uint32_t>& sms = of.run.sm_sets[i];
    lines.push_back({of.run.applications[i].application,
                     fmt::format("{}: {}", counted(sms.size(), "SM", "SMs"), ranges_of(sms))});
  }
}

// MPS that acts on threads keeps no application from an SM.
void add_threads(const RunSummary& run, std::vector<Decided>& lines) {
  const auto choice = run.policies.find(SmPartitioner::kDecision);
  if (choice == run.policies.end() || choice->second.name != "mps") return;
  const PolicyParameters parameters =
      PolicyCatalogue::instance().resolve(SmPartitioner::kDecision, choice->second);
  if (parameters.name("acts_on") != "threads" || parameters.lists("active_threads").empty()) return;
  const std::vector<std::int64_t>& shares = parameters.lists("active_threads").front();
  for (std::size_t i = 0; i < run.measures.run.applications.size(); ++i) {
    const std::int64_t share = i < shares.size() && shares[i] != PolicyValue::kAll ? shares[i] : 100;
    lines.push_back(
        {run.measures.run.applications[i].application, fmt::format("every SM, {} % of its threads", share)});
  }
}

}  // namespace

std::string ranges_of(const std::vector<std::uint32_t>& numbers) {
  std::vector<std::string> ranges;
  for (std::size_t i = 0; i < numbers.size();) {
    std::size_t last = i;
    while (last + 1 < numbers.size() && numbers[last + 1] == numbers[last] + 1) ++last;
    ranges.push_back(last == i ? fmt::format("{}", numbers[i])
                               : fmt::format("{}-{}", numbers[i], numbers[last]));
    i = last + 1;
  }
  return fmt::format("{}", fmt::join(ranges, ", "));
}

void print_decisions(const Summary& summary, std::ostream& out) {
  Table table({{"policies"}, {"application"}, {"decided"}});
  bool is_empty = true;
  for (const RunSummary& run : summary.runs) {
    std::vector<Decided> lines;
    add_profiles(run.measures, lines);
    add_caps(run.measures, lines);
    add_sets(run.measures, lines);
    add_threads(run, lines);
    for (const Decided& line : lines)
      table.add_row({run.label, line.application.empty() ? "all" : line.application, line.what});
    is_empty = is_empty && lines.empty();
  }
  if (is_empty) return;
  out << "\nWhat the policies decided\n";
  table.print(out);
}

}  // namespace heddle
