// Semi-PD (Hong et al., arXiv 2504.19867, 2025) runs prompts and answers in two processes that share
// weights and cache. The share of the SMs that each process has follows from the service-level objectives.
//   - Time is divided into windows. For each step of a window the policy divides a time by its limit. For
//     prompts it is the time from the arrival of the oldest request to the end of the step. For answers it
//     is the duration of the step, which is the time between two tokens.
//   - At the end of a window both phases have a mean of these ratios. If one mean is above 1, the SMs are
//     divided anew, in proportion to the SMs of a phase times its mean ratio. That is right if times are
//     inverse to the number of SMs. If both means are 1 or less, nothing changes.
//   - A phase without work keeps its SMs, as a client keeps its percentage under MPS.
//
// The paper chooses the shares by a queueing model that is fitted to profiles. This policy uses measured
// times.

#include <algorithm>
#include <cmath>
#include <stdexcept>

#include "policies/submission/phase_split.h"

namespace heddle {

namespace {

class SemiPd final : public PhaseSplit {
 public:
  explicit SemiPd(const PolicyParameters& parameters)
      : PhaseSplit(parameters, true),
        window_ps_(static_cast<std::uint64_t>(parameters["window"] * kPsPerUs)),
        start_(parameters["start"]) {}

  void reset() override {
    PhaseSplit::reset();
    prompts_ = answers_ = Mean{};
    begin_ps_ = 0;
  }

 private:
  struct Mean {
    double sum = 0;
    std::uint64_t count = 0;
    void add(std::uint64_t ps, std::uint64_t limit_ps) {
      if (limit_ps == 0) throw std::runtime_error("semi-pd: both servers need a limit (batching.slo)");
      sum += static_cast<double>(ps) / static_cast<double>(limit_ps);
      ++count;
    }
    double value() const { return count == 0 ? 0 : sum / static_cast<double>(count); }
  };

  void prompt_step_ended(const Step& step) override {
    prompts_.add(step.end_ps - step.batch.oldest_ps, step.batch.first_token_limit_ps);
  }
  void answer_step_ended(const Step& step) override {
    answers_.add(step.duration_ps, step.batch.between_tokens_limit_ps);
  }

  std::int32_t choose() override {
    if (decode_sms() == kEvery) {
      begin_ps_ = now_ps();
      return std::max(1, static_cast<std::int32_t>(std::lround(start_ * sms())));
    }
    if (now_ps() < begin_ps_ + window_ps_ || prompts_.count == 0 || answers_.count == 0) return decode_sms();
    const double of_prompts = prompts_.value();
    const double of_answers = answers_.value();
    prompts_ = answers_ = Mean{};
    begin_ps_ = now_ps();
    if (of_prompts <= 1 && of_answers <= 1) return decode_sms();
    const double prompts_need = of_prompts * (sms() - decode_sms());
    const double answers_need = of_answers * decode_sms();
    return std::max(
        1, static_cast<std::int32_t>(std::lround(sms() * answers_need / (prompts_need + answers_need))));
  }

  const std::uint64_t window_ps_;
  const double start_;
  Mean prompts_;
  Mean answers_;
  std::uint64_t begin_ps_ = 0;  // of the window
};

HEDDLE_POLICY(Submission, SemiPd, "semi-pd",
              "prompts and answers on parts of the SMs that follow what requests had of their limits",
              "Hong et al., semi-PD, arXiv 2504.19867",
              PhaseSplit::parameters_with(
                  {{"window", "us", 1e6, 1, 1e12, "from one change of the split to the next; a guess"},
                   {"start", "1", 0.5, 0, 1, "share of the SMs that answers have at the start; a guess"}}));

}  // namespace

}  // namespace heddle
