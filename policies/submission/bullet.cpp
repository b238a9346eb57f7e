// Bullet (Lin et al., arXiv 2504.19516, 2025) runs prompts and answers side by side on masks of SMs. It
// estimates which masks keep the limits of the times to the first token and between tokens:
//   - The answers get the smallest number of SMs on which their step is estimated to keep the limit of the
//     time between tokens. The prompts get the rest.
//   - The oldest request may be estimated to get its first token too late nevertheless. Then a step of the
//     answers may take longer than its limit by the slack that earlier steps have saved, and the answers
//     get fewer SMs. A step saves the time by which it is shorter than the limit. The parameter `slack`
//     bounds what is saved, in multiples of the limit.
//
// The paper decides anew for each group of layers of a prompt, and its estimates come from profiles that
// are made beforehand. This policy decides when a step begins, and estimates by earlier steps
// (phase_split.h).

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
  void answer_step_ended(const Step& step) override {
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
