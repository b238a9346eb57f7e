#pragma once
// Tests that draw policies at random need partitioners that suit the submission policy: an experiment is
// refused if its submission policy splits the SMs and its partitioner does not follow the split.

#include <string>

#include "models/core/base/random.h"
#include "policies/sm_partitioner/i_sm_partitioner.h"
#include "policies/submission/i_submission.h"

namespace heddle {

// Returns `partitioner` if it suits the submission policy, and otherwise one of the two that follow a split.
inline std::string following_partitioner(const std::string& partitioner, const std::string& submission,
                                         Random& random) {
  if (PolicyRegistry<Submission>::make({submission, {}})->split() == nullptr) return partitioner;
  if (PolicyRegistry<SmPartitioner>::make({partitioner, {}})->follows_tokens()) return partitioner;
  return random.below(2) == 0 ? "token" : "resized-sets";
}

}  // namespace heddle
