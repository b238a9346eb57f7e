#include "policies/submission/phase_split.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <stdexcept>

namespace heddle {

namespace {

constexpr const char* kGranularity = "granularity";
constexpr const char* kSaturation = "saturation";
constexpr const char* kIdle = "idle";
constexpr double kNewPart = 0.25;  // of the last step in the mean time of a token of prompts

}  // namespace

PhaseSplit::PhaseSplit(const PolicyParameters& parameters, bool keeps_split)
    : granularity_(static_cast<std::int32_t>(parameters[kGranularity])),
      saturation_(parameters[kSaturation]),
      idle_ps_(static_cast<std::uint64_t>(parameters[kIdle] * kPsPerUs)),
      keeps_split_(keeps_split) {}

std::vector<PolicyParameter> PhaseSplit::parameters_with(std::vector<PolicyParameter> derived) {
  std::vector<PolicyParameter> all{
      {kGranularity, "SMs", 2, 1, 64, "of which sets are multiples: a TPC", true},
      {kSaturation, "1", 0.45, 0.01, 1, "share of the SMs beyond which answers gain nothing; MuxServe, A100"},
      {kIdle, "us", 1000, 0, 1e9, "without work, after which a phase leaves the other one all SMs; a guess"}};
  for (PolicyParameter& parameter : derived) all.push_back(std::move(parameter));
  return all;
}

void PhaseSplit::reset() {
  split_.clear();
  decode_sms_ = kEvery;
  prefill_ = decode_ = Phase{};
  prefill_sm_ps_ = decode_sm_ps_ = 0;
}

SubmissionDecision PhaseSplit::decide(const SubmissionView& view) {
  split_.resize(view.processes.size(), -1);
  sms_ = static_cast<std::int32_t>(view.sms);
  now_ps_ = view.now_ps;
  prefill_.begins = decode_.begins = false;
  for (std::uint32_t process = 0; process < view.processes.size(); ++process) look_at(view, process);
  if (prefill_.begins || decode_.begins) resize();
  const auto any_process = [](const ProcessView&) { return true; };
  if (const auto head = oldest_of(view, any_process, any_head)) return head->submit();
  return SubmissionDecision::none();
}

PhaseSplit::Phase& PhaseSplit::phase_of(const BatchView& batch, std::uint32_t process) {
  if (batch.phase == BatchPhase::kBoth)
    throw std::runtime_error(
        fmt::format("process {} reads prompts and generates answers (batching.phase: both), and the policy "
                    "splits the SMs between two processes that each do one of both",
                    process));
  Phase& phase = batch.phase == BatchPhase::kPrefill ? prefill_ : decode_;
  if (phase.process.value_or(process) != process)
    throw std::runtime_error(fmt::format(
        "processes {} and {} are servers of the same phase, and the policy splits the SMs between "
        "one of each",
        *phase.process, process));
  return phase;
}

// Takes up what the process does for its phase.
void PhaseSplit::look_at(const SubmissionView& view, std::uint32_t process) {
  const ProcessView& own = view.processes[process];
  if (!own.batch.is_server) return;
  Phase& phase = phase_of(own.batch, process);
  if (has_work(view, process)) phase.last_work_ps = view.now_ps;
  if (phase.process && phase.begin_ps == own.request_ps) return;
  if (phase.process) end(phase, own.latency_ps);
  phase.process = process;
  phase.begins = true;
  phase.begin_ps = own.request_ps;
  phase.last_work_ps = view.now_ps;
  phase.batch = own.batch;
}

void PhaseSplit::resize() {
  const bool has_both = is_working(prefill_) && is_working(decode_);
  const std::int32_t before = decode_sms_;
  if (prefill_.process && decode_.process) set_split(has_both || keeps_split_ ? choose() : kEvery);
  for (Phase* const phase : {&prefill_, &decode_}) {
    if (!phase->begins && decode_sms_ == before) continue;
    phase->sms.reset();
    if (!phase->begins || (decode_sms_ == kEvery && has_both)) continue;
    if (decode_sms_ == kEvery)
      phase->sms = sms_;
    else
      phase->sms = phase == &decode_ ? decode_sms_ : sms_ - decode_sms_;
  }
}

void PhaseSplit::end(const Phase& phase, std::uint64_t duration_ps) {
  const Step step{phase.batch, phase.begin_ps + duration_ps, duration_ps};
  const auto ps = static_cast<double>(duration_ps);
  if (&phase == &decode_) {
    if (phase.sms) decode_sm_ps_ = ps * useful(*phase.sms);
    answer_step_ended(step);
    return;
  }
  if (phase.sms && step.batch.prefill_tokens > 0) {
    const double token = ps * (*phase.sms) / static_cast<double>(step.batch.prefill_tokens);
    prefill_sm_ps_ = prefill_sm_ps_ == 0 ? token : prefill_sm_ps_ + kNewPart * (token - prefill_sm_ps_);
  }
  prompt_step_ended(step);
}

bool PhaseSplit::is_working(const Phase& phase) const {
  return phase.process && now_ps_ < phase.last_work_ps + std::max<std::uint64_t>(idle_ps_, 1);
}

void PhaseSplit::set_split(std::int32_t decode) {
  const std::int32_t granule = std::min(granularity_, sms_ / 2);
  if (granule == 0) decode = kEvery;
  if (decode != kEvery)
    decode = std::clamp((decode + granule - 1) / granule * granule, granule, sms_ - granule);
  split_[*decode_.process] = decode;
  split_[*prefill_.process] = decode == kEvery ? kEvery : sms_ - decode;
  decode_sms_ = decode;
}

double PhaseSplit::useful(std::int32_t sms) const {
  return std::min<double>(sms, std::max(1.0, saturation_ * sms_));
}

double PhaseSplit::prefill_ps(std::uint64_t tokens, std::int32_t sms) const {
  return prefill_sm_ps_ * static_cast<double>(tokens) / sms;
}

double PhaseSplit::decode_ps(std::int32_t sms) const {
  return decode_sm_ps_ / useful(sms);
}

std::int32_t PhaseSplit::least_for_decode(double ps) const {
  if (decode_sm_ps_ == 0) return static_cast<std::int32_t>(std::ceil(useful(sms_)));
  const double needed = decode_sm_ps_ / ps;
  return needed > useful(sms_) ? sms_ : std::max(1, static_cast<std::int32_t>(std::ceil(needed)));
}

}  // namespace heddle
