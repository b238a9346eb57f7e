#include "policies/submission/in_flight.h"

#include <fmt/format.h>

#include <algorithm>

namespace heddle {

namespace {

constexpr double kUnknownPs = 1e6;

std::vector<std::int64_t> weights_of(const IntegerLists& lists) {
  return lists.empty() ? std::vector<std::int64_t>() : lists.front();
}

}  // namespace

InFlight::InFlight(const PolicyParameters& parameters)
    : bound_(static_cast<std::uint64_t>(parameters["bound"])),
      batch_(std::min(bound_, static_cast<std::uint64_t>(parameters["batch"]))),
      weights_(weights_of(parameters.lists("weights"))) {}

std::string InFlight::misfit(const GpuDescription& gpu, const PolicyParameters& parameters) {
  const IntegerLists& lists = parameters.lists("weights");
  if (lists.size() > 1)
    return fmt::format("in-flight: weights is one list by process, and {} are given", lists.size());
  if (!lists.empty() && gpu.applications != 0 && lists.front().size() > gpu.applications)
    return fmt::format("in-flight: weights names {} processes, of which there are {}", lists.front().size(),
                       gpu.applications);
  if (parameters["batch"] > parameters["bound"])
    return fmt::format("in-flight: a batch of {} launches, and the bound is {}", parameters["batch"],
                       parameters["bound"]);
  return "";
}

double InFlight::weight_of(std::uint32_t process) const {
  return static_cast<double>(std::max<std::int64_t>(1, weights_[process % weights_.size()]));
}

// Brings up to date which processes work and which are full.
void InFlight::update(const SubmissionView& view) {
  processes_.resize(view.processes.size());
  double least = 0;
  bool any = false;
  for (const Process& process : processes_)
    if (process.works && (!any || process.pass < least)) {
      least = process.pass;
      any = true;
    }
  for (std::uint32_t i = 0; i < processes_.size(); ++i) {
    Process& process = processes_[i];
    const bool works = has_work(view, i);
    if (works && !process.works) process.pass = std::max(process.pass, least);
    process.works = works;
    const std::uint64_t launches = view.processes[i].launches_in_flight;
    if (launches >= bound_) process.is_full = true;
    if (launches + batch_ <= bound_) process.is_full = false;
  }
}

bool InFlight::takes_launch(const SubmissionView& view, std::uint32_t process) const {
  return !processes_[process].is_full && view.processes[process].launches_in_flight < bound_;
}

SubmissionDecision InFlight::decide(const SubmissionView& view) {
  update(view);
  std::optional<std::int32_t> top;
  for (std::uint32_t i = 0; i < processes_.size(); ++i)
    if (processes_[i].works)
      top = std::max(top.value_or(view.processes[i].priority), view.processes[i].priority);
  if (!top) return SubmissionDecision::none();
  const auto is_first = [&](const ProcessView& process) { return process.priority == *top; };
  if (const auto other = oldest_of(view, is_first, is_no_launch)) return other->submit();
  std::optional<Candidate> chosen;
  bool is_held = false;  // the process with the least pass waits at its bound
  for (std::uint32_t i = 0; i < processes_.size(); ++i) {
    if (!processes_[i].works || view.processes[i].priority != *top) continue;
    const std::optional<Candidate> launch = oldest_head(view, i, is_launch);
    if (!launch) continue;
    const bool takes = takes_launch(view, i);
    if (weights_.empty()) {
      if (takes && (!chosen || launch->head->arrival < chosen->head->arrival)) chosen = launch;
    } else if (!chosen || processes_[i].pass < processes_[chosen->process].pass) {
      chosen = launch;
      is_held = !takes;
    }
  }
  if (!chosen || is_held) return SubmissionDecision::none();
  const double ps = static_cast<double>(chosen->head->duration_ps(chosen->head->blocks));
  if (!weights_.empty())
    processes_[chosen->process].pass += (ps > 0 ? ps : kUnknownPs) / weight_of(chosen->process);
  return chosen->submit();
}

HEDDLE_POLICY(Submission, InFlight, "in-flight",
              "the highest priority with work submits, with a bound on launches in flight",
              "Shen et al., XSched, OSDI 2025 (level 1)",
              {{"bound", "launches", 8, 1, 1000000, "most launches of a process on the GPU", true},
               {"batch", "launches", 1, 1, 1000000,
                "of a process at its bound that complete before it submits again, at most the bound", true},
               {"weights", "1", IntegerLists{}, 1, 1000000,
                "shares of processes with equal priority, a list by process in turn; all: no shares"}});

}  // namespace heddle
