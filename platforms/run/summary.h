#pragma once
// What an experiment came to: the JSON object that README's "Results" documents, and its tables.

#include <nlohmann/json.hpp>

#include <optional>
#include <ostream>
#include <vector>

#include "platforms/experiment/experiment.h"

namespace heddle {

// What an object of `runs` says from simulated_ps on: the numbers by which runs are compared. data: of
// simulate(); alone_ps: turnaround of each of its applications alone; prioritised: which of them. Throws
// nlohmann::json::exception where data is not what simulate() gives, std::invalid_argument where a turnaround
// is zero.
nlohmann::ordered_json measures(const nlohmann::ordered_json& data,
                                const std::vector<std::uint64_t>& alone_ps,
                                std::optional<std::size_t> prioritised);

// runs: the data of simulate(), one per variant; alone_ps: turnaround of each application alone.
nlohmann::ordered_json summarise(const Experiment& experiment,
                                 const std::vector<nlohmann::ordered_json>& runs,
                                 const std::vector<std::uint64_t>& alone_ps);

// Per application its NTT under each variant, and per variant the metrics.
void print_summary(const nlohmann::ordered_json& summary, std::ostream& out);

}  // namespace heddle
