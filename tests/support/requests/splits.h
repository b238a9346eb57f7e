#pragma once
// Partitioners for tests that draw policies at random: a submission policy that splits the SMs is refused
// beside a partitioner that does not follow its split.

#include <string>

#include "models/core/base/random.h"
#include "policies/sm_partitioner/i_sm_partitioner.h"
#include "policies/submission/i_submission.h"

namespace heddle {

// Returns the partitioner that was drawn, or one that follows the split if there is one that it does not
// follow.
inline std::string following_partitioner(const std::string& partitioner, const std::string& submission,
                                         Random& random) {
  if (PolicyRegistry<Submission>::make({submission, {}})->split() == nullptr) return partitioner;
  if (PolicyRegistry<SmPartitioner>::make({partitioner, {}})->follows_tokens()) return partitioner;
  return random.below(2) == 0 ? "token" : "resized-sets";
}

}  // namespace heddle
