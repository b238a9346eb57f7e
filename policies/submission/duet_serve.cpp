// DuetServe (Gao et al., arXiv 2511.04791, 2025) lets prompts and answers share all SMs. It gives each
// phase SMs of its own only while the limit of the time between tokens is in danger:
//   - The policy estimates how long a step of the answers and a step of the prompts take on all SMs, one
//     after the other. If that is at most the limit of the time between tokens, both phases may use every
//     SM.
//   - Otherwise the answers get the smallest number of SMs on which their step is estimated to keep the
//     limit, and the prompts get the rest. No other split under the limit reads prompts faster.
//
// In the paper prompts and answers form one batch while they share the SMs, so that the weights are read
// once for both. In this model they are two processes whose kernels run side by side, and each reads the
// weights. The paper estimates times with a roofline model; phase_split.h says how they are estimated here.

#include <stdexcept>

#include "policies/submission/phase_split.h"

namespace heddle {

namespace {

class DuetServe final : public PhaseSplit {
 public:
  explicit DuetServe(const PolicyParameters& parameters) : PhaseSplit(parameters) {}

 private:
  std::int32_t choose() override {
    const auto limit = static_cast<double>(answers().between_tokens_limit_ps);
    if (limit == 0)
      throw std::runtime_error("duet-serve: the server of answers needs a limit (batching.slo.tpot)");
    const double together = decode_ps(sms()) + prefill_ps(prompts().prefill_tokens, sms());
    return together <= limit ? kEvery : least_for_decode(limit);
  }
};

HEDDLE_POLICY(Submission, DuetServe, "duet-serve",
              "all SMs for both phases, and sets of their own while the time between tokens is threatened",
              "Gao et al., DuetServe, arXiv 2511.04791", PhaseSplit::parameters_with({}));

}  // namespace

}  // namespace heddle
