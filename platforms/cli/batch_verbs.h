#pragma once
// The command line of `heddle batch`.

#include <CLI/App.hpp>
#include <cstdint>
#include <string>
#include <vector>

#include "platforms/campaign/backends/campaign_driver.h"
#include "platforms/campaign/results/results.h"
#include "platforms/cli/commands.h"

namespace heddle {

struct BatchArguments {
  BatchPlanOptions plan;
  BatchOptions batch;
  std::string backend;  // of resume; empty: the campaign's
  std::string submission;
  std::uint64_t chunk = 0;
  CollectOptions collect;
  DiffOptions diff;
  GcOptions gc;
};

void add_batch(CLI::App& app, BatchArguments& arguments);
int run_batch_verb(const CLI::App& verb, const BatchArguments& arguments,
                   const std::vector<std::string>& argv);

// For CLI11, which wraps what does not fit an unsigned number; empty where the text is right.
std::string check_count(const std::string& text);

}  // namespace heddle
