// Nexus (Shi et al., arXiv 2507.06608, 2025) chooses the split between prompts and answers from estimated
// times and the use of the cache, and needs no service-level objective:
//   - While less than `cache` of the memory for keys and values is used, prompts go first: answers have the
//     least SMs with which their step takes at most `answers` times what it takes on all SMs.
//   - Beyond it answers go first, so that requests end and leave the cache: prompts have the least SMs with
//     which they take at most `prompts` times what they take on all SMs.
//   - A split that differs from the present one by less than `hysteresis` of the SMs is not taken.
//
// The paper also serves the shortest prompt first. Here prompts are served in the order of arrival.

#include <algorithm>
#include <cmath>
#include <cstdlib>

#include "policies/submission/phase_split.h"

namespace heddle {

namespace {

class Nexus final : public PhaseSplit {
 public:
  explicit Nexus(const PolicyParameters& parameters)
      : PhaseSplit(parameters),
        cache_(parameters["cache"]),
        prompts_(parameters["prompts"]),
        answers_(parameters["answers"]),
        hysteresis_(parameters["hysteresis"]) {}

 private:
  std::int32_t choose() override {
    const bool is_full = std::max(prompts().cache_used, answers().cache_used) > cache_;
    const double decode =
        is_full ? sms() - std::ceil(sms() / prompts_) : least_for_decode(answers_ * decode_ps(sms()));
    const auto wanted = static_cast<std::int32_t>(decode);
    if (decode_sms() != kEvery && std::abs(wanted - decode_sms()) < hysteresis_ * sms()) return decode_sms();
    return std::max(1, wanted);
  }

  const double cache_;
  const double prompts_;
  const double answers_;
  const double hysteresis_;
};

HEDDLE_POLICY(Submission, Nexus, "nexus",
              "the phase that matters, by the use of the cache, and the least SMs for the other one",
              "Shi et al., Nexus, arXiv 2507.06608",
              PhaseSplit::parameters_with(
                  {{"cache", "1", 0.7, 0, 1, "use of the cache from which on answers go first; a guess"},
                   {"answers", "1", 1.3, 1, 100, "most slowdown of answers while prompts go first; a guess"},
                   {"prompts", "1", 2, 1, 100, "most slowdown of prompts while answers go first; a guess"},
                   {"hysteresis", "1", 0.05, 0, 1,
                    "share of the SMs below which a change is not made; a guess"}}));

}  // namespace

}  // namespace heddle
