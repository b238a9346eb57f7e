#pragma once
// This file reads how a server serves many requests at a time.
//
//   batching:
//     phase: both               # prefill, decode: parts of requests that another server begins or goes on
//     with prompt: prompt            # the parameter that is the length of the prompt, in tokens; prompt
//     output: output            # and that of the answer; output
//     sequences: 256            # the most in service
//     tokens: 2048              # the most in a step
//     chunked_prefill: on       # off: whole prompts in steps of their own, before any decoding
//     cache: {tokens: 440000, page: 16, reserve: prompt}     # of keys and values; or reserve: answer
//     slo: {ttft: 500ms, tpot: 50ms}
//
// stimuli/APPLICATIONS.md, "Batches", describes each key.

#include <optional>
#include <vector>

#include "models/core/config/config.h"
#include "models/host/requests/request_spec.h"

namespace heddle {

// Reads `own`, the section of the application's file, and `stated`, that of the experiment, of which each key
// replaces that of the file. One of them is there. `parameters` are those of the requests. Problems are
// recorded in the documents.
BatchSpec read_batching(const std::optional<config::Section>& own,
                        const std::optional<config::Section>& stated,
                        const std::vector<RequestParameter>& parameters);

// Returns the parameters of a step as constants: one sequence whose prompt is read, and one that decodes.
std::vector<RequestParameter> step_parameters(const RequestSpec& spec);

}  // namespace heddle
