#pragma once
// One simulation of a campaign as an experiment of its own, and what it is known by.

#include <map>
#include <mutex>
#include <string>

#include "platforms/experiment/experiment.h"

namespace heddle {

// One variant of an experiment, its applications written out, not drawn; experiment_yaml is left empty.
Experiment variant_run(const Experiment& experiment, std::size_t variant);

// One application alone, as machine_alone() runs it: the baseline of its NTT. It is the same whatever stands
// beside the application; without jitter it has no seed.
Experiment alone_run(const Experiment& experiment, std::size_t application);

// The identity of runs: a SHA-1 of all that the result depends on, so that runs that are alike are one.
// What a trace or a captured program holds is hashed once. Several threads may ask.
class RunIds {
 public:
  explicit RunIds(std::string build) : build_(std::move(build)) {}

  // run: of variant_run() or alone_run(). Throws config::Error where one cannot be read.
  std::string of(const Experiment& run);

 private:
  std::string recording_hash(const std::string& file);

  const std::string build_;
  std::mutex mutex_;
  std::map<std::string, std::string> recordings_;  // by file
};

}  // namespace heddle
