#pragma once
// The runs of an experiment as experiments of their own, and their identities.

#include <cstddef>
#include <string>

#include "models/core/base/memo.h"
#include "platforms/experiment/experiment.h"
#include "platforms/experiment/series_request.h"

namespace heddle {

// Returns one variant of an experiment. Its applications are listed instead of drawn at random.
Experiment variant_run(const Experiment& experiment, std::size_t variant);

// One application alone, as machine_alone() runs it: the baseline of its NTT. It does not depend on the other
// applications of the experiment; without jitter it has no seed.
Experiment alone_run(const Experiment& experiment, std::size_t application);

// The identities of runs. An identity is a SHA-1 of everything that the result depends on, so that equal runs
// are one run. The content of each file is hashed once. Several threads may call it.
class RunIds {
 public:
  // All runs have the same series.
  explicit RunIds(std::string build, SeriesRequest series = {})
      : build_(std::move(build)), series_(std::move(series)) {}

  // `run` comes from variant_run() or alone_run(). Throws config::Error if a file of it cannot be read.
  std::string of(const Experiment& run);

 private:
  std::string hash_of_file(const std::string& file);
  std::string hash_of_recording(const std::string& file);

  static constexpr std::size_t kMostFiles = 4096;

  const std::string build_;
  const SeriesRequest series_;
  Memo<std::string, std::string> files_{kMostFiles};
  Memo<std::string, std::string> recordings_{kMostFiles};
};

}  // namespace heddle
