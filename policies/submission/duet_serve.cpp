// DuetServe (Gao et al., arXiv 2511.04791, 2025) lets prompts and answers share all SMs, and sets SMs apart
// only where the time between tokens is threatened:
//   - If a step of the answers and one of the prompts, one after the other on all SMs, are estimated to take
//   at
//     most the limit of the time between tokens, both phases have every SM.
//   - Else answers have the least SMs on which their step is estimated to keep the limit, and prompts the
//   rest,
//     which is the split with the most throughput under it.
//
// In the paper the phases are one batch while they share the SMs, so that weights are read once for both.
// Here they are kernels of two processes side by side. The paper's model of a roofline is here that of
// phase_split.h.

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
