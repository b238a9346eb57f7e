#pragma once
// The runs of an experiment as experiments of their own, and their identities.

#include <map>
#include <mutex>
#include <string>

#include "platforms/experiment/experiment.h"
#include "platforms/experiment/series_request.h"

namespace heddle {

// One variant of an experiment. Its applications are listed instead of drawn at random; experiment_yaml is
// empty.
Experiment variant_run(const Experiment& experiment, std::size_t variant);

// One application alone, as machine_alone() runs it: the baseline of its NTT. It does not depend on the other
// applications of the experiment; without jitter it has no seed.
Experiment alone_run(const Experiment& experiment, std::size_t application);

// The identities of runs. An identity is a SHA-1 of everything that the result depends on, so that equal runs
// are one run. The content of a trace or a captured program is hashed once. Several threads may call it.
class RunIds {
 public:
  // All runs have the same series.
  explicit RunIds(std::string build, SeriesRequest series = {})
      : build_(std::move(build)), series_(std::move(series)) {}

  // `run` comes from variant_run() or alone_run(). Throws config::Error if a file of it cannot be read.
  std::string of(const Experiment& run);

 private:
  std::string recording_hash(const std::string& file);

  const std::string build_;
  const SeriesRequest series_;
  std::mutex mutex_;
  std::map<std::string, std::string> recordings_;  // by file
};

}  // namespace heddle
