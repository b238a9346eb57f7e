// Nexus (Shi et al., arXiv 2507.06608, 2025) chooses the split by estimated times and by how full the cache
// of keys and values is. It needs no service-level objective.
//   - As long as at most the part `cache` of the cache is in use, prompts are preferred. The answers get
//     the smallest number of SMs on which their step takes at most `answers` times as long as on all SMs.
//   - If more of the cache is in use, answers are preferred, so that requests end and free their keys and
//     values. The prompts get the smallest number of SMs on which they take at most `prompts` times as long
//     as on all SMs.
//   - The policy keeps the present split if the new one differs by less than `hysteresis` of the SMs.
//
// In the paper the server also reads the shortest prompt first. In this model it reads prompts in the order
// of arrival.

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
