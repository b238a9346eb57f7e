#pragma once
// A server of an experiment that goes on with the requests of another one, which has read their prompts:
//
//   applications:
//     - prefill                                  # batching: {phase: prefill}
//     - {application: decode, takes_over: {from: prefill, latency: 50us, token: 400ns}}   # phase: decode
//
// platforms/README.md, "Servers", describes the keys.

#include "models/core/config/config.h"
#include "platforms/experiment/experiment.h"

namespace heddle {

// Reads `takes_over` of each entry of `applications`, which have been read. Problems are recorded in the
// document.
void read_take_overs(const config::Section& root, Experiment& experiment);

// Records a problem for each variant that splits the GPU: requests do not go from instance to instance.
void check_take_overs(const config::Section& root, const Experiment& experiment);

}  // namespace heddle
