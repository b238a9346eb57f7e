// Bullet (Lin et al., arXiv 2504.19516, 2025) runs prompts and answers side by side on masks of SMs, and
// estimates with a model of performance which masks keep the service-level objectives:
//   - Answers have the least SMs on which their step is estimated to keep the time between tokens, so that
//     prompts have the most.
//   - If the oldest request is estimated to get its first token too late all the same, answers give way as
//     far as they have slack. Slack is the time by which their steps were shorter than the limit so far, at
//     most the limits of `slack` steps, and one step may spend all of it.
//
// The paper decides for each group of layers of a prompt, and its model is fitted to profiles beforehand.
// Here it decides when a step begins, by times of earlier steps (phase_split.h).

#include <algorithm>
#include <stdexcept>

#include "policies/submission/phase_split.h"

namespace heddle {

namespace {

class Bullet final : public PhaseSplit {
 public:
  explicit Bullet(const PolicyParameters& parameters)
      : PhaseSplit(parameters), most_slack_(parameters["slack"]) {}

  void reset() override {
    PhaseSplit::reset();
    slack_ps_ = 0;
  }

 private:
  void answers_grown(const Step& step) override {
    const auto limit = static_cast<double>(step.batch.between_tokens_limit_ps);
    slack_ps_ =
        std::clamp(slack_ps_ + limit - static_cast<double>(step.duration_ps), 0.0, most_slack_ * limit);
  }

  std::int32_t choose() override {
    const auto limit = static_cast<double>(answers().between_tokens_limit_ps);
    const auto first_limit = static_cast<double>(prompts().first_token_limit_ps);
    if (limit == 0 || first_limit == 0)
      throw std::runtime_error("bullet: both servers need a limit (batching.slo)");
    const std::int32_t needed = least_for_decode(limit);
    const auto waited = static_cast<double>(prompts().oldest_ps == 0 ? 0 : now_ps() - prompts().oldest_ps);
    const double first = waited + prefill_ps(prompts().prefill_tokens, std::max(1, sms() - needed));
    return first <= first_limit ? needed : least_for_decode(limit + slack_ps_);
  }

  const double most_slack_;
  double slack_ps_ = 0;
};

HEDDLE_POLICY(
    Submission, Bullet, "bullet",
    "the least SMs for answers that keep their limit, and fewer while prompts are late",
    "Lin et al., Bullet, arXiv 2504.19516",
    PhaseSplit::parameters_with({{"slack", "steps", 1, 0, 1000,
                                  "most time of steps at their limit that answers save up; a guess"}}));

}  // namespace

}  // namespace heddle
