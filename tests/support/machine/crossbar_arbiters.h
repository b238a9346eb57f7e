#pragma once
// A small crossbar and the policies of its outputs, for tests that build a crossbar or a switch themselves.

#include <memory>
#include <string>
#include <vector>

#include "models/noc/noc_spec.h"
#include "policies/crossbar_arbiter/i_crossbar_arbiter.h"

namespace heddle {

// Returns a crossbar whose buffers hold two packets of the longest kind.
inline NocSpec small_crossbar() {
  NocSpec spec;
  spec.flit_bytes = 40;
  spec.header_bytes = 8;
  spec.input_flits = 8;
  spec.output_flits = 8;
  spec.latency = 4;
  return spec;
}

inline std::vector<std::unique_ptr<CrossbarArbiter>> crossbar_arbiters(
    std::size_t outputs, const std::string& name = "round-robin") {
  std::vector<std::unique_ptr<CrossbarArbiter>> arbiters;
  for (std::size_t i = 0; i < outputs; ++i)
    arbiters.push_back(PolicyRegistry<CrossbarArbiter>::make({name, {}}));
  return arbiters;
}

}  // namespace heddle
