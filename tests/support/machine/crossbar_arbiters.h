#pragma once
// Policies of the crossbar's outputs, for tests that build a crossbar or a switch themselves.

#include <memory>
#include <string>
#include <vector>

#include "policies/crossbar_arbiter/i_crossbar_arbiter.h"

namespace heddle {

inline std::vector<std::unique_ptr<CrossbarArbiter>> crossbar_arbiters(
    std::size_t outputs, const std::string& name = "round-robin") {
  std::vector<std::unique_ptr<CrossbarArbiter>> arbiters;
  for (std::size_t i = 0; i < outputs; ++i)
    arbiters.push_back(PolicyRegistry<CrossbarArbiter>::make({name, {}}));
  return arbiters;
}

}  // namespace heddle
