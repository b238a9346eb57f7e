#pragma once
// What a paper's runs cost, before they start.

#include <cstddef>
#include <string>

#include "platforms/campaign/plan/paper.h"

namespace heddle {

// Prints the runs of each campaign of the paper, how many of them are in `directory`, and how long the others
// take with `jobs` at a time. A campaign's time follows from its own runs that are there; else from those of
// the paper's other campaigns; else from the paper's `run_time`. Throws config::Error if a point does not
// load.
void print_cost(const Paper& paper, const std::string& directory, std::size_t jobs);

}  // namespace heddle
