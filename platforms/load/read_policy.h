#pragma once
// These functions read a policy from YAML: `name`, or `{name: ..., parameter: value}`.

#include <cstdint>
#include <string>

#include "models/core/config/config.h"
#include "policies/registry.h"

namespace heddle {

// Reads one policy. Problems are recorded, and the returned choice then has no name. A number of cycles may
// be a share of `window`, as in "1%", unless `window` is 0 cycles. The caller checks the policy's name and
// parameters.
PolicyChoice read_policy(const std::string& decision, const config::Value& value, std::uint64_t window);

// Reads a platform's defaults of parameters: {decision: {policy: {parameter: value}}}. Problems are recorded.
PolicyDefaults read_policy_defaults(const config::Section& section);

// Returns the policy of a decision that the block of this section takes, from the section's key of the
// decision's name. Returns the default if the key is absent or has a problem, which is recorded.
PolicyChoice read_policy_of_block(const config::Section& block, const char* decision, const char* fallback,
                                  const char* doc);
// The same for the replacement policy of a cache.
PolicyChoice read_replacement(const config::Section& cache);

}  // namespace heddle
