#include "policies/submission/pd_mux.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace heddle {

namespace {

// No deadline is later than any.
std::uint64_t deadline_of(const ProcessView& process) {
  return process.deadline_ps == 0 ? SubmissionDecision::kNever : process.deadline_ps;
}

}  // namespace

PdMux::PdMux(const PolicyParameters& parameters)
    : bound_(static_cast<std::uint64_t>(parameters["bound"])),
      least_(static_cast<std::int32_t>(parameters["least"])),
      period_ps_(static_cast<std::uint64_t>(parameters["period"] * kPsPerUs)) {}

// One SM for each process may be more than there are, and the processes with the latest deadlines then wait.
std::string PdMux::misfit(const GpuDescription& gpu, const PolicyParameters& parameters) {
  const double least = parameters["least"];
  const auto processes = static_cast<double>(std::max<std::size_t>(1, gpu.applications));
  if (least == 1 || gpu.sms == 0 || least * processes <= gpu.sms) return "";
  return fmt::format("pd-mux: {} processes with a least of {} SMs each, and the GPU has {} SMs", processes,
                     least, gpu.sms);
}

void PdMux::reset() {
  split_.clear();
  has_split_ = false;
  resized_ps_ = 0;
}

bool PdMux::is_due(const SubmissionView& view) const {
  if (!has_split_ || view.now_ps >= resized_ps_ + period_ps_) return true;
  return std::any_of(working_.begin(), working_.end(), [this](std::uint32_t i) { return split_[i] == 0; });
}

// Returns the SMs on which the process would meet its deadline. Work of unknown length asks for `least`.
std::int32_t PdMux::need_of(const SubmissionView& view, const ProcessView& process) const {
  const auto sms = static_cast<std::int32_t>(view.sms);
  if (process.deadline_ps == 0) return least_;
  if (process.deadline_ps <= view.now_ps) return sms;
  const auto work = static_cast<double>(process.waiting_ps + process.in_flight_ps);
  const double need = std::ceil(sms * work / static_cast<double>(process.deadline_ps - view.now_ps));
  return need >= sms ? sms : std::max(least_, static_cast<std::int32_t>(need));
}

void PdMux::give(std::uint32_t process, std::int32_t sms, std::int32_t& left) {
  const std::int32_t given = std::min(sms, left);
  split_[process] += given;
  left -= given;
}

void PdMux::resize(const SubmissionView& view) {
  has_split_ = true;
  resized_ps_ = view.now_ps;
  std::fill(split_.begin(), split_.end(), 0);
  auto left = static_cast<std::int32_t>(view.sms);
  for (const std::uint32_t i : working_) give(i, least_, left);
  for (const std::uint32_t i : working_) give(i, need_of(view, view.processes[i]) - split_[i], left);
  const bool any_free = std::any_of(working_.begin(), working_.end(),
                                    [&](std::uint32_t i) { return view.processes[i].deadline_ps == 0; });
  while (left > 0 && !working_.empty())
    for (const std::uint32_t i : working_)
      if (!any_free || view.processes[i].deadline_ps == 0) give(i, 1, left);
}

// The oldest head among those of the processes with the earliest deadline that have one.
std::optional<Candidate> PdMux::next_head(const SubmissionView& view) const {
  std::optional<Candidate> next;
  for (const std::uint32_t i : working_) {
    const ProcessView& process = view.processes[i];
    if (next && deadline_of(process) != deadline_of(view.processes[next->process])) break;
    const bool is_full = process.launches_in_flight >= bound_;
    const auto head =
        oldest_head(view, i, [&](const HeadView& candidate) { return !is_full || is_no_launch(candidate); });
    if (head && (!next || head->head->arrival < next->head->arrival)) next = head;
  }
  return next;
}

SubmissionDecision PdMux::decide(const SubmissionView& view) {
  split_.resize(view.processes.size());
  working_.clear();
  for (std::uint32_t i = 0; i < view.processes.size(); ++i)
    if (has_work(view, i)) working_.push_back(i);
  std::stable_sort(working_.begin(), working_.end(), [&](std::uint32_t a, std::uint32_t b) {
    return deadline_of(view.processes[a]) < deadline_of(view.processes[b]);
  });
  if (is_due(view)) resize(view);
  if (const std::optional<Candidate> head = next_head(view)) return head->submit();
  // The need of a process grows as its deadline comes nearer.
  const bool any_deadline = std::any_of(working_.begin(), working_.end(),
                                        [&](std::uint32_t i) { return view.processes[i].deadline_ps != 0; });
  if (!any_deadline || period_ps_ == 0) return SubmissionDecision::none();
  return SubmissionDecision::at(resized_ps_ + period_ps_);
}

HEDDLE_POLICY(Submission, PdMux, "pd-mux", "phases of a server on sets of SMs that are resized by deadlines",
              "Duan et al., MuxServe, ICML 2024, Section 3; Zhong et al., DistServe, OSDI 2024",
              {{"bound", "launches", 2, 1, 1000000, "most launches of a process on the GPU", true},
               {"least", "SMs", 1, 1, 1024, "of a process with work", true},
               {"period", "us", 50, 0, 1e9, "between two changes of the split; a guess"}});

}  // namespace heddle
