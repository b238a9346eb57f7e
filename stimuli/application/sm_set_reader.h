#pragma once
// This file reads on which SMs a launch of a YAML program runs (a green context):
//
//   - {launch: k, sms: {from: 0, to: 53}}                        # both included
//   - {launch: k, sms: {from: 0, to: '20 + 8 * prefill_sequences', most: 99}}
//   - {launch: k, sms: {from: '108 - decode_sequences', least: 8, to: 107}}
//
// One end may be an expression of the parameters of requests, between its other end and a bound.

#include <cstddef>

#include "models/core/config/config.h"
#include "models/host/api_program.h"
#include "stimuli/application/request_amounts.h"

namespace heddle {

// Returns the number of the set for ApiCall::sm_set, and adds to program.sm_sets those that the launch may
// name. `call` is the number of the launch among the calls. Problems are recorded in the document.
std::uint32_t read_sm_set(const config::Section& section, std::size_t call, RequestAmounts& amounts,
                          ApiProgram& program);

}  // namespace heddle
