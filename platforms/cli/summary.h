#pragma once
// What an experiment came to: the JSON object that README's "Results" documents, and its tables.

#include <nlohmann/json.hpp>

#include <ostream>
#include <vector>

#include "stimuli/experiment.h"

namespace heddle {

// runs: the data of simulate(), one per variant; alone_ps: turnaround of each application alone.
nlohmann::ordered_json summarise(const Experiment& experiment,
                                 const std::vector<nlohmann::ordered_json>& runs,
                                 const std::vector<std::uint64_t>& alone_ps);

// Per application its NTT under each variant, and per variant the metrics.
void print_summary(const nlohmann::ordered_json& summary, std::ostream& out);

}  // namespace heddle
